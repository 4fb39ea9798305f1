import Journal
import Relay
import RelaySupport
import Testing

/// A little that waits long does not keep much in the store.
@Suite struct CompactionTests {
  private func makeWorld() throws -> World {
    var options = Relay.Options()
    options.hasManualClock = true
    options.deadAllowance = 10_000
    let world = try World(options)
    world.takesBatchesAhead = false
    world.send("activate pair=p role=phone", on: "phone")
    world.send("activate pair=p role=watch", on: "watch")
    world.close("watch")
    return world
  }

  /// One segment with `count` items of about 1,000 bytes.
  private func fill(_ world: World, from first: Int, count: Int) {
    let pad = String(repeating: "x", count: 1_000)
    collect(world) {
      for number in first..<(first + count) {
        world.send(
          "transferUserInfo n=\(number) payload={\"i\":\(number),\"pad\":\"\(pad)\"}", on: "phone")
      }
    }
  }

  private func bodies(_ world: World) -> Int {
    world.store.segments.values.reduce(0) { $0 + $1.body.count }
  }

  @Test func liveRestsAreCopiedForward() throws {
    let world = try makeWorld()
    fill(world, from: 1, count: 40)
    #expect(bodies(world) > 40_000)
    for number in 1...40 where number % 10 != 0 {
      world.send("cancelTransfer transfer=phone:0.\(number)", on: "phone")
    }
    #expect(world.segmentsRead > 0)
    #expect(bodies(world) < 12_000)
    try deliversRest(world)
  }

  @Test func copiesSurviveAKill() throws {
    let world = try makeWorld()
    fill(world, from: 1, count: 40)
    for number in 1...40 where number % 10 != 0 {
      world.send("cancelTransfer transfer=phone:0.\(number)", on: "phone")
    }
    try world.kill()
    try deliversRest(world)
    try world.kill()
    world.send("activate pair=p role=phone", on: "phone")
    world.send("outstandingTransfers", on: "phone")
    #expect(world.client("phone").takeLines().last!.contains("\"count\":0"))
    #expect(world.store.segments.isEmpty)
  }

  /// What was sparse when the server ended is found again when it starts.
  @Test func sparseSegmentsAreFoundAtStart() throws {
    let world = try makeWorld()
    fill(world, from: 1, count: 9)
    for number in 1...8 {
      world.send("cancelTransfer transfer=phone:0.\(number)", on: "phone")
    }
    #expect(world.segmentsRead == 0)
    let sparse = try #require(world.store.segments.keys.min())
    try world.restart()
    world.send("activate pair=p role=phone", on: "phone")
    fill(world, from: 10, count: 12)
    for number in 10...20 {
      world.send("cancelTransfer transfer=phone:0.\(number)", on: "phone")
    }
    #expect(world.segmentsRead == 1)
    #expect(!world.store.segments.keys.contains(sparse))
  }

  /// An item that moved to another lane refers to a segment whose header names it no more, and
  /// which must stay even where all else in it was copied away.
  @Test func movedItemsKeepTheirSegment() throws {
    let world = try makeWorld()
    let pad = String(repeating: "x", count: 10_000)
    collect(world) {
      for number in 1...4 {
        world.send("transferUserInfo n=\(number) payload={\"pad\":\"\(pad)\"}", on: "phone")
      }
      world.send("transferUserInfo n=5 payload={\"keep\":1}", on: "phone")
      world.send("transferCurrentComplicationUserInfo n=6 payload={\"moves\":1}", on: "phone")
    }
    collect(world) {
      for number in 7...10 {
        world.send("transferUserInfo n=\(number) payload={\"pad\":\"\(pad)\"}", on: "phone")
      }
      world.send("transferCurrentComplicationUserInfo n=11 payload={\"moves\":2}", on: "phone")
    }
    for number in [1, 2, 3, 4, 7, 8, 9, 10] {
      world.send("cancelTransfer transfer=phone:0.\(number)", on: "phone")
    }
    #expect(world.segmentsRead == 2)
    for _ in 0..<2 {
      try world.kill()
      world.send("activate pair=p role=phone", on: "phone")
      world.send("transferUserInfo payload={}", on: "phone")
    }
    world.send("activate pair=p role=watch", on: "watch")
    let lines = world.client("watch").takeLines().filter { $0.contains("didReceiveUserInfo") }
    #expect(lines.count { $0.contains("moves") } == 2)
    #expect(lines.count { $0.contains("keep") } == 1)
  }

  /// Has all that `body` sends share one segment.
  private func collect(_ world: World, _ body: () -> Void) {
    world.holdsCommits = true
    // The batch in flight is this one's; all else collects behind it.
    world.send("updateApplicationContext payload={\"c\":\(world.store.lastBatch)}", on: "phone")
    body()
    world.holdsCommits = false
    world.settle()
  }

