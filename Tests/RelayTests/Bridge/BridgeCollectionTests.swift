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

  /// A device that is new here has a copy that is older than the last touch of the timer, and newer than
  /// some of its fields: it keeps the later of each, and its own to-do is not lost.
  @Test func aNewDeviceWithAnOlderCopy() throws {
    var limits = Limits()
    limits.syncLog = 16
    let hub = try HubWorld(limits: limits, hasManualClock: false)
    hub.world.now = 1_763_719_200_000_000
    let pad = hub.device("pad")
    func edit(_ body: () throws -> Void) throws {
      hub.world.pass(seconds: 1)
      pad.clock = hub.world.now / 1000
      try body()
      try hub.settle()
    }
    try hub.connect(pad)
    try edit {
      try pad.create("timer", #"{"name":"Tea","durationInSeconds":60}"#, record: name)
    }
    let phone = WholeRecordPeer("phone", .phone, hub.world)
    hub.world.pass(seconds: 10)
    phone.say(
      try phone.model.create(
        TimerDTO(
          id: id, name: "Old tea", durationInSeconds: 90, createdAt: 0, updatedAt: 0,
          todoItems: [TodoItemDTO(id: mine, text: "mine", createdAt: 0, updatedAt: 0)]),
        now: phone.now))
    for number in 1...60 {
      try edit { try pad.set("timer", name, "{\"name\":\"Tea \(number)\"}") }
    }
    try hub.keyboard("key", role: "watch")
    try #require(
      hub.ask("sync.open schema=todoTimers", on: "key")["frontier"] as? Int ?? 0 > 0)
    phone.connect()
    hub.world.pass(seconds: 1)
    phone.settle()
    let timer = try #require(try hub.records("timer", on: "key").first)
    #expect(timer["name"] as? String == "Tea 60", "the later name")
    #expect(timer["durationInSeconds"] as? Int == 90, "the later duration")
    #expect(try hub.records("todo", on: "key").map { $0["text"] as? String } == ["mine"])
    #expect(phone.model.timers[id]?.name == "Tea 60")
    #expect(phone.model.timers[id]?.durationInSeconds == 90 && phone.errors.isEmpty)
  }
}
