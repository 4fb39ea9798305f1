import Relay
import RelaySupport
import Testing

/// The server's time where the system's clock steps and the machine sleeps (PROTOCOL.md clause 11).
@Suite struct ServerClockTests {
  private static let start: Int64 = 1_790_000_000_000_000
  private static let hour: Int64 = 3_600_000_000

  /// Both clocks go on alike.
  @Test func goesOn() {
    var clock = ServerClock(steady: 5, system: Self.start)
    for passed in [0, 1, 1_000, 60_000_000] as [Int64] {
      #expect(clock.read(steady: 5 + passed, system: Self.start + passed) == nil)
      #expect(clock.wall == Self.start + passed && clock.elapsed == Self.start + passed)
      #expect(clock.offset == 0)
    }
  }

  @Test func forwardAtOnce() {
    var clock = ServerClock(steady: 0, system: Self.start)
    #expect(
      clock.read(steady: 1_000, system: Self.start + 2 * Self.hour)
        == .forward(2 * Self.hour - 1_000))
    #expect(clock.wall == Self.start + 2 * Self.hour)
    #expect(clock.elapsed == Self.start + 1_000)
    #expect(clock.read(steady: 2_000, system: Self.start + 2 * Self.hour + 1_000) == nil)
    #expect(clock.wall == Self.start + 2 * Self.hour + 1_000)
    #expect(clock.elapsed == Self.start + 2_000)
  }

  /// It stands still, and goes on with the system's clock when that has caught up.
  @Test func standsStillBackward() {
    var clock = ServerClock(steady: 0, system: Self.start)
    #expect(
      clock.read(steady: 10, system: Self.start - Self.hour + 10) == .standing(Self.hour - 10))
    for passed in stride(from: 20, through: Self.hour, by: 1_000_000) {
      #expect(clock.read(steady: passed, system: Self.start - Self.hour + passed) == nil)
      #expect(clock.wall == Self.start)
      #expect(clock.elapsed == Self.start + passed)
    }
    #expect(clock.read(steady: Self.hour + 7, system: Self.start + 7) == nil)
    #expect(clock.wall == Self.start + 7)
  }

  /// A clock that was wrong by more than a day is not waited for.
  @Test func theBound() {
    let day = ServerClock.longestStand
    var clock = ServerClock(steady: 0, system: Self.start)
    #expect(clock.read(steady: 0, system: Self.start - day) == .standing(day))
    #expect(clock.wall == Self.start)
    #expect(clock.read(steady: 0, system: Self.start - day - 1) == .back(day + 1))
    #expect(clock.wall == Self.start - day - 1)
    #expect(clock.elapsed == Self.start)
    // The ends of the range.
    #expect(clock.read(steady: 1, system: 0) == .back(Self.start - day - 1))
    #expect(clock.wall == 0)
  }

  // MARK: In the relay

  private func world() throws -> World {
    var options = Relay.Options()
    options.version = "test"
    return try World(options, now: Self.start)
  }

  private func pong(_ world: World) -> String {
    world.send("ping", on: "clock")
    return world.client("clock").takeLines().last ?? ""
  }

  @Test func tellsTheSystemsTime() throws {
    let world = try world()
    #expect(pong(world).contains("\"now\":1790000000}"))
    world.sleep(until: Self.start + 2 * Self.hour)
    #expect(pong(world).contains("\"now\":1790007200}"))
    world.stepClock(ahead: -Self.hour)
    world.pass(seconds: 60)
    #expect(pong(world).contains("\"now\":1790007200}"))
    world.pass(seconds: 3_600)
    #expect(pong(world).contains("\"now\":1790007260}"))
  }

  /// A reply has its time whatever the date does: neither a step nor a sleep makes it overdue early or
  /// late.
  @Test(arguments: [0, 7_200, -7_200] as [Int64]) func timeoutsFollowElapsedTime(_ step: Int64)
    throws
  {
    let world = try world()
    for (name, role) in [("phone", "phone"), ("watch", "watch")] {
      world.send("activate pair=p role=\(role)", on: name)
    }
    world.send("sendMessage payload={} expectsReply=true timeout=60 id=m", on: "phone")
    _ = world.client("phone").takeLines()
    world.pass(seconds: 10)
    if step == 0 {
      world.sleep(until: world.now + 2 * Self.hour)
    } else {
      world.stepClock(ahead: step * 1_000_000)
    }
    world.pass(seconds: 49)
    #expect(world.client("phone").takeLines() == [])
    world.pass(seconds: 1)
    #expect(world.client("phone").takeLines().contains { $0.contains("\"code\":7012") })
  }

  /// After a sleep a device whose clock is right is not told that it is ahead.
  @Test func nobodyIsAheadAfterASleep() throws {
    let world = try World(limits: Limits(), hasManualClock: false)
    world.now = Self.start
    world.send("activate pair=p role=phone", on: "phone")
    world.sleep(until: Self.start + 2 * Self.hour)
    world.send("sync.open schema=todoTimers", on: "phone")
    let opened = world.client("phone").takeLines().last ?? ""
    #expect(opened.contains("\"now\":\((Self.start + 2 * Self.hour) / 1_000_000),"), "\(opened)")
  }
}