  /// A file whose chunks were copied is still the same file.
  @Test func chunksAreCopied() throws {
    let world = try makeWorld()
    world.send(
      "transferFile n=1 name=a size=6 "
        + "sha256=\"bef57ec7f53a6d40beb640a780a639c83bc29ac8a9816f1fc6c5c6dcd93c4721\"",
      on: "phone")
    let pad = String(repeating: "x", count: 20_000)
    collect(world) {
      world.send("fileChunk transfer=phone:0.1 offset=0 data=YWJj", on: "phone")
      world.send("transferUserInfo n=2 payload={\"pad\":\"\(pad)\"}", on: "phone")
    }
    world.send("cancelTransfer transfer=phone:0.2", on: "phone")
    #expect(world.segmentsRead == 1)
    try world.kill()
    world.send("activate pair=p role=phone", on: "phone")
    world.send("fileChunk transfer=phone:0.1 offset=3 data=ZGVm", on: "phone")
    world.send("activate pair=p role=watch", on: "watch")
    let chunks = world.client("watch").takeLines().filter { $0.contains("\"fileChunk\"") }
    #expect(chunks.count == 2 && chunks[0].contains("YWJj") && chunks[1].contains("ZGVm"))
  }

  /// What is live in a sparse segment may be an evicted pair's: it comes back for its records alone.
  @Test func evictedPairsAreCopied() throws {
    let world = try makeWorld()
    let sum = "bef57ec7f53a6d40beb640a780a639c83bc29ac8a9816f1fc6c5c6dcd93c4721"
    for pair in ["q", "r", "s"] {
      world.send("activate pair=\(pair) role=watch", on: "\(pair).watch")
      world.send("activate pair=\(pair) role=phone", on: "\(pair).phone")
      world.close("\(pair).watch")
    }
    world.send("transferFile n=1 name=a size=6 sha256=\"\(sum)\"", on: "r.phone")
    // One segment with something of each pair.
    collect(world) {
      let pad = String(repeating: "x", count: 40_000)
      world.send("transferUserInfo n=1 payload={\"pad\":\"\(pad)\"}", on: "phone")
      world.send("transferUserInfo n=1 payload={\"q\":1}", on: "q.phone")
      world.send("fileChunk transfer=phone:0.1 offset=0 data=YWJj", on: "r.phone")
      world.send("transferUserInfo n=1 payload={\"s\":1}", on: "s.phone")
    }
    // Dead in the segment before it is copied.
    world.send("cancelTransfer transfer=phone:0.1", on: "s.phone")
    for pair in ["q", "r", "s"] { world.close("\(pair).phone") }
    world.send("advance seconds=31", on: "clock")
    #expect(world.relay.pairsInMemory == 1)

    world.send("cancelTransfer transfer=phone:0.1", on: "phone")
    #expect(world.segmentsRead == 1)
    #expect(world.pairsRead == 2, "when q and r are copied the segment goes")
    #expect(bodies(world) < 1_000)
    #expect(world.relay.pairsInMemory == 1, "they go at once")
    for isKilled in [false, true] {
      if isKilled { try world.kill() }
      world.send("activate pair=q role=watch", on: "q.watch")
      #expect(
        world.client("q.watch").takeLines().contains { $0.contains("\"payload\":{\"q\":1}") })
    }
    world.send("activate pair=r role=phone", on: "r.phone")
    world.send("fileChunk transfer=phone:0.1 offset=3 data=ZGVm", on: "r.phone")
    world.send("activate pair=r role=watch", on: "r.watch")
    let chunks = world.client("r.watch").takeLines().filter { $0.contains("\"fileChunk\"") }
    #expect(chunks.count == 2 && chunks[0].contains("YWJj") && chunks[1].contains("ZGVm"))
    world.send("activate pair=s role=phone", on: "s.phone")
    world.send("outstandingTransfers", on: "s.phone")
    #expect(world.client("s.phone").takeLines().last!.contains("\"count\":0"))
  }

  /// An evicted pair that cannot be read keeps its segment; the others' records are copied.
  @Test func anUnreadablePairKeepsItsSegment() throws {
    let world = try makeWorld()
    for role in ["watch", "phone"] { world.send("activate pair=q role=\(role)", on: "q.\(role)") }
    world.close("q.watch")
    collect(world) {
      let pad = String(repeating: "x", count: 40_000)
      world.send("transferUserInfo n=1 payload={\"pad\":\"\(pad)\"}", on: "phone")
      world.send("transferUserInfo n=1 payload={\"q\":1}", on: "q.phone")
    }
    world.close("q.phone")
    world.send("advance seconds=31", on: "clock")
    world.failsPairReads = true
    world.send("cancelTransfer transfer=phone:0.1", on: "phone")
    #expect(world.segmentsRead == 1 && world.pairsRead == 1 && bodies(world) > 40_000)
    world.failsPairReads = false
    world.send("activate pair=q role=watch", on: "q.watch")
    #expect(world.client("q.watch").takeLines().contains { $0.contains("{\"q\":1}") })
  }

  private func deliversRest(_ world: World) throws {
    world.send("activate pair=p role=phone", on: "phone")
    world.send("activate pair=p role=watch", on: "watch")
    let lines = world.client("watch").takeLines().filter { $0.contains("didReceiveUserInfo") }
    #expect(lines.count == 4)
    for (line, number) in zip(lines, [10, 20, 30, 40]) {
      #expect(line.contains("{\"i\":\(number),\"pad\":\"xxx") && line.contains("\"seq\":\(number)"))
    }
    world.send("acknowledge", on: "watch")
    #expect(bodies(world) == 0)
  }
}
