import Merge
import Simulation
import Testing

/// Fixtures with watches that know whole records only.
@Suite struct WholeRecordFixtureTests {
  private static func plan(_ seed: UInt64, _ count: Int?, events: Int? = nil) -> Plan {
    var plan = Plan(seed: seed)
    plan.wholeRecords = count
    plan.events = events
    return plan
  }

  private static func fixture(_ plan: Plan) throws -> Fixture {
    try ExchangeHarness.fixture(plan, network: nil, lanes: nil)
  }

  private static func whole(_ fixture: Fixture) -> [String] {
    fixture.trace.devices.filter(\.isWholeRecord).map(\.name)
  }

  /// What the view has that a correct merge would not show.
  private static func problems(_ fixture: Fixture) throws -> [String] {
    let shown = try #require(fixture.ours)
    var problems: [String] = []
    for wanted in fixture.acceptable {
      let record = shown[wanted.target]
      if wanted.exists == "must", record == nil { problems.append("\(wanted.target) is missing") }
      if wanted.exists == "must not", record != nil { problems.append("\(wanted.target) is there") }
      guard let record else { continue }
      for (name, values) in wanted.fields where !values.contains(record[name] ?? []) {
        problems.append("\(wanted.target), \(name)")
      }
    }
    return problems
  }

  /// What the hub shows in the end is what any correct merge may, and the same events at a server
  /// leave nothing to be desired.
  @Test func theHubEndsWhereAMergeMay() throws {
    let server = ServerHarness()
    var edits = 0
    for seed in 1...64 as ClosedRange<UInt64> {
      let fixture = try Self.fixture(Self.plan(seed, seed % 4 == 0 ? 2 : 1, events: 24))
      #expect(try Self.problems(fixture) == [], "seed \(seed)")
      let whole = Self.whole(fixture)
      #expect(whole.count == (seed % 4 == 0 ? 2 : 1))
      edits += fixture.trace.events.count { $0.verb == .edit && whole.contains($0.device) }
      let (translated, skipped) = fixture.trace.atServer
      #expect(translated.devices == fixture.trace.devices && skipped.isEmpty)
      let outcome = try server.play(translated, isRecorded: false)
      #expect(outcome.findings.isEmpty, "seed \(seed): \(outcome.findings)")
      #expect(try Trace(ndjson: fixture.trace.ndjson) == fixture.trace)
    }
    #expect(edits > 150)
  }

  /// Each exchange goes both ways at once, and nothing comes late or twice.
  @Test func exchangesArePrompt() throws {
    for seed in 1...20 as ClosedRange<UInt64> {
      let fixture = try Self.fixture(Self.plan(seed, 1))
      var open: String?
      for event in fixture.trace.events {
        switch event.verb {
        case .send:
          #expect(open == nil)
          open = event.name
        case .deliver:
          #expect(event.of == open)
          open = nil
        default: #expect(open == nil, "\(event)")
        }
      }
      #expect(fixture.reasons.isEmpty)
    }
  }

