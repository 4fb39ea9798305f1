import Merge
import Testing

@testable import Simulation

/// What a finding's story says of its causes, wherever it is told.
@Suite struct StoryTests {
  private static let id = "00000001-0000-4000-8000-000000000000"

  private static func event(_ at: Int64, _ device: String, _ change: Edit.Change) -> TraceEvent {
    TraceEvent(at: at, device, .edit, edit: Edit("timer", Name(id), change))
  }

  private static func set(_ name: String) -> Edit.Change {
    .set(fields: Array(#"{"name":"\#(name)"}"#.utf8))
  }

  private static func carry(_ at: Int64, _ name: String, _ from: String, _ to: String)
    -> [TraceEvent]
  {
    [
      TraceEvent(at: at, from, .send, name: name, lane: "context", to: to),
      TraceEvent(at: at, to, .deliver, of: name),
    ]
  }

  private static let beginning: [TraceEvent] = {
    let fields = #"{"name":"a","durationInSeconds":1,"icon":"i","colorHex":"c"}"#
    return [event(0, "phone", .create(fields: Array(fields.utf8)))]
      + carry(100, "s1", "phone", "watch")
  }()

  /// Everything that is told of the finding of a schedule: on the terminal, on the page and in JUnit.
  private func told(
    _ rule: RegisterMerge.Rule, _ level: LossLevel, _ events: [TraceEvent], _ slug: String
  ) throws -> (texts: [String], finding: Finding) {
    let trace = Trace(
      world: .exchange, seed: 1, schema: "todoTimers",
      devices: [.init("phone", isPhone: true), .init("watch", isPhone: false)],
      events: Self.beginning + events)
    let harness = ExchangeHarness(RegisterMerge(rule), level: level)
    let outcome = try harness.play(trace, isRecorded: true)
    let finding = try #require(outcome.findings.first { $0.slug == slug }, "\(outcome.findings)")
    let report = FindingReport(
      finding: finding, recording: outcome.recording!, trace: trace, schedules: 1, arguments: [],
      folder: "f", faults: [], version: "1")
    let junit = JUnit(name: "fuzz", scope: "1", milliseconds: 1, reports: [JUnit.Case(report)])
    let texts = [report.text(isColoured: false), report.page, junit.xml].map { text in
      // As it is read, wherever its lines end.
      text.replacing("&#39;", with: "'").replacing("&apos;", with: "'")
        .split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }
    return (texts, finding)
  }

  private func expect(_ texts: [String], _ sentences: [String]) {
    for (text, place) in zip(texts, ["terminal", "page", "junit"]) {
      for sentence in sentences {
        #expect(text.contains(sentence), "\(place): \(text.prefix(1500))")
      }
    }
  }

  @Test func aClockThatIsAhead() throws {
    let ahead: Int64 = 61_000
    let (texts, _) = try told(
      .wallClock, .fields,
      [TraceEvent(at: 200, "watch", .clock, count: ahead), Self.event(300, "watch", Self.set("b"))]
        + Self.carry(400, "s2", "watch", "phone") + [Self.event(500, "phone", Self.set("c"))],
      "lost-edit")
    expect(
      texts,
      [
        "The phone knew of the watch's edit of 00.300 by what came from the watch at 00.400.",
        "The watch's clock was 61 s ahead at 00.300.",
        "By their clocks the watch's edit of 00.300 is 60.8 s later than the phone's edit of 00.500.",
      ])
  }

  @Test func timesThatAreAlike() throws {
    let (texts, _) = try told(
      .fields, .everything,
      [Self.event(300, "watch", Self.set("b")), Self.event(300, "phone", Self.set("c"))],
      "lost-to-conflict")
    expect(
      texts,
      [
        "By their clocks the watch's edit of 00.300 and the phone's edit of 00.300 bear the same time."
      ])
    #expect(!texts[0].contains("ahead"))
  }

  /// Devices that differ still show their values, and those are not lost.
  @Test func whatIsShownIsNotLost() throws {
    let (texts, finding) = try told(
      .own, .fields,
      [Self.event(300, "watch", Self.set("b")), Self.event(400, "phone", Self.set("c"))],
      "not-converged")
    let fates = finding.field?.writes.map(\.fate) ?? []
    #expect(
      fates.contains("shown on the watch") && fates.contains("shown on the phone"), "\(fates)")
    #expect(!fates.contains { $0.contains("lost") })
    #expect(texts[1].contains("shown on the watch"))
  }

  @Test(arguments: [
    (61_000, "61 s"), (-61_000, "61 s"), (1500, "1.5 s"), (5, "5 ms"), (3_600_000, "1 h"),
    (86_400_000, "1 day"), (-172_800_000, "2 days"), (1001, "1.001 s"), (999, "999 ms"),
  ]) func spans(_ milliseconds: Int64, _ text: String) {
    #expect(Judge.span(milliseconds) == text)
  }
}
