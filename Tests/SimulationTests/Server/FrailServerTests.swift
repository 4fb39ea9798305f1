import Synchronization
import Testing

@testable import Simulation

/// A server that does not survive an event: the event is in the trace.
@Suite struct FrailServerTests {
  /// The event before which the schedule was shown last.
  private final class Witness: Sendable {
    let event = Mutex<TraceEvent?>(nil)
  }

  /// The relay in memory, gone at the `count`th wait for its answers after the witness was there.
  private final class Site: ServerSite {
    let site: MemorySite
    let witness: Witness
    var left: Int
    var fault: Finding?
    var last: TraceEvent?
    private var isAtEnd = false

    init(_ site: MemorySite, _ witness: Witness, _ count: Int) {
      self.site = site
      self.witness = witness
      left = count
    }

    var now: Int64 { site.now }
    var clocks: (system: Int64, server: Int64)? { site.clocks }
    var pair: String { site.pair }
    var store: String? { site.store }
    let isReal = false
    var complaint: String? { site.complaint }
    var isFailing: Bool { site.isFailing }
    var uncommitted: Int { site.uncommitted }

    func waitForAnswers(on links: [any ServerLink]) {
      guard !isAtEnd, let event = witness.event.withLock({ $0 }) else { return }
      left -= 1
      guard left == 0 else { return }
      last = event
      fault = Finding(invariant: "I42", slug: "server-gone", headline: "It is gone.", story: [])
    }

    func open(_ name: String) -> any ServerLink { site.open(name) }
    func settle() { site.settle() }
    func advance(to time: Int64) { site.advance(to: time) }
    func sleep(until time: Int64) -> Bool { site.sleep(until: time) }
    func stepClock(ahead: Int64) -> Bool { site.stepClock(ahead: ahead) }
    func commit(_ count: Int) -> Bool { site.commit(count) }
    func network(_ event: TraceEvent, _ link: any ServerLink) -> Bool { site.network(event, link) }
    func kill(written: Int) throws { try site.kill(written: written) }
    func restart() throws { try site.restart() }
    func fail() { site.fail() }
    func recover() { site.recover() }
    func heal() {
      isAtEnd = true
      site.heal()
    }
    func rest(_ round: Int) { site.rest(round) }
  }

  private final class Target: ServerTarget {
    let witness = Witness()
    let count: Int
    var made: Site?

    init(_ count: Int) { self.count = count }

    let faults: Set<Fault> = [.cut, .restart]
    let impossible: Set<TraceEvent.Verb> = []
    let complaints: [String] = []

    func site(_ trace: Trace) throws(HarnessFailure) -> any ServerSite {
      let site = Site(
        try MemorySite(trace, nil), witness, count)
      made = site
      return site
    }
  }

  @Test(arguments: 1...6) func theEventIsInTheTrace(_ count: Int) throws {
    var found = 0
    for seed in 1...30 as ClosedRange<UInt64> {
      let target = Target(count)
      var plan = Plan(seed: seed)
      plan.schema = "none"
      plan.witness = { [witness = target.witness] trace in
        witness.event.withLock { $0 = trace.events.last }
      }
      let outcome = try ServerHarness(target).run(plan)
      guard let last = target.made?.last else { continue }
      found += 1
      #expect(outcome.findings.map(\.slug) == ["server-gone"], "seed \(seed)")
      #expect(outcome.trace.events.last == last, "seed \(seed)")
    }
    #expect(found > 5)
  }
}
