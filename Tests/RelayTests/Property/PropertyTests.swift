import Foundation
import Relay
import RelaySupport
import Testing

/// Random requests by a phone and two watches among disconnects, restarts, kills, failing writes,
/// slow readers and holds: what was accepted arrives exactly once and in order, or is known to
/// have failed, and contexts converge.
@Suite struct PropertyTests {
  private static var seeds: Range<UInt64> {
    let environment = ProcessInfo.processInfo.environment
    let first = environment["WATCHLINE_SEED"].flatMap { UInt64($0) } ?? 1
    let count = environment["WATCHLINE_SEEDS"].flatMap { UInt64($0) } ?? 60
    return first..<(first + count)
  }

  private static var isVerbose: Bool {
    ProcessInfo.processInfo.environment["WATCHLINE_VERBOSE"] != nil
  }

  @Test func exactlyOnce() throws {
    for seed in Self.seeds {
      let run = try PropertyRun(seed: seed)
      do {
        try run.play(steps: 400)
        if Self.isVerbose { print(seed, run.summary) }
      } catch {
        if Self.isVerbose { print(run.log.joined(separator: "\n")) }
        Issue.record("seed \(seed), step \(run.step): \(error)")
        return
      }
    }
  }
}
