import Journal
import Relay
import RelaySupport
import Testing

/// A store that cannot write, and one that has lost something.
@Suite struct StoreTroubleTests {
  private func makeWorld() throws -> World {
    let world = try World()
    world.send("activate pair=p role=phone", on: "phone")
    world.send("activate pair=p role=watch", on: "watch")
    for name in ["phone", "watch"] { _ = world.client(name).takeLines() }
    return world
  }

  /// New work is refused for certain, work under way for uncertain, and nothing is lost.
  @Test func failingWrites() throws {
    let world = try makeWorld()
    world.holdsCommits = true
    world.send("transferUserInfo payload={\"i\":1} n=1 id=1", on: "phone")
    world.send("transferUserInfo payload={\"i\":2} n=2 id=2", on: "phone")
    #expect(world.client("phone").takeLines().isEmpty)
    world.failStore("disk full")
    var lines = world.client("phone").takeLines()
    #expect(lines.count == 2)
    for (line, id) in zip(lines, [1, 2]) {
      #expect(line.contains("\"re\":\(id)") && line.contains("4008"))
      #expect(line.contains("\"definite\":false") && line.contains("disk full"))
    }
    for request in [
      "transferUserInfo payload={} n=3 id=3", "updateApplicationContext payload={} id=3",
      "configure replyTimeout=1 id=3", "setDeviceState isPaired=false id=3", "forgetPair id=3",
      "transferFile name=a size=1 sha256=x id=3", "selectWatch device=watch id=3",
    ] {
      world.send(request, on: "phone")
      lines = world.client("phone").takeLines()
      #expect(
        lines.count == 1 && lines[0].contains("4008") && lines[0].contains("\"definite\":true"))
    }
    // What needs no commit goes on.
    world.send("sendMessage payload={\"m\":1}", on: "phone")
    #expect(world.client("watch").takeLines().count == 1)

