import Journal
import Relay
import RelaySupport
import Testing

/// Pairs to which nobody is connected leave the memory and come back, and nothing that a device can
/// see tells.
@Suite struct EvictionTests {
  let world: World

  init() throws {
    world = try World()
    world.send("activate pair=p role=watch", on: "watch")
    world.send("activate pair=p role=phone", on: "phone")
    world.close("watch")
  }

  private func pass(_ seconds: Int = 31) {
    world.send("advance seconds=\(seconds)", on: "clock")
  }

  private var queueRow: [UInt8]? { world.store.rows[Row.Key(.queue, pair: 1)] }

  private func takeLines(_ name: String) -> [String] { world.lastClient(name)?.takeLines() ?? [] }

  /// The lines of one type that a client got.
  private func lines(_ name: String, _ type: String) -> [String] {
    takeLines(name).filter { $0.hasPrefix("{\"type\":\"\(type)\"") }
  }

  private func evict() {
    for name in ["phone", "watch"] { world.close(name) }
    pass()
    #expect(world.relay.pairsInMemory == 0)
  }

  // MARK: Of very much

  private func fill(_ world: World) -> [String] {
    world.send("activate pair=p role=watch", on: "watch")
    world.send("activate pair=p role=phone", on: "phone")
    world.close("watch")
    for number in 1...200 {
      world.send("transferUserInfo id=\(number) payload={\"i\":\(number)}", on: "phone")
    }
    world.send("transferUserInfo payload={\"i\":201}", on: "phone")
    world.close("phone")
    return (1...201).map { "\"payload\":{\"i\":\($0)},\"seq\":\($0)" }
  }

  private func restored(_ world: World) -> [String] {
    world.send("activate pair=p role=watch", on: "watch")
    return world.client("watch").takeLines().filter { $0.contains("didReceiveUserInfo") }.map {
      String($0[$0.firstRange(of: "\"payload\"")!.lowerBound...].dropLast())
    }
  }

  /// Its row is put together aside: others are served, and what is written is the same.
  @Test func aLargeQueueIsWrittenAside() throws {
    var limits = Limits()
    limits.aside = 1
    let (small, large) = (try World(), try World(limits: limits))
    large.holdsWorks = true
    for world in [small, large] {
      _ = fill(world)
      world.send("advance seconds=31", on: "clock")
    }
    #expect(small.relay.pairsInMemory == 0 && large.relay.pairsInMemory == 1)
    large.send("ping", on: "other")
    #expect(large.client("other").takeLines().contains { $0.contains("pong") })
    large.holdsWorks = false
    large.settle()
    #expect(large.relay.pairsInMemory == 0)
    let rows = [small, large].map { $0.store.rows[Row.Key(.queue, pair: 1)] }
    #expect(rows[0] != nil && rows[0] == rows[1])
  }

