import Merge
import Oracle
import Simulation
import Testing

/// That the comparison catches a merge with one rule wrong, and no right one.
@Suite struct MutantTests {
  /// Without times in the view, which the mutants of the stamps would show at once.
  private static let schema: Schema = {
    var schema = HistorySchemas.everything
    for index in schema.kinds.indices { schema.kinds[index].derived = [] }
    return schema
  }()

  @Test(arguments: Mutant.all.indices) func isCaught(_ index: Int) {
    let mutant = Mutant.all[index]
    for seed in 1...150 as ClosedRange<UInt64> {
      let history = randomHistory(seed)
      if disagreement(history, Self.schema, seed: seed, { mutant }) != nil {
        print("\(mutant.name): seed \(seed)")
        return
      }
    }
    Issue.record("\(mutant.name): not caught")
  }

  /// A disagreement is told by the smallest history that shows it.
  @Test func disagreementsAreShrunk() throws {
    let mutant = try #require(Mutant.all.first { $0.name == "the earliest wins" })
    for seed in 1...150 as ClosedRange<UInt64> {
      let found = smallestDisagreement(randomHistory(seed), Self.schema, seed: seed) { mutant }
      guard let found else { continue }
      #expect(found.history.operations.count <= 3, "\(found)")
      #expect(found.history.operations.allSatisfy { $0.actions.count <= 2 }, "\(found)")
      return
    }
    Issue.record("not caught")
  }

  @Test func theOracleAgreesWithItself() {
    let mutant = Mutant("right")
    for seed in 1...30 as ClosedRange<UInt64> {
      #expect(disagreement(randomHistory(seed), Self.schema, seed: seed, { mutant }) == nil)
    }
  }
}
