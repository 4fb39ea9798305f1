import AppModels
import Device
import Merge
import Relay
import RelaySupport
import SyncSupport
import Testing
import Wire

/// How large a hub may become; at one less, at the bound, and beyond it.
@Suite struct HubLimitTests {
  private let tea = #"{"name":"Tea","durationInSeconds":60}"#

  private func hub(_ change: (inout Limits) -> Void) throws -> HubWorld {
    var limits = Limits()
    change(&limits)
    let hub = try HubWorld(limits: limits)
    try hub.keyboard("phone")
    return hub
  }

  private func edit(_ hub: HubWorld, _ id: Int) throws -> Answer {
    try hub.ask("sync.edit id=\(id) kind=timer set=\(tea)", on: "phone")
  }

  private func expectFull(_ answer: Answer, _ limit: String) {
    #expect(
      answer.code == 4008 && answer.isDefinite == true && answer.message.contains("(\(limit))"),
      "\(answer)")
  }

  @Test func asManyRecordsAsThereMayBe() throws {
    let hub = try hub { $0.syncRecords = 3 }
    for id in 1...3 { #expect(try edit(hub, id).type == "sync.edited") }
    let before = try hub.state("phone")
    expectFull(try edit(hub, 4), "syncRecords")
    #expect(try hub.state("phone") == before)
  }

  /// Room comes with the reading of those that were away.
  @Test func aFullLog() throws {
    let hub = try hub {
      $0.syncEntries = 6
      $0.syncLog = 4
    }
    let watch = hub.device("watch")
    try hub.connect(watch)
    hub.world.close("watch")
    for id in 1...6 { #expect(try edit(hub, id).type == "sync.edited") }
    for id in 7...8 { expectFull(try edit(hub, id), "syncEntries") }
    try hub.connect(watch)
    try hub.settle()
    #expect(try edit(hub, 9).type == "sync.edited")
    try expectEqualViews(hub, [watch], on: "phone")
    #expect(try hub.records("timer", on: "phone").count == 7)
  }

  /// What is there already is answered as before, and what is not stays with its device.
  @Test func operationsThatAreRefused() throws {
    let hub = try hub { $0.syncEntries = 3 }
    let watch = hub.device("watch")
    try hub.connect(watch)
    hub.world.holdsCommits = true
    for _ in 0..<3 { try watch.create("timer", tea) }
    watch.push()
    try hub.settle()
    // It is gone before it hears that they were taken, and says them again.
    hub.world.close("watch")
    hub.world.holdsCommits = false
    try hub.settle()
    try hub.connect(watch)
    try hub.settle()
    #expect(watch.isDrained && watch.errors.isEmpty)
    try watch.create("timer", tea)
    watch.push()
    try hub.settle()
    #expect(watch.errors.count == 1 && watch.errors[0].contains("(syncEntries)"))
    #expect(!watch.isDrained && watch.records("timer").count == 4)
    #expect(try hub.records("timer", on: "phone").count == 3)
  }

  /// Whole records are refused as a whole, and the device keeps them until there is room.
  @Test func wholeRecords() throws {
    var limits = Limits()
    limits.syncRecords = 1
    let hub = try HubWorld(limits: limits, hasManualClock: false)
    hub.world.now = 1_763_719_200_000_000
    try hub.keyboard("watch")
    let phone = WholeRecordPeer("phone", .phone, hub.world)
    phone.connect()
    for name in ["Tea", "Egg"] {
      phone.say(
        try phone.model.create(
          TimerDTO(
            id: Identifier(digestOf: name), name: Name(name), durationInSeconds: 300, createdAt: 0,
            updatedAt: 0), now: phone.now))
      hub.world.pass(seconds: 1)
      phone.settle()
    }
    #expect(phone.errors.map(\.code) == [4008])
    #expect(phone.queue.count == 1)
    #expect(try hub.records("timer", on: "watch").count == 1)
  }
}
