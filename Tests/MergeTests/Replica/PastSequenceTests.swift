import Testing
import Wire

@testable import Merge

/// What answers about single places says the same as what has the whole list, in random lives of a
/// hub and its devices.
@Suite struct PastSequenceTests {
  @Test func placesOfOldLists() throws {
    var compared = 0
    for seed in 1...25 {
      var world = ReplicaWorld(seed: UInt64(seed))
      try world.run(60 + seed % 200)
      let hub = world.hub
      for position in hub.base...hub.position {
        guard position % 7 == 0, let shown = hub.vector(at: position) else { continue }
        for list in hub.fold.lists.values {
          compare(list, at: hub.fold.sequenceNumbers(within: shown))
          compared += 1
        }
      }
    }
    #expect(compared > 100)
  }

  private func compare(_ list: Fugue, at known: @escaping (UInt32) -> UInt64) {
    let view = list.view(at: known)
    let wanted = view.elements.flatMap { range in (0..<range.count).map { range[$0] } }
    // What is dead, and every third element, may be no origin.
    let isPassed = { (element: Element) in
      !list.isVisible(element) || element.position % 3 == 0
    }
    var past = PastSequence(list, at: known, passing: isPassed)
    var found: [Element] = []
    while let last = past.last(before: found.last) { found.append(last) }
    #expect(Array(found.reversed()) == wanted.filter { !isPassed($0) })
    for (offset, element) in wanted.enumerated() {
      let upTo = wanted[...offset].last { !isPassed($0) }
      let before = past.last(upTo: element)
      #expect(before == upTo)
      let one = try? past.origin(after: upTo)
      let other = try? list.origin(at: offset + 1, in: view, passing: isPassed)
      #expect(one == other)
    }
    let all = list.snapshot().flatMap { run in
      (0..<run.elements.count).map { run.elements[$0] }
    }
    let shown = all.filter { past.shows($0) }
    #expect(shown == wanted)
  }

  /// One record, asked for by itself again and again, stands where it stands among all.
  @Test func onePlaceIsThatAmongAll() throws {
    var compared = 0
    for seed in 1...40 {
      var world = ReplicaWorld(seed: UInt64(seed))
      for _ in 0..<30 {
        try world.run(6)
        for fold in [world.hub.fold] + world.members.map(\.replica.fold) {
          let view = fold.view(ReplicaWorld.schema)
          for record in view.kinds.flatMap(\.records) {
            #expect(fold.view(record.target, ReplicaWorld.schema) == record, "seed \(seed)")
            compared += 1
          }
          let shown = Set(view.kinds.flatMap(\.records).map(\.target))
          for target in fold.records.map(\.target) where !shown.contains(target) {
            #expect(fold.view(target, ReplicaWorld.schema) == nil)
          }
          let known = Set(fold.records.filter(\.isCreated).map(\.target))
            .union(fold.tombstones.keys).filter { $0.kind == "todo" }.map(\.record).sorted()
          #expect(Array(fold.ids("todo", startingWith: "")) == known)
        }
      }
    }
    #expect(compared > 10_000)
  }
}
