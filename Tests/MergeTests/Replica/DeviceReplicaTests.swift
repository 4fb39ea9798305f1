import Merge
import Testing
import Wire

/// A device's replica against a hub, step by step.
@Suite struct DeviceReplicaTests {
  private let hub = Hub()
  private let phone = DeviceReplica(id: Hub.phone, rank: 2)

  // MARK: Pushing

  @Test func whatIsPendingIsPushedOnce() throws {
    try Hub.make(phone, 4)
    #expect(phone.pending.map(\.operation.dot.seq) == [1, 2, 3, 4])
    try hub.push(phone, 1)
    #expect(phone.accepted == 1)
    #expect(phone.pending.map(\.operation.dot.seq) == [2, 3, 4])
    try hub.push(phone, 2, told: false)
    #expect(phone.accepted == 1)
    #expect(phone.opened(hub.replica.chain(phone.id).head) == .inStep)
    #expect(phone.accepted == 3)
    try hub.push(phone)
    #expect(phone.pending.isEmpty)
    hub.expectAgreement(phone)
    try hub.pull(phone)
    try hub.pull(phone)
    #expect(phone.position == 4)
    hub.expectAgreement(phone)
  }

  @Test func pushingOneByOneTakesLinearTime() throws {
    let count: UInt64 = 20_000
    try phone.write([Hub.create()], clock: Hub.clock())
    for number in 2...count { try phone.write([Hub.name("\(number)")], clock: Hub.clock()) }
    var chain = Chain()
    for _ in 0..<count {
      let next = try #require(phone.pending.first)
      chain.append(next.operation, next.bytes)
      phone.accepted(chain.head)
      #expect(phone.replica.vector(at: chain.seq)?[phone.id] == chain.seq)
    }
    #expect(phone.pending.isEmpty)
  }

  @Test func aFormIsTheContext() throws {
    try Hub.make(phone, 2)
    let shown = phone.fold.vector
    try phone.write([Hub.name("x")], clock: Hub.clock(5))
    let operation = try phone.write([Hub.name("y")], shown: shown, clock: Hub.clock(6))
    #expect(operation.context == Context(own: 2))
    #expect(phone.fold.feed().count == 1)
    try hub.push(phone)
    hub.expectAgreement(phone)
  }

  // MARK: Clocks

  @Test(arguments: [3_600_000, 400 * 86_400_000, -20 * 365 * 86_400_000] as [Int64])
  func aWrongClockIsCorrected(_ error: Int64) throws {
    let watch = DeviceReplica(id: Hub.watch, rank: 1)
    try phone.write([Hub.create(), Hub.type("ab")], clock: Hub.clock(-50_000))
    try hub.push(phone)
    try hub.pull(watch)
    try watch.write([Hub.name("w")], clock: Hub.clock(-100))
    try hub.push(watch)
    try hub.pull(phone)
    for number in 1...3 as ClosedRange<Int64> {
      try phone.write([Hub.name("p\(number)")], clock: Hub.clock(error - 10_000 * (4 - number)))
    }
    let before = phone.pending.map(\.operation)
    let foreign = phone.replica.chain(watch.id)
    let taken = try hub.push(phone)
    if taken {
      // The stamps of what was seen lift those of a slow clock.
      #expect(error < 0)
      return
    }
    #expect(try phone.retime(now: Hub.now, clock: Hub.clock(error)) == .restamped)
    #expect(phone.offset == -error)
    let after = phone.pending.map(\.operation)
    #expect(after.map(\.dot) == before.map(\.dot))
    #expect(after.map(\.context) == before.map(\.context))
    #expect(after.map(\.actions) == before.map(\.actions))
    #expect(after.map(\.wall) == before.map(\.wall))
    #expect(zip(after, after.dropFirst()).allSatisfy { $0.stamp < $1.stamp })
    let seen = try #require(hub.replica.fold.lastStamp(of: watch.id))
    #expect(after.allSatisfy { seen < $0.stamp && $0.stamp.ms <= Hub.now })
    #expect(phone.replica.chain(watch.id) == foreign)
    #expect(try hub.push(phone))
    hub.expectAgreement(phone)
  }

  @Test func clocksBefore2020AreCorrected() throws {
    for right in [false, true] {
      let device = DeviceReplica(
        id: ReplicaID(device: Hub.phone.device, incarnation: right ? 5 : 6), rank: 2)
      let target = Target(
        "timer",
        right ? "00000000-0000-0000-0000-0000000000F1" : "00000000-0000-0000-0000-0000000000F2")
      try device.write([Hub.create(target)], clock: 1_000)
      try device.write([Hub.name(of: target)], clock: 2_000)
      #expect(try !hub.push(device))
      // The clock may have been put right meanwhile.
      let now = right ? Hub.clock() : 3_000
      #expect(try device.retime(now: Hub.now, clock: now) == .restamped)
      #expect(try hub.push(device))
    }
  }

  @Test func whatStandsAboveAcceptedStampsWaits() throws {
    try phone.write([Hub.create()], clock: Hub.clock(60_000))
    try hub.push(phone)
    // The clock is right now, and the next is above what was accepted.
    for number in 1...3 { try phone.write([Hub.name("\(number)")], clock: Hub.clock(59_000)) }
    #expect(try hub.push(phone))
    // Nothing above 60 s is ever accepted, but counters overflow into the next millisecond.
    let ahead = Stamp(ms: Hub.now + 60_000, rank: 2, counter: .max, replica: Hub.watch)
    let tight = Merge.Operation(
      dot: Dot(Hub.watch, 1), stamp: ahead, context: Context(own: 0), wall: 0,
      actions: [Hub.name("w")])
    try hub.push([tight.datum(after: nil)], from: Hub.watch, rank: 2)
    try hub.pull(phone)
    try phone.write([Hub.name("late")], clock: Hub.clock())
    #expect(phone.pending.last?.operation.stamp.ms == Hub.now + 60_001)
    #expect(try !hub.push(phone))
    let before = phone.pending.map(\.operation)
    #expect(try phone.retime(now: Hub.now, clock: Hub.clock()) == .wait(1))
    #expect(phone.pending.map(\.operation) == before)
  }

