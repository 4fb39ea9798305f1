import Seeded
import Foundation
import Merge
import Oracle
import Simulation
import Testing

/// The merge against the oracle, after every operation, in several orders of delivery.
///
/// `WATCHLINE_HISTORIES` sets how many random histories are tried, `WATCHLINE_SEED` the first seed,
/// `WATCHLINE_EXHAUSTIVE` the number of operations up to which all small histories are.
@Suite struct AgreementTests {
  private static func setting(_ name: String, _ initial: Int) -> Int {
    ProcessInfo.processInfo.environment[name].flatMap { Int($0) } ?? initial
  }

  @Test func randomHistories() {
    let first = Self.setting("WATCHLINE_SEED", 1)
    for seed in first..<first + Self.setting("WATCHLINE_HISTORIES", 60) {
      let history = randomHistory(UInt64(seed))
      let schema = HistorySchemas.everything
      if let found = smallestDisagreement(history, schema, seed: UInt64(seed), { MergeFold() }) {
        Issue.record("seed \(seed):\n\(found)")
        return
      }
    }
  }

  @Test(arguments: ["life", "order"]) func smallHistories(_ name: String) {
    let enumeration = name == "life" ? HistoryEnumeration.life : .order
    let limit = Self.setting("WATCHLINE_EXHAUSTIVE", 2)
    for count in 1...max(limit, 3) {
      // What is too much for every run is sampled.
      let stride = count <= limit ? 1 : 997
      var tried = 0
      var first: Disagreement?
      enumeration.forEach(count, stride: stride) { history in
        guard first == nil else { return }
        tried += 1
        first = smallestDisagreement(history, HistorySchemas.everything, seed: 1) { MergeFold() }
      }
      if let first { Issue.record("\(name), \(count) operations:\n\(first)") }
      print("\(name): \(tried) histories of \(count) operations, stride \(stride)")
    }
  }
}

/// The random history of a seed.
func randomHistory(_ seed: UInt64) -> History {
  var random = SplitMix64(seed: seed)
  let options = HistoryOptions.random(using: &random)
  return HistoryGenerator.history(HistorySchemas.everything, options, using: &random)
}
