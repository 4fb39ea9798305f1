/// A day of the Gregorian calendar (ISO 8601), and its number.
///
/// The calculation is that of Hinnant, "chrono-Compatible Low-Level Date Algorithms", `civil_from_days` and
/// `days_from_civil`: years begin in March there, in eras of 400, so that the leap day is the last.
package struct CalendarDay: Hashable, Sendable {
  package let year: Int
  /// 1 to 12.
  package let month: Int
  /// 1 to 31.
  package let day: Int
  /// Days since 1970-01-01; negative before.
  package let number: Int64

  private static let daysOfEra: Int64 = 146_097
  private static let from0000March = Int64(719_468)

  /// - Parameter number: days since 1970-01-01, up to 10^15 of them, also negative.
  package init(number: Int64) {
    self.number = number
    let shifted = number + Self.from0000March
    let era = shifted.floored(by: Self.daysOfEra)
    let dayOfEra = shifted - era * Self.daysOfEra
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let month = (5 * dayOfYear + 2) / 153
    day = Int(dayOfYear - (153 * month + 2) / 5 + 1)
    self.month = Int(month < 10 ? month + 3 : month - 9)
    year = Int(yearOfEra + era * 400) + (month < 10 ? 0 : 1)
  }

  /// - Parameter year: from 0 to 9999.
  /// - Returns: nil where the calendar has no such day.
  package init?(year: Int, month: Int, day: Int) {
    guard 0...9999 ~= year, 1...12 ~= month, 1...31 ~= day else { return nil }
    let shifted = Int64(month <= 2 ? year - 1 : year)
    let era = shifted.floored(by: 400)
    let yearOfEra = shifted - era * 400
    let dayOfYear = Int64((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1)
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    self.init(number: era * Self.daysOfEra + dayOfEra - Self.from0000March)
    // A 31st of April is a 1st of May.
    guard self.day == day else { return nil }
  }
}

extension Int64 {
  /// The quotient, rounded down.
  package func floored(by divisor: Int64) -> Int64 {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? quotient - 1 : quotient
  }
}
