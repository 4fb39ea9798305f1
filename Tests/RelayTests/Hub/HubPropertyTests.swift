import Foundation
import RelaySupport
import Testing

/// Whatever happens, at the end everybody shows what the hub shows, and what was accepted shows,
/// is in the feed, or was replaced by somebody who had seen it.
///
/// `WATCHLINE_SEED` and `WATCHLINE_SEEDS` choose the histories, `WATCHLINE_VERBOSE` tells them.
@Suite struct HubPropertyTests {
  private static func setting(_ name: String) -> UInt64? {
    ProcessInfo.processInfo.environment[name].flatMap { UInt64($0) }
  }

  @Test func nothingIsLost() throws {
    let first = Self.setting("WATCHLINE_SEED") ?? 1
    let count = Self.setting("WATCHLINE_SEEDS") ?? 30
    let isVerbose = Self.setting("WATCHLINE_VERBOSE") != nil
    for seed in first..<(first + count) {
      let run = try HubPropertyRun(seed: seed)
      do {
        try run.play(steps: 150)
        if isVerbose { print(seed, run.summary) }
      } catch {
        if isVerbose { print(run.log.joined(separator: "\n")) }
        Issue.record("seed \(seed), step \(run.step): \(error)")
        return
      }
    }
  }
}
