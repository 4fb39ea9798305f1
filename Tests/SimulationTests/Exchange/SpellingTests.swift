import Testing

@testable import Simulation

/// Equal JSON values have equal bytes, others do not.
@Suite struct SpellingTests {
  private func spelled(_ json: String) -> String? {
    Spelling.fields(Array("{\"a\":\(json)}".utf8)).first.map {
      String(decoding: $0.value, as: UTF8.self)
    }
  }

  @Test(arguments: [
    ["1500", "1500.0", "15e2", "15E+2", "1500.000e0", "150000e-2", "0.15e4"],
    ["0", "-0", "0.0", "-0.0", "0e99", "0e999999999999"],
    ["-1500", "-15e2", "-1500.0"],
    ["100000000000000000000", "1e20", "10.0e19"],
    ["9007199254740993", "9007199254740993.0", "90071992547409930e-1"],
    ["0.1", "0.10", "1e-1", "0.1000000000000000055"],
    [#"{"x":1,"y":[1,{"p":2,"q":3}]}"#, #"{ "y":[1.0,{"q":3,"p":2e0}], "x":1 }"#],
    [#""é\n/""#, #""\u00e9\u000A\/""#],
  ]) func same(_ spellings: [String]) {
    #expect(Set(spellings.map { spelled($0) ?? "none" }).count == 1, "\(spellings.map(spelled))")
  }

  @Test func different() {
    let values = [
      "1", "-1", "10", "0.1", "1e400", "1e401", "9007199254740992", "9007199254740993", "true",
      "null", #""1""#, "[1]", "[1,2]", "[2,1]", #"{"x":1}"#, #"{"y":1}"#, #""é""#,
      "\"e\u{301}\"",
    ]
    // As bytes: Swift's strings take composed and decomposed letters for equal.
    #expect(Set(values.map { Array((spelled($0) ?? "none").utf8) }).count == values.count)
  }
}
