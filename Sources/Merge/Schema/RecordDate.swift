/// Dates of whole records: seconds since 2001-01-01 UTC.
package enum RecordDate {
  /// The last second of the year 9999.
  package static let latest = 252_423_993_599.0
  /// Milliseconds from 1970-01-01 to 2001-01-01.
  private static let offset = 978_307_200_000.0

  /// Milliseconds since 1970, rounded down.
  package static func milliseconds(_ date: Double) -> UInt64 {
    UInt64(max(0, (min(date, latest) * 1000).rounded(.down) + offset))
  }

  /// The date that is so many milliseconds after 1970, but not before 2001.
  package static func date(milliseconds: UInt64) -> Double {
    max(0, (Double(milliseconds) - offset) / 1000)
  }

  /// A date for a copy that is sent: not before `touched`, at least a millisecond above all that the
  /// device may hold, and in the middle between two milliseconds. Devices date by clocks, so no date
  /// of theirs is taken for one that they were sent.
  package static func sent(_ touched: Double, above seen: some Sequence<Double>) -> Double {
    let lowest = seen.reduce(touched * 1000) { max($0, $1 * 1000 + 1) }
    // A microsecond is left to the rounding of doubles.
    return ((lowest - 0.501).rounded(.up) + 0.5) / 1000
  }

  /// The first whole millisecond that is at least one after a date.
  package static func after(_ date: Double) -> Double { ((date * 1000).rounded(.up) + 1) / 1000 }
}
