/// The date of `{"$date": …}`.
package enum PropertyListDate {
  /// Seconds since 2001-01-01 00:00:00 UTC, or nil where the value is no date.
  ///
  /// A number is those seconds. A string is ISO 8601 as RFC 3339 profiles it:
  /// `YYYY-MM-DDThh:mm:ss`, a fraction or not, then `Z` or `±hh:mm`. A leap second (`:60`) counts as
  /// the second after.
  package static func seconds(_ value: Value, in line: UnsafeRawBufferPointer) -> Double? {
    switch value.kind {
    case .number:
      let text = UnsafeRawBufferPointer(rebasing: line[value.start..<value.end])
      guard let seconds = Double(String(decoding: text, as: UTF8.self)), seconds.isFinite else {
        return nil
      }
      return seconds
    case .string: return seconds(decodeString(value, line))
    default: return nil
    }
  }

  /// The same of a date's text.
  package static func seconds(_ string: String) -> Double? {
    let text = Array(string.utf8)
    guard text.count >= 20, text[4] == 0x2D, text[7] == 0x2D, text[10] | 0x20 == 0x74,
      text[13] == 0x3A, text[16] == 0x3A,
      let year = number(text[0..<4]), let month = number(text[5..<7]),
      let day = number(text[8..<10]), let hour = number(text[11..<13]),
      let minute = number(text[14..<16]), let second = number(text[17..<19]),
      1...12 ~= month, 1...days(month, year) ~= day, hour < 24, minute < 60, second <= 60
    else { return nil }

    var at = 19
    var fraction = 0.0
    if text[at] == 0x2E {
      let start = at
      at += 1
      while at < text.count, 0x30...0x39 ~= text[at] { at += 1 }
      guard at > start + 1 else { return nil }
      fraction = Double("0" + String(decoding: text[start..<at], as: UTF8.self)) ?? 0
    }
    guard let offset = offset(text[at...]) else { return nil }
    let whole = daysSince2001(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second
    return Double(whole - offset) + fraction
  }

  /// `Z` or `±hh:mm` in seconds.
  private static func offset(_ text: ArraySlice<UInt8>) -> Int? {
    let text = Array(text)
    if text.count == 1, text[0] | 0x20 == 0x7A { return 0 }
    guard text.count == 6, text[0] == 0x2B || text[0] == 0x2D, text[3] == 0x3A,
      let hours = number(text[1..<3]), let minutes = number(text[4..<6]), hours < 24, minutes < 60
    else { return nil }
    let seconds = hours * 3600 + minutes * 60
    return text[0] == 0x2D ? -seconds : seconds
  }

  private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
    var number = 0
    for digit in digits {
      guard case 0x30...0x39 = digit else { return nil }
      number = number * 10 + Int(digit - 0x30)
    }
    return number
  }

  private static func days(_ month: Int, _ year: Int) -> Int {
    let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    return month == 2 ? (isLeap ? 29 : 28) : [4, 6, 9, 11].contains(month) ? 30 : 31
  }

  /// Days of the Gregorian calendar, after Hinnant, "chrono-Compatible Low-Level Date Algorithms",
  /// `days_from_civil`: years start in March there, so that the leap day is the last.
  private static func daysSince2001(_ year: Int, _ month: Int, _ day: Int) -> Int {
    // 400 is added so that no division meets a negative year, and taken off in days.
    let shifted = (month <= 2 ? year - 1 : year) + 400
    let era = shifted / 400
    let yearOfEra = shifted % 400
    let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    let daysTo1970 = 719_468
    let daysFrom1970To2001 = 11_323
    return (era - 1) * 146_097 + dayOfEra - daysTo1970 - daysFrom1970To2001
  }
}