  /// Somebody comes meanwhile, or a kill: nothing is lost, and what was put together is of no use.
  @Test(arguments: ["comes", "goes again", "sends and goes", "kill"])
  func whatComesMeanwhile(_ what: String) throws {
    var limits = Limits()
    limits.aside = 1
    let world = try World(limits: limits)
    world.holdsWorks = true
    var expected = fill(world)
    world.send("advance seconds=31", on: "clock")
    let works = world.takeWorks()
    #expect(works.count == 1)
    for work in works { work.run() }
    switch what {
    case "kill": try world.kill()
    case "comes": world.send("activate pair=p role=phone", on: "phone")
    default:
      world.send("activate pair=p role=phone", on: "phone")
      if what == "sends and goes" {
        world.send("transferUserInfo payload={\"i\":202}", on: "phone")
        expected.append("\"payload\":{\"i\":202},\"seq\":202")
      }
      world.close("phone")
    }
    if what != "kill" { world.finish(works) }
    world.holdsWorks = false
    world.settle()
    if what == "sends and goes" { #expect(world.relay.pairsInMemory == 1) }
    if what == "comes" {
      #expect(world.relay.pairsInMemory == 1)
      world.close("phone")
    }
    for _ in 1...2 { world.send("advance seconds=31", on: "clock") }
    #expect(world.relay.pairsInMemory == 0)
    #expect(restored(world) == expected)
  }

  // MARK: When

  @Test func goesAfterTheGraceWithItsQueue() {
    world.send("transferUserInfo payload={\"i\":1}", on: "phone")
    pass(1_000)
    #expect(world.relay.pairsInMemory == 1, "somebody is connected")
    world.close("phone")
    pass(29)
    #expect(world.relay.pairsInMemory == 1 && queueRow == nil)
    pass(1)
    #expect(world.relay.pairsInMemory == 0 && queueRow != nil)
    #expect(world.relay.isIdle)
    world.send("activate pair=p role=watch", on: "watch")
    #expect(world.relay.pairsInMemory == 1 && world.pairsRead == 1)
    #expect(lines("watch", "didReceiveUserInfo").count == 1)
    // What was handed out has outdated the row.
    #expect(queueRow == nil)
  }

  @Test func aReconnectBeginsTheGraceAnew() {
    world.close("phone")
    pass(20)
    world.send("activate pair=p role=phone", on: "phone")
    pass(20)
    world.close("phone")
    pass(20)
    #expect(world.relay.pairsInMemory == 1)
    pass(10)
    #expect(world.relay.pairsInMemory == 0)
  }

  @Test func staysWhileSomethingIsUncommitted() {
    world.holdsCommits = true
    world.send("transferUserInfo payload={\"i\":1}", on: "phone")
    world.close("phone")
    pass()
    #expect(world.relay.pairsInMemory == 1)
    world.holdsCommits = false
    world.settle()
    #expect(world.relay.pairsInMemory == 0)
    world.send("activate pair=p role=watch", on: "watch")
    #expect(lines("watch", "didReceiveUserInfo").count == 1)
  }

  /// The pair leaves the memory with the commit of its row, not before.
  @Test func comesBackBeforeItsRowIsCommitted() {
    world.send("transferUserInfo payload={\"i\":1}", on: "phone")
    world.close("phone")
    world.holdsCommits = true
    pass()
    #expect(world.relay.pairsInMemory == 1)
    world.send("activate pair=p role=phone", on: "phone")
    world.send("transferUserInfo payload={\"i\":2}", on: "phone")
    world.holdsCommits = false
    world.settle()
    #expect(world.relay.pairsInMemory == 1 && world.pairsRead == 0 && queueRow == nil)
    evict()
    world.send("activate pair=p role=watch", on: "watch")
    #expect(lines("watch", "didReceiveUserInfo").count == 2)
  }

  /// It comes back and goes as it was while its row is on its way: that row is waited for, too.
  @Test func staysWhileItsRowIsOnItsWay() {
    world.close("phone")
    world.holdsCommits = true
    pass()
    world.send("activate pair=p role=phone", on: "phone")
    #expect(lines("phone", "activationDidComplete").count == 1)
    world.close("phone")
    pass()
    #expect(world.relay.pairsInMemory == 1)
    world.holdsCommits = false
    world.settle()
    #expect(world.relay.pairsInMemory == 0 && queueRow != nil)
  }

  @Test func staysWhileTheStoreFails() {
    world.close("phone")
    world.failStore()
    pass(100)
    #expect(world.relay.pairsInMemory == 1)
    world.recoverStore()
    #expect(world.relay.pairsInMemory == 0)
  }

  /// A pair that comes back and goes as it was is not written again.
  @Test func anUnchangedPairIsWrittenOnce() {
    world.send("transferUserInfo payload={\"i\":1}", on: "phone")
    evict()
    let row = queueRow
    world.send("activate pair=p role=phone", on: "phone")
    world.send("outstandingTransfers", on: "phone")
    #expect(lines("phone", "outstandingTransfers").last!.contains("\"count\":1"))
    let batches = world.store.lastBatch
    world.close("phone")
    #expect(world.store.lastBatch == batches && queueRow == row)
    pass()
    #expect(world.relay.pairsInMemory == 0 && queueRow == row)
  }

  // MARK: What is kept

  /// What was not handed out can still be cancelled, and is not called redelivered, although a
  /// commit has said that it might be.
  @Test func whatWasHandedOutIsKnownExactly() {
    world.send("activate pair=p role=watch", on: "watch")
    world.send("hold", on: "watch")
    for number in 1...3 {
      world.send("transferUserInfo n=\(number) payload={\"i\":\(number)}", on: "phone")
    }
    world.send("release count=1", on: "watch")
    #expect(lines("watch", "didReceiveUserInfo").count == 1)
    evict()
    world.send("activate pair=p role=phone", on: "phone")
    world.send("cancelTransfer transfer=phone:0.1", on: "phone")
    #expect(lines("phone", "error").last!.contains("4009"))
    world.send("cancelTransfer transfer=phone:0.2", on: "phone")
    #expect(lines("phone", "accepted").count == 1)
    evict()
    world.send("activate pair=p role=watch", on: "watch")
    let deliveries = lines("watch", "didReceiveUserInfo")
    #expect(deliveries.count == 2)
    #expect(deliveries[0].contains("\"redelivered\":true"))
    #expect(deliveries[1].contains("\"i\":3") && !deliveries[1].contains("redelivered"))
    // Handed out since, and nothing else has changed: that is remembered too.
    evict()
    world.send("activate pair=p role=watch", on: "watch")
    #expect(lines("watch", "didReceiveUserInfo").allSatisfy { $0.contains("redelivered") })
  }

  @Test(arguments: [true, false]) func survivesAKillAndAStop(isKill: Bool) throws {
    world.send("transferUserInfo n=1 payload={\"i\":1} id=a", on: "phone")
    world.send("updateApplicationContext payload={\"c\":1}", on: "phone")
    evict()
    if isKill { try world.kill() } else { try world.restart() }
    #expect(world.relay.pairsInMemory == 0)
    world.send("activate pair=p role=watch", on: "watch")
    #expect(lines("watch", "didReceiveUserInfo").count == 1)
    world.send("acknowledge", on: "watch")
    // Changed, and killed before it is evicted again.
    try world.kill()
    #expect(world.relay.pairsInMemory == 1)
    world.send("activate pair=p role=phone", on: "phone")
    #expect(lines("phone", "didFinishUserInfoTransfer").count == 1)
  }

  /// A stop evicts what it finds, so that the next start is quick.
  @Test func aStopEvictsAll() throws {
    world.send("transferUserInfo payload={\"i\":1}", on: "phone")
    world.send("activate pair=q role=phone", on: "other")
    try world.restart()
    #expect(world.relay.pairsInMemory == 0 && queueRow != nil)
    world.send("activate pair=p role=watch", on: "watch")
    #expect(lines("watch", "didReceiveUserInfo").count == 1)
  }

  /// A pair that was in memory when the server was killed is evicted like any other.
  @Test func whatComesBackAtTheStartGoesAgain() throws {
    world.send("transferUserInfo payload={\"i\":1}", on: "phone")
    try world.kill()
    #expect(world.relay.pairsInMemory == 1)
    pass()
    #expect(world.relay.pairsInMemory == 0)
  }

  /// Many are written down a piece at a time.
  @Test func manyGoAFewAtATime() throws {
    let pad = String(repeating: "x", count: 10)
    for pair in 1...6 {
      world.send("activate pair=many\(pair) role=watch", on: "watch")
      world.close("watch")
      world.send("activate pair=many\(pair) role=phone", on: "sender\(pair)")
      let line = "{\"type\":\"transferUserInfo\",\"payload\":{\"p\":\"\(pad)\"}}\n"
      world.send(
        Array(String(repeating: line, count: Limits.evictedAtOnce / 2).utf8), on: "sender\(pair)")
      world.close("sender\(pair)")
    }
    world.close("phone")
    world.holdsCommits = true
    pass()
    let first = try #require(world.uncommitted.last { !$0.rows.isEmpty })
    #expect((1...3).contains(first.rows.count { $0.key.table == .queue }))
    #expect(world.relay.pairsInMemory == 7)
    world.holdsCommits = false
    world.settle()
    #expect(world.relay.pairsInMemory == 0)
  }

  // MARK: Deadlines

  /// An unfinished upload is overdue when it would have been in memory.
  @Test(arguments: [false, true]) func anUploadTimesOut(isRestarted: Bool) throws {
    let sum = String(repeating: "0", count: 64)
    world.send("transferFile n=1 name=a size=6 sha256=\"\(sum)\"", on: "phone")
    world.send("fileChunk transfer=phone:0.1 offset=0 data=YWJj", on: "phone")
    evict()
    if isRestarted { try world.kill() }
    pass(86_300)
    #expect(world.pairsRead == 0 && !world.store.segments.isEmpty)
    pass(100)
    #expect(world.pairsRead == 1 && world.relay.pairsInMemory == 0)
    #expect(world.store.rows[Row.Key(.file, pair: 1, item: 1)] == nil)
    world.send("activate pair=p role=phone", on: "phone")
    let finished = lines("phone", "didFinishFileTransfer")
    #expect(finished.count == 1 && finished[0].contains("7017"))
    evict()
    pass(200_000)
    #expect(world.pairsRead == 2, "no deadline is left")
  }

  @Test func anUploadGoesOn() {
    let sum = "bef57ec7f53a6d40beb640a780a639c83bc29ac8a9816f1fc6c5c6dcd93c4721"
    world.send("transferFile n=1 name=a size=6 sha256=\"\(sum)\"", on: "phone")
    world.send("fileChunk transfer=phone:0.1 offset=0 data=YWJj", on: "phone")
    evict()
    world.send("activate pair=p role=phone", on: "phone")
    world.send("transferFile transfer=phone:0.1", on: "phone")
    #expect(lines("phone", "accepted").last!.contains("\"offset\":3"))
    world.send("fileChunk transfer=phone:0.1 offset=3 data=ZGVm", on: "phone")
    evict()
    world.send("activate pair=p role=watch", on: "watch")
    #expect(lines("watch", "fileChunk").count == 2)
    world.send("acknowledge lane=file", on: "watch")
    evict()
    pass(200_000)
    #expect(world.pairsRead == 2, "no deadline is left")
    #expect(world.store.segments.count == 1, "the outcome")
  }
}
