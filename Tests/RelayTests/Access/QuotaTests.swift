import RelaySupport
import Testing

@testable import Relay

/// How fast a connection may send, and how many pairs a token may make.
@Suite struct QuotaTests {
  private static let text = AccessTests.text

  private func world(
    _ change: (inout Quota) -> Void = { _ in }, hasManualClock: Bool = false,
    limits: (inout Limits) -> Void = { _ in }
  ) throws -> World {
    var bounds = Limits()
    limits(&bounds)
    let token = AccessTests.token { change(&$0.quota) }
    return try World(limits: bounds, hasManualClock: hasManualClock, access: Access([token]))
  }

  private func give(_ lines: String, _ world: World, _ client: Client) {
    world.send(Array(lines.utf8), from: client)
  }

  /// Pongs among what a client was answered since the last time.
  private func pongs(_ client: Client) -> Int {
    client.takeLines().count { $0.contains("pong") }
  }

  private static let pings = String(repeating: "ping\n", count: 200)

  // MARK: Pace

  /// A second's worth at once, and then one line after the other; none is refused, and none is lost.
  @Test func linesComeAtTheirPace() throws {
    let world = try world(limits: { $0.linesPerSecond = 50 })
    let client = world.open("a")
    give(Self.pings, world, client)
    // The one that takes more than there is is served, too.
    #expect(pongs(client) == 51)
    #expect(!world.relay.wantsInput(client.connection))
    world.advance(to: world.now + 19_000)
    #expect(pongs(client) == 0)
    world.advance(to: world.now + 1_100)
    #expect(pongs(client) == 1)
    var all = 52
    for _ in 0..<160 {
      world.advance(to: world.now + 20_100)
      all += pongs(client)
    }
    #expect(all == 200 && world.relay.figures.slowed >= 149)
    // Whoever was silent for long has a second's worth again, and no more.
    world.advance(to: world.now + 3_600_000_000)
    give(Self.pings, world, client)
    #expect(pongs(client) == 51)
  }

  /// Nobody else is slowed: each connection has a pace of its own.
  @Test func theOthersGoOn() throws {
    let world = try world(limits: { $0.linesPerSecond = 10 })
    give(Self.pings, world, world.open("fast"))
    let other = world.open("other")
    give("ping\n", world, other)
    #expect(pongs(other) == 1)
  }

  /// Bytes count wherever they are: in lines, in torn ones, and in those that are skipped.
  @Test(arguments: [
    "ping \(String(repeating: " ", count: 2_995))\n", String(repeating: "x", count: 3_000),
    String(repeating: "\n", count: 3_000), String(repeating: "y", count: 9_000) + "\n",
  ]) func bytesComeAtTheirPace(_ flood: String) throws {
    let world = try world(limits: { $0.bytesPerSecond = 1_000 })
    let client = world.open("a")
    give(flood, world, client)
    give("\nping\n", world, client)
    #expect(pongs(client) <= 1 && !world.relay.wantsInput(client.connection))
    world.advance(to: world.now + Int64(flood.utf8.count - 1_000) * 1_000 + 10_000)
    #expect(world.relay.wantsInput(client.connection))
    _ = pongs(client)
    world.advance(to: world.now + 1_000_000)
    give("ping\n", world, client)
    #expect(pongs(client) == 1)
  }

  /// The smaller of the server's limit and the token's quota counts, from the moment of the token on.
  @Test func aTokenHasItsPace() throws {
    let world = try world({ $0.linesPerSecond = 5 }, limits: { $0.linesPerSecond = 100 })
    let client = world.open("a")
    give("authenticate token=\(Self.text)\n" + Self.pings, world, client)
    #expect(pongs(client) == 5)
    // A larger quota from now on brings no second's worth.
    let token = AccessTests.token { $0.quota.linesPerSecond = 20 }
    world.relay.takeAccess(Access([token]), now: world.now)
    world.advance(to: world.now + 1_000_000)
    #expect((15...22).contains(pongs(client)))
  }

