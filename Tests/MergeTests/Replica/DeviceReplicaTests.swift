import Merge
import Testing
import Wire

/// A device's replica against a hub, step by step.
@Suite struct DeviceReplicaTests {
  private let hub = Hub()
  private let phone = DeviceReplica(id: Hub.phone, rank: 2)

  private func clock(_ ms: Int64 = 0) -> Int64 { Int64(Hub.now) + ms }

  /// Pushes what is pending, so many at most; true where it was taken.
  @discardableResult
  private func push(_ device: DeviceReplica, _ count: Int = .max, told: Bool = true) throws -> Bool
  {
    let items = try device.pending.prefix(count).map { try Datum(json: $0.bytes) }
    do throws(PushRefusal) {
      try hub.push(items, from: device.id, rank: device.rank)
    } catch {
      guard case .retime = error else { throw error }
      return false
    }
    if told { #expect(device.accepted(hub.replica.chain(device.id).head) == .inStep) }
    return true
  }

  private func pull(_ device: DeviceReplica) throws {
    let items = try hub.replica.log.compactMap(\.operation).map { try Datum(json: $0.bytes) }
    try device.receive(items, through: hub.replica.position)
  }

  private func expectAgreement(_ devices: DeviceReplica...) {
    for device in devices {
      #expect(device.fold.vector == hub.replica.vector)
      #expect(device.fold.view(Hub.schema).canonical == hub.replica.fold.view(Hub.schema).canonical)
      #expect(device.fold.feed() == hub.replica.fold.feed())
      for id in hub.replica.replicas {
        #expect(device.replica.chain(id) == hub.replica.chain(id))
      }
    }
  }

  private func made(_ device: DeviceReplica, _ edits: Int = 3) throws {
    try device.write([Hub.create(), Hub.name()], clock: clock())
    for number in 1..<edits {
      try device.write([Hub.name("n\(number)")], clock: clock(Int64(number)))
    }
  }

  // MARK: Pushing

  @Test func whatIsPendingIsPushedOnce() throws {
    try made(phone, 4)
    #expect(phone.pending.map(\.operation.dot.seq) == [1, 2, 3, 4])
    try push(phone, 1)
    #expect(phone.accepted == 1)
    #expect(phone.pending.map(\.operation.dot.seq) == [2, 3, 4])
    try push(phone, 2, told: false)
    #expect(phone.accepted == 1)
    #expect(phone.opened(hub.replica.chain(phone.id).head) == .inStep)
    #expect(phone.accepted == 3)
    try push(phone)
    #expect(phone.pending.isEmpty)
    expectAgreement(phone)
    try pull(phone)
    try pull(phone)
    #expect(phone.position == 4)
    expectAgreement(phone)
  }

  @Test func pushingOneByOneTakesLinearTime() throws {
    let count: UInt64 = 20_000
    try phone.write([Hub.create()], clock: clock())
    for number in 2...count { try phone.write([Hub.name("\(number)")], clock: clock()) }
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
    try made(phone, 2)
    let shown = phone.fold.vector
    try phone.write([Hub.name("x")], clock: clock(5))
    let operation = try phone.write([Hub.name("y")], shown: shown, clock: clock(6))
    #expect(operation.context == Context(own: 2))
    #expect(phone.fold.feed().count == 1)
    try push(phone)
    expectAgreement(phone)
  }

  // MARK: Clocks

  @Test(arguments: [3_600_000, 400 * 86_400_000, -20 * 365 * 86_400_000] as [Int64])
  func aWrongClockIsCorrected(_ error: Int64) throws {
    let watch = DeviceReplica(id: Hub.watch, rank: 1)
    try phone.write([Hub.create(), Hub.type("ab")], clock: clock(-50_000))
    try push(phone)
    try pull(watch)
    try watch.write([Hub.name("w")], clock: clock(-100))
    try push(watch)
    try pull(phone)
    for number in 1...3 as ClosedRange<Int64> {
      try phone.write([Hub.name("p\(number)")], clock: clock(error - 10_000 * (4 - number)))
    }
    let before = phone.pending.map(\.operation)
    let foreign = phone.replica.chain(watch.id)
    let taken = try push(phone)
    if taken {
      // The stamps of what was seen lift those of a slow clock.
      #expect(error < 0)
      return
    }
    #expect(try phone.retime(now: Hub.now, clock: clock(error)) == .restamped)
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
    #expect(try push(phone))
    expectAgreement(phone)
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
      #expect(try !push(device))
      // The clock may have been put right meanwhile.
      let now = right ? clock() : 3_000
      #expect(try device.retime(now: Hub.now, clock: now) == .restamped)
      #expect(try push(device))
    }
  }

