import Journal
import Relay
import RelaySupport
import Testing

/// Slow readers, full queues and bounds on memory: nothing is dropped silently, and each hurts
/// only its own counterpart.
@Suite struct PressureTests {
  private func makeWorld(_ change: (inout Limits) -> Void = { _ in }) throws -> World {
    var limits = Limits()
    limits.waitingOutput = 2_000
    change(&limits)
    let world = try World(limits: limits, hasManualClock: false)
    for pair in ["p", "q"] {
      world.send("activate pair=\(pair) role=phone", on: "\(pair).phone")
      world.send("activate pair=\(pair) role=watch", on: "\(pair).watch")
    }
    for name in ["p.phone", "p.watch", "q.phone", "q.watch"] { _ = world.client(name).takeLines() }
    return world
  }

  private let message =
    "{\"type\":\"sendMessage\",\"payload\":{\"pad\":\"" + String(repeating: "x", count: 500)
    + "\"},\"id\":"

  /// One machine cannot take the connections of all.
  @Test func anAddressHasItsShare() throws {
    let world = try makeWorld { $0.addressConnections = 2 }
    func open(_ name: String, _ address: String?) -> String {
      world.open(name, address: address)
      world.settle()
      return world.lastClient(name)!.takeLines().joined()
    }
    for name in ["a", "b"] { #expect(open(name, "10.0.0.1").contains("hello")) }
    let refused = open("c", "10.0.0.1")
    #expect(refused.contains("\"code\":4011") && refused.contains("(addressConnections)"))
    #expect(refused.contains("10.0.0.1 has 2 connections open"))
    #expect(world.lastClient("c")!.isClosed)
    // Others have theirs, and this machine has no bound of this kind.
    #expect(open("d", "10.0.0.2").contains("hello"))
    for number in 0..<5 { #expect(open("own\(number)", nil).contains("hello")) }
    // What is closed makes room, the refused one too.
    world.close("a")
    #expect(open("e", "10.0.0.1").contains("hello"))
    #expect(open("f", "10.0.0.1").contains("\"code\":4011"))
  }

  /// A message for a full receiver stops its sender's input, for at most two seconds.
  @Test func liveMessageWaitsForAFullReceiver() throws {
    let world = try makeWorld()
    world.client("p.watch").holdsOutput = true
    for id in 1...6 { world.send(message + "\(id)}", on: "p.phone") }
    world.send("ping id=7", on: "p.phone")
    #expect(world.client("p.phone").takeLines().isEmpty)
    #expect(!world.relay.wantsInput(world.client("p.phone").connection))
    // Others are not held up.
    world.send(message + "1}", on: "q.phone")
    world.send("ping id=1", on: "q.phone")
    #expect(world.client("q.watch").takeLines().count == 1)
    #expect(world.client("q.phone").takeLines().count == 1)

    world.pass(seconds: 1.9)
    #expect(world.client("p.phone").takeLines().isEmpty)
    world.pass(seconds: 0.1)
    let lines = world.client("p.phone").takeLines()
    #expect(lines.count == 3)
    #expect(lines[0].contains("\"re\":5") && lines[0].contains("7014"))
    #expect(lines[1].contains("\"re\":6") && lines[1].contains("7014"))
    #expect(lines[2].contains("pong"))
  }

  /// While a receiver is saturated messages fail at once; when it has drained they go on.
  @Test func saturatedReceiverRecovers() throws {
    let world = try makeWorld()
    world.client("p.watch").holdsOutput = true
    for id in 1...5 { world.send(message + "\(id)}", on: "p.phone") }
    world.pass(seconds: 2)
    #expect(world.client("p.phone").takeLines().count == 1)
    world.send(message + "6}", on: "p.phone")
    #expect(world.client("p.phone").takeLines()[0].contains("7014"))
    world.read("p.watch")
    #expect(world.client("p.watch").takeLines().count == 4)
    world.send(message + "7}", on: "p.phone")
    #expect(world.client("p.phone").takeLines().isEmpty)
    #expect(world.client("p.watch").takeLines().count == 1)
  }

  /// A receiver that drains within the two seconds gets the message that waited.
  @Test func waitingMessageIsDelivered() throws {
    let world = try makeWorld()
    world.client("p.watch").holdsOutput = true
    for id in 1...5 { world.send(message + "\(id)}", on: "p.phone") }
    world.pass(seconds: 1)
    world.read("p.watch")
    #expect(world.client("p.watch").takeLines().count == 5)
    world.pass(seconds: 5)
    #expect(world.client("p.phone").takeLines().isEmpty)
  }

  /// A receiver that goes while a message waits for it: 7007, for it is reachable no more.
  @Test func receiverGoesWhileAMessageWaits() throws {
    let world = try makeWorld()
    world.client("p.watch").holdsOutput = true
    for id in 1...5 { world.send(message + "\(id)}", on: "p.phone") }
    world.close("p.watch")
    let lines = world.client("p.phone").takeLines()
    #expect(lines.contains { $0.contains("\"re\":5") && $0.contains("7007") })
  }

  /// A sender that goes while its message waits leaves nothing behind.
  @Test func senderGoesWhileItsMessageWaits() throws {
    let world = try makeWorld()
    world.client("p.watch").holdsOutput = true
    for id in 1...5 { world.send(message + "\(id)}", on: "p.phone") }
    world.close("p.phone")
    world.pass(seconds: 2)
    world.read("p.watch")
    world.send("activate pair=p role=phone", on: "p.phone")
    world.send(message + "6}", on: "p.phone")
    #expect(world.client("p.watch").takeLines().last!.contains("didReceiveMessage"))
  }

  /// Items for a slow reader wait in the store, not in its output.
  @Test func itemsWaitInTheStore() throws {
    let world = try makeWorld()
    world.client("p.watch").holdsOutput = true
    let pad = String(repeating: "x", count: 500)
    for number in 1...40 {
      world.send("transferUserInfo n=\(number) payload={\"pad\":\"\(pad)\"}", on: "p.phone")
    }
    #expect(world.client("p.phone").takeLines().count == 40)
    #expect(world.client("p.watch").unreadBytes < 3_000)
    world.read("p.watch")
    #expect(world.client("p.watch").takeLines().count == 40)
  }

  /// The next lines of a connection wait while its own answers are not read.
  @Test func ownOutputBound() throws {
    let world = try makeWorld()
    let phone = world.client("p.phone")
    phone.holdsOutput = true
    for id in 1...500 { world.send("ping id=\(id)", on: "p.phone") }
    #expect(phone.unreadBytes < 5_000)
    #expect(!world.relay.wantsInput(phone.connection))
    world.read("p.phone")
    #expect(phone.takeLines().count == 500)
  }

  /// Input that no commit covers is bounded, for one connection and for all.
  @Test func uncommittedInputBound() throws {
    let world = try makeWorld {
      $0.uncommittedInput = 3_000
      $0.uncommittedTotal = 5_000
    }
    world.holdsCommits = true
    let pad = String(repeating: "x", count: 900)
    for number in 1...10 {
      world.send("transferUserInfo n=\(number) payload={\"pad\":\"\(pad)\"}", on: "p.phone")
      world.send("transferUserInfo n=\(number) payload={\"pad\":\"\(pad)\"}", on: "q.phone")
    }
    #expect(!world.relay.wantsInput(world.client("p.phone").connection))
    let written = world.uncommitted.reduce(0) { $0 + ($1.segment?.body.count ?? 0) }
    #expect(written < 8_000)
    // A third one, with nothing of its own uncommitted, still gets its turn.
    world.send("ping id=1", on: "p.watch")
    world.send("transferUserInfo n=1 payload={}", on: "p.watch")
    #expect(world.client("p.watch").takeLines().count { $0.contains("pong") } == 1)
    #expect(!world.relay.wantsInput(world.client("p.watch").connection))
    world.holdsCommits = false
    world.settle()
    for name in ["p", "q"] {
      #expect(world.client("\(name).phone").takeLines().count { $0.contains("accepted") } == 10)
      let received = world.client("\(name).watch").takeLines()
      #expect(received.count { $0.contains("didReceiveUserInfo") } == 10)
    }
  }

  /// A device whose session has gone to another connection while answers were owed to the old one:
  /// the old one is closed as soon as it has read what it was sent.
  @Test func replacedWithAnswersOwed() throws {
    let world = try makeWorld()
    let old = world.client("p.watch")
    old.holdsOutput = true
    world.holdsCommits = true
    world.send("transferUserInfo payload={} id=1", on: "p.watch")
    world.send("activate pair=p role=watch", on: "new")
    world.holdsCommits = false
    world.settle()
    #expect(!old.isClosed)
    old.holdsOutput = false
    world.look(at: old)
    #expect(old.isClosed)
    #expect(old.takeLines().last!.contains("replaced"))
    world.send("ping", on: "new")
    #expect(world.client("new").takeLines().last!.contains("pong"))
  }

  /// A file for a slow reader stays in the store, and other items pass between its chunks.
  @Test func filesGoInPieces() throws {
    let world = try makeWorld()
    let data = String(repeating: "AAAA", count: 500)
    world.send(
      "transferFile n=1 name=zeros size=6000 "
        + "sha256=\"a6bedce1e512d6531cd02fe7a0b72bb64f229cdb254ec48d63308877004e620a\"",
      on: "p.phone")
    let watch = world.client("p.watch")
    watch.holdsOutput = true
    for offset in [0, 1_500, 3_000, 4_500] {
      world.send("fileChunk transfer=phone:0.1 offset=\(offset) data=\(data)", on: "p.phone")
    }
    #expect(watch.unreadBytes < 5_000)
    world.send("transferUserInfo n=2 payload={}", on: "p.phone")
    world.read("p.watch")
    let types = watch.takeLines().map { $0.split(separator: "\"")[3] }
    #expect(
      types == [
        "didReceiveFile", "fileChunk", "didReceiveUserInfo", "fileChunk", "fileChunk", "fileChunk",
      ])
  }
}
