import AppModels
import Device
import Merge
import Relay
import RelaySupport
import SyncSupport
import Testing
import Wire

/// The bridge after garbage collection: collected writes cannot be concurrent with new ones.
@Suite struct BridgeCollectionTests {
  private let id = Identifier("6F0E3A52-0C55-4F6B-9E0E-0A1B2C3D4E5F".utf8)!
  private var name: Name { Name(id.description) }
  private let mine = Identifier("A0000000-0000-4000-8000-000000000001".utf8)!
  private let other = Name("A0000000-0000-4000-8000-000000000009")
  private let hub: HubWorld
  private let pad: SyncDevice
  private let phone: WholeRecordPeer

  init() throws {
    var limits = Limits()
    limits.syncLog = 16
    hub = try HubWorld(limits: limits, hasManualClock: false)
    hub.world.now = 1_763_719_200_000_000
    pad = hub.device("pad")
    phone = WholeRecordPeer("phone", .phone, hub.world)
  }

  private func make(_ name: Name) throws {
    phone.say(
      try phone.model.create(
        TimerDTO(
          id: id, name: name, durationInSeconds: 90, createdAt: 0, updatedAt: 0,
          todoItems: [TodoItemDTO(id: mine, text: "mine", createdAt: 0, updatedAt: 0)]),
        now: phone.now))
  }

  private func edit(on device: SyncDevice, _ body: () throws -> Void) throws {
    hub.world.pass(seconds: 1)
    device.clock = hub.world.now / 1000
    try body()
    try hub.settle()
  }

  private func makeElsewhere(_ name: Name, _ record: Name) throws {
    try edit(on: pad) {
      try pad.create("timer", "{\"name\":\"\(name)\",\"durationInSeconds\":60}", record: record)
    }
  }

  /// Renames a timer so often that what was written before is collected.
  private func collect(by record: Name, _ name: Name) throws {
    for number in 1...60 {
      try edit(on: pad) { try pad.set("timer", record, "{\"name\":\"\(name) \(number)\"}") }
    }
    try hub.keyboard("key", role: "watch")
    try #require(
      hub.ask("sync.open schema=todoTimers", on: "key")["frontier"] as? Int ?? 0 > 0)
  }

  private func connect() {
    phone.connect()
    hub.world.pass(seconds: 1)
    phone.settle()
  }

  /// A device that is new here has a copy that is older than the last touch of the timer, and newer than
  /// some of its fields: it keeps the later of each, and its own to-do is not lost.
  @Test func aNewDeviceWithAnOlderCopy() throws {
    try hub.connect(pad)
    try makeElsewhere("Tea", name)
    hub.world.pass(seconds: 10)
    try make("Old tea")
    try collect(by: name, "Tea")
    connect()
    let timer = try #require(try hub.records("timer", on: "key").first)
    #expect(timer["name"] as? String == "Tea 60", "the later name")
    #expect(timer["durationInSeconds"] as? Int == 90, "the later duration")
    #expect(try hub.records("todo", on: "key").map { $0["text"] as? String } == ["mine"])
    #expect(phone.model.timers[id]?.name == "Tea 60")
    #expect(phone.model.timers[id]?.durationInSeconds == 90 && phone.errors.isEmpty)
  }

  /// Others made a record, deleted it and had that collected before the phone heard of any of it; then it makes one with
  /// the same id.
  @Test func whatWasCollectedUnseenIsMadeAnew() throws {
    phone.connect()
    phone.disconnect()
    try hub.connect(pad)
    try makeElsewhere("Tea", name)
    try edit(on: pad) { try pad.delete("timer", name) }
    try makeElsewhere("Rice", other)
    hub.world.pass(seconds: 100 * 86_400)
    try collect(by: other, "Rice")
    try make("Mine")
    connect()
    let names = try hub.records("timer", on: "key").map { $0["name"] as? String }
    #expect(Set(names) == ["Mine", "Rice 60"])
    #expect(try hub.records("todo", on: "key").map { $0["text"] as? String } == ["mine"])
    #expect(phone.model.timers[id]?.name == "Mine" && phone.errors.isEmpty)
  }

  /// A phone makes what another device made later; it is heard first, long after. Its time is that of its copy.
  @Test func theTimeOfACopyIsItsDate() throws {
    let slate = hub.device("slate")
    try hub.connect(pad)
    hub.world.pass(seconds: 100)
    try make("First")
    hub.world.pass(seconds: 100)
    slate.clock = hub.world.now / 1000
    try slate.create("timer", #"{"name":"Later","durationInSeconds":60}"#, record: name)
    hub.world.pass(seconds: 100)
    try makeElsewhere("Rice", other)
    connect()
    try edit(on: slate) { try hub.connect(slate) }
    phone.settle()
    #expect(phone.model.timers[id]?.name == "Later")
    #expect(phone.errors.isEmpty)
  }
}
