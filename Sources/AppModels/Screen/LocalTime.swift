import Wire

/// A moment as calendars and clocks of a place show it (Gregorian, ISO 8601).
package struct LocalTime: Hashable, Sendable {
  package var year: Int
  /// 1 to 12.
  package var month: Int
  /// 1 to 31.
  package var day: Int
  package var hour: Int
  package var minute: Int
  package var second: Int
  /// Days since 1970-01-01 there.
  package var dayNumber: Int64

  /// - Parameters:
  ///   - time: milliseconds since 1970-01-01 UTC.
  ///   - secondsFromUTC: how far the place is ahead.
  package init(_ time: Int64, secondsFromUTC: Int) {
    let local = time + Int64(secondsFromUTC) * 1000
    dayNumber = local.floored(by: Self.day)
    let second = Int((local - dayNumber * Self.day) / 1000)
    (hour, minute, self.second) = (second / 3600, second / 60 % 60, second % 60)
    let date = CalendarDay(number: dayNumber)
    (year, month, day) = (date.year, date.month, date.day)
  }

  /// Milliseconds of a day.
  package static let day: Int64 = 86_400_000

  /// The local midnight at which the day of `time` began, in milliseconds since 1970.
  package static func midnight(_ time: Int64, secondsFromUTC: Int) -> Int64 {
    let ahead = Int64(secondsFromUTC) * 1000
    return (time + ahead).floored(by: day) * day - ahead
  }

  /// Days from 1970-01-01 to a day of the calendar; nil where there is no such day.
  ///
  /// - Parameter year: from 1 to 9999.
  package static func dayNumber(year: Int, month: Int, day: Int) -> Int64? {
    year > 0 ? CalendarDay(year: year, month: month, day: day)?.number : nil
  }

  /// From 0 for Monday to 6.
  package var weekday: Int { Int(((dayNumber + 3) % 7 + 7) % 7) }

  /// `2025-11-21`.
  package var date: String { "\(year)-\(month.twoDigits)-\(day.twoDigits)" }

  /// `14:05`.
  package var clock: String { "\(hour.twoDigits):\(minute.twoDigits)" }
}

extension Int {
  package var twoDigits: String { (0...9).contains(self) ? "0\(self)" : "\(self)" }
}
