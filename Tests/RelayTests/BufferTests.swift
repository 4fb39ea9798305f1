import RelaySupport
import Testing

@testable import Relay

/// What connections may make the relay hold, before and after they have a session.
@Suite struct BufferTests {
  private func makeWorld(_ change: (inout Limits) -> Void = { _ in }) throws -> World {
    var limits = Limits()
    change(&limits)
    return try World(limits: limits, hasManualClock: false)
  }

  private func line(_ count: Int) -> String { "?" + String(repeating: "x", count: count - 1) }

  /// Whole or torn, at the limit and one above it.
  @Test(arguments: [-1, 0, 1]) func linesBeforeActivation(_ excess: Int) throws {
    let world = try makeWorld()
    let length = world.relay.limits.firstLine + excess
    let code = excess > 0 ? "4005" : "4001"
    world.send(line(length), on: "a")
    #expect(world.client("a").takeLines().last?.contains(code) == true)
    world.send(Array(line(length).utf8), on: "b")
    #expect(
      world.client("b").takeLines().count == (excess > 0 ? 2 : 1), "4005 as soon as it is known")
    #expect(world.client("b").connection.input.count <= length)
    world.send("", on: "b")
    world.send("ping id=1", on: "b")
    #expect(world.client("b").takeLines().last?.contains("pong") == true)
    // A session may send more, also behind an activate whose answer is still to come.
    world.holdsCommits = true
    world.send(Array("activate pair=p role=phone\n\(line(length))\n".utf8), on: "c")
    world.holdsCommits = false
    world.settle()
    #expect(world.client("c").takeLines().last?.contains("4001") == true)
  }

  @Test func outputBeforeActivation() throws {
    let world = try makeWorld()
    let client = world.open("a")
    client.holdsOutput = true
    let answer = 200
    for _ in 0..<400 { world.send("?", from: "a", in: world) }
    let limit = world.relay.limits.firstOutput
    #expect(client.connection.waiting >= limit)
    #expect(client.connection.waiting < limit + answer)
    world.read("a")
    #expect(client.takeLines().count == 401, "nothing is lost")
  }

  @Test func activationInTime() throws {
    let world = try makeWorld()
    let relay = world.relay
    let late = relay.opened(activationTime: 10_000_000, now: world.now)
    let active = relay.opened(activationTime: 10_000_000, now: world.now)
    Array("activate pair=p role=phone\n".utf8).withUnsafeBytes {
      relay.received($0, on: active, now: world.now)
    }
    world.settle()
    world.pass(seconds: 9.999)
    #expect(!late.isEnded)
    world.pass(seconds: 0.001)
    #expect(late.isEnded && !active.isEnded)
    #expect(String(decoding: relay.takeOutput(late), as: UTF8.self).contains("7004"))
    world.pass(seconds: 100)
    #expect(!active.isEnded)
  }

  /// The largest that never activated goes first, then the largest; the others go on.
  @Test func theLargestGoesFirst() throws {
    let world = try makeWorld { $0.buffers = 100_000 }
    world.send("activate pair=p role=phone", on: "phone")
    world.send(Array(line(60_000).utf8), on: "phone")
    for index in 1...10 { world.send(Array(line(3_000 + index).utf8), on: "torn \(index)") }
    #expect(world.relay.buffered < 100_000)
    #expect((1...10).allSatisfy { !world.client("torn \($0)").isClosed })
    world.send("activate pair=q role=phone", on: "other")
    world.send(Array(line(20_000).utf8), on: "other")
    // 110,055 bytes: down to 87,500 by the largest of those without a session, from 3,010 downwards.
    #expect((1...10).filter { world.lastClient("torn \($0)")!.isClosed } == Array(3...10))
    #expect(world.lastClient("torn 10")!.takeLines().last?.contains("4008") == true)
    #expect(!world.lastClient("phone")!.isClosed && !world.lastClient("other")!.isClosed)
    // Then those with one; what they were is in the store.
    world.send(Array(line(50_000).utf8), on: "other")
    #expect(world.lastClient("other")!.isClosed && !world.lastClient("phone")!.isClosed)
    #expect(world.relay.buffered <= 87_500)
    #expect(world.logs.contains { $0.contains("connectionShed") })
    for index in 1...10 { world.close("torn \(index)") }
    world.close("phone")
    #expect(world.relay.buffered == 0)
    #expect(world.relay.releasedBytes >= 84_000)
  }
}

extension World {
  fileprivate func send(_ line: String, from name: String, in world: World) {
    send(Array(line.utf8) + [0x0A], from: lastClient(name)!)
  }
}
