import AppModels
@testable import Hub
@testable import Bridge
import Foundation
import Merge
import Journal
@testable import Relay
import RelaySupport
import SyncSupport
import Testing
import Wire

/// What a bridged device holds is as durable as what it was sent.
@Suite("The bridge's tracks are durable")
struct BridgeDurabilityTests {
  private let id = Identifier(high: 1, low: 1)

  @Test(arguments: ["restart", "kill", "evict"])
  func tracksOutlive(_ what: String) throws {
    let hub = try HubWorld(hasManualClock: false)
    hub.world.now = 1_763_719_200_000_000
    let phone = WholeRecordPeer("phone", .phone, hub.world)
    phone.connect()
    try hub.keyboard("watch")
    let timer = TimerDTO(
      id: id, name: "Tea", durationInSeconds: 300, notes: "steep", createdAt: 0, updatedAt: 0)
    phone.say(try phone.model.create(timer, now: phone.now))
    _ = try hub.records("timer", on: "watch")
    hub.world.pass(seconds: 1)
    phone.disconnect()
    _ = hub.type(
      "sync.edit kind=timer record=\"\(id)\" set={\"durationInSeconds\":120,\"notes\":\"steep long\"}",
      on: "watch")
    switch what {
    case "evict":
      hub.world.close("watch")
      hub.world.pass(seconds: 31)
      hub.world.pass(seconds: 31)
      #expect(hub.world.relay.pairsInMemory == 0)
    case "kill": try hub.restart(killing: true)
    default: try hub.restart()
    }
    phone.say(
      try phone.model.update(id, now: phone.now + 5) {
        $0.name = "Mate"
        $0.notes = "now steep"
      })
    phone.connect()
    phone.settle()
    let held = phone.model.timers[id]
    #expect(held?.name == "Mate")
    #expect(held?.durationInSeconds == 120)
    #expect(held?.notes == "now steep long")
    #expect(phone.queue.isEmpty)
  }