  @Test func retimingAfterASnapshotKeepsIt() throws {
    try Hub.make(phone, 3)
    try hub.push(phone)
    let device = DeviceReplica(id: Hub.watch, rank: 1)
    try device.receive(snapshot: hub.replica.snapshot(), position: hub.replica.position)
    #expect(device.fold.vector == hub.replica.vector)
    try device.write([Hub.name("fast")], clock: Hub.clock(7_200_000))
    #expect(try !hub.push(device))
    #expect(try device.retime(now: Hub.now, clock: Hub.clock(7_200_000)) == .restamped)
    #expect(try hub.push(device))
    hub.expectAgreement(device)
  }

  @Test func retimingKeepsPromisesAndPurges() throws {
    try Hub.make(phone, 3)
    try phone.write([Action(Hub.timer, .delete)], clock: Hub.clock(20))
    try hub.push(phone)
    let watch = DeviceReplica(id: Hub.watch, rank: 1)
    try hub.pull(watch)
    let month: Int64 = 30 * 86_400_000
    let first = try #require(watch.acknowledge(clock: Hub.clock(100) + month))
    #expect(first == (hub.replica.position, Hub.now + 100))
    let purge = Replica.Purge(frontier: hub.replica.vector, horizon: first.horizon)
    #expect(watch.promise == purge)
    hub.replica.purge(purge)
    watch.purge(purge, position: hub.replica.position)
    let other = Target("timer", "00000000-0000-0000-0000-0000000000A2")
    try watch.write([Hub.create(other)], clock: Hub.clock(7_200_000))
    #expect(watch.acknowledge(clock: Hub.clock(200) + month) == nil)
    #expect(try !hub.push(watch))
    #expect(try watch.retime(now: Hub.now, clock: Hub.clock(7_200_000)) == .restamped)
    #expect(watch.fold.base == purge.frontier && watch.promise == purge)
    #expect(watch.fold.promisedHorizon == Hub.now + 100)
    #expect(try hub.push(watch))
    #expect(watch.replica.snapshot() == hub.replica.snapshot())
    // A clock that goes back takes nothing back.
    let last = try #require(watch.acknowledge(clock: Hub.clock(0)))
    #expect(last.horizon == Hub.now + 100 && watch.promise.frontier == watch.fold.vector)
  }

  /// What is written has seen what was acknowledged: an open form holds that up, and an older one is begun again.
  @Test func anOpenFormHoldsAcknowledgementsUp() throws {
    try Hub.make(phone, 3)
    try hub.push(phone)
    let form = phone.fold.vector
    try phone.write([Hub.name("x")], clock: Hub.clock(5))
    try hub.push(phone)
    phone.formShown = form
    try phone.receive([], through: 4)
    #expect(phone.acknowledge(clock: Hub.clock(6)) == nil && phone.promise.frontier.isEmpty)
    try phone.write([Hub.name("y")], shown: form, clock: Hub.clock(6))
    #expect(phone.fold.feed().count == 1)
    try hub.push(phone)
    phone.formShown = phone.fold.vector
    #expect(phone.acknowledge(clock: Hub.clock(6)) != nil)
    let before = phone.fold.vector
    #expect(phone.promise.frontier == before)
    phone.formShown = nil
    let error = #expect(throws: WireError.self) {
      try phone.write([Hub.name("z")], shown: form, clock: Hub.clock(7))
    }
    #expect(error?.code == .invalidField && error?.message.contains("garbage-collected") == true)
    var beyond = before
    beyond[Hub.watch] = 1
    #expect(throws: WireError.self) {
      try phone.write([Hub.name("z")], shown: beyond, clock: Hub.clock(7))
    }
    #expect(phone.fold.vector == before)
    // An edit with exactly that base version is taken.
    try phone.write([Hub.name("z")], shown: before, clock: Hub.clock(8))
  }

  // MARK: The log

  @Test func vectorsAtPositions() throws {
    try Hub.make(phone, 5)
    let watch = DeviceReplica(id: Hub.watch, rank: 1)
    try hub.push(phone, 3)
    try hub.pull(watch)
    try watch.write([Hub.name("w")], clock: Hub.clock(60))
    try hub.push(watch)
    try hub.push(phone)
    var vectors: [VersionVector] = [VersionVector()]
    for entry in hub.replica.log {
      vectors.append(vectors.last!)
      vectors[vectors.count - 1].insert(entry.operation!.operation.dot)
    }
    for forgotten in 0...6 as ClosedRange<UInt64> {
      hub.replica.forgetLog(through: forgotten)
      for (position, vector) in vectors.enumerated() {
        let isKnown = position >= Int(forgotten)
        #expect(hub.replica.vector(at: UInt64(position)) == (isKnown ? vector : nil))
      }
      for (position, entry) in zip(1..., phone.replica.log) {
        let dot = entry.operation!.operation.dot
        #expect(hub.replica.written(dot)?.bytes == nil || position > 0)
        if let here = hub.replica.written(dot) { #expect(here.bytes == entry.operation!.bytes) }
      }
    }
    #expect(hub.replica.vector(at: 7) == nil)
  }
}
