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
      let date = CalendarDay(year: year, month: month, day: day), hour < 24, minute < 60,
      second <= 60
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
    let whole = (Int(date.number) - from1970To2001) * 86_400 + hour * 3600 + minute * 60 + second
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

  /// In days.
  private static let from1970To2001 = 11_323
}
