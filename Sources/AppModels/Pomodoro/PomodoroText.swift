/// Durations as the app shows and reads them.
package enum PomodoroText {
  /// `25:00`, `1:00:00`.
  package static func clock(seconds: Int) -> String {
    let seconds = max(0, seconds)
    let (hours, minutes) = (seconds / 3600, seconds / 60 % 60)
    let end = ":\((seconds % 60).twoDigits)"
    return hours > 0 ? "\(hours):\(minutes.twoDigits)\(end)" : "\(minutes.twoDigits)\(end)"
  }

  /// What is left, with the second that is under way.
  /// - Parameter milliseconds: 0 or more.
  package static func clock(remaining milliseconds: Int64) -> String {
    clock(seconds: Int((milliseconds + 999) / 1000))
  }

  /// Reads `25` as minutes, `25:00` and `1:00:00`, and `90s` as seconds.
  ///
  /// - Returns: seconds, also below 0 and above a day, for the rules of the settings to judge; nil
  ///   where it is none of these.
  package static func seconds(_ text: String) -> Int? {
    let isNegative = text.hasPrefix("-")
    var digits = isNegative ? text.dropFirst() : text[...]
    let isSeconds = digits.last == "s"
    if isSeconds { digits.removeLast() }
    let parts = digits.split(separator: ":", omittingEmptySubsequences: false)
    guard (1...3).contains(parts.count), !isSeconds || parts.count == 1 else { return nil }
    var sum = 0
    for (index, part) in parts.enumerated() {
      guard (1...6).contains(part.utf8.count), part.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
        let number = Int(part), index == 0 || number < 60
      else { return nil }
      sum = sum * 60 + number
    }
    if parts.count == 1, !isSeconds { sum *= 60 }
    return isNegative ? -sum : sum
  }
}

/// What VoiceOver says.
package struct PomodoroAccessibility: Hashable, Sendable {
  package var label: String
  package var value: String
  package var hint: String

  package init(timeString: String, stateTitle: String, isRunning: Bool) {
    label = "Timer \(timeString)"
    value = "\(stateTitle)"
    hint = "Double tap to \(isRunning ? "pause" : "start")"
  }
}
