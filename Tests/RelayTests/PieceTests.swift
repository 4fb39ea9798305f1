import RelaySupport
import Testing

@testable import Relay

/// Requests that are much are carried out in pieces, a turn each, and come to the same.
@Suite struct PieceTests {
  private let count = 3 * Work.pieceOfItems + 5

  private func world() throws -> World {
    let world = try World(hasManualClock: false)
    for role in ["phone", "watch"] { world.send("activate pair=p role=\(role)", on: role) }
    var left = count
    while left > 0 {
      let part = min(left, 1_000)
      world.send(
        Array(String(repeating: "transferUserInfo payload={}\n", count: part).utf8), on: "phone")
      left -= part
    }
    return world
  }

  /// Turns that a line takes, with a ping of another pair in each.
  private func turns(_ line: String, on name: String, _ world: World) -> Int {
    var turns = 0
    world.give(line: Array(line.utf8), to: world.client(name))
    repeat {
      world.give(line: Array("ping".utf8), to: world.client("other"))
      turns += 1
    } while world.turn() && turns < 1_000
    #expect(world.client("other").takeLines().count { $0.contains("pong") } >= turns - 1)
    world.settle()
    return turns
  }

  @Test(arguments: ["", " seq=\(3 * 4_096 + 5)"]) func anAcknowledgeOfMany(_ seq: String) throws {
    let world = try world()
    for name in ["phone", "watch"] { _ = world.client(name).takeLines() }
    #expect(turns("acknowledge id=a\(seq)", on: "watch", world) >= 4)
    let finished = world.client("phone").takeLines().count { $0.contains("didFinishUserInfo") }
    #expect(finished == count)
    #expect(world.client("watch").takeLines().count { $0.contains(#""re":"a""#) } == 1)
    // Once, and to the end.
    world.send("transferUserInfo payload={}", on: "phone")
    world.send("acknowledge id=b", on: "watch")
    #expect(
      world.client("phone").takeLines().count { $0.contains("didFinishUserInfo") } == 1)
  }

  /// The line without an LF at the end of the input is the same.
  @Test func asTheLastLine() throws {
    let world = try world()
    world.give(Array("acknowledge id=a".utf8), to: world.client("watch"))
    world.end("watch")
    world.settle()
    let watch = try #require(world.lastClient("watch"))
    #expect(watch.isClosed && watch.takeLines().last?.contains(#""re":"a""#) == true)
  }

  /// What a peer's kernel has confirmed at once is acknowledged a piece a turn, and to the end.
  @Test func automaticAcknowledges() throws {
    let world = try world()
    world.close("watch")
    _ = world.client("phone").takeLines()
    world.send("activate pair=p role=watch acknowledge=automatic", on: "new")
    let watch = world.client("new").connection
    watch.device?.unconfirmed = Deque()
    var total = 0
    for seq in 1...3 * Work.confirmedAtOnce {
      total = seq
      watch.device?.unconfirmed.append((UInt64(seq), .userInfo, UInt64(seq)))
    }
    var pieces = 0
    while world.relay.unconfirmedPosition(watch) != nil, pieces < 10 {
      world.relay.confirmed(watch, through: UInt64(total), now: world.now)
      pieces += 1
    }
    #expect(pieces == 3)
  }

  @Test func aPairIsForgotten() throws {
    let world = try world()
    for name in ["phone", "watch"] { _ = world.client(name).takeLines() }
    let phone = world.client("phone")
    #expect(turns("forgetPair id=f", on: "phone", world) >= 4)
    let lines = phone.takeLines()
    #expect(lines.contains { $0.contains(#""type":"accepted","re":"f""#) })
    #expect(lines.contains { $0.contains(#""reason":"forgotten""#) })
    world.send("activate pair=p role=watch", on: "watch")
    #expect(world.client("watch").takeLines().last?.contains(#""userInfo":0"#) == true)
  }

  /// Somebody else ends the session in the middle: what was left to acknowledge is not of the next one.
  @Test func theNextSessionIsItsOwn() throws {
    let world = try world()
    let watch = world.client("watch")
    world.give(line: Array("acknowledge".utf8), to: watch)
    _ = world.turn()
    #expect(watch.connection.acknowledging != nil)
    world.send("forgetPair", on: "phone")
    #expect(watch.connection.acknowledging == nil)
    #expect(watch.takeLines().contains { $0.contains(#""reason":"forgotten""#) })
  }

  /// Whoever goes in the middle has acknowledged a part, which is as if they had asked for it.
  @Test func interrupted() throws {
    let world = try world()
    world.give(line: Array("acknowledge".utf8), to: world.client("watch"))
    _ = world.turn()
    world.close("watch")
    _ = world.client("phone").takeLines()
    world.send("activate pair=p role=watch", on: "watch")
    let again = world.client("watch").takeLines().count { $0.contains("didReceiveUserInfo") }
    #expect(again > 0 && again <= count)
  }
}
