import InMemory
import Relay

/// The relay in this process, on a store in memory. Its clock stands still.
final class MemoryCarrier: Carrier {
  private let world: World
  /// By the devices' indices; nil for one that was never connected.
  private var ports: [Port?] = []
  /// The device whose lines wait to be carried out.
  private var poster: Port?

  /// A device's end of the wire.
  private final class Port {
    var client: Client
    var lines = LineQueue()

    init(_ client: Client) { self.client = client }
  }

  init() {
    // The relay on an empty store in memory has nothing that could be damaged.
    world = try! World(Relay.Options())
    world.keepsHistory = false
  }

  var isInstant: Bool { true }

  private func port(of device: LinkDevice) -> Port? {
    device.index < ports.count ? ports[device.index] : nil
  }

  func open(_ device: LinkDevice) -> Bool {
    _ = carryOut()
    let client = world.open(device.name)
    if let port = port(of: device) {
      port.client = client
    } else {
      while ports.count <= device.index { ports.append(nil) }
      ports[device.index] = Port(client)
    }
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
    guard let port = port(of: device) else { return false }
    if let poster, poster !== port { _ = carryOut() }
    poster = port
    world.give(line: line, to: port.client)
    // What a relay reads at once goes at once: a longer input would be moved again and again.
    if port.client.inputCount >= World.readSize { world.settle() }
    return true
  }

  func carryOut() -> Bool {
    guard poster != nil else { return false }
    poster = nil
    world.settle()
    return true
  }

  func takeLine(of device: LinkDevice) -> [UInt8]? {
    guard let port = port(of: device) else { return nil }
    if let line = port.lines.dequeue() { return line }
    guard !port.client.lines.isEmpty else { return nil }
    port.lines.append(port.client.lines)
    port.client.lines = []
    return port.lines.dequeue()
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
