import Foundation
import Relay
import Seeded
import Wire

/// A phone, its watches and a relay between them: in this process, where its clock stands still but for `advance`, or a
/// server's.
///
/// Every call may come from any thread. What the devices are told waits until the link is pumped, or comes by
/// itself after its latency, so that nothing arrives before the call that caused it has returned.
package final class Link: @unchecked Sendable {
  /// Guards all of the link and its devices. No app's code runs under it.
  let lock = NSRecursiveLock()
  let carrier: any Carrier
  package let name: String
  package private(set) var devices: [LinkDevice] = []
  /// Seconds after which what is told comes by itself; nil where the link has to be pumped.
  package var latency: Double?
  /// Where received files lie.
  let folder: URL
  /// Reads each line that comes.
  var envelope = Envelope()
  private var isPumpDue = false
  private var isDeliveryDue = false

  /// - Parameters:
  ///   - server: nil for a relay in this process.
  ///   - isTest: whether what happens is kept for `items` and `traceText`.
  package convenience init(
    name: String = "pair", latency: Double? = nil, server: ServerAddress? = nil,
    isTest: Bool = true
  ) {
    self.init(name, latency, server.map(SocketCarrier.init) ?? MemoryCarrier())
    history.isKept = isTest
    trace.isKept = isTest
  }

  init(_ name: String, _ latency: Double?, _ carrier: any Carrier) {
    self.carrier = carrier
    self.name = name
    self.latency = latency
    folder = FileManager.default.temporaryDirectory.appendingPathComponent(
      "watchline-\(UUID().uuidString)")
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  // MARK: Devices

  /// - Parameter store: what keeps the device's queue beyond this process; nil for nothing.
  package func add(_ name: String, isPhone: Bool, store: DeviceStore? = nil) -> LinkDevice {
    locked {
      let device = LinkDevice(name: name, isPhone: isPhone, link: self, store: store)
      devices.append(device)
      device.connect()
      return device
    }
  }

  /// A device that is never connected.
  ///
  /// - Parameter fault: what an app hears that activates it.
  func addUnusable(_ name: String, isPhone: Bool, _ fault: DeviceError) -> LinkDevice {
    locked {
      let device = LinkDevice(name: name, isPhone: isPhone, link: self, store: nil)
      device.fault = fault
      devices.append(device)
      return device
    }
  }

  func device(isPhone: Bool?) -> LinkDevice {
    locked { devices.first { $0.isPhone == (isPhone ?? true) } ?? devices[0] }
  }

  func locked<Result>(_ body: () throws -> Result) rethrows -> Result {
    lock.lock()
    defer { lock.unlock() }
    return try body()
  }

  // MARK: The wire

  /// Sends a line and hands each device what it is written; the lines of the device itself come back too.
  ///
  /// - Parameters:
  ///   - line: a request without its `id` and its end.
  ///   - id: the kind of request; with its number it is the request's `id`.
  func send(_ line: [UInt8], id: StaticString, _ number: UInt64, from device: LinkDevice) {
    carrier.send(Self.request(line, id, number), of: device)
    deliver()
  }

  /// Sends a line whose answer nobody waits for, likewise.
  func post(_ line: [UInt8], id: StaticString, _ number: UInt64, from device: LinkDevice) {
    post(Self.request(line, id, number), from: device)
  }

  /// - Parameter line: whole.
  func post(_ line: [UInt8], from device: LinkDevice) {
    guard carrier.post(line, of: device) else { return deliver() }
    if latency != nil { carryOut() }
  }

  private static func request(_ line: [UInt8], _ id: StaticString, _ number: UInt64) -> [UInt8] {
    var line = line
    line.append(",\"id\":\"" as StaticString)
    line.append(id)
    line.append(decimal: number)
    line.append("\"}" as StaticString)
    return line
  }

  /// Has what was posted carried out, and what that causes.
  func carryOut() { while carrier.carryOut() { deliver() } }

  /// - Returns: whether the device is connected.
  func open(_ device: LinkDevice) -> Bool {
    defer { deliver() }
    return carrier.open(device)
  }

  func close(_ device: LinkDevice) {
    carrier.close(device)
    deliver()
  }

  /// Waits until something has come true of a device by what it is written.
  ///
  /// - Returns: false where the connection is lost before.
  func wait(for device: LinkDevice, until isTrue: () -> Bool) -> Bool {
    while !isTrue() {
      guard carrier.wait(for: device) else { return false }
      deliver()
    }
    return true
  }

  func deliver() {
    var isDone = false
    while !isDone {
      isDone = true
      for device in devices {
        // One at a time: what a line causes may take the next ones.
        while let line = carrier.takeLine(of: device) {
          isDone = false
          device.receive(line)
        }
      }
    }
    if latency != nil { pumpSoon() }
  }

  /// Lines have come of themselves: they are handed out as soon as nobody waits for an answer.
  func arrived() {
    let isDue = lines.withLock {
      defer { isDeliveryDue = true }
      return !isDeliveryDue
    }
    guard isDue else { return }
    DispatchQueue.global().async { [self] in
      lines.withLock { isDeliveryDue = false }
      locked { deliver() }
    }
  }
  /// Guards `isDeliveryDue`, which threads set that must not wait for `lock`.
  private let lines = NSLock()

  /// A device's connection has ended by itself.
  ///
  /// - Parameter isCurrent: whether it still had that one.
  func ended(_ device: LinkDevice, _ isCurrent: @escaping () -> Bool) {
    nonisolated(unsafe) let isCurrent = isCurrent
    DispatchQueue.global().async { [self] in
      locked {
        deliver()
        if isCurrent() { device.connectionIsLost() }
      }
    }
  }

  /// Time passes on the link; the apps' own clocks go on as they do.
  package func advance(seconds: Double) {
    locked {
      trace.pass(seconds: seconds)
      if let memory = carrier as? MemoryCarrier {
        memory.pass(seconds: seconds)
        deliver()
      } else if let error = devices.first?.request("advance", "\"seconds\":\(seconds)")?.error {
        preconditionFailure(
          "time does not go by at a server's but with --clock manual: \(error.sentence)")
      }
    }
  }

  /// Stops the relay and starts it again on what it has stored.
  package func restart() {
    locked {
      guard let memory = carrier as? MemoryCarrier else {
        preconditionFailure("a server is restarted by whoever has started it")
      }
      let online = devices.filter(\.isOnline)
      for device in online { device.disconnect() }
      memory.restart()
      trace.add("server", .stop)
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
    for device in upToDate() where device.pump() { hasMoved = true }
    locked { trace.settled(devices) }
    return hasMoved
  }

  /// Pumps until nothing waits and the sessions' queues are empty.
  ///
  /// It runs beside the caller's actor, so that no delegate is told anything on the main thread.
  @concurrent package func settle() async {
    repeat {
      for device in upToDate() { device.pumpAndWait() }
      locked { trace.settled(devices) }
    } while locked { hasMore() }
  }

  /// The devices, with what was posted carried out.
  private func upToDate() -> [LinkDevice] {
    locked {
      carryOut()
      return devices
    }
  }

  /// Whether something can be told.
  private func hasMore() -> Bool {
    carryOut()
    if !carrier.isInstant { waitForQuiet() }
    return devices.contains(where: \.hasEvents)
  }

  /// Waits until a server has nothing under way for these devices.
  ///
  /// A delivery, its acknowledgement and the end of the transfer each wait for a commit of their own, and the state is
  /// answered after the commit that was open: whatever is under way has gone a step further by the next time.
  private func waitForQuiet() {
    var before: [LinkDevice.Lanes]?
    // What waits for a read of the disk moves by itself: it is asked after for a second.
    var patience = 1000
    while !devices.contains(where: \.hasEvents) {
      let lanes = devices.map { $0.lanes() }
      if lanes == before {
        guard patience > 0, lanes.contains(where: \.isMoving) else { return }
        patience -= 1
        Thread.sleep(forTimeInterval: 0.001)
      }
      before = lanes
    }
  }

  // MARK: What happened

  var trace = LinkTrace()
  /// As NDJSON: a trace for `watchline replay` and `watchline studio`.
  package var traceText: String { locked { trace.text(devices) } }

  // MARK: Faults of a test's

  var history = DeliveryHistory()
  package var items: [DeliveryHistory.Item] {
    locked {
      carryOut()
      return history.items
    }
  }
  private var failures: [DeviceError] = []
  private var drops: [DeliveryHistory.Kind: Int] = [:]
  private var duplicates = 0
  private var order: SplitMix64?

  /// The next thing that an app sends fails so.
  package func failNext(_ error: DeviceError) { locked { failures.append(error) } }
  /// The next one of a kind is lost on its way.
  package func drop(next kind: DeliveryHistory.Kind) {
    locked {
      carryOut()
      drops[kind, default: 0] += 1
    }
  }
  /// So many of the next deliveries come twice, as they may after an app was ended.
  package func duplicate(_ count: Int) {
    locked {
      carryOut()
      duplicates += count
    }
  }
  /// From now on what comes in different lanes comes in an order that is drawn; each lane keeps its own.
  package func reorder(seed: UInt64) { locked { order = SplitMix64(seed: seed) } }

  func takeFailure() -> DeviceError? { failures.isEmpty ? nil : failures.removeFirst() }

  func takeDrop(_ kind: DeliveryHistory.Kind) -> Bool {
    guard let count = drops[kind], count > 0 else { return false }
    drops[kind] = count - 1
    return true
  }

  func takeDuplicate() -> Bool {
    guard duplicates > 0 else { return false }
    duplicates -= 1
    return true
  }

  func reordered(_ events: [LinkDevice.Queued]) -> [LinkDevice.Queued] {
    guard order != nil else { return events }
    var lanes = Dictionary(grouping: events, by: \.acknowledge?.lane)
    // What has no lane is the session's own life, and keeps its place in front.
    var result = lanes.removeValue(forKey: nil) ?? []
    while !lanes.isEmpty {
      let names = lanes.keys.sorted { $0!.rawValue < $1!.rawValue }
      let name = names[Int(order!.next() % UInt64(lanes.count))]
      result.append(lanes[name]!.removeFirst())
      if lanes[name]!.isEmpty { lanes[name] = nil }
    }
    return result
  }

  func contextWasTold(_ payload: [UInt8], by receiver: LinkDevice) {
    for sender in devices where sender !== receiver && sender.outbox.lastContext > 0 {
      guard sender.latestContext == payload else { continue }
      history.end(sender.outbox.context, .delivered)
    }
  }
}
