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
    // Days of the civil calendar, in eras of 400 years that begin with March.
    let shifted = dayNumber + 719_468
    let era = shifted.floored(by: 146_097)
    let dayOfEra = shifted - era * 146_097
    let yearOfEra =
      (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let month = (5 * dayOfYear + 2) / 153
    day = Int(dayOfYear - (153 * month + 2) / 5 + 1)
    self.month = Int(month < 10 ? month + 3 : month - 9)
    year = Int(yearOfEra + era * 400) + (self.month <= 2 ? 1 : 0)
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
    guard (1...9999).contains(year), (1...12).contains(month), (1...31).contains(day) else {
      return nil
    }
    let shifted = Int64(month <= 2 ? year - 1 : year)
    let (era, yearOfEra) = shifted.quotientAndRemainder(dividingBy: 400)
    let dayOfYear = Int64((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1)
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    let number = era * 146_097 + dayOfEra - 719_468
    // A 31st of April is a 1st of May.
    return LocalTime(number * Self.day, secondsFromUTC: 0).day == day ? number : nil
  }

  /// From 0 for Monday to 6.
  package var weekday: Int { Int(((dayNumber + 3) % 7 + 7) % 7) }

  /// `2025-11-21`.
  package var date: String { "\(year)-\(month.twoDigits)-\(day.twoDigits)" }

  /// `14:05`.
  package var clock: String { "\(hour.twoDigits):\(minute.twoDigits)" }
}

extension Int64 {
  /// The quotient, rounded down.
  fileprivate func floored(by divisor: Int64) -> Int64 {
    let quotient = self / divisor
    return self % divisor < 0 ? quotient - 1 : quotient
  }
}

extension Int {
  package var twoDigits: String { (0...9).contains(self) ? "0\(self)" : "\(self)" }
}
