import RelaySupport

/// A phone of another pair, whose large transfers share segments with the run's own and wait for nobody until
/// they are cancelled: what is left of their segments is copied then.
final class Neighbour {
  private static let phone = "neighbour"
  private static let pad = String(repeating: "x", count: 4_000)
  /// It sends something before every so-manyth time that a device does.
  private static let pause = 3

  private let world: World
  private var turns = 0
  private var sent = 0
  private var cancelled = 0
  private var hasLeft = false

  init(_ world: World) {
    self.world = world
    world.send("activate pair=n role=watch", on: "neighbour's watch")
    world.close("neighbour's watch")
  }

  private func connect() {
    if world.lastClient(Self.phone)?.isClosed != false {
      world.send("activate pair=n role=phone", on: Self.phone)
    }
  }

  func send() {
    turns += 1
    guard !hasLeft, turns.isMultiple(of: Self.pause) else { return }
    connect()
    // The first is on its way alone; the second collects with what follows.
    for _ in 0..<2 {
      sent += 1
      world.send("transferUserInfo payload={\"pad\":\"\(Self.pad)\"}", on: Self.phone)
    }
  }

  func cancel() {
    connect()
    while cancelled < sent {
      cancelled += 1
      world.send("cancelTransfer transfer=phone:0#\(cancelled)", on: Self.phone)
    }
  }

  /// It cancels what waits, and is gone.
  func leave() {
    cancel()
    hasLeft = true
    world.close(Self.phone)
  }
}