    world.holdsCommits = false
    world.recoverStore()
    #expect(world.client("phone").takeLines().isEmpty)
    #expect(world.client("watch").takeLines().count { $0.contains("didReceiveUserInfo") } == 2)
    world.send("transferUserInfo payload={\"i\":1} n=1 id=4", on: "phone")
    world.send("transferUserInfo payload={\"i\":2} n=2 id=5", on: "phone")
    world.send("transferUserInfo payload={\"i\":3} n=3 id=6", on: "phone")
    lines = world.client("phone").takeLines()
    #expect(lines.count == 3 && lines.allSatisfy { $0.contains("accepted") })
    #expect(world.client("watch").takeLines().count == 1)
    world.send("acknowledge", on: "watch")
    #expect(world.client("phone").takeLines().count == 3)
  }

  /// A server that is killed while its store fails has told nobody what it then does not have.
  @Test func killedWhileFailing() throws {
    let world = try makeWorld()
    world.holdsCommits = true
    world.send("transferUserInfo payload={\"i\":1} n=1 id=1", on: "phone")
    world.failStore()
    world.send("acknowledge", on: "watch")
    try world.kill()
    world.holdsCommits = false
    world.send("activate pair=p role=phone", on: "phone")
    #expect(world.client("phone").takeLines().last!.contains("\"n\":0,\"outstanding\":0"))
    world.send("transferUserInfo payload={\"i\":1} n=1 id=1", on: "phone")
    #expect(world.client("phone").takeLines().last!.contains("accepted"))
  }

  /// New devices are refused, known ones served, while the store fails.
  @Test func activationWhileFailing() throws {
    let world = try makeWorld()
    world.close("watch")
    world.failStore()
    world.send("activate pair=p role=watch", on: "watch")
    #expect(world.client("watch").takeLines().last!.contains("activationDidComplete"))
    world.send("activate pair=p role=watch device=new id=1", on: "new")
    #expect(world.client("new").takeLines().last!.contains("4008"))
    world.recoverStore()
    world.send("activate pair=p role=watch device=new id=2", on: "new")
    #expect(world.client("new").takeLines().last!.contains("activationDidComplete"))
  }

  /// A connection that says quit while the store fails is closed once all is answered.
  @Test func quitWhileFailing() throws {
    let world = try makeWorld()
    world.holdsCommits = true
    world.send("transferUserInfo payload={} n=1 id=1", on: "phone")
    world.failStore()
    world.send("quit", on: "phone")
    world.holdsCommits = false
    world.recoverStore()
    #expect(world.lastClient("phone")!.isClosed)
  }

  /// What the disk has lost fails at its sender; the rest is delivered, and nothing spins.
  @Test func lostPayload() throws {
    let world = try makeWorld()
    world.close("watch")
    for number in 1...3 {
      world.send("transferUserInfo payload={\"i\":\(number)} n=\(number)", on: "phone")
    }
    try world.restart()
    world.store.lose(world.store.segments.keys.sorted()[1])
    world.send("activate pair=p role=phone", on: "phone")
    world.send("activate pair=p role=watch", on: "watch")
    let received = world.client("watch").takeLines().filter { $0.contains("didReceiveUserInfo") }
    #expect(
      received.count == 2 && received[0].contains("\"i\":1") && received[1].contains("\"i\":3"))
    let finished = world.client("phone").takeLines().filter { $0.contains("didFinish") }
    #expect(finished.count == 1 && finished[0].contains("\"n\":2") && finished[0].contains("7014"))
    #expect(world.logs.contains { $0.contains("payloadLost") })
  }

  @Test func lostFile() throws {
    let world = try makeWorld()
    world.close("watch")
    world.send(
      "transferFile n=1 name=a size=3 "
        + "sha256=\"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad\"",
      on: "phone")
    world.send("fileChunk transfer=phone:0.1 offset=0 data=YWJj", on: "phone")
    world.send("transferUserInfo payload={} n=2", on: "phone")
    try world.restart()
    world.store.lose(world.store.segments.keys.min()!)
    world.send("activate pair=p role=phone", on: "phone")
    world.send("activate pair=p role=watch", on: "watch")
    #expect(world.client("watch").takeLines().contains { $0.contains("didReceiveUserInfo") })
    let finished = world.client("phone").takeLines().filter { $0.contains("didFinish") }
    #expect(finished.count == 1 && finished[0].contains("File") && finished[0].contains("7014"))
  }

  /// A segment that is copied forward while its payloads are being read: they are read again.
  @Test func copiedWhileRead() throws {
    var options = Relay.Options()
    options.hasManualClock = true
    options.deadAllowance = -1_000_000
    let world = try World(options)
    world.takesBatchesAhead = false
    world.send("activate pair=p role=phone", on: "phone")
    world.send("activate pair=p role=watch", on: "watch")
    world.close("watch")
    world.holdsCommits = true
    world.send("updateApplicationContext payload={}", on: "phone")
    let pad = String(repeating: "x", count: 900)
    for number in 1...9 {
      world.send(
        "transferUserInfo payload={\"i\":\(number),\"pad\":\"\(pad)\"} n=\(number)", on: "phone")
    }
    world.holdsCommits = false
    world.settle()
    try world.restart()
    world.send("activate pair=p role=phone", on: "phone")
    world.holdsReads = true
    world.send("activate pair=p role=watch", on: "watch")
    for number in 2...8 {
      world.send("cancelTransfer transfer=phone:0.\(number)", on: "phone")
    }
    #expect(world.segmentsRead > 0 && world.payloadsRead == 0)
    world.holdsReads = false
    world.settle()
    let received = world.client("watch").takeLines().filter { $0.contains("didReceiveUserInfo") }
    let cancelled = world.client("phone").takeLines().count { $0.contains("\"accepted\"") }
    #expect(received.count + cancelled == 9)
  }
}
