import AppModels
import Foundation
import Merge
import Journal
@testable import Relay
import RelaySupport
import SyncSupport
import Testing
import Wire

/// What a bridged device holds is as durable as what it was sent.
@Suite("The bridge's windows are durable")
struct BridgeDurabilityTests {
  private let id = Identifier(high: 1, low: 1)

  @Test(arguments: ["restart", "kill", "evict"])
  func windowsOutlive(_ what: String) throws {
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
          let pair = Pair(number: row.key.pair, app: "default", name: "p")
          pair.add(Device(pair: pair, index: 0, name: "phone", role: .phone))
          let read = Hub(pair: pair, index: 0, schema: HubWorld.todoTimers)
          if row.key == rows[1].key { read.bridges = [BridgedDevice(device: 0)] }
          try BridgeRows.read(Row(row.key, Array(row.value[..<length])), into: read)
        }
      }
    }
  }
}
