import Merge
import Simulation
import Testing

/// Devices at the server that know whole records only.
@Suite struct WholeRecordTests {
  private static let timer: Name = "00000001-0000-4000-8000-000000000000"

  private static func edit(_ change: Edit.Change) -> Edit { Edit("timer", timer, change) }

  private static func set(_ fields: String) -> Edit { edit(.set(fields: Array(fields.utf8))) }

  private static func played(_ events: [TraceEvent], _ options: [String] = []) throws -> Outcome {
    try ServerHarness().play(
      Trace(
        world: .server, seed: 1, schema: "todoTimers",
        options: options.map { Trace.Option($0, "") },
        devices: [
          .init("phone", isPhone: true), .init("watch", isPhone: false, isWholeRecord: true),
        ],
        events: ["phone", "watch"].flatMap {
          [TraceEvent(at: 0, $0, .connect), TraceEvent(at: 0, $0, .flow)]
        } + [
          TraceEvent(
            at: 1, "phone", .edit,
            edit: edit(.create(fields: Array(##"{"name":"Tea","durationInSeconds":300}"##.utf8)))),
          TraceEvent(at: 1, "phone", .flow), TraceEvent(at: 1, "watch", .flow),
        ] + events), isRecorded: true)
  }

  /// What a place shows of the timer in the end.
  private static func shown(_ outcome: Outcome, at place: String) -> [String: String]? {
    let records = outcome.recording?.steps.filter { $0.place == place }
      .flatMap { $0.records ?? [] }.filter { $0.record == timer.text }
    guard let fields = records?.last?.fields, !fields.isEmpty else { return nil }
    return Dictionary(uniqueKeysWithValues: fields.map { ($0.name, $0.value) })
  }

  /// Both edit the same timer, unseen by one another: the copy takes back nothing.
  @Test(arguments: [[], ["keyed"], ["lazy"], ["keyed", "lazy"]])
  func whatItDidNotTouchStays(_ options: [String]) throws {
    let outcome = try Self.played(
      [
        TraceEvent(at: 2, "watch", .edit, edit: Self.set(#"{"name":"Green tea"}"#)),
        TraceEvent(at: 3, "phone", .edit, edit: Self.set(#"{"durationInSeconds":240}"#)),
        TraceEvent(at: 4, "phone", .flow), TraceEvent(at: 5, "watch", .flow),
        TraceEvent(at: 6, "phone", .flow), TraceEvent(at: 7, "watch", .flow),
      ], options)
    #expect(outcome.findings.isEmpty, "\(outcome.findings)")
    #expect(outcome.coverage["wholeRecordEdit"] == 1)
    for place in ["phone", "watch"] {
      let shown = Self.shown(outcome, at: place)
      #expect(shown?["name"] == "\"Green tea\"", "\(place)")
      #expect(shown?["durationInSeconds"] == "\"240\"", "\(place)")
    }
  }

  /// What its app has no way of doing is passed over.
  @Test func whatItCannotDo() throws {
    let outcome = try Self.played([
      TraceEvent(at: 2, "watch", .edit, edit: Self.edit(.restore)),
      TraceEvent(at: 2, "watch", .edit, edit: Self.set(#"{"notes":"read-only on a watch"}"#)),
      TraceEvent(at: 2, "watch", .edit, edit: Self.set(#"{"name":"Tea"}"#)),
      TraceEvent(at: 2, "watch", .backup),
    ])
    #expect(outcome.findings.isEmpty, "\(outcome.findings)")
    #expect(outcome.coverage["wholeRecordEdit"] == 0 && outcome.coverage["backup"] == 0)
  }

  /// An old copy that comes late changes nothing, and a wiped device is filled.
  @Test func oldCopiesAndAWipedDevice() throws {
    let outcome = try Self.played([
      TraceEvent(at: 2, "watch", .edit, edit: Self.set(#"{"name":"Green tea"}"#)),
      TraceEvent(at: 3, "watch", .flow), TraceEvent(at: 3, "phone", .flow),
      TraceEvent(at: 4, "phone", .edit, edit: Self.set(#"{"name":"Black tea"}"#)),
      TraceEvent(at: 5, "phone", .flow), TraceEvent(at: 5, "watch", .resend, count: 0),
      TraceEvent(at: 6, "watch", .flow), TraceEvent(at: 7, "watch", .fullSync),
      TraceEvent(at: 7, "watch", .syncRequest), TraceEvent(at: 8, "watch", .flow),
      TraceEvent(at: 9, "watch", .goBack),
    ])
    #expect(outcome.findings.isEmpty, "\(outcome.findings)")
    #expect(outcome.coverage["wholeRecordResend"] == 3 && outcome.coverage["wholeRecordReset"] == 1)
    #expect(Self.shown(outcome, at: "phone")?["name"] == "\"Black tea\"")
  }

  @Test func someSchedulesHaveThem() throws {
    func whole(_ seed: UInt64, _ count: Int? = nil) throws -> Int {
      var plan = Plan(seed: seed)
      plan.schema = "todoTimers"
      plan.events = 1
      plan.wholeRecords = count
      return try ServerHarness().run(plan).trace.devices.count { $0.isWholeRecord }
    }
    let drawn = try (1...80 as ClosedRange<UInt64>).count { try whole($0) > 0 }
    #expect(32...64 ~= drawn)
    #expect(try whole(1, 0) == 0)
    #expect(try whole(1, 1) == 1)
  }
}
