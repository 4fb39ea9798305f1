import AppModels
import Testing

@Suite struct MoneyTests {
  @Test(
    arguments: [
      (37, 15, 45), (45, 15, 45), (0, 15, 0), (1, 60, 60), (61, 60, 120), (37, nil, 37),
      (37, 0, 37),
      (90, 15, 90), (-4, 15, 0),
    ] as [(Int, Int?, Int)])
  func timesAreRoundedUp(_ minutes: Int, _ increment: Int?, _ rounded: Int) {
    #expect(Billing.rounded(minutes * 60, increment: increment) == rounded * 60)
  }

  @Test func oneSecondMoreIsOneIncrementMore() {
    #expect(Billing.rounded(901, increment: 15) == 1800)
    #expect(Billing.rounded(900, increment: 15) == 900)
    #expect(Billing.rounded(1, increment: 1) == 60)
  }

  @Test(arguments: [
    ("150", 45 * 60, "112.50"), ("150", 37 * 60, "92.50"), ("100", 600, "16.67"),
    ("100", 90 * 60, "150.00"), ("0.1", 3600 * 3, "0.30"), ("0.01", 1799, "0.00"),
    ("0.01", 1800, "0.01"), ("33.335", 3600, "33.34"), ("33.3349999", 3600, "33.33"),
    ("0", 3600, "0.00"), ("5", 36, "0.05"),
    (
      "99999999999999999999999999999999999999", 3600,
      "99999999999999999999999999999999999999.00"
    ),
    ("0.00000000000000000000000000000000000001", 1 << 60, "0.00"), ("150", -5, "0.00"),
  ])
  func amountsAreExact(_ rate: String, _ seconds: Int, _ amount: String) throws {
    #expect(try #require(Rate(rate)).amount(seconds: seconds).text == amount)
  }

  /// With numbers that fit, the exact formula in whole numbers.
  @Test func amountsAreThoseOfTheFormula() throws {
    for coefficient in stride(from: 1, through: 99_999, by: 1237) {
      for seconds in stride(from: 0, through: 400_000, by: 9371) {
        let rate = try #require(Rate("\(coefficient / 1000).\(coefficient % 1000 + 1000)"))
        let whole = coefficient / 1000 * 10_000 + (coefficient % 1000 + 1000)
        // The rate is whole / 10⁴; in cents with halves up.
        let cents = (whole * seconds * 2 + 360_000) / 720_000
        let two = cents % 100
        #expect(
          rate.amount(seconds: seconds).text == "\(cents / 100).\(two < 10 ? "0" : "")\(two)")
      }
    }
  }

  @Test(arguments: ["", "-1", "1.", ".5", "x", "1e5", "1.2.3", "+1", "NaN", " 1"])
  func whatIsNoRate(_ text: String) { #expect(Rate(text) == nil) }

  @Test(arguments: [
    ("150", "150.00"), ("112.5", "112.50"), ("0.125", "0.125"), ("1.25", "1.25"),
  ])
  func ratesAreShown(_ rate: String, _ text: String) { #expect(Rate(rate)?.money == text) }

  @Test func sumsAndOrder() throws {
    let amounts = ["0.99", "999999999.01", "1000000000000000000"].compactMap { Money($0) }
    #expect(amounts.sum.text == "1000000001000000000.00")
    #expect(amounts[0] < amounts[1])
    #expect(amounts[1] < amounts[2])
    #expect([Money]().sum.text == "0.00")
    #expect(Money("12.345")?.text == "12.35")
  }
}
