import Seeded
import Merge
import Testing
import TextTraces

@Suite struct RandomHistoryTests {
  private func expectEqual(_ device: Device) {
    #expect(device.fugue.flattened == device.naive.order())
    #expect(device.fugue.visibleElements == device.naive.visible())
    #expect(device.fugue.text == device.naive.text())
    #expect(device.fugue.count == device.naive.visible().count)
  }

  @Test(arguments: 0..<60) func agreesWithTheNaiveTree(seed: Int) throws {
    var world = World(devices: 2 + seed % 3, seed: seed)
    var contexts: [[[UInt64]]] = world.devices.map { [$0.vector] }
    for _ in 0..<60 {
      let at = world.chance.below(world.devices.count)
      if world.chance.below(2) == 0 {
        try world.edit(at, contexts: contexts[at])
      } else if try !world.deliver(to: at) {
        continue
      }
      expectEqual(world.devices[at])
      contexts[at].append(world.devices[at].vector)
    }
    // Any version that was shown can be shown again.
    for (device, versions) in zip(world.devices, contexts) {
      for version in versions {
        let view = device.fugue.view { version[Int($0)] }
        let elements = view.elements.flatMap { range in (0..<range.count).map { range[$0] } }
        #expect(elements == device.naive.visible(within(version)))
        #expect(view.text == device.naive.text(within(version)))
        #expect(view.count == elements.count)
        #expect(elements.indices.allSatisfy { view[$0] == elements[$0] })
        let restored = try Fugue(restoring: device.fugue.snapshot { version[Int($0)] })
        #expect(restored.flattened == device.naive.order(within(version)))
        #expect(restored.text == view.text)
      }
    }
    for at in world.devices.indices {
      while try world.deliver(to: at) {}
      expectEqual(world.devices[at])
      #expect(world.devices[at].fugue.text == world.devices[0].fugue.text)
      #expect(world.devices[at].fugue.flattened == world.devices[0].fugue.flattened)
    }
  }

  /// Every interleaving of what three devices do with what they see: two rounds of an insertion or
  /// a deletion at any offset, with or without a merge between.
  @Test func smallHistories() throws {
    let actions: [(Device, Int) -> [Change]] = [
      { device, at in [self.typed("ab", 0, device, at)] },
      { device, at in [self.typed("c", device.fugue.count, device, at)] },
      { device, at in [self.typed("d", device.fugue.count / 2, device, at)] },
      { device, at in
        guard device.fugue.count > 0 else { return [] }
        let middle = device.fugue.count / 2
        return [
          .delete(
            device.fugue.elements(in: middle..<middle + 1), replica: UInt32(at),
            seq: device.vector[at] + 1)
        ]
      },
    ]
    let choices = actions.count
    for number in 0..<choices * choices * choices * choices * 8 {
      var rest = number
      func next(_ count: Int) -> Int {
        defer { rest /= count }
        return rest % count
      }
      var world = World(devices: 3, seed: number)
      for round in 0..<4 {
        let at = round % 3
        if round > 0, next(2) == 1 { while try world.deliver(to: at) {} }
        let device = world.devices[at]
        let operation = Operation(
          replica: UInt32(at), seq: device.vector[at] + 1, rank: at == 1 ? 2 : 1,
          context: device.vector, changes: actions[next(choices)](device, at))
        world.operations.append(operation)
        try world.devices[at].apply(operation)
      }
      for at in world.devices.indices { while try world.deliver(to: at) {} }
      let order = world.devices[0].naive.order()
      let text = world.devices[0].naive.text()
      let agree = world.devices.allSatisfy {
        $0.fugue.flattened == order && $0.naive.order() == order && $0.fugue.text == text
      }
      #expect(agree, "history \(number)")
    }
  }

  private func typed(_ text: String, _ offset: Int, _ device: Device, _ at: Int) -> Change {
    .insert(
      Element(replica: UInt32(at), seq: device.vector[at] + 1), text,
      device.fugue.origin(at: offset))
  }

  /// All have seen a version; then they edit on, hang nothing at what is dead, purge what was dead there at different
  /// moments, and agree still.
  @Test(arguments: 0..<40) func purge(seed: Int) throws {
    var world = World(devices: 3, seed: 1000 + seed)
    for _ in 0..<40 { try world.edit(world.chance.below(3)) }
    for at in 0..<3 { while try world.deliver(to: at) {} }
    let frontier = world.devices[0].vector
    let stable = world.devices[0].fugue.deadElements { frontier[Int($0)] }
    #expect(!stable.isEmpty)
    for element in world.devices[0].naive.order() {
      #expect(stable.contains(element) == !world.devices[0].naive.isVisible(element))
    }

    func purge(_ at: Int) {
      let text = world.devices[at].fugue.text
      world.devices[at].fugue.purge(where: stable.contains)
      world.devices[at].naive.purge(stable.contains)
      #expect(world.devices[at].fugue.text == text)
      expectEqual(world.devices[at])
    }
    let moments = (0..<3).map { _ in world.chance.below(40) }
    for step in 0..<40 {
      for at in 0..<3 where moments[at] == step { purge(at) }
      let at = world.chance.below(3)
      if world.chance.below(2) == 0, try world.deliver(to: at) { continue }
      let device = world.devices[at]
      let offset = world.chance.below(device.fugue.count + 1)
      let seq = device.vector[at] + 1
      let origin = device.fugue.origin(at: offset) { !device.fugue.isVisible($0) }
      if let parent = origin.parent { #expect(!stable.contains(parent)) }
      var changes = [Change.insert(Element(replica: UInt32(at), seq: seq), "new", origin)]
      if offset > 0 {
        changes.append(
          .delete(
            device.fugue.elements(in: offset - 1..<offset), replica: UInt32(at), seq: seq))
      }
      // It is where it was meant to be.
      var expected = Array(device.fugue.text.unicodeScalars)
      expected.insert(contentsOf: "new".unicodeScalars, at: offset)
      if offset > 0 { expected.remove(at: offset - 1) }
      world.operations.append(
        Operation(
          replica: UInt32(at), seq: seq, rank: UInt8(1 + at % 2), context: device.vector,
          changes: changes))
      try world.devices[at].apply(world.operations.last!)
      #expect(Array(world.devices[at].fugue.text.unicodeScalars) == expected)
    }
    for at in 0..<3 {
      while try world.deliver(to: at) {}
      purge(at)
      #expect(world.devices[at].fugue.text == world.devices[0].fugue.text)
      #expect(world.devices[at].fugue.flattened == world.devices[0].fugue.flattened)
    }
    // What the purge left can still be seen as it was.
    let view = world.devices[0].fugue.view { frontier[Int($0)] }
    #expect(view.text == world.devices[0].naive.text(within(frontier)))
  }
}
