import Journal
import Relay
import RelaySupport
import Testing

/// What waits while an evicted pair is read back, and what does not.
@Suite struct PairLoadTests {
  let world: World

  init() throws {
    world = try World()
    world.send("activate pair=p role=watch", on: "watch")
    world.send("activate pair=p role=phone", on: "phone")
    world.send("transferUserInfo payload={\"i\":1}", on: "phone")
    for name in ["phone", "watch"] { world.close(name) }
    world.send("advance seconds=31", on: "clock")
    for name in ["phone", "watch", "clock"] { _ = world.lastClient(name)?.takeLines() }
    #expect(world.relay.pairsInMemory == 0)
    world.holdsPairReads = true
  }

  private func takeLines(_ name: String) -> [String] {
    (world.lastClient(name)?.takeLines() ?? []).filter { !$0.contains("\"hello\"") }
  }

  private func goOn() {
    world.holdsPairReads = false
    world.settle()
  }

  @Test func linesBehindTheActivationWait() {
    world.send("ping id=1\nactivate pair=p role=watch\nping id=2", on: "watch")
    #expect(takeLines("watch").count == 1)
    #expect(!world.relay.wantsInput(world.client("watch").connection))
    world.send("acknowledge id=3\nping id=4", on: "watch")
    // Others go on.
    world.send("ping id=1", on: "other")
    world.send("activate pair=q role=phone", on: "other")
    #expect(takeLines("other").count == 2)
    goOn()
    let lines = takeLines("watch")
    #expect(lines[0].contains("activationDidComplete") && lines[0].contains("\"userInfo\":1"))
    #expect(lines.count { $0.contains("\"pong\"") } == 2)
    #expect(lines.contains { $0.contains("\"re\":3") })
    #expect(world.relay.wantsInput(world.client("watch").connection))
    #expect(world.pairsRead == 1)
  }

  /// An error in the line is told at once, and costs no read.
  @Test func whatIsWrongAnywayDoesNotWait() {
    world.send("activate pair=p role=tablet", on: "watch")
    #expect(takeLines("watch")[0].contains("4004"))
    world.send("activate pair=q role=watch", on: "watch")
    world.send("activate pair=p role=watch", on: "watch")
    #expect(takeLines("watch").last!.contains("this connection is watch of pair q"))
    goOn()
    #expect(world.pairsRead == 0)
  }

  @Test func bothDevicesWaitForOneRead() {
    world.send("activate pair=p role=watch", on: "watch")
    world.send("activate pair=p role=phone", on: "phone")
    world.send("activate pair=p role=watch", on: "again")
    goOn()
    #expect(world.pairsRead == 1)
    // The later one has taken the session over.
    #expect(takeLines("watch").contains { $0.contains("\"reason\":\"replaced\"") })
    #expect(takeLines("again").contains { $0.contains("activationDidComplete") })
    #expect(takeLines("phone").contains { $0.contains("activationDidComplete") })
  }

  @Test func aConnectionThatClosesMeanwhileLeavesNothing() {
    world.send("activate pair=p role=watch", on: "watch")
    world.close("watch")
    goOn()
    #expect(world.relay.pairsInMemory == 1)
    world.send("advance seconds=31", on: "clock")
    #expect(world.relay.pairsInMemory == 0)
  }

  /// As `nc -N` does it.
  @Test func anEndOfInputWaitsToo() {
    world.send("activate pair=p role=watch", on: "watch")
    world.send(Array("ping".utf8), on: "watch")
    world.end("watch")
    #expect(takeLines("watch").isEmpty)
    goOn()
    let lines = takeLines("watch")
    #expect(lines.contains { $0.contains("didReceiveUserInfo") })
    #expect(lines.contains { $0.contains("\"pong\"") })
    #expect(world.lastClient("watch")!.isClosed)
  }

  @Test func aFailedReadIsToldAndChangesNothing() {
    let rows = world.store.rows
    world.send("activate pair=p role=watch id=1\nping id=2", on: "watch")
    world.failsPairReads = true
    goOn()
    let lines = takeLines("watch")
    #expect(lines[0].contains("\"re\":1") && lines[0].contains("4008"))
    #expect(lines[0].contains("\"line\":1") && lines[0].contains("\"definite\":true"))
    #expect(lines[1].contains("\"pong\""))
    #expect(world.relay.pairsInMemory == 0 && world.store.rows == rows)
    world.failsPairReads = false
    world.send("activate pair=p role=watch", on: "watch")
    #expect(takeLines("watch").contains { $0.contains("didReceiveUserInfo") })
  }

  /// A pair whose rows make no sense is refused alone; what is there stays as it is.
  @Test func aDamagedRowIsTold() {
    let key = Row.Key(.device, pair: 1, item: 1)
    let row = world.store.rows[key]!
    let number = world.store.lastBatch + 1
    world.holdsPairReads = false
    world.store.commit(Batch(number: number, rows: [Row(key, Array(row.dropLast(3)))]))
    world.send("activate pair=p role=watch id=1", on: "watch")
    #expect(takeLines("watch")[0].contains("a record of the store ends in the middle"))
    #expect(world.relay.pairsInMemory == 0)
    #expect(world.logs.contains { $0.hasPrefix("event=pairUnreadable pair=1 ") })
  }

  @Test func aStopDoesNotWait() throws {
    world.send("activate pair=p role=watch", on: "watch")
    try world.restart()
    #expect(world.relay.pairsInMemory == 0)
    world.holdsPairReads = false
    world.send("activate pair=p role=watch", on: "watch")
    #expect(takeLines("watch").contains { $0.contains("didReceiveUserInfo") })
  }

  /// The activation of a device that is known needs no commit, and so goes on while none succeeds.
  @Test func aPairComesBackWhileTheStoreFails() {
    world.failStore()
    world.send("activate pair=p role=watch", on: "watch")
    world.send("activate pair=p role=watch device=new", on: "new")
    goOn()
    let lines = takeLines("watch")
    #expect(lines.contains { $0.contains("activationDidComplete") })
    #expect(lines.contains { $0.contains("\"redelivered\":true") })
    #expect(takeLines("new")[0].contains("4008"))
    world.recoverStore()
    world.send("acknowledge id=1", on: "watch")
    #expect(takeLines("watch").contains { $0.contains("\"re\":1") })
  }

  /// The only request that finds its pair by itself is `activate`; the others have a session.
  @Test func forgetPairOfOneThatCameBack() {
    goOn()
    world.send("activate pair=p role=phone", on: "phone")
    world.send("forgetPair id=1", on: "phone")
    #expect(takeLines("phone").contains { $0.contains("\"re\":1") })
    world.send("advance seconds=31", on: "clock")
    #expect(world.relay.pairsInMemory == 0)
    world.send("activate pair=p role=phone", on: "phone")
    #expect(takeLines("phone").contains { $0.contains("7005") })
    #expect(world.relay.pairsInMemory == 1)
  }
}
