import AppModels
import Merge
import Testing

@testable import Simulation

/// The server's clock in schedules, and what a sender hears of its transfers; with servers that get
/// either wrong.
@Suite struct ServerClockTests {
  private static func trace(_ events: [TraceEvent], schema: String = "todoTimers") -> Trace {
    Trace(
      world: .server, seed: 1, schema: schema, options: [],
      devices: [.init("phone", isPhone: true), .init("watch", isPhone: false)],
      events: ["phone", "watch"].flatMap {
        [TraceEvent(at: 0, $0, .connect), TraceEvent(at: 0, $0, .flow)]
      } + events)
  }

  private static let steps: [TraceEvent] = [
    TraceEvent(at: 7_200_000, "server", .suspend),
    TraceEvent(at: 7_200_001, "phone", .connect), TraceEvent(at: 7_200_002, "phone", .flow),
    TraceEvent(at: 7_200_003, "server", .clock, count: -3_600_000),
    TraceEvent(at: 7_200_004, "watch", .connect), TraceEvent(at: 7_200_005, "watch", .flow),
    TraceEvent(at: 7_300_000, "server", .clock, count: 3_600_000),
    TraceEvent(at: 7_300_001, "phone", .connect), TraceEvent(at: 7_300_002, "phone", .flow),
    TraceEvent(at: 7_300_003, "server", .kill),
    TraceEvent(at: 7_300_004, "phone", .connect), TraceEvent(at: 7_300_005, "phone", .flow),
  ]

  @Test func theClockSteps() throws {
    let trace = Self.trace(Self.steps)
    let outcome = try ServerHarness().play(trace, isRecorded: true)
    #expect(outcome.findings.isEmpty, "\(outcome.findings)")
    #expect(outcome.coverage["serverClock"] == 2 && outcome.coverage["suspend"] == 1)
    #expect(try Trace(ndjson: trace.ndjson) == trace)
  }

  /// Some schedules step it.
  @Test func areDrawn() throws {
    var drawn: Set<TraceEvent.Verb> = []
    for seed in stride(from: 4, through: 200, by: 8) {
      let outcome = try ServerHarness().run(Plan(seed: UInt64(seed)))
      #expect(outcome.findings.isEmpty, "seed \(seed): \(outcome.findings)")
      for event in outcome.trace.events where event.device == "server" { drawn.insert(event.verb) }
    }
    #expect(drawn.isSuperset(of: [.clock, .suspend]))
  }

  /// A server that counts on from the start with a steady clock tells times that never were.
  @Test func aClockThatIsNotFollowedIsFound() throws {
    let target = LyingTarget { line in
      guard line.contains("\"sync.opened\""),
        let range = line.range(of: "\"now\":"),
        let end = line[range.upperBound...].firstIndex(of: ",")
      else { return line }
      let now = Int64(Double(line[range.upperBound..<end])!)
      return line.replacingCharacters(in: range.upperBound..<end, with: "\(now - 7_200)")
    }
    let outcome = try ServerHarness(target).play(Self.trace(Self.steps), isRecorded: false)
    #expect(outcome.findings.contains { $0.slug == "protocol-broken" }, "\(outcome.findings)")
  }

  // MARK: Ends of transfers

  /// The end of a transfer is on its way when the connection is lost.
  private static let lostEnd: [TraceEvent] = [
    TraceEvent(at: 1, "phone", .transfer, lane: "userInfo"), TraceEvent(at: 2, "phone", .flow),
    TraceEvent(at: 3, "watch", .flow), TraceEvent(at: 4, "watch", .acknowledge),
    TraceEvent(at: 5, "watch", .flow), TraceEvent(at: 6, "phone", .drop),
  ]

  @Test func aSenderIsToldToAsk() throws {
    let outcome = try ServerHarness().play(
      Self.trace(Self.lostEnd, schema: "none"), isRecorded: true)
    #expect(outcome.findings.isEmpty, "\(outcome.findings)")
    #expect(outcome.lines.contains { $0.contains("\"mayHaveMissedDidFinish\":true") })
    #expect(outcome.lines.contains { $0.contains("\"re\":\"ask\"") })
  }

  @Test func aSenderThatIsNotToldIsFound() throws {
    let target = LyingTarget {
      $0.replacingOccurrences(of: ",\"mayHaveMissedDidFinish\":true", with: "")
    }
    let outcome = try ServerHarness(target).play(
      Self.trace(Self.lostEnd, schema: "none"), isRecorded: false)
    #expect(outcome.findings.contains { $0.slug == "end-not-told" }, "\(outcome.findings)")
  }
}

extension String {
  fileprivate func replacingOccurrences(of text: String, with other: String) -> String {
    guard let range = range(of: text) else { return self }
    return replacingCharacters(in: range, with: other)
  }

  fileprivate func replacingCharacters(in range: Range<Index>, with other: String) -> String {
    self[..<range.lowerBound] + other + self[range.upperBound...]
  }

  fileprivate func range(of text: String) -> Range<Index>? { ranges(of: text).first }
}

/// The simulated server, some lines of which are other ones.
private final class LyingTarget: ServerTarget {
  let faults: Set<Fault> = []
  let impossible: Set<TraceEvent.Verb> = []
  let complaints: [String] = []
  private let change: (String) -> String

  init(_ change: @escaping (String) -> String) { self.change = change }

  func site(_ trace: Trace) throws(HarnessFailure) -> any ServerSite {
    LyingSite(try MemorySite(trace, ShippedSchemas.named(Name(trace.schema))), change)
  }
}

private final class LyingSite: ServerSite {
  private let site: MemorySite
  private let change: (String) -> String

  init(_ site: MemorySite, _ change: @escaping (String) -> String) {
    self.site = site
    self.change = change
  }

  var now: Int64 { site.now }
  var clocks: (system: Int64, server: Int64)? { site.clocks }
  var pair: String { site.pair }
  var store: String? { site.store }
  var isReal: Bool { site.isReal }
  var fault: Finding? { site.fault }
  var complaint: String? { site.complaint }
  var isFailing: Bool { site.isFailing }
  var uncommitted: Int { site.uncommitted }
  func open(_ name: String) -> any ServerLink { LyingLink(site.open(name), change) }
  func settle() { site.settle() }
  func waitForAnswers(on links: [any ServerLink]) {}
  func advance(to time: Int64) { site.advance(to: time) }
  func sleep(until time: Int64) -> Bool { site.sleep(until: time) }
  func stepClock(ahead: Int64) -> Bool { site.stepClock(ahead: ahead) }
  func commit(_ count: Int) -> Bool { site.commit(count) }
  func network(_ event: TraceEvent, _ link: any ServerLink) -> Bool { false }
  func kill(written: Int) throws { try site.kill(written: written) }
  func restart() throws { try site.restart() }
  func fail() { site.fail() }
  func recover() { site.recover() }
  func heal() { site.heal() }
  func rest(_ round: Int) { site.rest(round) }
}

private final class LyingLink: ServerLink {
  private let link: any ServerLink
  private let change: (String) -> String

  init(_ link: any ServerLink, _ change: @escaping (String) -> String) {
    self.link = link
    self.change = change
  }

  var isClosed: Bool { link.isClosed }
  var isOver: Bool { link.isOver }
  var hasInput: Bool { link.hasInput }
  func send(_ bytes: [UInt8]) { link.send(bytes) }
  func close() { link.close() }

  func read(_ count: Int?) -> [[UInt8]] {
    link.read(count).map { Array(change(String(decoding: $0, as: UTF8.self)).utf8) }
  }
}
