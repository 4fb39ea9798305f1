internal import Glibc

/// On a terminal, a line on the standard error that the next one takes the place of; an empty one takes it away.
func showStatus(_ text: String) {
  guard isatty(2) == 1 else { return }
  let line = Array("\r\u{1B}[K\(text)".utf8)
  _ = write(2, line, line.count)
}

/// How far a campaign has come through its seeds.
struct SeedProgress: Sendable {
  /// What is counted, such as schedules.
  let unit: String
  /// The last seed.
  let last: UInt64
  /// How long it goes on, in milliseconds; nil for all seeds.
  let milliseconds: Int64?
  /// When it began, of `monotonicMilliseconds`.
  let start = monotonicMilliseconds()

  /// - Parameters:
  ///   - seed: the one that was begun last.
  ///   - done: how many there were.
  func show(seed: UInt64, done: Int, findings: Int) {
    let rate = Double(done) / Double(max(1, monotonicMilliseconds() - start)) * 1000
    let spelled = rate < 10 ? "\(Double(Int(rate * 10)) / 10)" : grouped(Int(rate))
    let of = milliseconds == nil ? " of \(grouped(last))" : ""
    let found = findings == 0 ? "" : " · \(findings) findings"
    showStatus("seed \(grouped(seed))\(of) · \(spelled) \(unit)/s\(left(seed, rate))\(found)")
  }

  /// How long it takes yet.
  private func left(_ seed: UInt64, _ rate: Double) -> String {
    let seconds: Double
    if let milliseconds {
      seconds = Double(max(0, start + milliseconds - monotonicMilliseconds())) / 1000
    } else if rate > 0 {
      seconds = Double(last - min(seed, last)) / rate
    } else {
      return ""
    }
    guard seconds < 360_000 else { return "" }
    let whole = Int(seconds.rounded(.up))
    return whole < 120 ? " · \(whole) s left" : " · \((whole + 59) / 60) min left"
  }
}
