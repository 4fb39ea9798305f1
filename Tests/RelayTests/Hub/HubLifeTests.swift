import AppModels
import Device
import Merge
import Relay
import RelaySupport
import SyncSupport
import Testing

/// Hubs come into memory when they are asked for, go with their pair, and survive everything.
@Suite struct HubLifeTests {
  private let tea = #"{"name":"Tea","durationInSeconds":60}"#

  @Test(arguments: ["restart", "kill", "evict"]) func readOnDemand(_ end: String) throws {
    let hub = try HubWorld()
    let watch = hub.device("watch")
    try hub.connect(watch)
    try hub.keyboard("phone")
    let record = try watch.create("timer", tea)
    try hub.settle()
    for edit in [
      "kind=timer record=\"\(record)\" set={\"notes\":\"hot\"}",
      "kind=todo set={\"timer\":\"\(record)\",\"text\":\"pour\"}",
    ] {
      let answer = try hub.ask("sync.edit \(edit)", on: "phone")
      #expect(answer.type == "sync.edited", "\(answer)")
    }
    try hub.settle()
    let state = try hub.state("phone")
    hub.disconnect(watch)
    if end == "evict" {
      hub.world.close("phone")
      _ = hub.type("advance seconds=31", on: "clock")
      #expect(hub.world.relay.pairsInMemory == 0)
    } else {
      try hub.restart(killing: end == "kill")
    }
    let before = hub.world.pairsRead
    // Lanes need no hub.
    _ = hub.type("activate pair=p role=watch", on: "watch")
    let read = hub.world.pairsRead
    _ = hub.type("transferUserInfo payload={}", on: "watch")
    #expect(hub.world.pairsRead == read)
    try hub.keyboard("phone")
    #expect(hub.world.pairsRead > before)
    #expect(try hub.state("phone") == state)
    try hub.connect(watch)
    #expect(watch.isDrained && watch.replica.replica.log.count == 3)
    try expectEqualViews(hub, [watch], on: "phone")
  }

  /// Requests wait, in order, while the hub is read, and are refused where it cannot be.
  @Test func whileReading() throws {
    let hub = try HubWorld()
    try hub.keyboard("phone")
    _ = hub.type("sync.edit kind=timer set=\(tea)", on: "phone")
    try hub.restart()
    _ = hub.type("activate pair=p role=phone", on: "phone")
    _ = hub.type("activate pair=p role=watch", on: "watch")
    hub.world.holdsPairReads = true
    for name in ["phone", "watch"] {
      hub.type("sync.open schema=todoTimers id=1", on: name)
      hub.type("sync.view kind=timer id=2", on: name)
      #expect(!hub.take(name).contains { $0.type.hasPrefix("sync.") })
    }
    hub.world.holdsPairReads = false
    hub.world.settle()
    for name in ["phone", "watch"] {
      let answers = hub.take(name).filter { $0.type.hasPrefix("sync.") }
      #expect(answers.map(\.type) == ["sync.opened", "sync.records"], "\(answers)")
      #expect(answers.last?.records.count == 1)
    }
  }

  @Test func unreadable() throws {
    let hub = try HubWorld()
    try hub.keyboard("phone")
    _ = hub.type("sync.edit kind=timer set=\(tea)", on: "phone")
    let state = try hub.state("phone")
    try hub.restart()
    _ = hub.type("activate pair=p role=phone", on: "phone")
    hub.world.failsPairReads = true
    let answer = try hub.ask("sync.open schema=todoTimers id=1", on: "phone")
    #expect(answer.code == 4008 && answer.isDefinite == true, "\(answer)")
    hub.world.failsPairReads = false
    #expect(try hub.ask("sync.open schema=todoTimers", on: "phone").type == "sync.opened")
    #expect(try hub.state("phone") == state)
  }

  /// A server that was started without a schema keeps its records for one that has it.
  @Test func severalSchemas() throws {
    let hub = try HubWorld()
    try hub.keyboard("phone")
    _ = hub.type("sync.edit kind=timer set=\(tea)", on: "phone")
    let todo = try hub.state("phone")
    try hub.keyboard("phone", schema: "timeTracker")
    #expect(try hub.ask("sync.edit kind=timer set=\(tea)", on: "phone").code == 4004)
    _ = hub.type("sync.edit kind=client set={\"name\":\"Ada\"}", on: "phone")
    let time = try hub.state("phone")
    let watch = hub.device("watch")
    try hub.connect(watch)
    #expect(watch.records("timer").count == 1)
    // A request that names another schema than the one opened.
    #expect(try hub.ask("sync.view schema=todoTimers", on: "phone").message.contains("open"))
    #expect(try hub.ask("sync.open schema=todoTimer", on: "phone").message.contains("todoTimers"))
    for _ in 1...2 {
      try hub.restart()
      try hub.keyboard("phone", schema: "timeTracker")
      #expect(try hub.state("phone") == time)
      try hub.keyboard("phone")
      #expect(try hub.state("phone") == todo)
    }
  }

  /// Edits of one schema are not told to who has opened another.
  @Test func schemasApart() throws {
    let hub = try HubWorld()
    try hub.keyboard("phone")
    try hub.keyboard("watch", schema: "timeTracker")
    _ = hub.type("sync.edit kind=timer set=\(tea)", on: "phone")
    #expect(hub.take("watch").isEmpty)
    try hub.keyboard("watch")
    _ = hub.take("watch")
    _ = hub.type("sync.edit kind=timer set=\(tea)", on: "phone")
    #expect(hub.take("watch").map(\.type) == ["sync.changed"])
  }

