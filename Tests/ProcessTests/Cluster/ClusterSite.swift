import Foundation
import LoopbackSupport

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
  /// Where each listens once it serves.
  let ports: [Int]
  private(set) var servers: [ServerProcess] = []
  /// Who is stopped, and for how long nobody knows.
  private(set) var frozen: Set<Int> = []

  init(_ scratch: Scratch, _ engine: Engine, servers: Int = 2, more: [String] = []) throws {
    self.scratch = scratch
    let listeners = try (0..<servers).map { _ in try LoopbackListener() }
    ports = listeners.map(\.port)
    for listener in listeners { close(listener.descriptor) }
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

  /// The number of the server that serves, once one does. Those that have ended are started again.
  func owner() throws -> Int {
    var owner: Int?
    try eventually(within: 60, "one of the servers serves: \(logs)") {
      for (number, server) in servers.enumerated() where !frozen.contains(number) {
        if server.program.hasEnded {
          try restart(number)
        } else if try server.isReady() {
          owner = number
        }
      }
      return owner != nil
    }
    return owner!
  }

  /// That server itself. (An index is worked out after the array that it is of.)
  func owningServer() throws -> ServerProcess {
    let owner = try owner()
    return servers[owner]
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
