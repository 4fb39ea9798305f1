import Merge
import Testing
import Wire

/// Devices that were set back to an older copy of themselves, and hubs that were.
@Suite struct SetBackTests {
  private let hub = Hub()
  private let phone = DeviceReplica(id: Hub.phone, rank: 2)

  private func copy(_ device: DeviceReplica, _ count: Int = .max) throws -> DeviceReplica {
    let copy = DeviceReplica(id: device.id, rank: device.rank)
    let log = device.replica.log.prefix(count).compactMap(\.operation)
    try copy.receive(try log.map { try OperationText(json: $0.bytes) }, through: 0)
    return copy
  }

  @Test func aHubBehindIsGivenTheRest() throws {
    try Hub.make(phone, 4)
    try hub.push(phone)
    let behind = Hub()
    try behind.push(
      texts: try phone.replica.log.prefix(2).map { try OperationText(json: $0.operation!.bytes) })
    #expect(phone.opened(behind.replica.chain(phone.id).head) == .inStep)
    #expect(phone.pending.map(\.operation.dot.seq) == [3, 4])
    #expect(phone.opened(Head(seq: 0, hash: [])) == .inStep)
    #expect(phone.pending.count == 4)
  }

  @Test func aDeviceThatWasSetBackNotices() throws {
    try Hub.make(phone, 4)
    let short = try copy(phone, 2)
    try hub.push(phone)
    #expect(short.opened(hub.replica.chain(phone.id).head) == .setBack)
    // Also where it has gone on to the same number, or further.
    for number in 0..<3 {
      try short.write([Hub.name("other \(number)")], clock: Hub.clock(9))
      #expect(short.opened(hub.replica.chain(phone.id).head) == .setBack)
    }
    #expect(try copy(phone).opened(hub.replica.chain(phone.id).head) == .inStep)
  }

  @Test func whatTheHubLacksIsIssuedAnew() throws {
    try phone.write([Hub.create(), Hub.type("ab")], clock: Hub.clock())
    try phone.write([Hub.name("common")], clock: Hub.clock(1))
    var old = try copy(phone)
    try phone.write([Hub.name("gone")], clock: Hub.clock(2))
    try hub.push(phone)
    for round in 1...2 as ClosedRange<UInt64> {
      let own = old.fold.vector[old.id]
      let mine = old.id
      let other = try copy(old)
      func element(_ seq: UInt64, _ index: UInt32) -> ElementID {
        ElementID(Dot(mine, seq), index)
      }
      try old.write(
        [Hub.type("x", at: Anchor(Hub.element(1, 1), .right))], clock: Hub.clock(Int64(10 * round)))
      try old.write(
        [
          Hub.type("y", at: Anchor(element(own + 1, 0), .right)),
          Hub.erase(ElementRun(element(own + 1, 0), count: 1)),
        ], clock: Hub.clock(Int64(10 * round + 1)))
      let form = old.fold.vector
      try old.write([Hub.name("mine \(round)")], clock: Hub.clock(Int64(10 * round + 2)))
      try old.write(
        [Hub.name("form \(round)")], shown: form, clock: Hub.clock(Int64(10 * round + 3)))
      // Another copy has used the same dots.
      if old.id != phone.id {
        try other.write([Hub.name("fork")], clock: Hub.clock(Int64(10 * round)))
        try hub.push(other)
      }
      #expect(old.opened(hub.replica.chain(old.id).head) == .setBack)
      let new = DeviceReplica(
        id: ReplicaID(device: Hub.phone.device, incarnation: 100 + round), rank: 2)
      try hub.pull(new)
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
      #expect(try hub.push(new))
      hub.expectAgreement(new)
      old = new
    }
    let text = hub.replica.fold.text(of: Hub.timer, "notes")
    #expect(text.count == 4 && text.hasPrefix("ab"))
    #expect(!text.contains("x"))
  }

  @Test func whatWasOnlyStampedAnewIsNotIssuedAgain() throws {
    try Hub.make(phone, 2)
    try hub.push(phone)
    try phone.write([Hub.type("text")], clock: Hub.clock(3_600_000))
    let old = try copy(phone)
    #expect(try !hub.push(phone))
    #expect(try phone.retime(now: Hub.now, clock: Hub.clock(3_600_000)) == .restamped)
    try hub.push(phone)
    #expect(old.opened(hub.replica.chain(phone.id).head) == .setBack)
    let new = DeviceReplica(id: ReplicaID(device: Hub.phone.device, incarnation: 2), rank: 2)
    try hub.pull(new)
    #expect(try new.takeOver(from: old).isEmpty)
    #expect(new.pending.isEmpty)
  }

  @Test func whatIsIssuedAnewStaysAboveWhatWasStampedAnew() throws {
    try phone.write([Hub.create()], clock: 1_000)
    let old = try copy(phone)
    try old.write([Hub.name("x")], clock: 2_000)
    #expect(try !hub.push(phone))
    #expect(try phone.retime(now: Hub.now, clock: 2_000) == .restamped)
    try hub.push(phone)
    #expect(old.opened(hub.replica.chain(phone.id).head) == .setBack)
    let new = DeviceReplica(id: ReplicaID(device: Hub.phone.device, incarnation: 2), rank: 2)
    try hub.pull(new)
    #expect(try new.takeOver(from: old).isEmpty)
    #expect(new.pending.map(\.operation.stamp.ms) == [Hub.now - 1_000])
    #expect(try hub.push(new))
    hub.expectAgreement(new)
  }

  @Test func whatTheHubHasLostIsGivenBack() throws {
    try Hub.make(phone, 2)
    let watch = DeviceReplica(id: Hub.watch, rank: 1)
    try hub.push(phone)
    try hub.pull(watch)
    try watch.write([Hub.name("w")], clock: Hub.clock(50))
    let new = DeviceReplica(id: ReplicaID(device: Hub.watch.device, incarnation: 2), rank: 1)
    #expect(try new.takeOver(from: watch).map(\.dot.seq) == [1])
    #expect(new.pending.isEmpty)
  }
}