  // MARK: Clocks

  /// A device whose clock was never set has written edits that no hub would take as they are.
  @Test(arguments: [1_000, 3_600_000]) func clockOf1970(_ clock: Int64) throws {
    let hub = try HubWorld()
    _ = hub.type("advance seconds=800000000", on: "clock")
    try hub.keyboard("phone")
    let watch = hub.device("watch")
    watch.clock = clock
    let timer = try watch.create("timer", tea)
    watch.clock += 60_000
    try watch.set("timer", timer, #"{"name":"Mate"}"#)
    try hub.connect(watch)
    #expect(watch.isDrained && watch.retimings == 1, "\(watch)")
    let record = try hub.records("timer", on: "phone")[0]
    #expect(record["name"] as? String == "Mate")
    try expectEqualViews(hub, [watch], on: "phone")
    try watch.set("timer", timer, #"{"name":"Chai"}"#)
    try hub.settle()
    #expect(watch.isDrained && watch.retimings == 1, "\(watch)")
  }

  // MARK: Sessions

  @Test func takeOver() throws {
    let hub = try HubWorld()
    try hub.keyboard("phone")
    let watch = hub.device("watch")
    try hub.connect(watch)
    let old = hub.world.client("watch")
    hub.world.holdsCommits = true
    try watch.create("timer", tea)
    try hub.settle()
    // The push is in flight when the device comes back on another connection.
    hub.world.open("watch")
    hub.world.send("activate pair=p role=watch device=watch", on: "watch")
    watch.open()
    hub.world.holdsCommits = false
    try hub.settle()
    #expect(old.isClosed)
    #expect(!old.history.contains { String(decoding: $0, as: UTF8.self).contains("accepted") })
    #expect(watch.isDrained && watch.replica.accepted == 1)
    #expect(try hub.records("timer", on: "phone").count == 1)
    try expectEqualViews(hub, [watch], on: "phone")
  }

  @Test func beforeOpeningAndAfterDeactivating() throws {
    let hub = try HubWorld()
    #expect(try hub.ask("sync.open schema=todoTimers", on: "phone").code == 7004)
    _ = hub.type("activate pair=p role=phone", on: "phone")
    for request in [
      "sync.push ops=[]", "sync.edit kind=timer set={}", "sync.view", "sync.conflicts",
      "sync.digest", "sync.restore kind=timer record=ABCD", "sync.acknowledge at=0",
    ] {
      let answer = try hub.ask(request, on: "phone")
      #expect(answer.code == 4004 && answer.message.contains("sync.open"), "\(answer)")
    }
    try hub.keyboard("phone")
    try hub.keyboard("watch")
    _ = hub.type("deactivate", on: "watch")
    _ = hub.type("sync.edit kind=timer set=\(tea)", on: "phone")
    #expect(!hub.take("watch").contains { $0.type.hasPrefix("sync.") })
    #expect(try hub.ask("sync.view", on: "watch").code == 7004)
  }

  @Test func forgetPairKeepsRecords() throws {
    let hub = try HubWorld()
    let watch = hub.device("watch")
    try hub.connect(watch)
    try hub.keyboard("phone")
    try watch.create("timer", tea)
    try hub.settle()
    let state = try hub.state("phone")
    _ = hub.type("forgetPair", on: "phone")
    try hub.keyboard("phone")
    #expect(try hub.state("phone") == state)
    try hub.connect(watch)
    try watch.create("timer", tea)
    try hub.settle()
    #expect(try hub.records("timer", on: "phone").count == 2)
    try expectEqualViews(hub, [watch], on: "phone")
  }

  @Test func acknowledging() throws {
    let hub = try HubWorld()
    try hub.keyboard("phone")
    _ = hub.type("sync.edit kind=timer set=\(tea)", on: "phone")
    for (line, code) in [
      ("at=2", 4004), ("at=-1", 4004), ("at=x", 4004), ("", 4003), ("at=1 horizon=-1", 4004),
      ("at=1 horizon=x", 4004),
    ] {
      #expect(try hub.ask("sync.acknowledge \(line)", on: "phone").code == code, "\(line)")
    }
    #expect(try hub.ask("sync.acknowledge at=1 id=7", on: "phone").type == "accepted")
    #expect(hub.type("sync.acknowledge at=0", on: "phone").isEmpty)
  }

  /// No device can have the hub grow by opening it under ever new names.
  @Test func manyIncarnations() throws {
    var limits = Limits()
    limits.incarnations = 8
    let hub = try HubWorld(limits: limits)
    _ = hub.type("activate pair=p role=watch", on: "watch")
    let id = "6F0E3A52-0C55-4F6B-9E0E-0A1B2C3D4E5F"
    for number in 1...8 {
      let answer = try hub.ask("sync.open schema=todoTimers replica=\(id).\(number)", on: "watch")
      #expect(answer.type == "sync.opened")
    }
    let answer = try hub.ask("sync.open schema=todoTimers replica=\(id).9", on: "watch")
    #expect(answer.code == 4008, "\(answer)")
    #expect(try hub.ask("sync.open schema=todoTimers replica=\(id).3", on: "watch").code == nil)
  }
}
