/// Times of a run as they are written: as short as the longest of them allows, all alike.
struct Clock {
  private let longest: Int64

  /// - Parameter longest: the last time, in milliseconds since the start.
  init(until longest: Int64) { self.longest = longest }

  init(_ recording: Recording) { self.init(until: recording.steps.map(\.at).max() ?? 0) }

  /// `00.500`, `01:02.500`, `05:01:02.500`, `2d 05:01:02.500`.
  func text(_ milliseconds: Int64) -> String {
    let seconds = milliseconds / 1000
    let fraction = String(String(1000 + milliseconds % 1000).dropFirst())
    var text = Self.two(seconds % 60) + "." + fraction
    if longest >= 60_000 { text = Self.two(seconds / 60 % 60) + ":" + text }
    if longest >= 3_600_000 { text = Self.two(seconds / 3600 % 24) + ":" + text }
    if longest >= 86_400_000 { text = "\(seconds / 86_400)d " + text }
    return text
  }

  private static func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