  @Test func whatStandsAboveAcceptedStampsWaits() throws {
    try phone.write([Hub.create()], clock: clock(60_000))
    try push(phone)
    // The clock is right now, and the next is above what was accepted.
    for number in 1...3 { try phone.write([Hub.name("\(number)")], clock: clock(59_000)) }
    #expect(try push(phone))
    // Nothing above 60 s is ever accepted, but counters overflow into the next millisecond.
    let ahead = Stamp(ms: Hub.now + 60_000, rank: 2, counter: .max, replica: Hub.watch)
    let tight = Merge.Operation(
      dot: Dot(Hub.watch, 1), stamp: ahead, context: Context(own: 0), wall: 0,
      actions: [Hub.name("w")])
    try hub.push([tight.datum(after: nil)], from: Hub.watch, rank: 2)
    try pull(phone)
    try phone.write([Hub.name("late")], clock: clock())
    #expect(phone.pending.last?.operation.stamp.ms == Hub.now + 60_001)
    #expect(try !push(phone))
    let before = phone.pending.map(\.operation)
    #expect(try phone.retime(now: Hub.now, clock: clock()) == .wait(1))
    #expect(phone.pending.map(\.operation) == before)
  }

  @Test func retimingAfterASnapshotKeepsIt() throws {
    try made(phone, 3)
    try push(phone)
    let device = DeviceReplica(id: Hub.watch, rank: 1)
    try device.receive(snapshot: hub.replica.snapshot(), position: hub.replica.position)
    #expect(device.fold.vector == hub.replica.vector)
    try device.write([Hub.name("fast")], clock: clock(7_200_000))
    #expect(try !push(device))
    #expect(try device.retime(now: Hub.now, clock: clock(7_200_000)) == .restamped)
    #expect(try push(device))
    expectAgreement(device)
  }

  @Test func retimingKeepsSealsAndPurges() throws {
    try made(phone, 3)
    try phone.write([Action(Hub.timer, .delete)], clock: clock(20))
    try push(phone)
    let frontier = hub.replica.vector
    let watch = DeviceReplica(id: Hub.watch, rank: 1)
    try pull(watch)
    watch.seal(4, Replica.Purge(frontier: frontier, horizon: Hub.now + 100))
    let purge = Replica.Purge(frontier: frontier, horizon: Hub.now + 100)
    hub.replica.purge(purge)
    watch.purge(purge, position: 5)
    hub.replica.fold.announce(frontier: frontier, horizon: Hub.now + 200)
    watch.seal(6, Replica.Purge(frontier: frontier, horizon: Hub.now + 200))
    let other = Target("timer", "00000000-0000-0000-0000-0000000000A2")
    try watch.write([Hub.create(other)], clock: clock(7_200_000))
    #expect(try !push(watch))
    #expect(try watch.retime(now: Hub.now, clock: clock(7_200_000)) == .restamped)
    #expect(watch.fold.base == frontier)
    #expect(watch.fold.sealedHorizon == Hub.now + 200)
    #expect(watch.sealed == 6)
    #expect(try push(watch))
    #expect(watch.replica.snapshot() == hub.replica.snapshot())
  }

  // MARK: Set back

  private func copy(_ device: DeviceReplica, _ count: Int = .max) throws -> DeviceReplica {
    let copy = DeviceReplica(id: device.id, rank: device.rank)
    let log = device.replica.log.prefix(count).compactMap(\.operation)
    try copy.receive(try log.map { try Datum(json: $0.bytes) }, through: 0)
    return copy
  }

  @Test func aHubBehindIsGivenTheRest() throws {
    try made(phone, 4)
    try push(phone)
    let behind = Hub()
    try behind.push(try phone.replica.log.prefix(2).map { try Datum(json: $0.operation!.bytes) })
    #expect(phone.opened(behind.replica.chain(phone.id).head) == .inStep)
    #expect(phone.pending.map(\.operation.dot.seq) == [3, 4])
    #expect(phone.opened(Head(seq: 0, hash: [])) == .inStep)
    #expect(phone.pending.count == 4)
  }

