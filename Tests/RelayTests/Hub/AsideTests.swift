import Foundation
import Relay
import RelaySupport
import Testing

/// What goes through all of a large hub is done aside: others are served meanwhile, and it comes out the same.
@Suite struct AsideTests {
  private static let asked = [
    "sync.view id=1", "sync.view id=1 kind=timer", "sync.digest id=1", "sync.conflicts id=1",
    #"{"type":"sync.open","id":1,"schema":"todoTimers","replica":"6F0E3A52-0C55-4F6B-9E0E-0A1B2C3D4E5F.1","vector":{}}"#,
  ]

  private static func timer(_ number: Int) -> String {
    "58F40000-0000-4000-8000-0000000058\(number)"
  }

  /// A pair with records, conflicts and a log of which the beginning was collected; and another pair.
  private func world(aside: Int) throws -> HubWorld {
    let hub = try editor(aside: aside)
    try hub.keyboard("watch")
    for number in 10...29 {
      let timer = "kind=timer record=\(Self.timer(number))"
      hub.type("sync.edit \(timer) set={\"name\":\"Tea\",\"durationInSeconds\":60}", on: "phone")
      hub.type("sync.view", on: "watch")
      hub.type("sync.edit \(timer) set={\"name\":\"Mate\"}", on: "phone")
      // It has not seen that.
      hub.type("sync.edit \(timer) set={\"name\":\"Chai\"}", on: "watch")
      for name in ["phone", "watch"] where number < 28 { hub.type("sync.view", on: name) }
    }
    hub.type("activate pair=q role=phone", on: "other")
    hub.type("activate pair=p role=watch device=new", on: "new")
    return hub
  }

  private func lines(_ hub: HubWorld, _ name: String) -> [String] {
    hub.world.client(name).takeLines()
  }

  @Test(arguments: asked) func itIsTheSame(_ line: String) throws {
    let (small, large) = (try world(aside: .max), try world(aside: 1))
    let name = line.contains("replica") ? "new" : "phone"
    large.world.holdsWorks = true
    for hub in [small, large] {
      _ = lines(hub, name)
      hub.world.send(line, on: name)
    }
    #expect(lines(large, name).isEmpty, "it is done aside")
    large.world.holdsWorks = false
    large.world.settle()
    let told = lines(large, name)
    #expect(!told.isEmpty)
    #expect(told == lines(small, name))
  }

  /// The pair's own requests wait for it, in order; those of another pair do not.
  @Test(arguments: asked) func othersAreServedMeanwhile(_ line: String) throws {
    let hub = try world(aside: 1)
    let name = line.contains("replica") ? "new" : "phone"
    for name in ["phone", "watch", "new", "other"] { _ = lines(hub, name) }
    hub.world.holdsWorks = true
    hub.world.send("\(line)\nping id=2", on: name)
    hub.world.send(
      "sync.edit id=3 kind=timer record=\(Self.timer(10)) set={\"name\":\"Rooibos\"}", on: "watch")
    hub.world.send("ping id=4", on: "other")
    hub.world.send("transferUserInfo id=5 payload={\"a\":1}", on: "other")
    #expect(lines(hub, name).isEmpty)
    #expect(lines(hub, "watch").isEmpty)
    #expect(lines(hub, "other").first?.contains("pong") == true)
    hub.world.holdsWorks = false
    hub.world.settle()
    let told = lines(hub, name).filter { $0.contains("\"re\":1") || $0.contains("\"re\":2") }
    #expect(told.contains { $0.contains("pong") } && told.count > 1)
    #expect(!told.contains { $0.contains("Rooibos") }, "that came later")
    #expect(lines(hub, "watch").contains { $0.contains("sync.edited") && $0.contains("Rooibos") })
  }

  /// Whoever has asked goes, or the server ends, or the pair would be put away: nothing is left behind.
  @Test(arguments: ["leaves", "restarts", "is put away", "stops"]) func itIsNotHeardAnyMore(
    _ what: String
  ) throws {
    let hub = try world(aside: 1)
    let before = try hub.state("watch")
    hub.world.holdsWorks = true
    hub.world.send("sync.view", on: "phone")
    for name in ["phone", "watch", "new"] where what != "restarts" { hub.world.close(name) }
    switch what {
    case "leaves": break
    case "restarts": try hub.restart(killing: true)
    case "stops": try hub.restart()
    default: hub.world.pass(seconds: 600)
    }
    hub.world.holdsWorks = false
    hub.world.settle()
    hub.world.pass(seconds: 600)
    try hub.keyboard("watch")
    #expect(try hub.state("watch") == before)
  }

