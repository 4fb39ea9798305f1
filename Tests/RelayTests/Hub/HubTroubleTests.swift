import Device
import Merge
import Relay
import RelaySupport
import SyncSupport
import Testing

/// A store that cannot write: requests to the hub are refused or uncertain, never half applied.
@Suite struct HubTroubleTests {
  private let hub: HubWorld
  private let tea = #"{"name":"Tea","durationInSeconds":60}"#

  init() throws {
    hub = try HubWorld()
    try hub.keyboard("phone")
  }

  @Test func underWay() throws {
    let watch = hub.device("watch")
    try hub.connect(watch)
    hub.world.holdsCommits = true
    _ = hub.type("sync.edit id=1 kind=timer set=\(tea)", on: "phone")
    _ = hub.type("sync.view id=2 kind=timer", on: "phone")
    _ = hub.type("sync.digest id=3", on: "phone")
    try watch.create("timer", tea)
    try hub.settle()
    hub.world.failStore("disk full")
    let answers = hub.take("phone")
    #expect(answers.count == 3)
    for answer in answers {
      #expect(answer.code == 4008 && answer.isDefinite == false, "\(answer)")
      #expect(!answer.message.contains("outstandingTransfers"), "\(answer)")
    }
    try hub.settle()
    #expect(watch.errors.count == 1 && watch.replica.accepted == 0)
    // It lets the hub alone for a while.
    watch.push()
    try hub.settle()
    #expect(watch.errors.count == 1 && watch.waits > 0)
    watch.waits = 0
    watch.push()
    try hub.settle()
    #expect(watch.errors.count == 2 && watch.errors[1].contains("\"definite\":true"))
    hub.world.holdsCommits = false
    hub.world.recoverStore()
    try hub.settle()
    // What was uncertain has come to be; pushed again it is known.
    watch.waits = 0
    watch.push()
    try hub.settle()
    #expect(watch.isDrained && watch.replica.accepted == 1)
    #expect(try hub.records("timer", on: "phone").count == 2)
    try expectEqualViews(hub, [watch], on: "phone")
  }

  /// No log comes where the answer to the opening was that it is uncertain.
  @Test func openingUnderWay() throws {
    _ = hub.type("sync.edit kind=timer set=\(tea)", on: "phone")
    _ = hub.type("activate pair=p role=watch", on: "watch")
    hub.world.holdsCommits = true
    let open =
      "sync.open id=1 schema=todoTimers replica=6F0E3A52-0C55-4F6B-9E0E-0A1B2C3D4E5F.1"
    _ = hub.type(open, on: "watch")
    hub.world.failStore()
    #expect(hub.take("watch").map(\.isDefinite) == [false])
    hub.world.holdsCommits = false
    hub.world.recoverStore()
    #expect(hub.take("watch").isEmpty)
    #expect(hub.type(open, on: "watch").map(\.type) == ["sync.opened", "sync.ops"])
  }

  @Test func newRequests() throws {
    _ = hub.type("sync.edit kind=timer set=\(tea)", on: "phone")
    let state = try hub.state("phone")
    _ = hub.type("activate pair=p role=watch", on: "watch")
    hub.world.failStore()
    for request in [
      "sync.edit kind=timer set=\(tea)", "sync.view", "sync.acknowledge at=1",
      "sync.open schema=timeTracker", "sync.restore kind=timer record=ABCD",
    ] {
      let answer = try hub.ask("\(request) id=1", on: "phone")
      #expect(answer.code == 4008 && answer.isDefinite == true, "\(answer)")
    }
    let replica = "6F0E3A52-0C55-4F6B-9E0E-0A1B2C3D4E5F.1"
    let open = "sync.open schema=todoTimers replica=\(replica)"
    #expect(try hub.ask(open, on: "watch").code == 4008)
    hub.world.recoverStore()
    #expect(try hub.ask(open, on: "watch").type == "sync.opened")
    #expect(try hub.state("phone") == state)
  }

  @Test(arguments: [false, true]) func killedWhileFailing(_ isDevice: Bool) throws {
    let watch = hub.device("watch")
    try hub.connect(watch)
    _ = hub.type("sync.edit kind=timer set=\(tea)", on: "phone")
    let state = try hub.state("phone")
    hub.world.holdsCommits = true
    if isDevice {
      try watch.create("timer", tea)
    } else {
      _ = hub.type("sync.edit id=1 kind=timer set=\(tea)", on: "phone")
    }
    try hub.settle()
    hub.world.failStore()
    try hub.restart(killing: true)
    hub.world.holdsCommits = false
    try hub.keyboard("phone")
    #expect(try hub.state("phone") == state)
    try hub.connect(watch)
    #expect(watch.isDrained)
    #expect(try hub.records("timer", on: "phone").count == (isDevice ? 2 : 1))
    try expectEqualViews(hub, [watch], on: "phone")
  }
}