  @Test func aDeviceThatWasSetBackNotices() throws {
    try made(phone, 4)
    let short = try copy(phone, 2)
    try push(phone)
    #expect(short.opened(hub.replica.chain(phone.id).head) == .setBack)
    // Also where it has gone on to the same number, or further.
    for number in 0..<3 {
      try short.write([Hub.name("other \(number)")], clock: clock(9))
      #expect(short.opened(hub.replica.chain(phone.id).head) == .setBack)
    }
    #expect(try copy(phone).opened(hub.replica.chain(phone.id).head) == .inStep)
  }

  @Test func whatTheHubLacksIsIssuedAnew() throws {
    try phone.write([Hub.create(), Hub.type("ab")], clock: clock())
    try phone.write([Hub.name("common")], clock: clock(1))
    var old = try copy(phone)
    try phone.write([Hub.name("gone")], clock: clock(2))
    try push(phone)
    for round in 1...2 as ClosedRange<UInt64> {
      let own = old.fold.vector[old.id]
      let mine = old.id
      let other = try copy(old)
      func element(_ seq: UInt64, _ index: UInt32) -> ElementID {
        ElementID(Dot(mine, seq), index)
      }
      try old.write(
        [Hub.type("x", at: Anchor(Hub.element(1, 1), .right))], clock: clock(Int64(10 * round)))
      try old.write(
        [
          Hub.type("y", at: Anchor(element(own + 1, 0), .right)),
          Hub.erase(ElementRun(element(own + 1, 0), count: 1)),
        ], clock: clock(Int64(10 * round + 1)))
      let form = old.fold.vector
      try old.write([Hub.name("mine \(round)")], clock: clock(Int64(10 * round + 2)))
      try old.write([Hub.name("form \(round)")], shown: form, clock: clock(Int64(10 * round + 3)))
      // Another copy has used the same dots.
      if old.id != phone.id {
        try other.write([Hub.name("fork")], clock: clock(Int64(10 * round)))
        try push(other)
      }
      #expect(old.opened(hub.replica.chain(old.id).head) == .setBack)
      let new = DeviceReplica(
        id: ReplicaID(device: Hub.phone.device, incarnation: 100 + round), rank: 2)
      try pull(new)
      #expect(try new.takeOver(from: old).isEmpty)
      let written = old.replica.operations(of: old.id, after: own).map(\.operation)
      let issued = new.pending.map(\.operation)
      #expect(issued.map(\.dot.seq) == [1, 2, 3, 4])
      #expect(issued.map(\.wall) == written.map(\.wall))
      #expect(issued.map(\.context.own) == [0, 1, 2, 2])
      #expect(issued.allSatisfy { $0.context.others[old.id] == own })
      for (one, other) in zip(issued, written) {
        #expect(
          (one.stamp.ms, one.stamp.rank, one.stamp.counter) == (
            other.stamp.ms, other.stamp.rank, other.stamp.counter
          ))
      }
      #expect(try push(new))
      expectAgreement(new)
      old = new
    }
    let text = hub.replica.fold.text(of: Hub.timer, "notes")
    #expect(text.count == 4 && text.hasPrefix("ab"))
    #expect(!text.contains("x"))
  }

  @Test func whatWasOnlyStampedAnewIsNotIssuedAgain() throws {
    try made(phone, 2)
    try push(phone)
    try phone.write([Hub.type("text")], clock: clock(3_600_000))
    let old = try copy(phone)
    #expect(try !push(phone))
    #expect(try phone.retime(now: Hub.now, clock: clock(3_600_000)) == .restamped)
    try push(phone)
    #expect(old.opened(hub.replica.chain(phone.id).head) == .setBack)
    let new = DeviceReplica(id: ReplicaID(device: Hub.phone.device, incarnation: 2), rank: 2)
    try pull(new)
    #expect(try new.takeOver(from: old).isEmpty)
    #expect(new.pending.isEmpty)
  }

  @Test func whatTheHubHasLostIsGivenBack() throws {
    try made(phone, 2)
    let watch = DeviceReplica(id: Hub.watch, rank: 1)
    try push(phone)
    try pull(watch)
    try watch.write([Hub.name("w")], clock: clock(50))
    let new = DeviceReplica(id: ReplicaID(device: Hub.watch.device, incarnation: 2), rank: 1)
    #expect(try new.takeOver(from: watch).map(\.dot.seq) == [1])
    #expect(new.pending.isEmpty)
  }

  // MARK: The log

  @Test func vectorsAtPositions() throws {
    try made(phone, 5)
    let watch = DeviceReplica(id: Hub.watch, rank: 1)
    try push(phone, 3)
    try pull(watch)
    try watch.write([Hub.name("w")], clock: clock(60))
    try push(watch)
    try push(phone)
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
