import Foundation
import Testing

/// Whatever happens, at the end whole-record devices hold what the hub shows, no value comes back
/// that somebody had replaced, nothing that was deleted is back unless somebody touched it unseen,
/// and no to-do is gone that nobody deleted.
///
/// `WATCHLINE_SEED`, `WATCHLINE_SEEDS` and `WATCHLINE_STEPS` choose the histories, `WATCHLINE_VERBOSE`
/// tells them.
@Suite struct BridgePropertyTests {
  private static func setting(_ name: String) -> UInt64? {
    ProcessInfo.processInfo.environment[name].flatMap { UInt64($0) }
  }

  @Test func wholeRecordsMerge() throws {
    let first = Self.setting("WATCHLINE_SEED") ?? 1
    let count = Self.setting("WATCHLINE_SEEDS") ?? 30
    let isVerbose = Self.setting("WATCHLINE_VERBOSE") != nil
    for seed in first..<(first + count) {
      let run = try BridgePropertyRun(seed: seed)
      do {
        try run.play(steps: Int(Self.setting("WATCHLINE_STEPS") ?? 60))
        if isVerbose { print(seed, run.summary) }
      } catch {
        if isVerbose { print(run.log.joined(separator: "\n")) }
        Issue.record("seed \(seed), step \(run.step): \(error)")
        if !isVerbose { continue } else { return }
      }
    }
  }
}
