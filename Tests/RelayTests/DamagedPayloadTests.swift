import Relay
import RelaySupport
import Testing

/// A payload that the store cannot give back is said to be lost, and nothing else is touched.
@Suite struct DamagedPayloadTests {
  private func makeWorld(deadAllowance: Int = 64 << 20) throws -> World {
    var options = Relay.Options()
    options.hasManualClock = true
    options.deadAllowance = deadAllowance
    let world = try World(options)
    world.takesBatchesAhead = false
    for role in ["phone", "watch"] { world.send("activate pair=p role=\(role)", on: role) }
    return world
  }

  private func fill(_ world: World, _ numbers: ClosedRange<Int>, pad: Int = 0) {
    let pad = String(repeating: "x", count: pad)
    world.holdsCommits = true
    // The batch in flight is this one's; all else collects behind it.
    world.send("updateApplicationContext payload={\"c\":\(world.store.lastBatch)}", on: "phone")
    for number in numbers {
      world.send(
        "transferUserInfo n=\(number) payload={\"i\":\(number),\"pad\":\"\(pad)\"} id=i\(number)",
        on: "phone")
    }
    world.holdsCommits = false
    world.settle()
  }

  private func activate(_ world: World) {
    for role in ["phone", "watch"] { world.send("activate pair=p role=\(role)", on: role) }
  }

  private func received(_ world: World) -> [String] {
    world.client("watch").takeLines().filter { $0.contains("didReceiveUserInfo") }
  }

  @Test func aLongBacklogWithTwoDamagedOnes() throws {
    let world = try makeWorld()
    world.close("watch")
    fill(world, 1...300)
    try world.restart()
    for number in [100, 250] { world.store.damage("{\"i\":\(number),") }
    activate(world)
    let lines = received(world)
    #expect(lines.count == 298)
    for (line, number) in zip(lines, (1...300).filter { $0 != 100 && $0 != 250 }) {
      #expect(line.contains("\"payload\":{\"i\":\(number),"))
    }
    let failed = world.client("phone").takeLines().filter { $0.contains("\"code\":7014") }
    #expect(failed.count == 2)
    #expect(failed.first?.contains("\"n\":100,\"re\":\"i100\"") == true, "\(failed)")
    #expect(world.logs.count { $0.contains("event=payloadLost transfer=\"phone:0.100\"") } == 1)
    // Each damaged one is asked for three times, not once for each that lies before it.
    #expect(world.payloadsRead < 1_000, "\(world.payloadsRead)")
  }

  @Test(arguments: [true, false]) func anOutcomeIsSaidAnew(isFile: Bool) throws {
    let world = try makeWorld()
    let digest = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    if isFile {
      world.send("transferFile n=1 name=a size=3 sha256=\"\(digest)\" id=one", on: "phone")
      world.send("fileChunk transfer=phone:0.1 offset=0 data=YWJj", on: "phone")
    } else {
      world.send("transferUserInfo n=1 payload={} id=one", on: "phone")
    }
    world.close("phone")
    world.send("refuse lane=\(isFile ? "file" : "userInfo") seq=1 code=7015", on: "watch")
    try world.restart()
    world.store.damage("{\"type\":\"didFinish")
    activate(world)
    let type = isFile ? "didFinishFileTransfer" : "didFinishUserInfoTransfer"
    let outcomes = world.client("phone").takeLines().filter { $0.contains("didFinish") }
    #expect(outcomes.count == 1)
    #expect(
      outcomes.first?.hasPrefix(
        "{\"type\":\"\(type)\",\"transfer\":\"phone:0.1\",\"n\":1,\"re\":\"one\",\"error\":{"
          + "\"code\":7015,") == true, "\(outcomes)")
    #expect(outcomes.first?.contains("\"seq\":2") == true, "\(outcomes)")
    world.send("acknowledge lane=outcome", on: "phone")
    try world.restart()
    activate(world)
    #expect(!world.client("phone").takeLines().contains { $0.contains("didFinish") })
  }

  @Test func aDamagedChunkFailsItsFile() throws {
    let world = try makeWorld()
    world.close("watch")
    let digest = "bef57ec7f53a6d40beb640a780a639c83bc29ac8a9816f1fc6c5c6dcd93c4721"
    for number in 1...2 {
      world.send(
        "transferFile n=\(number) name=f\(number) size=6 sha256=\"\(digest)\"", on: "phone")
      world.send("fileChunk transfer=phone:0.\(number) offset=0 data=YWJj", on: "phone")
      world.send("fileChunk transfer=phone:0.\(number) offset=3 data=ZGVm", on: "phone")
    }
    try world.restart()
    world.store.damage("def")
    activate(world)
    let lines = world.client("watch").takeLines()
    #expect(lines.count { $0.contains("\"last\":true") } == 1)
    let failed = world.client("phone").takeLines().filter { $0.contains("7014") }
    #expect(failed.count == 1 && failed[0].contains("didFinishFileTransfer"), "\(failed)")
    world.send("acknowledge lane=file", on: "watch")
    world.send("acknowledge lane=outcome", on: "phone")
    world.send("outstandingTransfers", on: "phone")
    #expect(world.client("phone").takeLines().last!.contains("\"count\":0"))
    #expect(world.store.segments.isEmpty)
  }

  /// Compaction copies what is whole. What is damaged is not copied as if it were good; it stays until it
  /// is handed out, and fails then.
  @Test func compactionLeavesWhatIsDamaged() throws {
    let world = try makeWorld(deadAllowance: 10_000)
    world.close("watch")
    fill(world, 1...40, pad: 1_000)
    world.store.damage("{\"i\":20,")
    for number in 1...40 where number % 10 != 0 {
      world.send("cancelTransfer transfer=phone:0.\(number)", on: "phone")
    }
    #expect(world.segmentsRead > 0)
    try world.restart()
    activate(world)
    let lines = received(world)
    #expect(lines.count == 3)
    for (line, number) in zip(lines, [10, 30, 40]) {
      #expect(line.contains("\"payload\":{\"i\":\(number),"))
    }
    let failed = world.client("phone").takeLines().filter { $0.contains("7014") }
    #expect(failed.count == 1 && failed[0].contains("\"n\":20"), "\(failed)")
    world.send("acknowledge", on: "watch")
    world.send("acknowledge lane=outcome", on: "phone")
    #expect(world.store.segments.isEmpty)
  }
}
