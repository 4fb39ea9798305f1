import Merge
import Testing
import Wire

/// What a device saves is all that it is, and what is no such thing is refused.
@Suite struct SavedReplicaTests {
  private let hub = Hub()
  private let phone = DeviceReplica(id: Hub.phone, rank: 2)

  private func expectEqual(_ one: DeviceReplica, _ other: DeviceReplica) {
    #expect(one.id == other.id && one.rank == other.rank)
    #expect(one.accepted == other.accepted && one.position == other.position)
    #expect(one.offset == other.offset && one.promise == other.promise)
    #expect(one.pending.map(\.bytes) == other.pending.map(\.bytes))
    #expect(one.replica.position == other.replica.position)
    #expect(
      one.replica.replicas.map(one.replica.chain) == other.replica.replicas.map(other.replica.chain)
    )
    #expect(one.fold.view(Hub.schema).canonical == other.fold.view(Hub.schema).canonical)
    #expect(one.fold.feed() == other.fold.feed())
    #expect(one.saved == other.saved)
  }

  @Test func aNewOne() throws {
    expectEqual(phone, try DeviceReplica(saved: phone.saved))
  }

  @Test func acceptedAndPending() throws {
    try Hub.make(phone, 6)
    try hub.push(phone, 3)
    let restored = try DeviceReplica(saved: phone.saved)
    #expect(restored.accepted == 3 && restored.pending.count == 3)
    expectEqual(phone, restored)
    try hub.push(restored)
    hub.expectAgreement(restored)
  }

  @Test func aCorrectedClock() throws {
    let watch = DeviceReplica(id: Hub.watch, rank: 1)
    try watch.write([Hub.create(), Hub.name()], clock: Hub.clock(3_600_000))
    #expect(try watch.retime(now: Hub.now, clock: Hub.clock(3_600_000)) == .restamped)
    expectEqual(watch, try DeviceReplica(saved: watch.saved))
  }

  @Test func filledByASnapshot() throws {
    try Hub.make(phone, 5)
    try hub.push(phone)
    let watch = DeviceReplica(id: Hub.watch, rank: 1)
    try watch.receive(snapshot: hub.replica.snapshot(), position: hub.replica.position)
    try watch.write([Hub.name("after")], clock: Hub.clock(9))
    expectEqual(watch, try DeviceReplica(saved: watch.saved))
    try hub.push(watch)
    #expect(watch.acknowledge(clock: Hub.clock(9)) != nil)
    expectEqual(watch, try DeviceReplica(saved: watch.saved))
    let promise = watch.promise
    watch.purge(promise, position: hub.replica.position + 1)
    expectEqual(watch, try DeviceReplica(saved: watch.saved))
  }

  /// A line that is missing, cut short or of something else is an error, or what is left of it is a
  /// replica; never a crash.
  @Test func damage() throws {
    try Hub.make(phone, 4)
    try hub.push(phone, 2)
    let saved = phone.saved
    #expect(throws: WireError.self) { try DeviceReplica(saved: []) }
    for index in saved.indices {
      var lines = saved
      lines.remove(at: index)
      // Without the last operation it is an earlier state, which the hub tells from the right one.
      if index < saved.count - 1 {
        #expect(throws: WireError.self) { try DeviceReplica(saved: lines) }
      }
      for cut in stride(from: 0, to: saved[index].count, by: 7) {
        lines = saved
        lines[index].removeLast(cut + 1)
        #expect(throws: WireError.self) { try DeviceReplica(saved: lines) }
      }
      for place in saved[index].indices {
        lines = saved
        lines[index][place] = lines[index][place] == 0x31 ? 0x39 : 0x31
        _ = try? DeviceReplica(saved: lines)
      }
    }
    #expect(throws: WireError.self) { try DeviceReplica(saved: saved + saved.suffix(1)) }
    #expect(throws: WireError.self) {
      try DeviceReplica(saved: saved + [Array(#"{"other":1}"#.utf8)])
    }
  }
}
