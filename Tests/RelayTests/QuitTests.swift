import Relay
import RelaySupport
import Testing

/// The end of a connection that awaits replies (PROTOCOL.md clause 1).
@Suite struct QuitTests {
  private let world: World

  init() throws {
    world = try World()
    for role in ["phone", "watch"] { world.send("activate pair=p role=\(role)", on: role) }
    world.send("sendMessage payload={\"a\":1} expectsReply=true id=m", on: "phone")
    for role in ["phone", "watch"] { _ = world.client(role).takeLines() }
  }

  /// Who says quit does not wait: each reply that it awaited is 7014, and the connection ends.
  @Test func quitWaitsForNoReply() throws {
    let phone = world.client("phone")
    world.send("transferUserInfo payload={} id=t\nquit\nping", on: "phone")
    let lines = phone.takeLines()
    #expect(lines.contains { $0.contains("\"re\":\"t\"") && $0.contains("accepted") }, "\(lines)")
    let error = lines.first { $0.contains("\"code\":7014") } ?? ""
    #expect(
      error.contains("\"re\":\"m\",\"line\":2") && error.contains("\"definite\":false"), "\(error)")
    #expect(!lines.contains { $0.contains("pong") })
    #expect(phone.isClosed)
    world.send("reply re=m1.1 payload={}", on: "watch")
    #expect(world.client("watch").takeLines().contains { $0.contains("\"code\":4004") })
  }

  /// Who ends its input, as a piped file does, still gets the reply.
  @Test func endedInputWaitsForReplies() throws {
    let phone = world.client("phone")
    world.end("phone")
    #expect(!phone.isClosed && phone.takeLines().isEmpty)
    world.send("reply re=m1.1 payload={\"b\":2}", on: "watch")
    #expect(phone.takeLines().contains { $0.contains("didReceiveReply") })
    #expect(phone.isClosed)
  }
}
