import AppModels
import Device
import Foundation
import Merge
import SyncSupport

/// A device with a replica of its own, over TCP.
final class SyncPeer {
  let device: SyncDevice
  let pair: String
  private(set) var client: LineClient?

  init(
    _ name: String, isPhone: Bool = false, pair: String = "demo",
    schema: Schema = ShippedSchemas.named("todoTimers")!, clock: Int64 = 978_307_200_000
  ) {
    device = SyncDevice(name, isPhone: isPhone, schema: schema, clock: clock)
    self.pair = pair
  }

  func connect(_ server: ServerProcess) throws {
    leave()
    let role = device.isPhone ? "phone" : "watch"
    client = try server.device(role, pair: pair, ["device": device.name])
    device.open()
    try step()
  }

  func leave() {
    client?.close()
    client = nil
    device.disconnected()
  }

  /// Takes what has come in and sends what is to be sent.
  func step() throws {
    guard let client else { return }
    try flush(client)
    while let line = try client.lineNow() {
      try device.received(Array(line.text.utf8))
      try flush(client)
    }
  }

  /// What has come in up to the end of a connection that the server has left.
  func readToEnd() throws {
    guard let client else { return }
    while let line = try client.text() { try device.received(Array(line.utf8)) }
  }

  private func flush(_ client: LineClient) throws {
    let lines = device.takeOutput()
    guard !lines.isEmpty, !client.hasEnded else { return }
    try client.send(bytes: lines.flatMap { $0 + [0x0A] })
  }
}

extension LineClient {
  /// A person's line; the answer to it, errors too.
  @discardableResult
  func type(_ words: String) throws -> Line {
    let id = UUID().uuidString
    try send("\(words) id=\"\(id)\"")
    return try first("the answer to \(words)") { $0.string("re") == id }
  }

  /// An edit that must succeed.
  @discardableResult
  func edit(_ words: String) throws -> Line {
    let answer = try type(words)
    guard answer.type == "sync.edited" else { throw Failure("\(words): \(answer)") }
    return answer
  }

  /// The merged records of a kind.
  func records(_ kind: String) throws -> [[String: Any]] {
    let id = UUID().uuidString
    try send("sync.view kind=\(kind) id=\"\(id)\"")
    var records: [[String: Any]] = []
    try first("the last records") { line in
      guard line.string("re") == id else { return false }
      if line.type == "error" { throw Failure("\(line)") }
      records += line.members["records"] as? [[String: Any]] ?? []
      return line.bool("last") == true
    }
    return records
  }

  func feed() throws -> [[String: Any]] {
    try type("sync.conflicts").members["entries"] as? [[String: Any]] ?? []
  }
}

/// A server, people and devices of one pair.
final class SyncScene {
  let scratch: Scratch
  private(set) var server: ServerProcess
  private(set) var peers: [SyncPeer] = []
  private let arguments: [String]
  let schema: Schema

  init(
    _ arguments: [String] = ["--clock", "manual"],
    schema: Schema = ShippedSchemas.named("todoTimers")!
  ) throws {
    scratch = try Scratch()
    self.arguments = arguments
    self.schema = schema
    server = try ServerProcess(scratch, arguments)
  }

  func restart() throws {
    for peer in peers { peer.leave() }
    _ = try server.terminate()
    try start()
  }

  func kill() { server.kill() }

  func start() throws { server = try ServerProcess(scratch, arguments) }

  /// A person who has opened the scene's schema.
  func keyboard(_ name: String, role: String? = nil) throws -> LineClient {
    let client = try server.device(role ?? name, ["device": name])
    let opened = try client.type("sync.open schema=\(schema.name)")
    guard opened.type == "sync.opened" else { throw Failure("\(opened)") }
    return client
  }

  func peer(_ name: String, connected: Bool = true) throws -> SyncPeer {
    let peer = SyncPeer(name, isPhone: name == "phone", schema: schema)
    peers.append(peer)
    if connected { try peer.connect(server) }
    return peer
  }

  func connect(_ peers: SyncPeer...) throws { for peer in peers { try peer.connect(server) } }

  /// Until every connected device holds what the hub holds and has handed in what it wrote; then
  /// all of them show the same.
  func settle() throws {
    let connected = peers.filter { $0.client != nil }
    func step() throws {
      for peer in connected {
        try peer.step()
        guard peer.device.errors.isEmpty else { throw Failure("\(peer.device.errors)") }
      }
    }
    try eventually("all is pushed") {
      try step()
      return connected.allSatisfy { $0.device.isDrained }
    }
    let probe = try keyboard("probe", role: "watch")
    let digest = try probe.type("sync.digest")
    let vector = VersionVector(
      try (digest.object("vector") as? [String: String] ?? [:]).map { name, seq in
        guard let replica = ReplicaID(Array(name.utf8)), let seq = UInt64(seq) else {
          throw Failure("\(digest)")
        }
        return VersionVector.Entry(replica, seq)
      })
    try eventually("all is read") {
      try step()
      return connected.allSatisfy { $0.device.replica.replica.vector.contains(vector) }
    }
    let heads = digest.object("heads") as? [String: [String: String]] ?? [:]
    for peer in connected {
      let device = peer.device
      guard device.view.digest == digest.string("viewDigest") else {
        throw Failure("\(device.name) shows something else than the hub")
      }
      for (name, head) in heads {
        let own = device.replica.replica.chain(ReplicaID(Array(name.utf8))!)
        guard String(own.seq) == head["seq"], own.hash.hexadecimal == head["hash"] else {
          throw Failure("\(device.name) has another chain of \(name)")
        }
      }
    }
  }
}
