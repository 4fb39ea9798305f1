import Foundation
import Simulation
import Testing

/// Long schedules in which much goes wrong at once, and nothing may be lost.
///
/// `WATCHLINE_SEED` and `WATCHLINE_SEEDS` choose them.
@Suite struct LongRunTests {
  private static func setting(_ name: String) -> UInt64? {
    ProcessInfo.processInfo.environment[name].flatMap { UInt64($0) }
  }

  /// - Parameter seen: what must have taken place.
  private func play(_ count: UInt64, seen: [String], _ change: (inout Plan) -> Void) throws {
    let harness = ServerHarness()
    let first = Self.setting("WATCHLINE_SEED") ?? 1
    let count = Self.setting("WATCHLINE_SEEDS") ?? count
    var coverage = Coverage()
    for seed in first..<(first + count) {
      var plan = Plan(seed: seed)
      plan.devices = 3
      change(&plan)
      let outcome = try harness.run(plan)
      for finding in outcome.findings { Issue.record("seed \(seed): \(finding)") }
      coverage.add(outcome.coverage)
    }
    guard Self.setting("WATCHLINE_SEEDS") == nil else { return }
    for event in seen { #expect(coverage[event] > 0, "\(event) never took place") }
  }

  private static let faults: Set<Fault> = [
    .delay, .cut, .restart, .crash, .disk, .takeover, .membership, .collection,
  ]

  /// A phone and two watches use the lanes alone: what was accepted arrives exactly once and in order, or is
  /// known to have failed, and contexts converge.
  @Test func exactlyOnce() throws {
    let seen = [
      "kill", "commitLost", "fail", "stop", "takeover", "select", "cancel", "upload", "refuse",
      "hold",
      "message", "evicted", "copied",
    ]
    try play(60, seen: seen) { plan in
      plan.schema = "none"
      plan.events = 400
      plan.faults = Self.faults
    }
  }

  /// Devices with replicas edit records: in the end everybody shows what the hub shows, and what was accepted
  /// shows, is in the feed, or was replaced by somebody who had seen it.
  @Test func nothingIsLost() throws {
    let seen = ["kill", "commitLost", "fail", "goBack", "clock", "fork", "evicted", "snapshotJoin"]
    try play(30, seen: seen) { plan in
      plan.schema = "todoTimers"
      plan.events = 150
      plan.wholeRecords = 0
      plan.faults = Self.faults.union([.backup, .clock])
    }
  }

  /// Devices that know whole records only hold in the end what the hub shows.
  @Test func wholeRecordsMerge() throws {
    let seen = ["kill", "wholeRecordEdit", "wholeRecordResend", "wholeRecordConflict", "evicted"]
    try play(30, seen: seen) { plan in
      plan.schema = "todoTimers"
      plan.events = 60
      plan.wholeRecords = 1 + Int(plan.seed % 2)
      plan.faults = Self.faults.union([.clock])
    }
  }
}
