import Merge
import Testing

@testable import Simulation

/// A merge that does not survive an event: the event is in the trace, and the trace is made small.
@Suite struct FailingMergeTests {
  /// Does not survive an edit of, or a look at, what another device has made.
  private final class Brittle: MergeUnderTest {
    enum Place { case edit, state }

    let place: Place
    private let subject = RegisterMerge(.fields)
    private var made: [Set<Target>] = []
    /// Whether a device has just been handed something, and not been asked since.
    private var isFresh: [Bool] = []

    init(_ place: Place) { self.place = place }

    let behaviour: UInt64 = 0

    private func broken() -> MergeFailure {
      .fault(
        Finding(
          invariant: "contract", slug: "program-ended", headline: "It ended.", story: ["It did."]))
    }

    func start(
      _ devices: [Trace.Device], _ settings: ExchangeSettings, random: UInt64
    ) throws(MergeFailure) -> Started {
      made = devices.map { _ in [] }
      isFresh = devices.map { _ in false }
      return try subject.start(devices, settings, random: random)
    }

    func edit(
      _ device: Int, _ edit: Edit, now: Int64, since moment: Int?
    ) throws(MergeFailure) -> Answer {
      let target = Target(edit.kind, edit.record)
      if case .create = edit.change { made[device].insert(target) }
      if place == .edit, case .set = edit.change, !made[device].contains(target) { throw broken() }
      return try subject.edit(device, edit, now: now, since: moment)
    }

    func snapshot(_ device: Int, to: Int, now: Int64) throws(MergeFailure) -> Body {
      try subject.snapshot(device, to: to, now: now)
    }

    func receive(
      _ device: Int, from: Int, _ lane: Lane, _ body: Body, now: Int64
    ) throws(MergeFailure) -> Answer {
      isFresh[device] = true
      return try subject.receive(device, from: from, lane, body, now: now)
    }

    func restart(_ device: Int, now: Int64) throws(MergeFailure) -> Answer { .done([]) }

    func state(_ device: Int, withKept: Bool) throws(MergeFailure) -> Shown {
      let shown = try subject.state(device, withKept: withKept)
      defer { isFresh[device] = false }
      // Another one is shown just for as long as nothing else has come.
      if place == .state, isFresh[device], shown.records.count == 1,
        !made[device].contains(shown.records[0].target)
      {
        throw broken()
      }
      return shown
    }
  }

  @Test func theEditIsInTheTrace() throws {
    let harness = ExchangeHarness(Brittle(.edit), level: .fields)
    var found = 0
    for seed in 0..<200 as Range<UInt64> {
      let outcome = try harness.run(Plan(seed: seed))
      guard let slug = outcome.findings.first?.slug else { continue }
      found += 1
      #expect(outcome.trace.events.last?.verb == .edit)
      let examined = try Examination.examine(outcome, slug, by: harness)
      #expect(examined.finding.slug == "program-ended", "seed \(seed)")
      // Made, sent, brought, edited; or brought by the phone from one watch to the other.
      #expect(examined.trace.events.count <= 7, "seed \(seed)")
      #expect(examined.outcome.recording?.steps.last?.kind == .edit)
    }
    #expect(found > 50)
  }

  @Test func whatALookBroughtAboutComesAgain() throws {
    let harness = ExchangeHarness(Brittle(.state), level: .fields)
    var found = 0
    for seed in 0..<200 as Range<UInt64> {
      let outcome = try harness.run(Plan(seed: seed))
      guard let slug = outcome.findings.first?.slug else { continue }
      found += 1
      let examined = try Examination.examine(outcome, slug, by: harness)
      #expect(examined.finding.slug == "program-ended", "seed \(seed)")
      #expect(examined.trace.events.count <= 3, "seed \(seed)")
    }
    #expect(found > 50)
  }
}
