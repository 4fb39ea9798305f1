/// A moment as the calendar has it, in UTC.
package struct CivilTime: CustomStringConvertible {
  package let description: String

  /// `YYYY-MM-DDThh:mm:ssZ` (RFC 3339).
  package init(ms: Int64) {
    let seconds = ms.floored(by: 1000)
    let date = CalendarDay(number: seconds.floored(by: 86_400))
    let time = Int(seconds - date.number * 86_400)
    func padded(_ number: Int, _ width: Int = 2) -> String {
      let text = String(number)
      return String(repeating: "0", count: max(0, width - text.count)) + text
    }
    description =
      "\(padded(date.year, 4))-\(padded(date.month))-\(padded(date.day))"
      + "T\(padded(time / 3600)):\(padded(time / 60 % 60)):\(padded(time % 60))Z"
  }
}
