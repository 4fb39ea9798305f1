import RelaySupport

/// A phone of another pair, whose large transfers wait for nobody until they are cancelled: what is
/// left of their segments is copied then.
final class Neighbour {
  static let phone = "neighbour"
  private let world: World
  private var sent = 0

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
    connect()
    sent += 1
    let pad = String(repeating: "x", count: 4_000)
    world.send("transferUserInfo payload={\"pad\":\"\(pad)\"}", on: Self.phone)
  }

  func cancel() {
    connect()
    for count in 1..<(sent + 1) {
      world.send("cancelTransfer transfer=phone:0#\(count)", on: Self.phone)
    }
  }
}
