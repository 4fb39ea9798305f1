import Foundation
import Simulation
import Testing

@Suite struct ServerHarnessTests {
  private static func setting(_ name: String) -> UInt64? {
    ProcessInfo.processInfo.environment[name].flatMap { UInt64($0) }
  }

  /// `WATCHLINE_SEED` and `WATCHLINE_SEEDS` choose the schedules, `WATCHLINE_VERBOSE` tells them.
  @Test func nothingIsFoundInOurServer() throws {
    let harness = ServerHarness()
    let first = Self.setting("WATCHLINE_SEED") ?? 1
    let count = Self.setting("WATCHLINE_SEEDS") ?? 100
    var coverage = Coverage()
    var slugs: [String: [UInt64]] = [:]
    for seed in first..<(first + count) {
      let outcome = try harness.run(Plan(seed: seed))
      coverage.add(outcome.coverage)
      for finding in outcome.findings { slugs[finding.slug, default: []].append(seed) }
      guard let finding = outcome.findings.first else { continue }
      if Self.setting("WATCHLINE_VERBOSE") != nil, count == 1 {
        print(String(decoding: outcome.trace.ndjson, as: UTF8.self))
        let played = try harness.play(outcome.trace, isRecorded: true)
        print(played.lines.joined(separator: "\n"))
        print(played.findings)
        let examined = try Examination.examine(outcome, finding.slug, by: harness)
        print(String(decoding: examined.trace.ndjson, as: UTF8.self))
        print(examined.outcome.lines.joined(separator: "\n"))
        print(examined.finding)
      }
    }
    print(coverage.counts.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: " "))
    for (slug, seeds) in slugs.sorted(by: { $0.key < $1.key }) {
      Issue.record("\(slug): \(seeds.count) times, first by seed \(seeds.prefix(5))")
    }
  }
}