  /// Whoever waits for their turn has not gone: the end of their input comes after all of it.
  @Test func theEndComesLast() throws {
    let world = try world(limits: { $0.linesPerSecond = 100 })
    let client = world.open("a")
    give(Self.pings, world, client)
    world.end("a")
    #expect(!client.isClosed && pongs(client) == 101)
    world.advance(to: world.now + 2_000_000)
    world.advance(to: world.now + 2_000_000)
    #expect(pongs(client) == 99 && client.isClosed)
  }

  /// A manual clock may stand still, and who waits could not move it.
  @Test func noPaceByAManualClock() throws {
    let world = try world(hasManualClock: true, limits: { $0.linesPerSecond = 1 })
    let client = world.open("a")
    give(Self.pings, world, client)
    #expect(pongs(client) == 200)
  }

  /// After the longest debt that a number can make, and with the highest pace.
  @Test func numbersHaveRoom() {
    var pace = Pace(linesPerSecond: 1, bytesPerSecond: 1, now: 0)!
    pace.spend(lines: .max, bytes: .max, .max)
    #expect(pace.debt == 86_400_000_001)
    pace = Pace(linesPerSecond: Quota.most, bytesPerSecond: 0, now: 0)!
    pace.spend(lines: 1, bytes: .max, 1)
    #expect(pace.debt == 0)
    #expect(Pace(linesPerSecond: 0, bytesPerSecond: 0, now: 0) == nil)
  }

  // MARK: Pairs

  private func activate(_ world: World, _ pair: String) -> String {
    world.send("activate pair=\(pair) role=watch token=\(Self.text)", on: pair)
    return world.client(pair).takeLines().last ?? ""
  }

  /// −1, 0 and +1 of what a token may make; those that there are go on, also after a restart.
  @Test func aTokenMakesSoManyPairs() throws {
    let world = try world({ $0.pairs = 2 })
    #expect(activate(world, "a").contains("activationDidComplete"))
    #expect(activate(world, "b").contains("activationDidComplete"))
    let refused = activate(world, "c")
    #expect(refused.contains("\"code\":4008") && refused.contains("(quota.pairs)"), "\(refused)")
    world.close("a")
    #expect(activate(world, "a").contains("activationDidComplete"))
    try world.restart()
    #expect(activate(world, "c").contains("4008"))
    #expect(activate(world, "b").contains("activationDidComplete"))
    // Another token's pairs are its own.
    let other = Token.text(id: "another1", secret: [UInt8](repeating: 9, count: 32))
    world.relay.takeAccess(
      Access([
        AccessTests.token { $0.quota.pairs = 2 },
        AccessTests.token("another1", other) { $0.quota.pairs = 1 },
      ]), now: world.now)
    world.send("activate pair=c role=watch token=\(other)", on: "other")
    #expect(world.client("other").takeLines().last?.contains("activationDidComplete") == true)
    // It is in the pair of another's making, and so it does not count.
    #expect(activate(world, "c").contains("activationDidComplete"))
    world.close("c")
    #expect(activate(world, "d").contains("4008"))
  }

  /// A blank pair that is let go makes room for its maker.
  @Test func whatIsLetGoMakesRoom() throws {
    let world = try world({ $0.pairs = 2 }, limits: { $0.pairs = 2 })
    for pair in ["a", "b"] {
      #expect(activate(world, pair).contains("activationDidComplete"))
      world.close(pair)
    }
    world.advance(to: world.now + 2 * Limits.idleGrace)
    #expect(world.relay.pairsInMemory == 0)
    // Its own quota counts first.
    #expect(activate(world, "c").contains("(quota.pairs)"))
    let other = Token.text(id: "another1", secret: [UInt8](repeating: 9, count: 32))
    world.relay.takeAccess(
      Access([AccessTests.token { $0.quota.pairs = 2 }, AccessTests.token("another1", other)]),
      now: world.now)
    world.send("activate pair=c role=watch token=\(other)", on: "other")
    #expect(world.client("other").takeLines().last?.contains("activationDidComplete") == true)
    world.close("other")
    world.advance(to: world.now + 2 * Limits.idleGrace)
    #expect(activate(world, "d").contains("activationDidComplete"))
  }
}