  /// A purge is done aside: the pair waits for it, and nobody else. What was accepted before is in the store.
  @Test(arguments: [false, true]) func aPurgeIsDoneAside(_ dies: Bool) throws {
    let (small, large) = (try editor(aside: .max), try editor(aside: 1))
    large.world.holdsWorks = true
    var accepted = 0
    while accepted < 40 {
      let edit = self.edit(accepted + 1)
      if large.type(edit, on: "phone").isEmpty { break }
      small.type(edit, on: "phone")
      accepted += 1
    }
    #expect(accepted > 8 && accepted < 40, "an edit waits for the purge")
    #expect(!large.world.logs.contains { $0.contains("event=collected") })
    #expect(large.type("activate pair=q role=phone", on: "other").count > 0)
    if dies {
      try large.restart(killing: true)
    } else {
      large.world.holdsWorks = false
      large.world.settle()
      #expect(large.take("phone").contains { $0.type == "sync.edited" })
      small.type(edit(accepted + 1), on: "phone")
      #expect(large.world.logs.contains { $0.contains("event=collected") })
      #expect(try large.state("phone") == small.state("phone"))
      try large.restart()
    }
    large.world.holdsWorks = false
    try large.keyboard("phone")
    // One that dies before has not purged; it shows the same.
    let digests = try [large, small].map { Answer(try $0.state("phone"))["viewDigest"] as? String }
    #expect(digests[0] != nil && digests[0] == digests[1])
  }

  /// One who edits alone; so what it has written is read by all.
  private func editor(aside: Int) throws -> HubWorld {
    var limits = Limits()
    limits.aside = aside
    limits.syncLog = 8
    let hub = try HubWorld(limits: limits)
    try hub.keyboard("phone")
    return hub
  }

  private func edit(_ number: Int) -> String {
    let members = number <= 2 ? ",\"durationInSeconds\":60" : ""
    return
      "sync.edit kind=timer record=\(Self.timer(10 + number % 2)) set={\"name\":\"\(number)\"\(members)}"
  }

  /// A hub is read back aside: others are served, and whoever asked for it may go meanwhile.
  @Test(arguments: [false, true]) func aHubIsReadBackAside(_ leaves: Bool) throws {
    let hub = try world(aside: 1)
    let before = try hub.state("phone")
    try hub.restart()
    hub.world.holdsWorks = true
    hub.world.send("activate pair=p role=phone", on: "phone")
    hub.world.send("sync.open schema=todoTimers", on: "phone")
    hub.world.send("ping id=1", on: "other")
    #expect(lines(hub, "other").contains { $0.contains("pong") })
    #expect(!lines(hub, "phone").contains { $0.contains("sync.opened") })
    if leaves { hub.world.close("phone") }
    hub.world.holdsWorks = false
    hub.world.settle()
    _ = lines(hub, "phone")
    if leaves { try hub.keyboard("phone") }
    #expect(try hub.state("phone") == before)
  }

