/// A moment as the calendar has it, in UTC.
struct CivilTime: CustomStringConvertible {
  let description: String

  /// `YYYY-MM-DDThh:mm:ssZ` (RFC 3339).
  ///
  /// Days become dates after Hinnant, "chrono-Compatible Low-Level Date Algorithms",
  /// `civil_from_days`: years start in March there, so that the leap day is the last.
  init(ms: Int64) {
    let seconds = ms.floored(by: 1000)
    let days = seconds.floored(by: 86_400)
    let time = seconds - days * 86_400
    let shifted = days + 719_468
    let era = shifted.floored(by: 146_097)
    let dayOfEra = shifted - era * 146_097
    let yearOfEra =
      (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let month = (5 * dayOfYear + 2) / 153
    let day = dayOfYear - (153 * month + 2) / 5 + 1
    let year = yearOfEra + era * 400 + (month >= 10 ? 1 : 0)
    func padded(_ number: Int64, _ width: Int = 2) -> String {
      let text = String(number)
      return String(repeating: "0", count: max(0, width - text.count)) + text
    }
    description =
      "\(padded(year, 4))-\(padded(month < 10 ? month + 3 : month - 9))-\(padded(day))"
      + "T\(padded(time / 3600)):\(padded(time / 60 % 60)):\(padded(time % 60))Z"
  }
}

extension Int64 {
  /// Division that rounds down.
  fileprivate func floored(by divisor: Int64) -> Int64 {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? quotient - 1 : quotient
  }
}
