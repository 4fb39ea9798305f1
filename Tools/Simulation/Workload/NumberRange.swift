import Merge

/// The numbers that a field takes, out of its rules; what edits are drawn from.
struct NumberRange {
  /// Below all that is drawn.
  private let base: Int64
  /// How many whole numbers there are from there on; 0 where the limits have none between them.
  private let count: Int64
  /// Where no whole number lies between the limits: what does.
  private let middle: Double

  /// More are never drawn.
  private static let most: Int64 = 1 << 40
  private static let largest = 1e15

  init(_ rules: [Schema.Rule]) {
    var lowest = -Double.infinity
    var highest = Double.infinity
    for rule in rules {
      switch rule.test {
      case .above(let limit):
        let number = Self.number(limit)
        lowest = max(lowest, number == number.rounded() ? number + 1 : number)
      case .atLeast(let limit): lowest = max(lowest, Self.number(limit))
      case .atMost(let limit): highest = min(highest, Self.number(limit))
      default: break
      }
    }
    let least = max(-Self.largest, min(Self.largest, lowest.rounded(.up)))
    let greatest = max(-Self.largest, min(Self.largest, highest.rounded(.down)))
    // Small positive numbers, where they may be that.
    let first =
      lowest <= 1 && highest >= 1
      ? 1 : lowest.isFinite ? least : max(greatest - Double(Self.most), -Self.largest)
    base = Int64(first) - 1
    count = min(Self.most, max(0, Int64(greatest) - base))
    middle = lowest.isFinite && highest.isFinite ? (lowest + highest) / 2 : first
  }

  private static func number(_ limit: Datum) -> Double {
    limit.text.flatMap { Double($0.text) } ?? 0
  }

  /// The `number`-th number, from 1 on; the first one again behind the last.
  func value(_ number: Int) -> String {
    count == 0 ? "\(middle)" : "\(base + 1 + Int64(number - 1) % count)"
  }

  /// The same with a fraction, where that is still within.
  func value(_ number: Int, fraction: String) -> String {
    let value = value(number)
    return count > Int64(number) && base >= 0 ? value + fraction : value
  }
}
