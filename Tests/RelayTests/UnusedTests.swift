import Journal
import Relay
import RelaySupport
import Testing

/// `--forget-after`: pairs that nobody has used for long enough, while the store was served, are erased.
@Suite struct UnusedTests {
  private static let day: Int64 = 86_400_000_000

  private func makeWorld(after period: Int64? = 2 * day) throws -> World {
    var options = Relay.Options()
    options.hasManualClock = true
    options.forgetAfter = period
    let world = try World(options)
    for pair in ["p", "q"] { visit(world, pair) }
    return world
  }

  private func visit(_ world: World, _ pair: String, _ line: String? = nil) {
    world.send("activate pair=\(pair) role=phone", on: pair)
    if let line { world.send(line, on: pair) }
    world.close(pair)
    pass(world, seconds: 31)
  }

  /// Time passes, as a running server notices it.
  private func pass(_ world: World, seconds: Int) {
    var left = seconds
    while left > 0 {
      world.send("advance seconds=\(min(left, 3_600))", on: "clock")
      left -= 3_600
    }
  }

  private func pairs(_ world: World) -> Int { world.relay.figures.pairsStored }

  @Test func whatNobodyUsesGoes() throws {
    let world = try makeWorld()
    visit(world, "p", "sync.open schema=todoTimers")
    pass(world, seconds: 86_400)
    visit(world, "q")
    pass(world, seconds: 85_000)
    #expect(pairs(world) == 2)
    pass(world, seconds: 3_600)
    #expect(pairs(world) == 1)
    #expect(world.logs.last { $0.contains("pairUnused") }?.contains("pair=\"p\"") == true)
    #expect(Set(world.store.rows.keys.map(\.pair)) == [0, 2])
    visit(world, "q")
    pass(world, seconds: 2 * 86_400 - 60)
    #expect(pairs(world) == 1)
    pass(world, seconds: 3_600)
    #expect(pairs(world) == 0 && world.store.rows.keys.allSatisfy { $0.pair == 0 })
    visit(world, "p")
    #expect(pairs(world) == 1)
  }

  @Test func neverWhereNobodyHasAskedForIt() throws {
    let world = try makeWorld(after: nil)
    pass(world, seconds: 10 * 86_400)
    #expect(pairs(world) == 2)
  }

  /// What waits in it goes, too, and whoever comes later is told another store.
  @Test func whatWaitsGoes() throws {
    let world = try makeWorld()
    world.send("activate pair=p role=watch", on: "watch")
    world.close("watch")
    visit(world, "p", "transferUserInfo payload={\"i\":1}")
    #expect(world.store.segments.count == 1)
    pass(world, seconds: 3 * 86_400)
    #expect(pairs(world) == 0 && world.store.segments.isEmpty)
    #expect(world.logs.contains { $0.contains("pairUnused") && $0.contains("waiting=1") })
    world.send("activate pair=p role=watch", on: "watch")
    #expect(world.lastClient("watch")!.takeLines().last!.contains("\"store\":\"memory~"))
  }

  @Test func whoeverIsConnectedKeepsIt() throws {
    let world = try makeWorld()
    world.send("activate pair=p role=phone", on: "p")
    pass(world, seconds: 5 * 86_400)
    #expect(pairs(world) == 1)
    // From its end on.
    world.close("p")
    pass(world, seconds: 2 * 86_400 - 60)
    #expect(pairs(world) == 1)
    pass(world, seconds: 3_700)
    #expect(pairs(world) == 0)
  }

  /// Time in which no server runs does not count, and what has passed is not forgotten by a stop or a kill.
  @Test(arguments: [false, true]) func acrossRuns(isKilled: Bool) throws {
    let world = try makeWorld()
    for _ in 0..<4 {
      pass(world, seconds: 10 * 3_600)
      if isKilled { try world.kill() } else { try world.restart() }
    }
    #expect(pairs(world) == 2, "40 hours")
    pass(world, seconds: 10 * 3_600 + 2 * 3_600)
    #expect(pairs(world) == 0)
  }

  /// A pair in use when the server was killed counts as used then, also where nothing of it has changed since it came
  /// back.
  @Test(arguments: [nil, "setDeviceState isLocked=true"]) func aKillWhileItIsUsed(
    line: String?
  ) throws {
    let world = try makeWorld()
    world.send("activate pair=p role=phone", on: "p")
    pass(world, seconds: 86_400)
    if let line { world.send(line, on: "p") }
    try world.kill()
    pass(world, seconds: 46 * 3_600)
    #expect(pairs(world) == 1)
    pass(world, seconds: 6 * 3_600)
    #expect(pairs(world) == 0)
  }

  /// A pair to which somebody comes while it is being read back to be erased stays.
  @Test func somebodyComesJustThen() throws {
    let world = try makeWorld()
    pass(world, seconds: 2 * 86_400 - 120)
    world.holdsPairReads = true
    pass(world, seconds: 600)
    world.send("activate pair=p role=phone", on: "p")
    world.holdsPairReads = false
    world.settle()
    #expect(pairs(world) == 1)
    world.send("getState", on: "p")
    #expect(world.lastClient("p")!.takeLines().last!.contains("\"store\"") == false)
  }

  /// Where it was not asked for, nobody knows who has used what: time begins when it is.
  @Test func laterAskedFor() throws {
    let world = try makeWorld(after: nil)
    pass(world, seconds: 10 * 86_400)
    try world.restart { $0.forgetAfter = 2 * Self.day }
    pass(world, seconds: 86_400)
    try world.restart()
    pass(world, seconds: 86_400 - 60)
    #expect(pairs(world) == 2)
    try world.restart { $0.forgetAfter = nil }
    pass(world, seconds: 86_400)
    try world.restart { $0.forgetAfter = 2 * Self.day }
    pass(world, seconds: 2 * 86_400 - 60)
    #expect(pairs(world) == 2)
    pass(world, seconds: 3_600)
    #expect(pairs(world) == 0)
  }

  /// Those that cannot be read stay, and are tried again.
  @Test func unreadablePairs() throws {
    let world = try makeWorld()
    world.failsPairReads = true
    pass(world, seconds: 3 * 86_400)
    #expect(pairs(world) == 2)
    world.failsPairReads = false
    pass(world, seconds: 3 * 86_400)
    #expect(pairs(world) == 0)
  }
}