  /// Only what an app with whole records can do, and it does collide.
  @Test func editsAreThoseOfItsApp() throws {
    var words: Set<String> = []
    for seed in 1...40 as ClosedRange<UInt64> {
      let fixture = try Self.fixture(Self.plan(seed, 1, events: 30))
      let whole = Self.whole(fixture)
      var made: Set<Target> = []
      for event in fixture.trace.events {
        guard let edit = event.edit else { continue }
        let target = Target(edit.kind, edit.record)
        let isNew = made.insert(target).inserted
        guard whole.contains(event.device) else { continue }
        #expect(edit.since == nil)
        switch edit.change {
        case .create(let fields):
          #expect(isNew && !Spelling.fields(fields).contains { $0.name == "notes" })
          words.insert("create \(edit.kind)")
        case .set(let fields):
          let names = Set(Spelling.fields(fields).map(\.name))
          #expect(edit.kind == "timer" ? !names.contains("notes") : names == ["isCompleted"])
          words.insert("set \(edit.kind)")
        case .delete: words.insert("delete \(edit.kind)")
        case .move(_, let into):
          #expect(into == nil)
          words.insert("move \(edit.kind)")
        case .restore, .splice: Issue.record("a watch cannot do \(edit)")
        }
      }
    }
    #expect(
      words == [
        "create timer", "create todo", "set timer", "set todo", "delete timer", "delete todo",
        "move timer", "move todo",
      ])
  }

  /// A quarter of the seeds that can have them do, the others are as they would be without.
  @Test func someSeedsHaveThem() throws {
    var count = 0
    for seed in 1...80 as ClosedRange<UInt64> {
      var plan = Self.plan(seed, nil, events: 6)
      plan.schema = "todoTimers"
      let drawn = try ExchangeHarness.fixture(plan, network: .watchConnectivity, lanes: nil)
      let whole = Self.whole(drawn)
      if !whole.isEmpty { count += 1 }
      #expect(drawn.trace.options.contains { $0.name == "whole-records" } == !whole.isEmpty)
      plan.wholeRecords = whole.count
      let asked = try ExchangeHarness.fixture(plan, network: .watchConnectivity, lanes: nil)
      #expect(asked.trace.events == drawn.trace.events && asked.expected == drawn.expected)
      #expect(Self.whole(asked) == whole)
    }
    #expect(10...32 ~= count)
    for schema in ["timeTracker", "pomodoro"] {
      var plan = Self.plan(3, nil)
      plan.schema = schema
      #expect(try Self.whole(Self.fixture(plan)).isEmpty)
    }
  }

  /// Where there cannot be so many, one sentence says why.
  @Test func whatCannotBe() throws {
    func fault(
      _ count: Int, _ change: (inout Plan) -> Void = { _ in },
      network: ExchangeSettings.Network? = nil
    ) -> String? {
      var plan = Self.plan(1, count)
      change(&plan)
      let fault = plan.wholeRecordsFault(network)
      let isThrown = (try? ExchangeHarness.fixture(plan, network: network, lanes: nil)) == nil
      #expect(isThrown == (fault != nil))
      return fault
    }
    #expect(fault(1) == nil && fault(2) == nil)
    #expect(fault(0, { $0.schema = "pomodoro" }, network: .any) == nil)
    #expect(fault(3) == "3 watches are to have whole records, and there are only 2")
    #expect(
      fault(2, { $0.devices = 2 }) == "2 watches are to have whole records, and there is only 1")
    #expect(
      fault(1, { $0.schema = "none" })
        == "a fixture has devices with whole records of todoTimers only, and the schema is none")
    #expect(
      fault(1, network: .any)
        == "devices with whole records need the network watchConnectivity, not any")
  }

  /// A watch with whole records is sent what waits for it while it is the selected one.
  @Test func theOtherWatchIsSelected() {
    let trace = Trace(
      world: .exchange, seed: 1, schema: "todoTimers",
      devices: [
        .init("phone", isPhone: true), .init("watch", isPhone: false),
        .init("watch2", isPhone: false, isWholeRecord: true),
      ],
      events: [
        TraceEvent(at: 1, "phone", .send, name: "a", lane: "context", to: "watch"),
        TraceEvent(at: 1, "watch", .deliver, of: "a"),
        TraceEvent(at: 2, "phone", .send, name: "b", lane: "context", to: "watch2"),
        TraceEvent(at: 2, "watch2", .deliver, of: "b"),
        TraceEvent(at: 3, "watch2", .send, name: "c", lane: "context", to: "phone"),
        TraceEvent(at: 3, "phone", .deliver, of: "c"),
      ])
    let translated = trace.atServer.trace
    #expect(translated.devices == trace.devices)
    #expect(
      translated.events.dropFirst(6).map { "\($0.device) \($0.verb)" } == [
        "phone flow", "watch flow",
        "phone flow", "phone select", "phone flow", "phone connect", "phone flow",
        "phone flow", "watch2 flow", "watch2 flow", "phone flow",
      ])
  }
}
