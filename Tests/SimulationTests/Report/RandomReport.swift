import Simulation

/// Findings with arbitrary Unicode wherever a text comes from outside, and indices that may name
/// nothing.
struct RandomReport {
  private var state: UInt64

  init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 &+ 1 }

  private mutating func below(_ count: Int) -> Int {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return Int(state % UInt64(count))
  }

  private static let pieces = [
    "<", "</script>", "<!--", "]]>", "&", "&amp;", "\"", "'", "'''", "\\", "\\(", "#", "\"#",
    "\"\"\"#",
    "`", "$(x)", "\u{0}", "\u{1B}[31m", "\n", "\r\n", "\t", "\u{7F}", "\u{85}", "\u{2028}",
    "\u{202E}",
    "\u{2066}", "\u{200B}", "\u{301}", "\u{338}", "\u{5D0}\u{5D1}", "\u{627}\u{64B}", "e\u{301}",
    "\u{E9}",
    "👩‍👩‍👧", "🇩🇪", "\u{FFFE}", "\u{FFFF}", "\u{10FFFF}", "\u{E0041}", "\u{FEFF}", " ", "  ", "x",
    "color5",
    "null", "http://x.example/", "漢字", "{", "}", "[", "-->",
  ]

  mutating func report() -> FindingReport {
    let places = (0..<1 + below(4)).map { "\(text())\($0)" }
    var recording = Recording(places: places, start: Int64(below(1 << 40)))
    var at: Int64 = 0
    for index in 0..<below(60) {
      at += Int64(below(below(20) == 0 ? 90_000_000 : 900))
      let kinds: [Recording.Kind] = [.edit, .send, .receive, .fault, .note]
      recording.steps.append(
        .init(
          at: at, below(30) == 0 ? text() : places[below(places.count)], kinds[below(5)], text(),
          from: below(3) == 0 ? below(index + 3) - 1 : nil, records: below(3) == 0 ? records() : nil
        ))
    }
    let steps = recording.steps.count
    let field = Finding.Field(
      kind: "timer", record: below(2) == 0 ? "t0" : text(), name: below(4) == 0 ? nil : text(),
      writes: (0..<below(5)).map { number in
        .init(
          step: below(steps + 2) - 1, device: places[below(places.count)], value: text(),
          seen: (0..<below(3)).map { _ in below(6) - 1 }, fate: number == 0 ? "lost" : text())
      },
      ends: places.map { ($0, text()) }, acceptable: (0..<below(3)).map { _ in text() })
    let finding = Finding(
      invariant: text(), slug: text(), headline: text(), story: (0..<below(4)).map { _ in text() },
      field: below(3) == 0 ? nil : field, path: (0..<below(8)).map { _ in below(steps + 4) - 2 })
    return FindingReport(
      finding: finding, recording: recording, trace: trace(places), schedules: below(1000),
      arguments: (0..<below(3)).map { _ in (below(2) == 0 ? "command:" : "") + text() },
      folder: text(), faults: Array(Fault.allCases.prefix(below(4))), version: text(),
      shrinking: below(2) == 0 ? nil : .init(from: 9, to: 2, tries: 40),
      errors: (0..<below(3)).map { _ in text() },
      difference: below(3) == 0 ? .init(line: 2, first: text(), second: nil) : nil)
  }

  private mutating func trace(_ places: [String]) -> Trace {
    var trace = Trace(
      world: .exchange, seed: UInt64(below(99)), schema: text(),
      options: (0..<below(3)).map { .init("o\($0)", text()) },
      devices: places.map { .init($0, isPhone: false) })
    for index in 0..<below(6) {
      trace.events.append(
        TraceEvent(
          at: Int64(index), places[below(places.count)], .send, name: "\(index)\(text())",
          lane: text()))
    }
    return trace
  }

  private mutating func records() -> [Recording.Record] {
    (0..<1 + below(2)).map { number in
      Recording.Record(
        kind: below(2) == 0 ? "timer" : text(), record: "t\(number)",
        fields: (0..<below(4)).map { (name: "\(text())\($0)", value: text()) })
    }
  }

  private mutating func text() -> String {
    (0..<below(5)).map { _ in Self.pieces[below(Self.pieces.count)] }.joined()
  }
}