  @Test func aDamagedWindowIsFound() throws {
    let hub = try HubWorld(hasManualClock: false)
    let phone = WholeRecordPeer("phone", .phone, hub.world)
    phone.connect()
    let timer = TimerDTO(
      id: id, name: "Tea", durationInSeconds: 300, createdAt: 0, updatedAt: 0)
    phone.say(try phone.model.create(timer, now: 1))
    let keys = hub.world.store.rows.keys.filter { $0.table == .hub && $0.item >= 1 << 31 }
    let rows = keys.sorted { $0.item < $1.item }.map { (key: $0, value: hub.world.store.rows[$0]!) }
    #expect(rows.count == 2, "the device's and the record's")
    for row in rows {
      for length in 0..<row.value.count {
        #expect(throws: JournalError.self, "\(row.key) cut to \(length)") {
          let pair = Pair(number: row.key.pair, app: "default", name: "p", generation: 0)
          pair.add(Device(pair: pair, index: 0, name: "phone", role: .phone))
          let read = Hub(pair: pair, index: 0, schema: HubWorld.todoTimers)
          if row.key == rows[1].key { read.bridges = [BridgedDevice(device: 0)] }
          try BridgeRows.read(
            Row(row.key, Array(row.value[..<length])), into: read,
            next: pair.devices.map(\.nextUserInfo))
        }
      }
    }
  }

  /// A row of version 1, of the former bridge, is read as "unknown", with the latest of its dates; the present
  /// state follows.
  @Test func aWindowOfVersionOneIsUnknown() throws {
    var writer = ByteWriter(bytes: [1])
    writer.number(id.high)
    writer.number(id.low)
    for (date, digest) in [(7.25, UInt64(99)), (9.5, 3)] {
      writer.flag(true)
      writer.number(date.bitPattern)
      writer.number(digest)
    }
    writer.flag(true)
    // Its entries: one, of which nothing was known; and none that had passed.
    for number in [1, 0, 0, 0, 0, 0, 0] { writer.number(number) }
    let pair = Pair(number: 1, app: "default", name: "p", generation: 0)
    pair.add(Device(pair: pair, index: 0, name: "phone", role: .phone))
    let hub = Hub(pair: pair, index: 0, schema: HubWorld.todoTimers)
    hub.bridges = [BridgedDevice(device: 0)]
    try BridgeRows.read(
      Row(Row.Key(.hub, pair: 1, item: 1 << 31 | 1), writer.bytes), into: hub,
      next: pair.devices.map(\.nextUserInfo))
    let track = try #require(hub.bridges[0][Target("timer", Name(id.description))])
    #expect(track.base == .unknown && track.inFlight.isEmpty)
    #expect(track.floor == 9.5 && track.isOwed && track.undated == 9.5)
    // It is written in the present version, and reads back as it was.
    hub.bridges[0][Target("timer", Name(id.description))]!.isOwed = false
    let rows = BridgeRows.changedRows(hub, hub.bridges[0])
    let again = Hub(pair: pair, index: 0, schema: HubWorld.todoTimers)
    for row in rows {
      try BridgeRows.read(row, into: again, next: pair.devices.map(\.nextUserInfo))
    }
    #expect(again.bridges[0].tracks.values.map(\.track.floor) == [9.5])
  }

  /// Rows of the versions before: a device's had by how much its clock was ahead, a record's an own date and
  /// whether that was a guess; that of version 3 only lacks what the base may have been made upon, that of version 4 has a
  /// flag more in each delivery, that of version 5 lacks what has made room, and those up to version 9 do not say what that said.
  @Test(arguments: [
    (true, 2), (false, 2), (true, 3), (true, 4), (true, 5), (true, 6), (true, 7), (true, 8),
    (true, 9),
  ])
  func rowsOfTheVersionsBefore(isUndated: Bool, version: UInt8) throws {
    var device = ByteWriter(bytes: [1])
    for number in [1, 2, 5, 0, 70_000, 8, 7, 6, 4] { device.number(number) }
    var track = ByteWriter(bytes: [version])
    track.text("timer")
    track.text(id.description)
    func write(_ date: Double) {
      track.flag(true)
      track.number(date.bitPattern)
    }
    // A base that was absent is not known where something had made room.
    for number in [version > 5 ? 1 : 0] + (version > 3 ? [5] : []) + [3, 0, 11] {
      track.number(number)
    }
    if version > 5 { write(1.5) }
    for number in (version > 6 ? [7] : []) + (version > 7 ? [1] : []) { track.number(number) }
    if version > 7 { write(1.25) }
    for date in [62.5, 64] { write(date) }
    let inFlight: [UInt64] = version > 3 ? [1, 0, 4, 2, 9, 1] + (version > 4 ? [] : [1]) : [0]
    let flags: [UInt64] = version < 3 ? [isUndated ? 1 : 0] : version > 8 ? [0] : []
    for number in [9, 1] + flags + [0] + inFlight {
      track.number(number)
    }
    let pair = Pair(number: 1, app: "default", name: "p", generation: 0)
    let phone = Device(pair: pair, index: 0, name: "phone", role: .phone)
    phone[.userInfo].next = 3
    pair.add(phone)
    let hub = Hub(pair: pair, index: 0, schema: HubWorld.todoTimers)
    for (item, writer) in [(UInt32(0), device), (1, track)] {
      let key = Row.Key(.hub, pair: 1, item: 1 << 31 | item)
      try BridgeRows.read(Row(key, writer.bytes), into: hub, next: pair.devices.map(\.nextUserInfo))
    }
    let bridged = hub.bridges[0]
    #expect(bridged.envelope == 9 && bridged.incarnation == 5 && bridged.lastList == nil)
    #expect(bridged.processed == 8 && bridged.proven == 7 && bridged.heard == 6)
    let read = try #require(bridged[Target("timer", Name(id.description))])
    #expect(read.undated == (isUndated ? 62.5 : nil))
    #expect(read.base == .unknown && read.reached == (version > 3 ? 5 : 0) && read.since == 3)
    #expect(read.digest == 11 && read.floor == 64 && read.doubt == 9 && read.isOwed)
    let delivery = Track.Delivery(record: nil, position: 4, seq: 2, sentAt: 9, isAlone: true)
    #expect(read.inFlight == (version > 3 ? [delivery] : []) && read.madeRoom == nil)
  }

  @Test func aTrackIsReadAsItWasWritten() throws {
    var timer = TimerDTO(
      id: id, name: "Tea", durationInSeconds: 300, notes: "é", createdAt: 1, updatedAt: 2.0005,
      todoItems: [
        TodoItemDTO(id: Identifier(high: 2, low: 2), text: "a", createdAt: 1, updatedAt: 2)
      ]
    ).whole
    var track = Track(.absent)
    track.receive(timer, at: 3, newest: 5)
    track.act(.init(target: timer.target, name: "notes"), .string("n"), latest: 60, isPhone: false)
    for (seq, record) in [(1, nil), (2, timer)] as [(UInt64, WholeRecord?)] {
      timer.updatedAt += 1
      track.send(
        .init(
          record: record, position: seq, seq: seq, sentAt: 9, isAlone: seq == 1))
    }
    track.beInDoubt()
    track.isAnew = true
    track.madeRoom = Track.Room(seq: 2, earliest: 1.25, latest: 1.5, position: 3)
    track.madeRoom!.said = [7, .max, 0]
    let pair = Pair(number: 1, app: "default", name: "p", generation: 0)
    let device = Device(pair: pair, index: 0, name: "phone", role: .phone)
    device[.userInfo].next = 3
    pair.add(device)
    let hub = Hub(pair: pair, index: 0, schema: HubWorld.todoTimers)
    hub.bridges = [BridgedDevice(device: 0)]
    hub.bridges[0][timer.target] = track
    let again = Hub(pair: pair, index: 0, schema: HubWorld.todoTimers)
    for row in BridgeRows.changedRows(hub, hub.bridges[0]) {
      try BridgeRows.read(row, into: again, next: pair.devices.map(\.nextUserInfo))
    }
    #expect(again.bridges[0][timer.target] == track)
  }
}
