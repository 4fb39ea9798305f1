package import Merge
package import Wire

extension [UInt8] {
  /// Appends text as a JSON string as `JSONEncoder` has it: also `/` is escaped.
  package mutating func append(payload text: Name) {
    let start = count
    text.utf8.withUnsafeBytes { append(jsonBytes: $0) }
    guard self[start...].contains(0x2F) else { return }
    let plain = self[start...].flatMap { $0 == 0x2F ? [0x5C, 0x2F] : [$0] }
    replaceSubrange(start..., with: plain)
  }

  /// Appends a UUID in upper case and quotes.
  package mutating func append(payload id: Identifier) {
    append(0x22)
    append(text: id.description)
    append(0x22)
  }

  /// Appends a date: the shortest spelling that reads as the same number, without `.0`.
  package mutating func append(payload date: Double) {
    append(contentsOf: FieldType.datum(date).text!.utf8)
  }
}

/// Dates as payloads have them: seconds since 2001-01-01 UTC.
package enum PayloadDate {
  /// - Throws: 4004 for a date before 2001 or after 9999.
  package static func check(_ date: Double, _ name: String) throws(WireError) {
    guard date >= 0, date <= RecordDate.latest else {
      throw WireError(
        .invalidField,
        date < 0
          ? "\(name) is before 2001; it must be at least 0 seconds since 2001-01-01 UTC"
          : "\(name) is after the year 9999; dates are seconds since 2001-01-01 UTC")
    }
  }
}