  /// A device that sends whole records waits as well, for its payload is the hub's.
  @Test func aBridgedPayloadWaits() throws {
    let hub = try world(aside: 1)
    hub.type("activate pair=p role=watch device=old bridge=todoTimers", on: "old")
    _ = lines(hub, "old")
    hub.world.holdsWorks = true
    hub.world.send("sync.view", on: "phone")
    let delete = Data(
      #"{"timerID":"58F40000-0000-4000-8000-0000000058F4","type":"deleted"}"#.utf8)
    hub.world.send(
      "transferUserInfo id=1 payload={\"timerUpdate\":\"\(delete.base64EncodedString())\"}",
      on: "old")
    #expect(!lines(hub, "old").contains { $0.contains("accepted") })
    hub.world.holdsWorks = false
    hub.world.settle()
    #expect(lines(hub, "old").contains { $0.contains("accepted") })
  }

  /// What was accepted in the turn in which something is begun aside is in the store.
  @Test func whatIsAcceptedBesideItIsKept() throws {
    let hub = try world(aside: 1)
    hub.world.holdsWorks = true
    let edit = "sync.edit id=1 kind=timer record=\(Self.timer(10)) set={\"name\":\"Rooibos\"}\n"
    hub.world.give(edit.utf8, to: hub.world.client("phone"))
    hub.world.give("sync.view id=2\n".utf8, to: hub.world.client("watch"))
    hub.world.settle()
    #expect(lines(hub, "phone").contains { $0.contains("sync.edited") })
    #expect(!lines(hub, "watch").contains { $0.contains("sync.records") })
    try hub.restart(killing: true)
    hub.world.holdsWorks = false
    try hub.keyboard("phone")
    #expect(try hub.records("timer", on: "phone").contains { $0["name"] as? String == "Rooibos" })
  }

  /// What was put together for one who does not read is among what connections hold: many such do not fill the memory.
  @Test func itIsCounted() throws {
    let hub = try much(buffers: 1 << 20)
    hub.world.client("phone").holdsOutput = true
    hub.world.send("sync.view", on: "phone")
    #expect(hub.world.logs.contains { $0.contains("event=connectionShed") })
    #expect(hub.world.relay.buffered < 1 << 20)
  }

  /// The same of a snapshot, until its last piece is sent; and of one whose session has ended nothing is held.
  @Test(arguments: [false, true]) func aSnapshotIsCounted(_ isRead: Bool) throws {
    let hub = try much(buffers: 64 << 20)
    let opens =
      #"{"type":"sync.open","schema":"todoTimers","replica":"6F0E3A52-0C55-4F6B-9E0E-0A1B2C3D4E5F.1","vector":{}}"#
    hub.world.send("activate pair=p role=watch device=new", on: "new")
    let before = hub.world.relay.buffered
    hub.world.client("new").holdsOutput = true
    hub.world.send(opens, on: "new")
    #expect(hub.world.client("new").connection.yetToSend > 1 << 20)
    if isRead {
      hub.world.read("new")
      #expect(lines(hub, "new").contains { $0.contains("\"last\":true") })
    } else {
      #expect(hub.world.relay.buffered > 1 << 20)
      hub.world.send("deactivate", on: "phone")
      hub.world.send("activate pair=p role=watch device=new", on: "newer")
      hub.world.close("new")
    }
    #expect(hub.world.client("new").connection.yetToSend == 0)
    #expect(hub.world.relay.buffered <= before)
  }

  /// A pair with three megabytes of records.
  private func much(buffers: Int) throws -> HubWorld {
    var limits = Limits()
    limits.aside = 1
    limits.buffers = buffers
    limits.syncLog = 8
    let hub = try HubWorld(limits: limits)
    try hub.keyboard("phone")
    let notes = String(repeating: "n", count: 100_000)
    for number in 10...39 {
      hub.type(
        "sync.edit kind=timer record=\(Self.timer(number)) set={\"name\":\"Tea\",\"durationInSeconds\":60,\"notes\":\"\(notes)\"}",
        on: "phone")
    }
    return hub
  }

  /// What is done aside shares nothing with what goes on meanwhile: the thread sanitizer would say so.
  @Test(arguments: asked + ["purge", "restart", "bridge"]) func nothingIsShared(_ what: String)
    throws
  {
    let hub = try world(aside: 1)
    hub.type("activate pair=p role=watch device=old bridge=todoTimers", on: "old")
    hub.world.holdsWorks = true
    switch what {
    case "restart":
      hub.world.holdsWorks = false
      try hub.restart()
      hub.world.holdsWorks = true
      hub.world.send("activate pair=p role=phone", on: "phone")
      hub.world.send("sync.open schema=todoTimers", on: "phone")
    case "purge":
      for number in 1...40 {
        // The views are answered, and what is left in the end is the purge.
        for name in ["phone", "watch"] { hub.world.send("sync.view", on: name) }
        hub.world.send(edit(number), on: "phone")
        if number < 40 { _ = hub.world.runWorks() }
      }
    case "bridge":
      hub.world.send("activate pair=p role=watch device=older bridge=todoTimers", on: "older")
    default: hub.world.send(what, on: what.contains("replica") ? "new" : "phone")
    }
    hub.world.settle()
    let works = hub.world.takeWorks()
    #expect(!works.isEmpty)
    let done = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      for work in works { work.run() }
      done.signal()
    }
    var number = 0
    var isDone = false
    repeat {
      number += 1
      hub.world.send("activate pair=p role=watch device=w\(number)", on: "w\(number)")
      hub.world.send("transferUserInfo payload={\"a\":1}", on: "w\(number)")
      hub.world.send("sync.open schema=todoTimers", on: "w\(number)")
      let made = "sync.edit kind=timer set={\"name\":\"x\",\"durationInSeconds\":60}"
      hub.world.send(made, on: "w\(number)")
      hub.world.send("transferUserInfo payload={\"a\":1}", on: "other")
      hub.world.close("w\(number)")
      hub.world.send("acknowledge lane=userInfo seq=1", on: "old")
      hub.world.close("watch")
      isDone = done.wait(timeout: .now()) == .success
    } while !isDone && number < 40
    if !isDone { done.wait() }
    hub.world.finish(works)
    hub.world.holdsWorks = false
    hub.world.settle()
    #expect(try !hub.state("fresh", after: "activate pair=p role=watch device=fresh").isEmpty)
  }
}

extension HubWorld {
  fileprivate func state(_ name: String, after activation: String) throws -> String {
    type(activation, on: name)
    type("sync.open schema=todoTimers", on: name)
    return try state(name)
  }
}
