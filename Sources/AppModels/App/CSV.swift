/// Comma-separated values (RFC 4180).
package enum CSV {
  /// Lines that each end with CR LF.
  package static func text(_ lines: [[String]]) -> String {
    lines.map { $0.map(quoted).joined(separator: ",") + "\r\n" }.joined()
  }

  /// `2025-11-21T14:05:00Z`.
  ///
  /// - Parameter time: milliseconds since 1970.
  package static func time(_ time: Int64) -> String {
    let utc = LocalTime(time, secondsFromUTC: 0)
    return "\(utc.date)T\(utc.clock):\(utc.second.twoDigits)Z"
  }

  private static func quoted(_ field: String) -> String {
    let needsQuotes = field.utf8.contains { [0x22, 0x2C, 0x0A, 0x0D].contains($0) }
    guard needsQuotes else { return field }
    return "\""
      + field.split(separator: "\"", omittingEmptySubsequences: false)
      .joined(separator: "\"\"") + "\""
  }
}
