import Foundation
import LoopbackSupport
import Seeded

/// Servers that share a log of real nodes, each with a folder of its own.
final class ClusterSite {
  /// What keeps the log.
  enum Engine: Equatable {
    /// 1 or 3 of NATS.
    case nodes(Int)
    case postgreSQL
  }

  private var nodes: Nodes?
  private var postgres: Postgres?
  private let scratch: Scratch
  private let options: [String]
  /// Where each listens.
  let ports: [Int]
  private(set) var servers: [ServerProcess] = []
  /// Who is stopped, and for how long nobody knows.
  private(set) var frozen: Set<Int> = []

  init(_ scratch: Scratch, _ engine: Engine, servers: Int = 2, more: [String] = []) throws {
    self.scratch = scratch
    ports = try FreePorts.draw(servers)
    switch engine {
    case .nodes(let count):
      let nodes = try Nodes(count)
      self.nodes = nodes
      options =
        ["--cluster", nodes.servers, "--replicas", "\(count)", "--allow-unsynced"] + more
    case .postgreSQL:
      let postgres = try Postgres()
      self.postgres = postgres
      options = ["--cluster", postgres.url] + more
    }
    // The nodes have no leader at first, and a server that finds none ends.
    try eventually(within: 60, "the nodes have a leader") {
      let first = try self.start(0)
      try eventually("it stands by or ends") {
        first.program.hasEnded || first.log.contains("event=standingBy")
      }
      guard !first.program.hasEnded else { return false }
      self.servers = [first]
      return true
    }
    for number in 1..<servers { self.servers.append(try start(number)) }
  }

  private func start(_ number: Int) throws -> ServerProcess {
    try ServerProcess(starting: scratch, options, data: folder(number), port: ports[number])
  }

  // MARK: What keeps the log

  var nodeCount: Int { nodes?.ports.count ?? 1 }

  func killNode(_ number: Int) {
    nodes?.kill(number)
    postgres?.kill()
  }

  func restartNode(_ number: Int) throws {
    try nodes?.restart(number)
    try postgres?.restart()
  }

  // MARK: Servers

  func folder(_ number: Int) -> String { "\(scratch.path)/server\(number)" }

  /// The number of the server that owns a shard, once one does. Those that have ended are started again.
  func owner(of shard: Int = 0) throws -> Int {
    var owner: Int?
    var lastEnd = ""
    try eventually(within: 60, "one of the servers owns shard \(shard): \(logs)\n\(lastEnd)") {
      for (number, server) in servers.enumerated() where !frozen.contains(number) {
        if server.program.hasEnded {
          lastEnd = "server \(number) ended: \(server.log.suffix(700))"
          try restart(number)
        }
        guard try servers[number].isReady() else { return false }
      }
      // One that has lost it may not have heard so yet.
      owner = servers.indices.filter { !frozen.contains($0) }
        .max { since($0, shard) ?? "" < since($1, shard) ?? "" }
        .flatMap { since($0, shard) == nil ? nil : $0 }
      return owner != nil
    }
    return owner!
  }

  /// The shard of a pair of the app `default` (PROTOCOL.md clause 15.6).
  func shard(of pair: String, _ shards: Int) -> Int {
    let digest = sha256(Array("default\0\(pair)".utf8))
    return Int(UInt64(digest.prefix(16), radix: 16)! % UInt64(shards))
  }

  /// The time, as text, since when a server has a shard, as its log says; nil where it has not.
  private func since(_ number: Int, _ shard: Int) -> String? {
    let events = servers[number].log.split(separator: "\n").filter { line in
      line.contains("event=shard") || line.contains("event=fenced")
    }.filter { $0.contains("shard=\(shard) ") || $0.hasSuffix("shard=\(shard)") }
    guard let last = events.last, last.contains("event=shardOwned") else { return nil }
    return String(last.prefix { $0 != " " })
  }

  /// Waits until each shard is owned, and no server has two more than another one.
  func balance(_ shards: Int) throws {
    try eventually(within: 60, "the shards are spread: \(logs)") {
      let owners = try (0..<shards).map { try owner(of: $0) }
      let counts = servers.indices.filter { !frozen.contains($0) }
        .map { server in owners.count { $0 == server } }
      return counts.max()! < counts.min()! + 2
    }
  }

  /// How often a server has taken a shard over.
  func takeOvers(_ number: Int) -> Int {
    servers[number].log.components(separatedBy: "event=shardOwned").count - 1
  }

  /// A server that runs.
  func server(_ random: inout SplitMix64) throws -> ServerProcess {
    _ = try owner()
    let running = servers.indices.filter { !frozen.contains($0) }
    return servers[running[random.below(running.count)]]
  }

  func restart(_ number: Int) throws {
    servers[number].kill()
    frozen.remove(number)
    servers[number] = try start(number)
  }

  func freeze(_ number: Int) {
    servers[number].program.signal(SIGSTOP)
    frozen.insert(number)
  }

  func thaw(_ number: Int) {
    servers[number].program.signal(SIGCONT)
    frozen.remove(number)
  }

  var logs: String {
    servers.map { String($0.log.suffix(700)) }.joined(separator: "\n---\n")
  }

  /// Ends all of them in order.
  func stop() throws -> [Int] { try servers.map { try $0.terminate() } }
}
