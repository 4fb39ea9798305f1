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
