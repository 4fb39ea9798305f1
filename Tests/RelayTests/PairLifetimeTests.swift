import RelaySupport
import Testing

@testable import Relay

/// A pair and its devices hold each other, so whatever takes them out of the memory has to say so.
@Suite struct PairLifetimeTests {
  private final class Watched {
    weak var pair: Pair?
    weak var device: Device?

    init(_ world: World) {
      world.send("activate pair=p role=phone", on: "phone")
      world.send("activate pair=p role=watch", on: "watch")
      device = world.client("phone").connection.device
      pair = device?.pair
    }

    // What is left refers to what is gone, and is not to be described.
    var isGone: Bool { pair == nil && device == nil }
  }

  private func leave(_ world: World) { for name in ["phone", "watch"] { world.close(name) } }

  @Test func goesWithItsEviction() throws {
    let world = try World()
    let watched = Watched(world)
    leave(world)
    let isHere = watched.pair != nil && watched.device != nil
    #expect(isHere, "it is in the memory for a while")
    world.send("advance seconds=31", on: "clock")
    #expect(world.relay.pairsInMemory == 0)
    #expect(watched.isGone)
  }

  @Test func goesWithItsErasure() throws {
    let world = try World()
    let watched = Watched(world)
    world.send("transferUserInfo payload={}", on: "phone")
    world.send("forgetPair erase=true", on: "phone")
    leave(world)
    world.relay.nextTurn(now: world.now)
    world.send("advance seconds=31", on: "clock")
    #expect(world.relay.pairsInMemory == 0)
    #expect(watched.isGone)
  }

  @Test func goesWithItsRelay() throws {
    let watched: Watched
    do {
      let world = try World()
      watched = Watched(world)
    }
    #expect(watched.isGone)
  }
}
