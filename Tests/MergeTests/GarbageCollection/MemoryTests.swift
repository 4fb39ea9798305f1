import Seeded
import Testing

@testable import Merge

@Suite struct MemoryTests {
  /// What is kept is a matter of what is there and of what is not stable yet, not of what was done.
  @Test func nothingGrowsWithTheNumberOfOperations() throws {
    let replicas = (1...2).map {
      ReplicaID(device: Identifier(high: 0, low: UInt64($0)), incarnation: 1)
    }
    let fold = Fold()
    var chance = SplitMix64(seed: 5)
    var time: UInt64 = 1_790_000_000_000
    var live: [Target] = []
    var created = 0
    var sizes: [Int] = []
    for round in 1...100_000 {
      time += 10
      let replica = replicas[chance.below(2)]
      var actions: [Action] = []
      switch chance.below(10) {
      case 0 where live.count < 20:
        created += 1
        let target = Target("note", Name("\(created)"))
        live.append(target)
        actions = [
          Action(target, .create),
          Action(target, .move(field: "place", to: fold.anchor(fold.end(of: "note")))),
        ]
      case 0:
        actions = [Action(live.remove(at: chance.below(live.count)), .delete)]
      case 1..<5:
        guard !live.isEmpty else { continue }
        let value = Datum.string(Name("\(round)"))
        actions = [
          Action(live[chance.below(live.count)], .write(field: "name", value: value), revives: true)
        ]
      default:
        guard !live.isEmpty else { continue }
        actions = fold.edit(live[chance.below(live.count)], &chance)
      }
      try fold.apply(
        Merge.Operation(
          dot: Dot(replica, fold.vector[replica] + 1),
          stamp: Stamp.mint(time: time, rank: 1, replica: replica, after: fold.latest),
          context: Context(fold.vector, of: replica), wall: 0, actions: actions))
      if round % 1000 == 0 {
        fold.purge(frontier: fold.vector, horizon: time - 1000)
        sizes.append(fold.size)
      }
    }
    let early = sizes[10..<20].max()!
    let late = sizes.suffix(10).max()!
    #expect(late < early * 2, "\(sizes)")
    #expect(fold.tombstones.count > 1000)
  }
}

extension Fold {
  /// Everything that is kept, but for the tombstones.
  fileprivate var size: Int {
    var size = operations.reduce(0) { $0 + 1 + $1.actions.count } + recovered.count
    for record in records {
      size += 1 + record.deletes.count + record.changes.vector.entries.count
      size += record.registers.reduce(0) { $0 + 1 + $1.writes.count }
      for text in record.texts {
        size += text.sequence.elementCount + text.sequence.deletions.entries.count
      }
    }
    for list in lists.values { size += list.elementCount + list.deletions.entries.count }
    return size
  }

  fileprivate func end(of kind: Name) -> Origin {
    let name = ListName(kind: kind, container: nil)
    let list = lists[name] ?? Fugue()
    return list.origin(at: list.count) { isLeft($0, name, by: "place") }
  }

  /// Types a few characters somewhere, or takes some away once there are many.
  fileprivate func edit(_ target: Target, _ chance: inout SplitMix64) -> [Action] {
    let text = text(target, "text") ?? Fugue()
    if text.count > 40 {
      let start = chance.below(text.count)
      let end = min(text.count, start + 1 + chance.below(20))
      let runs = text.elements(in: start..<end).flatMap { self.runs($0) }
      return [Action(target, .erase(field: "text", runs), revives: true)]
    }
    let origin = text.origin(at: chance.below(text.count + 1), passing: Fold.isDead(in: text))
    return [
      Action(target, .insert(field: "text", at: anchor(origin), text: "abc"), revives: true)
    ]
  }
}
