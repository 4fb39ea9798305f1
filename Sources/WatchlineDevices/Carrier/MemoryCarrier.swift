import InMemory
import Relay

/// The relay in this process, on a store in memory. Its clock stands still.
final class MemoryCarrier: Carrier {
  private let world: World
  private var lines: [String: LineQueue] = [:]
  /// The device whose lines wait to be carried out.
  private var poster: String?

  init() {
    // The relay on an empty store in memory has nothing that could be damaged.
    world = try! World(Relay.Options())
    world.keepsHistory = false
  }

  var isInstant: Bool { true }

  func open(_ device: LinkDevice) -> Bool {
    _ = carryOut()
    world.open(device.name)
    world.settle()
    return true
  }

  func close(_ device: LinkDevice) {
    _ = carryOut()
    world.close(device.name)
  }

  func send(_ line: [UInt8], of device: LinkDevice) {
    _ = post(line, of: device)
    _ = carryOut()
  }

  /// Several lines cost the relay one turn. Those of two devices are carried out in their order.
  func post(_ line: [UInt8], of device: LinkDevice) -> Bool {
    if let poster, poster != device.name { _ = carryOut() }
    poster = device.name
    world.give(line + [0x0A], to: world.client(device.name))
    return true
  }

  func carryOut() -> Bool {
    guard poster != nil else { return false }
    poster = nil
    world.settle()
    return true
  }

  func takeLine(of device: LinkDevice) -> [UInt8]? {
    if let line = lines[device.name]?.take() { return line }
    guard let client = world.lastClient(device.name) else { return nil }
    lines[device.name, default: LineQueue()].append(client.lines)
    client.lines = []
    return lines[device.name]?.take()
  }

  func wait(for device: LinkDevice) -> Bool { false }

  func pass(seconds: Double) {
    _ = carryOut()
    world.pass(seconds: seconds)
  }

  /// Stops the relay and starts it again on what it has stored.
  func restart() {
    _ = carryOut()
    try! world.restart()
  }
}
