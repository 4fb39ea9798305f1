import Merge
import Testing

@testable import Simulation

/// What is taken out of a schedule takes along what people could not have done without it.
@Suite struct PossibleTests {
  private static func id(_ number: Int) -> String { "0000000\(number)-0000-4000-8000-000000000000" }

  private static func edit(
    _ device: String, _ kind: String, _ record: Int, _ change: Edit.Change, since: String? = nil
  ) -> TraceEvent {
    TraceEvent(
      at: 0, device, .edit, edit: Edit(Name(kind), Name(id(record)), change, since: since))
  }

  private static func json(_ text: String) -> [UInt8] { Array(text.utf8) }

  private static let timer = Edit.Change.create(
    fields: json(#"{"name":"a","durationInSeconds":1,"icon":"i","colorHex":"c"}"#))

  private static func todo(_ timer: Int) -> Edit.Change {
    .create(fields: json(#"{"timer":"\#(id(timer))","text":"t","isCompleted":false}"#))
  }

  private static let name = Edit.Change.set(fields: json(#"{"name":"b"}"#))

  private static func send(_ name: String, _ from: String, _ to: String) -> [TraceEvent] {
    [
      TraceEvent(at: 0, from, .send, name: name, lane: "context", to: to),
      TraceEvent(at: 0, to, .deliver, of: name),
    ]
  }

  private func played(_ events: [TraceEvent]) throws -> [TraceEvent] {
    let trace = Trace(
      world: .exchange, seed: 1, schema: "todoTimers",
      devices: [.init("phone", isPhone: true), .init("watch", isPhone: false)], events: events)
    let outcome = try ExchangeHarness().play(trace, isRecorded: false)
    #expect(outcome.findings == [])
    return outcome.trace.events
  }

  /// Each last event can be done after the others, and not without the delivery or edit before it.
  static let cases: [(String, [TraceEvent])] = {
    let made = edit("phone", "timer", 1, timer)
    let brought = send("s1", "phone", "watch")
    let forms = TraceEvent(at: 0, "phone", .clock, name: "form", count: 0)
    var opened = edit("phone", "timer", 1, name)
    opened.name = "opened"
    return [
      ("set", [made] + brought + [edit("watch", "timer", 1, name)]),
      ("delete", [made] + brought + [edit("watch", "timer", 1, .delete)]),
      ("first", [made] + brought + [edit("watch", "timer", 1, .move(after: nil, into: nil))]),
      (
        "behind",
        [edit("watch", "timer", 2, timer), made] + brought
          + [edit("watch", "timer", 2, .move(after: Name(id(1)), into: nil))]
      ),
      ("inside", [made] + brought + [edit("watch", "todo", 2, todo(1))]),
      (
        "into",
        [edit("watch", "timer", 2, timer), edit("watch", "todo", 3, todo(2)), made] + brought
          + [edit("watch", "todo", 3, .move(after: nil, into: Name(id(1))))]
      ),
      (
        "typed",
        [made] + brought
          + [
            edit(
              "watch", "timer", 1,
              .splice(field: "notes", at: 0, remove: 0, insert: "x", result: "x"))
          ]
      ),
      (
        "back",
        [made] + brought
          + [edit("watch", "timer", 1, .delete), edit("watch", "timer", 1, .restore)]
      ),
      ("anew", [made, edit("phone", "timer", 1, .delete), edit("phone", "timer", 1, timer)]),
      (
        "form",
        [
          made, opened,
          edit("phone", "timer", 1, .set(fields: json(#"{"icon":"j"}"#)), since: "opened"),
        ]
      ),
      (
        "online",
        [
          made, TraceEvent(at: 0, "watch", .disconnect), brought[0],
          TraceEvent(at: 0, "watch", .connect), brought[1],
        ]
      ),
      ("clock", [forms, made, edit("phone", "timer", 1, name)]),
    ]
  }()

  @Test(arguments: cases) func holds(_ name: String, _ events: [TraceEvent]) throws {
    #expect(try played(events) == events, "\(name)")
    guard name != "clock" else { return }
    // Without what made it possible.
    var rest = events
    rest.remove(at: events.count - 2)
    #expect(try played(rest).count < rest.count, "\(name)")
  }

  /// A form cannot have been opened on what was made afterwards, nor on what was gone.
  @Test func formsAreOpenedOnWhatIsShown() throws {
    var first = Self.edit("phone", "timer", 2, Self.timer)
    first.name = "before"
    let late = Self.edit("phone", "timer", 1, Self.name, since: "before")
    let events = [first, Self.edit("phone", "timer", 1, Self.timer), late]
    #expect(try played(events) == Array(events.dropLast()))
  }

  /// Whatever a device is asked to do is about what it shows, in each schedule that is tried; and a
  /// shrunk schedule has nothing else in it.
  @Test func shrunkSchedulesCanBeDone() throws {
    let subject = Attentive(RegisterMerge(.wholeRecord))
    let harness = ExchangeHarness(subject, level: .fields)
    var found = 0
    for seed in 0..<400 as Range<UInt64> {
      var plan = Plan(seed: seed)
      plan.faults = [.delay, .duplicate, .cut, .clock]
      let outcome = try harness.run(plan)
      guard let slug = outcome.findings.first?.slug else { continue }
      found += 1
      let examined = try Examination.examine(outcome, slug, by: harness)
      #expect(try harness.play(examined.trace, isRecorded: false).trace == examined.trace)
      var ahead: [String: Int64] = [:]
      for event in examined.trace.events {
        if event.verb == .clock { ahead[event.device] = event.count }
        guard event.edit != nil else { continue }
        let skew = ahead[event.device] ?? 0
        #expect(event.now == (skew == 0 ? nil : examined.trace.start + event.at + skew))
      }
    }
    #expect(found > 20)
    #expect(subject.surprises == [])
  }
}

/// Passes everything on, and notes what nobody could have done.
private final class Attentive: MergeUnderTest {
  let subject: any MergeUnderTest
  private(set) var surprises: [String] = []

  init(_ subject: any MergeUnderTest) { self.subject = subject }

  var behaviour: UInt64 { subject.behaviour }

  func start(
    _ devices: [Trace.Device], _ settings: ExchangeSettings, random: UInt64
  ) throws(MergeFailure) -> Started {
    try subject.start(devices, settings, random: random)
  }

  func edit(
    _ device: Int, _ edit: Edit, now: Int64, since moment: Int?
  ) throws(MergeFailure) -> Answer {
    let shown = try subject.state(device, withKept: false)
    var isNew = false
    if case .create = edit.change { isNew = true }
    if shown.has(Target(edit.kind, edit.record)) == isNew {
      surprises.append("\(device): \(edit.spelled)")
    }
    return try subject.edit(device, edit, now: now, since: moment)
  }

  func snapshot(_ device: Int, to: Int, now: Int64) throws(MergeFailure) -> Body {
    try subject.snapshot(device, to: to, now: now)
  }

  func receive(
    _ device: Int, from: Int, _ lane: Lane, _ body: Body, now: Int64
  ) throws(MergeFailure) -> Answer {
    try subject.receive(device, from: from, lane, body, now: now)
  }

  func restart(_ device: Int, now: Int64) throws(MergeFailure) -> Answer {
    try subject.restart(device, now: now)
  }

  func state(_ device: Int, withKept: Bool) throws(MergeFailure) -> Shown {
    try subject.state(device, withKept: withKept)
  }
}
