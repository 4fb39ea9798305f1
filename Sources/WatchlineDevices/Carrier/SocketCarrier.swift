import Foundation

/// A server that runs elsewhere, over TCP: a connection and a thread that reads it for each device.
final class SocketCarrier: Carrier, @unchecked Sendable {
  let address: ServerAddress
  private var connections: [String: SocketConnection] = [:]
  /// What no connection has is said once, until there is one.
  private var hasComplained = false

  init(_ address: ServerAddress) { self.address = address }

  deinit { for connection in connections.values { connection.close() } }

  var isInstant: Bool { false }

  func open(_ device: LinkDevice) -> Bool {
    connections[device.name]?.close()
    do {
      let connection = try SocketConnection(address)
      connections[device.name] = connection
      hasComplained = false
      connection.read(
        arrived: { [weak link = device.link] in link?.arrived() },
        ended: { [weak link = device.link, weak device, weak connection] in
          guard let device, let connection else { return }
          link?.ended(device) { [weak self] in self?.connections[device.name] === connection }
        })
      return true
    } catch {
      connections[device.name] = nil
      if !hasComplained { complain("\(error.sentence); what is sent waits until there is one") }
      hasComplained = true
      return false
    }
  }

  func close(_ device: LinkDevice) { connections.removeValue(forKey: device.name)?.close() }

  func send(_ line: [UInt8], of device: LinkDevice) {
    connections[device.name]?.send(line + [0x0A])
  }

  func takeLine(of device: LinkDevice) -> [UInt8]? { connections[device.name]?.takeLine() }

  func wait(for device: LinkDevice) -> Bool { connections[device.name]?.wait() ?? false }
}

/// Says what a person has to know, and no API of WCSession's has a place for.
func complain(_ sentence: String) {
  FileHandle.standardError.write(Data("watchline: \(sentence)\n".utf8))
}
