import Foundation
import Merge
import Oracle
import Testing

/// Random lives of a hub and its devices, at the end of which all agree, with the oracle too.
///
/// `WATCHLINE_WORLDS` sets how many, `WATCHLINE_SEED` the first seed.
@Suite struct ReplicaWorldTests {
  private static func setting(_ name: String, _ initial: Int) -> Int {
    ProcessInfo.processInfo.environment[name].flatMap { Int($0) } ?? initial
  }

  @Test func everybodyAgreesInTheEnd() {
    let first = Self.setting("WATCHLINE_SEED", 1)
    var counts: [String: Int] = [:]
    var fates: [Fate: Int] = [:]
    for seed in first..<first + Self.setting("WATCHLINE_WORLDS", 150) {
      var world = ReplicaWorld(seed: UInt64(seed))
      do {
        try world.run(60 + seed % 200)
        try world.settle()
        if let fault = disagreement(world, &fates) {
          Issue.record("seed \(seed): \(fault)")
          return
        }
      } catch {
        Issue.record("seed \(seed): \(error)")
        return
      }
      counts.merge(world.counts, uniquingKeysWith: +)
    }
    print(counts.sorted { $0.key < $1.key }, fates.sorted { $0.key.rawValue < $1.key.rawValue })
    for event in ["take-over", "retime", "wait", "repeat", "set back", "reset", "jump"] {
      #expect(counts[event, default: 0] > 0, "no \(event)")
    }
  }

  private func disagreement(_ world: ReplicaWorld, _ fates: inout [Fate: Int]) -> String? {
    let schema = ReplicaWorld.schema
    let log = world.hub.log.compactMap(\.operation)
    let oracle = Oracle(log.map(\.operation))
    let view = oracle.view(schema)
    if world.hub.fold.view(schema).canonical != view { return "the hub's view is wrong" }
    let feed = world.hub.fold.feed()
    if feed.map(\.dot) != oracle.feed().map(\.dot) { return "the hub's feed is wrong" }
    for member in world.members {
      let replica = member.replica
      if replica.fold.vector != world.hub.vector { return "\(replica.id): another vector" }
      if replica.fold.view(schema).canonical != view { return "\(replica.id): another view" }
      if replica.fold.feed() != feed { return "\(replica.id): another feed" }
      for id in world.hub.replicas where replica.replica.chain(id) != world.hub.chain(id) {
        return "\(replica.id): another chain of \(id)"
      }
    }
    let here = log.map {
      ReplicaWorld.Edit(device: $0.operation.dot.replica.device, wall: $0.operation.wall)
    }
    if Set(here).count != here.count { return "an edit is there twice" }
    if let lost = world.written.subtracting(world.destroyed).subtracting(here).first {
      return "an edit is nowhere: \(lost)"
    }
    for operation in log.map(\.operation) {
      for effect in Oracle.effects(of: operation) {
        let fate = oracle.classify(effect, schema)
        fates[fate, default: 0] += 1
        if fate == .lost { return "an effect is lost: \(effect)" }
      }
    }
    return nil
  }
}
