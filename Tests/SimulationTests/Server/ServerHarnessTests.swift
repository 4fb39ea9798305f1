import Foundation
import Simulation
import Testing

@Suite struct ServerHarnessTests {
  private static func setting(_ name: String) -> UInt64? {
    ProcessInfo.processInfo.environment[name].flatMap { UInt64($0) }
  }

  private static let worlds: [Trace.World] = [.server, .cluster]

  /// `WATCHLINE_SEED` and `WATCHLINE_SEEDS` choose the schedules.
  @Test(arguments: worlds) func nothingIsFoundInOurServer(world: Trace.World) throws {
    let harness = ServerHarness(world)
    let first = Self.setting("WATCHLINE_SEED") ?? 1
    let count = Self.setting("WATCHLINE_SEEDS") ?? 60
    for seed in first..<(first + count) {
      let outcome = try harness.run(Plan(seed: seed))
      for finding in outcome.findings { Issue.record("seed \(seed): \(finding)") }
    }
  }

  /// A schedule that was drawn, played again, does the same to the byte: also where an edit was refused, and is not in it.
  @Test(arguments: worlds) func playsWhatItHasDrawn(world: Trace.World) throws {
    let harness = ServerHarness(world)
    for seed in Array(1...60) + [162, 380, 424] as [UInt64] {
      let drawn = try harness.run(Plan(seed: seed))
      let again = try harness.run(Plan(seed: seed))
      #expect(again.trace == drawn.trace)
      #expect(again.behaviour == drawn.behaviour)
      let trace = try Trace(ndjson: drawn.trace.ndjson)
      #expect(trace == drawn.trace)
      let played = try harness.play(trace, isRecorded: true)
      #expect(played.behaviour == drawn.behaviour)
      #expect(played.recording?.steps.isEmpty == false)
    }
  }

  /// What is taken out of a schedule does not make the rest impossible to play.
  @Test(arguments: worlds) func playsPartsOfASchedule(world: Trace.World) throws {
    let harness = ServerHarness(world)
    for seed in 1...8 as ClosedRange<UInt64> {
      var trace = try harness.run(Plan(seed: seed)).trace
      trace.events = trace.events.enumerated().filter { $0.offset % 3 != 1 }.map(\.element)
      let outcome = try harness.play(trace, isRecorded: false)
      #expect(outcome.findings.isEmpty, "seed \(seed): \(outcome.findings)")
    }
  }
}
