internal import Glibc
import Synchronization

/// Says on the standard error how far long work has come. An empty text says that it has ended.
func showStatus(_ text: String) {
  guard let bytes = status.withLock({ $0.bytes(text, at: monotonicMilliseconds()) }) else { return }
  _ = write(2, bytes, bytes.count)
}

private let status = Mutex(
  StatusLine(isTerminal: isatty(2) == 1, start: monotonicMilliseconds()))

/// On a terminal it is one line, and the next text takes its place. Elsewhere, as in the log of a CI run, it is a line
/// each 30 s.
struct StatusLine {
  static let interval: Int64 = 30_000

  private let isTerminal: Bool
  /// When the last line was written, in milliseconds.
  private var last: Int64

  init(isTerminal: Bool, start: Int64) {
    self.isTerminal = isTerminal
    last = start
  }

  /// - Returns: what is to be written; nil for nothing.
  mutating func bytes(_ text: String, at now: Int64) -> [UInt8]? {
    if isTerminal { return Array("\r\u{1B}[K\(text)".utf8) }
    guard !text.isEmpty, now - last >= Self.interval else { return nil }
    last = now
    return Array("\(text)\n".utf8)
  }
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
