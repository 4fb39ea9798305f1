import JetStream
import LoopbackSupport
import PostgreSQL
import Testing

@testable import Storage

/// The suite over each log that there is.
@Suite struct SharedLogTests {
  @Test func inMemory() throws {
    var logs: [String: MemoryEntries] = [:]
    try SharedLogConformance { name in
      if logs[name] == nil { logs[name] = MemoryEntries() }
      return MemorySharedLog(logs[name]!)
    }.check()
  }

  /// One node alone, and three of which a message has to reach two.
  @Test(arguments: [1, 3]) func jetStream(nodes count: Int) throws {
    let nodes = try Nodes(count)
    var shards: [String: Int] = [:]
    try SharedLogConformance(
      open: { name in
        if shards[name] == nil { shards[name] = shards.count }
        var settings = JetStreamSettings(servers: nodes.servers)
        (settings.shard, settings.shards, settings.replicas) = (shards[name]!, 8, count)
        return try openPatiently(settings)
      }, entries: 150
    ).check()
  }
}

extension SharedLogTests {
  @Test func postgreSQL() throws {
    let postgres = try Postgres()
    var shards: [String: Int] = [:]
    try SharedLogConformance(
      open: { name in
        if shards[name] == nil { shards[name] = shards.count }
        var settings = PostgreSQLSettings(url: postgres.url)
        (settings.shard, settings.shards) = (shards[name]!, 8)
        return try PostgreSQL(settings)
      }, entries: 150
    ).check()
  }
}

/// The nodes of a cluster need a while before they have a leader.
func openPatiently(_ settings: JetStreamSettings) throws -> JetStream {
  let deadline = monotonicNanoseconds() + 30_000_000_000
  while true {
    do {
      return try JetStream(settings)
    } catch {
      guard monotonicNanoseconds() < deadline, error.kind == .cannotOpen else { throw error }
    }
  }
}
