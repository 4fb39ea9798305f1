/// Several worlds in one campaign: each seed goes to one of them, and a trace to its own.
package final class MixedHarness: Harness {
  package struct Share {
    package var world: Trace.World
    package var harness: any Harness
    /// Of a hundred seeds.
    package var percent: UInt64

    package init(_ world: Trace.World, _ harness: any Harness, percent: UInt64) {
      self.world = world
      self.harness = harness
      self.percent = percent
    }
  }

  private let shares: [Share]

  /// - Parameter shares: add up to a hundred.
  package init(_ shares: [Share]) {
    precondition(shares.reduce(0) { $0 + $1.percent } == 100)
    self.shares = shares
  }

  /// Every world. An exchange costs a tenth of what the whole server does, or less.
  package static func all() -> MixedHarness {
    MixedHarness([
      Share(.exchange, ExchangeHarness(), percent: 80),
      Share(.server, ServerHarness(), percent: 15),
      Share(.cluster, ServerHarness(.cluster), percent: 5),
    ])
  }

  package var rareEvents: [String] {
    shares.reduce(into: []) { known, share in
      for event in share.harness.rareEvents where !known.contains(event) { known.append(event) }
    }
  }

  package func run(_ plan: Plan) throws(HarnessFailure) -> Outcome {
    // Seeds in a row are spread over the worlds.
    var place = plan.seed &* 61 % 100
    for share in shares {
      if place < share.percent { return try share.harness.run(plan) }
      place -= share.percent
    }
    fatalError("the shares are less than a hundred")
  }

  package func play(_ trace: Trace, isRecorded: Bool) throws(HarnessFailure) -> Outcome {
    guard let share = shares.first(where: { $0.world == trace.world }) else {
      throw HarnessFailure("nothing here plays a trace of the world \(trace.world.rawValue)")
    }
    return try share.harness.play(trace, isRecorded: isRecorded)
  }
}
