import Seeded
import Merge
import Oracle
import Testing

/// What becomes of effects, and that the order of operations makes no difference.
@Suite struct OracleLossTests {
  private static func fates(_ scene: Scene, _ operation: Operation) -> [Fate] {
    Oracle.effects(of: operation).map {
      scene.oracle.classify($0, HistorySchemas.everything)
    }
  }

  @Test func effectsAreClassified() {
    var scene = Scene()
    let made = scene.write(
      .phone, at: 0, create(timer), move(timer), write(timer, "name", "a"),
      insert(timer, "xy", at: Anchor(nil, .right)))
    #expect(Self.fates(scene, made) == Array(repeating: .shown, count: 5))
    let lost = scene.write(.phone, at: 1, seeing: .own, write(timer, "name", "p"))
    scene.write(
      .watch, at: 2, seeing: .only([made]), write(timer, "name", "w"),
      erase(timer, Scene.element(made, 2)))
    #expect(Self.fates(scene, lost) == [.listed])
    #expect(Self.fates(scene, made) == [.shown, .shown, .superseded, .shown, .superseded])
    let gone = scene.write(.tablet, at: 3, seeing: .only([made]), delete(timer))
    #expect(Self.fates(scene, gone) == [.shown])
    #expect(Self.fates(scene, scene.operations[2]) == [.restorable, .shown])
    let edit = scene.write(.watch, at: 4, seeing: .only([lost]), write(timer, "icon", "i"))
    #expect(Self.fates(scene, gone) == [.listed])
    #expect(Self.fates(scene, edit) == [.shown])
  }

  @Test func whatIsNowhereIsLost() {
    var scene = Scene()
    let made = scene.write(.phone, at: 0, create(timer))
    let effect = Oracle.effects(of: made)[0]
    #expect(Oracle([]).classify(effect, HistorySchemas.everything) == .lost)
    let fate = Oracle([]).classify(effect, HistorySchemas.everything) { _ in .purged }
    #expect(fate == .purged)
  }

  @Test func honestHistoriesLoseNothing() {
    var counts: [Fate: Int] = [:]
    for seed in 1...25 as ClosedRange<UInt64> {
      var random = SplitMix64(seed: seed)
      var options = HistoryOptions.random(using: &random)
      (options.blind, options.unknown, options.stale) = (0, 0, 0)
      let schema = HistorySchemas.everything
      let history = HistoryGenerator.history(schema, options, using: &random)
      func fates(_ history: History) -> [(effect: Effect, fate: Fate)] {
        let oracle = Oracle(history.operations)
        return history.operations.flatMap { Oracle.effects(of: $0) }
          .map { ($0, oracle.classify($0, schema)) }
      }
      for (_, fate) in fates(history) { counts[fate, default: 0] += 1 }
      guard counts[.lost] == nil else {
        let smallest = history.shrunk { fates($0).contains { $0.fate == .lost } }
        let lost = fates(smallest).filter { $0.fate == .lost }.map(\.effect)
        Issue.record("seed \(seed): \(smallest.shortened("\(lost)"))\n\(smallest)")
        return
      }
    }
    for fate in [.shown, .listed, .superseded, .restorable] as [Fate] {
      #expect(counts[fate, default: 0] > 10, "\(fate)")
    }
  }

  @Test func theOrderOfOperationsMakesNoDifference() {
    for seed in 1...25 as ClosedRange<UInt64> {
      var random = SplitMix64(seed: seed)
      let history = randomHistory(seed)
      let schema = HistorySchemas.everything
      let oracle = Oracle(history.operations)
      let shuffled = Oracle(
        (history.operations + history.operations.prefix(3)).shuffled(using: &random))
      #expect(oracle.view(schema) == shuffled.view(schema), "seed \(seed)")
      #expect(oracle.feed() == shuffled.feed(), "seed \(seed)")
    }
  }

  @Test func historiesAreHonest() {
    for seed in 1...25 as ClosedRange<UInt64> {
      let history = randomHistory(seed)
      #expect(Set(history.operations.map(\.stamp)).count == history.operations.count)
      for operation in history.operations {
        for other in history.operations where operation.follows(other.dot) {
          #expect(other.stamp < operation.stamp, "seed \(seed)")
          // What the other had seen was seen as well.
          let seen = operation.context.vector(of: operation.dot.replica)
          #expect(
            seen.contains(other.context.vector(of: other.dot.replica)), "seed \(seed)")
        }
      }
      var random = SplitMix64(seed: seed)
      for delivery in History.Delivery.allCases {
        let order = history.delivered(delivery, using: &random)
        #expect(order.count == history.operations.count)
      }
    }
  }
}
