/// Durations in words and digits.
package enum DurationText {
  /// `MM:SS`, or `HH:MM:SS` from an hour on.
  ///
  /// - Parameter seconds: what is below 0 shows as 0.
  package static func clock(_ seconds: Int) -> String {
    let seconds = max(0, seconds)
    let (hours, minutes, rest) = (seconds / 3600, seconds % 3600 / 60, seconds % 60)
    let short = "\(twoDigits(minutes)):\(twoDigits(rest))"
    return hours > 0 ? "\(twoDigits(hours)):\(short)" : short
  }

  /// At least two digits.
  package static func twoDigits(_ number: Int) -> String {
    number < 10 ? "0\(number)" : String(number)
  }

  /// As it is read out: "1 hour 25 minutes".
  package static func spoken(_ seconds: Int) -> String {
    let seconds = max(0, seconds)
    let parts = [
      (seconds / 3600, "hour"), (seconds % 3600 / 60, "minute"), (seconds % 60, "second"),
    ].filter { $0.0 > 0 }
    guard !parts.isEmpty else { return "0 seconds" }
    return parts.map { "\($0.0) \($0.1)\($0.0 == 1 ? "" : "s")" }.joined(separator: " ")
  }

  /// Seconds of what somebody typed: `25:00`, `1:30:00`, `90s`, `25m`, `1h 30m`; a number alone
  /// is minutes. nil where it is none of these or over 99,999 of a unit.
  package static func seconds(_ text: String) -> Int? {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count > 1 else { return number(text).map { $0 * 60 } ?? withUnits(text) }
    guard parts.count <= 3 else { return nil }
    var total = 0
    for part in parts {
      guard let number = number(part) else { return nil }
      total = total * 60 + number
    }
    return total
  }

  /// Whether it can be nothing but a duration.
  package static func isPlain(_ text: String) -> Bool {
    number(text) == nil && seconds(text) != nil
  }

  private static func number(_ text: some StringProtocol) -> Int? {
    guard (1...5).contains(text.utf8.count), text.utf8.allSatisfy({ 0x30...0x39 ~= $0 }) else {
      return nil
    }
    return Int(text)
  }

  private static func withUnits(_ text: String) -> Int? {
    var total = 0
    var digits = ""
    var isRead = false
    for character in text.lowercased() where character != " " {
      if character.isASCII, character.isNumber {
        digits.append(character)
        continue
      }
      let units: [Character: Int] = ["h": 3600, "m": 60, "s": 1]
      guard let unit = units[character], let number = number(digits) else { return nil }
      total += number * unit
      digits = ""
      isRead = true
    }
    return isRead && digits.isEmpty ? total : nil
  }
}
