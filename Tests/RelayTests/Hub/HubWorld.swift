import AppModels
import Device
import Foundation
import Hub
import Merge
import Relay
import RelaySupport
import SyncSupport
import Testing

/// A line of the relay's, as a test looks into it.
struct Answer: CustomStringConvertible {
  let text: String
  let members: [String: Any]

  init(_ text: String) {
    self.text = text
    members =
      (try? JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]) ?? [:]
  }

  var description: String { String(text.prefix(400)) }
  var type: String { members["type"] as? String ?? "" }
  var code: Int? { type == "error" ? members["code"] as? Int : nil }
  var isDefinite: Bool? { members["definite"] as? Bool }
  var message: String { members["message"] as? String ?? "" }
  var at: Int { members["at"] as? Int ?? -1 }
  var id: String { members["id"] as? String ?? "" }
  var record: [String: Any]? { members["record"] as? [String: Any] }
  var outcomes: [[String: Any]] { members["outcomes"] as? [[String: Any]] ?? [] }
  var entries: [[String: Any]] { members["entries"] as? [[String: Any]] ?? [] }
  var records: [[String: Any]] { members["records"] as? [[String: Any]] ?? [] }
  subscript(name: String) -> Any? { members[name] }
}

/// A world with devices that keep replicas and people at keyboards, all in the pair `p`.
final class HubWorld {
  let world: World
  private var connected: [SyncDevice] = []

  static let todoTimers = ShippedSchemas.named("todoTimers")!

  init(limits: Limits = Limits(), hasManualClock: Bool = true) throws {
    var options = Relay.Options()
    options.limits = limits
    options.hasManualClock = hasManualClock
    options.hubs = Hubs.keeping(ShippedSchemas.all, codecs: ShippedSchemas.codecs)
    world = try World(options)
  }

  // MARK: Keyboards

  /// Sends a line as it is, settles, and returns what has come to its sender since.
  @discardableResult
  func type(_ line: String, on name: String) -> [Answer] {
    world.send(line, on: name)
    pump()
    return take(name)
  }

  /// The same, and the one answer that is no news.
  @discardableResult
  func ask(_ line: String, on name: String) throws -> Answer {
    let news: Set<String> = [
      "sync.changed", "sync.ops", "sync.purge", "sessionReachabilityDidChange",
      "sessionCompanionAppInstalledDidChange",
      "sessionWatchStateDidChange", "hello",
    ]
    let answers = type(line, on: name).filter { !news.contains($0.type) }
    return try #require(answers.count == 1 ? answers.first : nil, "\(line): \(answers)")
  }

  func take(_ name: String) -> [Answer] { world.client(name).takeLines().map { Answer($0) } }

  /// A person who has activated and opened a schema.
  func keyboard(_ name: String, role: String? = nil, schema: String = "todoTimers") throws {
    _ = type("activate pair=p role=\(role ?? name) device=\(name)", on: name)
    let opened = try ask("sync.open schema=\(schema)", on: name)
    try #require(opened.type == "sync.opened", "\(opened)")
  }

  /// What `sync.digest` tells, without the position; for "nothing has changed".
  func state(_ name: String) throws -> String {
    let answer = try ask("sync.digest id=d", on: name)
    try #require(answer.type == "sync.digests", "\(answer)")
    return answer.text
  }

  /// Records of a kind, read to the last line.
  func records(_ kind: String, on name: String) throws -> [[String: Any]] {
    let lines = type("sync.view kind=\(kind) id=v", on: name).filter { $0.type == "sync.records" }
    try #require(lines.last?["last"] as? Bool == true)
    return lines.flatMap(\.records)
  }

  // MARK: Devices

  func device(
    _ name: String, isPhone: Bool = false, schema: Schema = HubWorld.todoTimers
  ) -> SyncDevice {
    SyncDevice(name, isPhone: isPhone, schema: schema, clock: world.now / 1000)
  }

  /// A device connects, activates and opens its schema.
  func connect(_ device: SyncDevice) throws {
    disconnect(device)
    let role = device.isPhone ? "phone" : "watch"
    world.open(device.name)
    world.send("activate pair=p role=\(role) device=\(device.name)", on: device.name)
    connected.append(device)
    device.open()
    try settle()
  }

  func disconnect(_ device: SyncDevice) {
    connected.removeAll { $0 === device }
    world.close(device.name)
    device.disconnected()
  }

  func isConnected(_ device: SyncDevice) -> Bool { connected.contains { $0 === device } }

  /// Carries the lines of a device to and fro, which the world knows as its client of that name.
  ///
  /// - Parameter heard: is told each line that the device hears.
  func settle(
    _ device: HeadlessDevice, _ name: String, now: Int64, heard: ([UInt8]) -> Void = { _ in }
  ) throws {
    for _ in 0..<20 {
      for line in device.takeOutput() { world.send(line + [0x0A], on: name) }
      try settle()
      let client = world.client(name)
      let lines = client.lines
      client.lines = []
      for line in lines {
        heard(line)
        device.didReceive(line, now: now)
      }
    }
  }

  /// Carries lines to and fro until nothing moves.
  func settle() throws {
    world.settle()
    while try turn() {}
  }

  private func pump() {
    do { while try turn() {} } catch { Issue.record("\(error)") }
  }

  private func turn() throws -> Bool {
    var hasMoved = false
    for device in connected {
      let client = world.client(device.name)
      for line in client.lines {
        hasMoved = true
        try device.received(line)
      }
      client.lines = []
      let output = device.takeOutput()
      guard !output.isEmpty else { continue }
      hasMoved = true
      world.send(output.flatMap { $0 + [0x0A] }, on: device.name)
    }
    return hasMoved
  }

  /// The relay ends, and with it every connection.
  func restart(killing isKill: Bool = false) throws {
    if isKill { try world.kill() } else { try world.restart() }
    for device in connected { device.disconnected() }
    connected = []
  }
}

/// Whether devices show what the hub shows, byte for byte.
func expectEqualViews(_ hub: HubWorld, _ devices: [SyncDevice], on keyboard: String) throws {
  let digest = Answer(try hub.state(keyboard))
  for device in devices {
    #expect(device.view.digest == digest["viewDigest"] as? String, "\(device.name)")
    let heads = digest["heads"] as? [String: [String: String]] ?? [:]
    for (replica, head) in heads {
      let id = try #require(ReplicaID(Array(replica.utf8)))
      let own = device.replica.replica.chain(id)
      #expect(String(own.seq) == head["seq"], "\(device.name) of \(replica)")
      #expect(own.hash.hexadecimal == head["hash"], "\(device.name) of \(replica)")
    }
  }
}
