import InMemory
import Relay

/// The relay in this process, on a store in memory. Its clock stands still.
final class MemoryCarrier: Carrier {
  private let world: World
  private var lines: [String: LineQueue] = [:]

  init() {
    // The relay on an empty store in memory has nothing that could be damaged.
    world = try! World(Relay.Options())
    world.keepsHistory = false
  }

  var isInstant: Bool { true }

  func open(_ device: LinkDevice) -> Bool {
    world.open(device.name)
    world.settle()
    return true
  }

  func close(_ device: LinkDevice) { world.close(device.name) }

  func send(_ line: [UInt8], of device: LinkDevice) { world.send(line + [0x0A], on: device.name) }

  func takeLine(of device: LinkDevice) -> [UInt8]? {
    if let line = lines[device.name]?.take() { return line }
    guard let client = world.lastClient(device.name) else { return nil }
    lines[device.name, default: LineQueue()].append(client.lines)
    client.lines = []
    return lines[device.name]?.take()
  }

  func wait(for device: LinkDevice) -> Bool { false }

  func pass(seconds: Double) { world.pass(seconds: seconds) }

  /// Stops the relay and starts it again on what it has stored.
  func restart() { try! world.restart() }
}
