import Merge
import Wire

extension [UInt8] {
  /// Appends text as a JSON string as `JSONEncoder` has it: also `/` is escaped.
  mutating func append(payload text: Name) {
    let start = count
    text.utf8.withUnsafeBytes { append(jsonBytes: $0) }
    guard self[start...].contains(0x2F) else { return }
    let plain = self[start...].flatMap { $0 == 0x2F ? [0x5C, 0x2F] : [$0] }
    replaceSubrange(start..., with: plain)
  }

  /// Appends a UUID in upper case and quotes.
  mutating func append(payload id: Identifier) {
    append(0x22)
    append(text: id.description)
    append(0x22)
  }

  /// Appends a date: the shortest spelling that reads as the same number, without `.0`.
  mutating func append(payload date: Double) {
    append(contentsOf: FieldType.datum(date).text!.utf8)
  }
}

/// Dates as payloads have them: seconds since 2001-01-01 UTC.
package enum PayloadDate {
  /// The last second of the year 9999.
  package static let latest = 252_423_993_599.0
  /// Milliseconds from 1970-01-01 to 2001-01-01.
  private static let offset = 978_307_200_000.0

  /// Milliseconds since 1970, rounded down.
  ///
  /// - Precondition: the date is one that `check` lets pass.
  package static func milliseconds(_ date: Double) -> UInt64 {
    UInt64(max(0, (date * 1000).rounded(.down) + offset))
  }

  /// The date that is so many milliseconds after 1970, but not before 2001.
  package static func date(milliseconds: UInt64) -> Double {
    max(0, (Double(milliseconds) - offset) / 1000)
  }

  /// A date for a copy that is sent to a device: not before `touched`, at least a millisecond above
  /// all that the device may hold, and in the middle between two milliseconds. Devices date what they
  /// edit by clocks, so that a date of theirs is not taken for one that they were sent.
  package static func sent(_ touched: Double, above seen: some Sequence<Double>) -> Double {
    let lowest = seen.reduce(touched * 1000) { max($0, $1 * 1000 + 1) }
    // A microsecond is left to the rounding of doubles.
    return ((lowest - 0.501).rounded(.up) + 0.5) / 1000
  }

  /// The first whole millisecond that is at least one after a date.
  package static func after(_ date: Double) -> Double { ((date * 1000).rounded(.up) + 1) / 1000 }

  /// - Throws: 4004 for a date before 2001 or after 9999.
  static func check(_ date: Double, _ name: String) throws(WireError) {
    guard date >= 0, date <= latest else {
      throw WireError(
        .invalidField,
        date < 0
          ? "\(name) is before 2001; it must be at least 0 seconds since 2001-01-01 UTC"
          : "\(name) is after the year 9999; dates are seconds since 2001-01-01 UTC")
    }
  }
}
