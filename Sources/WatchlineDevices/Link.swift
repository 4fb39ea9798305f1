import Foundation
import InMemory
import Relay
import Seeded

/// A phone, its watches and a relay between them, all in this process. Its clock stands still but for `advance`.
///
/// Every call may come from any thread. What the devices are told waits until the link is pumped, or comes by
/// itself after its latency, so that nothing arrives before the call that caused it has returned.
package final class Link: @unchecked Sendable {
  /// Guards all of the link and its devices. No app's code runs under it.
  let lock = NSRecursiveLock()
  private let world: World
  package let name: String
  package private(set) var devices: [LinkDevice] = []
  /// Seconds after which what is told comes by itself; nil where the link has to be pumped.
  package var latency: Double?
  /// Where received files lie.
  let folder: URL
  private var isPumpDue = false

  package init(name: String = "pair", latency: Double? = nil) {
    // The relay on an empty store in memory has nothing that could be damaged.
    world = try! World(Relay.Options())
    self.name = name
    self.latency = latency
    world.keepsHistory = false
    folder = FileManager.default.temporaryDirectory.appendingPathComponent(
      "watchline-\(UUID().uuidString)")
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  // MARK: Devices

  package func add(_ name: String, isPhone: Bool) -> LinkDevice {
    locked {
      let device = LinkDevice(name: name, isPhone: isPhone, link: self)
      devices.append(device)
      device.connect()
      return device
    }
  }

  func locked<Result>(_ body: () throws -> Result) rethrows -> Result {
    lock.lock()
    defer { lock.unlock() }
    return try body()
  }

  // MARK: The wire

  /// Sends a line and hands each device what it is written; the lines of the device itself come back too.
  func send(_ line: [UInt8], from device: LinkDevice) {
    world.send(line + [0x0A], on: device.name)
    deliver()
  }

  func open(_ device: LinkDevice) {
    world.open(device.name)
    world.settle()
    deliver()
  }

  func close(_ device: LinkDevice) {
    world.close(device.name)
    deliver()
  }

  private func deliver() {
    var isDone = false
    while !isDone {
      isDone = true
      for device in devices {
        guard let client = world.lastClient(device.name), !client.lines.isEmpty else { continue }
        isDone = false
        let lines = client.lines
        client.lines = []
        for line in lines { device.receive(line) }
      }
    }
    if latency != nil { pumpSoon() }
  }

  /// Time passes on the link; the apps' own clocks go on as they do.
  package func advance(seconds: Double) {
    locked {
      world.pass(seconds: seconds)
      deliver()
    }
  }

  /// Stops the relay and starts it again on what it has stored.
  package func restart() {
    locked {
      let online = devices.filter(\.isOnline)
      for device in online { device.disconnect() }
      try! world.restart()
      for device in online { device.connect() }
    }
  }

  // MARK: Pumping

  func pumpSoon() {
    guard let latency, !isPumpDue, devices.contains(where: \.hasEvents) else { return }
    isPumpDue = true
    DispatchQueue.global().asyncAfter(deadline: .now() + latency) { [self] in
      locked { isPumpDue = false }
      pump()
    }
  }

  /// Hands what waits to the devices' queues.
  ///
  /// - Returns: whether anything waited.
  @discardableResult
  package func pump() -> Bool {
    var hasMoved = false
    for device in locked({ devices }) where device.pump() { hasMoved = true }
    return hasMoved
  }

  /// Pumps until nothing waits and the sessions' queues are empty.
  ///
  /// It runs beside the caller's actor, so that no delegate is told anything on the main thread.
  @concurrent package func settle() async {
    repeat {
      for device in locked({ devices }) { device.pumpAndWait() }
    } while locked { devices.contains(where: \.hasEvents) }
  }

  // MARK: Faults of a test's

  var ledger = Ledger()
  package var items: [Ledger.Item] { locked { ledger.items } }
  private var failures: [DeviceError] = []
  private var drops: [Ledger.Kind: Int] = [:]
  private var duplicates = 0
  private var order: SplitMix64?

  /// The next thing that an app sends fails so.
  package func failNext(_ error: DeviceError) { locked { failures.append(error) } }
  /// The next one of a kind is lost on its way.
  package func drop(next kind: Ledger.Kind) { locked { drops[kind, default: 0] += 1 } }
  /// So many of the next deliveries come twice, as they may after an app was ended.
  package func duplicate(_ count: Int) { locked { duplicates += count } }
  /// From now on what comes in different lanes comes in an order that is drawn; each lane keeps its own.
  package func reorder(seed: UInt64) { locked { order = SplitMix64(seed: seed) } }

  func takeFailure() -> DeviceError? { failures.isEmpty ? nil : failures.removeFirst() }

  func takeDrop(_ kind: Ledger.Kind) -> Bool {
    guard let count = drops[kind], count > 0 else { return false }
    drops[kind] = count - 1
    return true
  }

  /// Messages come one at a time, each before its sender's call has returned.
  func lastMessageWasDropped(of name: String?) {
    guard let sender = devices.first(where: { $0.name == name }) else { return }
    ledger.end(sender.name, .message, sender.outbox.lastMessage, .dropped)
  }

  func takeDuplicate() -> Bool {
    guard duplicates > 0 else { return false }
    duplicates -= 1
    return true
  }

  func reordered(_ events: [LinkDevice.Queued]) -> [LinkDevice.Queued] {
    guard order != nil else { return events }
    var lanes: [String: [LinkDevice.Queued]] = [:]
    for event in events { lanes[event.acknowledge?.lane ?? "", default: []].append(event) }
    // What has no lane is the session's own life, and keeps its place in front.
    var result = lanes.removeValue(forKey: "") ?? []
    while !lanes.isEmpty {
      let name = lanes.keys.sorted()[Int(order!.next() % UInt64(lanes.count))]
      result.append(lanes[name]!.removeFirst())
      if lanes[name]!.isEmpty { lanes[name] = nil }
    }
    return result
  }

  func contextWasTold(_ payload: [UInt8], by receiver: LinkDevice) {
    for sender in devices where sender !== receiver && sender.outbox.lastContext > 0 {
      guard sender.latestContext == payload else { continue }
      ledger.end(sender.name, .context, sender.outbox.lastContext, .delivered)
    }
  }
}
