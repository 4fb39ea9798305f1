/// An hourly rate, exactly as it was written; not below 0.
package struct Rate: Hashable, Sendable {
  /// The digits without their point.
  private let coefficient: Natural
  /// How many of the digits are decimals, from 0 to 38.
  private let decimals: Int
  /// Without exponent, as `112.5`.
  package let text: String

  /// - Parameter text: a decimal in its canonical form, of at most 38 digits.
  /// - Returns: nil where it is none, or below 0.
  package init?(_ text: String) {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard (1...2).contains(parts.count), text.utf8.count <= 40,
      parts.allSatisfy({ part in
        !part.isEmpty && part.utf8.allSatisfy { (0x30...0x39).contains($0) }
      })
    else { return nil }
    coefficient = Natural(digits: text.utf8.filter { $0 != 0x2E }.map { $0 - 0x30 })
    decimals = parts.count > 1 ? parts[1].utf8.count : 0
    self.text = text
  }

  package var isZero: Bool { coefficient.isZero }

  package static let zero = Rate("0")!

  /// What a time costs, rounded to cents with halves up.
  ///
  /// - Parameter seconds: below 0 counts as 0.
  package func amount(seconds: Int) -> Money {
    // In cents that is coefficient × seconds / (36 × 10^decimals). Half of the divisor is added to
    // the exact product, and what is below the point is dropped, once.
    let seconds = max(0, min(seconds, 1 << 60))
    let (high, low) = seconds.quotientAndRemainder(dividingBy: 1_000_000_000)
    let product =
      coefficient * UInt32(low) + coefficient * UInt32(high) * 1_000_000_000
    var half = Natural(digits: [1, 8])
    for _ in 0..<decimals { half = half * 10 }
    var cents = (product + half).divided(by: 36).quotient
    for _ in 0..<decimals { cents = cents.divided(by: 10).quotient }
    return Money(cents: cents)
  }

  /// As `112.50`: with two decimals at least.
  package var money: String {
    let places = text.split(separator: ".").dropFirst().first?.utf8.count ?? 0
    return switch places {
    case 0: text + ".00"
    case 1: text + "0"
    default: text
    }
  }
}

/// An amount in cents; not below 0.
package struct Money: Hashable, Comparable, Sendable {
  let cents: Natural

  init(cents: Natural) { self.cents = cents }

  package static let zero = Money(cents: Natural())

  /// - Parameter text: a decimal as `Rate` reads it; beyond cents halves are rounded up.
  package init?(_ text: String) {
    guard let rate = Rate(text) else { return nil }
    self = rate.amount(seconds: 3600)
  }

  package static func + (left: Money, right: Money) -> Money {
    Money(cents: left.cents + right.cents)
  }

  package static func < (left: Money, right: Money) -> Bool { left.cents < right.cents }

  /// `112.50`, without separators between thousands.
  package var text: String {
    let digits = cents.text
    let padded = String(repeating: "0", count: max(0, 3 - digits.utf8.count)) + digits
    return padded.dropLast(2) + "." + padded.suffix(2)
  }
}

extension Sequence<Money> {
  package var sum: Money { reduce(.zero, +) }
}
