import Foundation
import LoopbackSupport
import Testing

extension ProcessTests {
  /// Servers that share a log: what they say, and what they refuse.
  @Suite struct ClusterTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    /// What a start that comes to nothing says.
    private func refusal(_ arguments: [String], data: String? = nil) throws -> String {
      let server = try ServerProcess(starting: scratch, arguments, data: data)
      #expect(try server.program.exitCode() == 1)
      #expect(server.program.output == "")
      return server.program.errors
    }

    /// One has the shard and the other one waits; both end in order, and the one that waited takes over at once.
    @Test func oneHasTheShardAndOneStandsBy() throws {
      let site = try ClusterSite(scratch, .nodes(1))
      let owner = try site.owner()
      let (first, second) = (site.servers[owner], site.servers[1 - owner])
      let store = try first.device("watch").activation.string("store")
      let phone = try first.device("phone")
      #expect(
        try phone.request(["type": "transferUserInfo", "n": 1, "payload": ["a": 1]]).type
          == "accepted")
      try second.expectLog("event=standingBy")
      #expect(!second.log.contains("event=shardOwned"))
      phone.close()
      #expect(try first.terminate() == 0)
      try second.expectLog("event=shardOwned shard=0")
      let watch = try second.device("watch")
      #expect(watch.activation.string("store") == store)
      #expect(try watch.expect("didReceiveUserInfo").integer("seq") == 1)
      // Back as one that waits, and ended as such.
      try site.restart(owner)
      try site.servers[owner].expectLog("event=standingBy")
      #expect(try site.servers[owner].terminate() == 0)
      #expect(site.servers[owner].log.contains("event=stopped isComplete=true"))
      #expect(try second.terminate() == 0)
    }

    /// A server that stands by is ready, as it brings connections to the one that owns the shard.
    @Test func theAdminPortOfOneThatStandsBy() throws {
      let site = try ClusterSite(scratch, .nodes(1), more: AdminPort.arguments)
      let owner = try site.owner()
      let serving = try AdminPort(site.servers[owner], scratch)
      let waiting = try AdminPort(site.servers[1 - owner], scratch)
      #expect(try serving.get("/readyz") == "ok\n\n200")
      #expect(try serving.metric("watchline_owned_shards") == 1)
      #expect(try waiting.get("/healthz") == "ok\n\n200")
      try eventually("it knows who owns it") { try waiting.get("/readyz") == "ok\n\n200" }
      #expect(try waiting.metric("watchline_owned_shards") == 0)
      var entry = 0.0
      try eventually("it has its opening") {
        entry = try serving.metric("watchline_shared_log_entry{shard=\"0\"}")!
        return entry >= 1
      }
      try eventually("it follows") {
        try waiting.metric("watchline_shared_log_entry{shard=\"0\"}")! >= entry
      }
      site.killNode(0)
      try eventually("it says that the log is silent") {
        try waiting.get("/readyz").hasPrefix("the log of shard 0 is silent: ")
      }
      try site.restartNode(0)
      #expect(try site.servers[owner].terminate() == 0)
      try eventually("the other one has it") {
        try waiting.metric("watchline_owned_shards") == 1
      }
      #expect(try waiting.get("/readyz") == "ok\n\n200")
      #expect(try site.servers[1 - owner].terminate() == 0)
    }

    /// Of two that wait one takes over, and stays.
    @Test func oneOfTwoTakesOver() throws {
      let site = try ClusterSite(scratch, .nodes(1), servers: 3)
      for isKilled in [true, false] {
        let owner = try site.owner()
        let others = site.servers.indices.filter { $0 != owner }
        for number in others { try site.servers[number].expectLog("event=standingBy") }
        let old = site.servers[owner]
        if isKilled { old.kill() } else { #expect(try old.terminate() == 0) }
        let before = others.map { site.takeOvers($0) }
        try eventually("one of the others has it") {
          others.map { site.takeOvers($0) } != before
        }
        // Long enough for the other one to think so, too.
        usleep(2_000_000)
        let taken = zip(others, before).map { site.takeOvers($0) - $1 }
        #expect(taken.sorted() == [0, 1], "\(site.logs)")
        for number in others { #expect(!site.servers[number].log.contains("event=fenced")) }
        try site.restart(owner)
        try site.servers[owner].expectLog("event=standingBy")
      }
      #expect(try site.stop() == [0, 0, 0])
    }

    /// Clients may name all servers, and reach the one that serves, before and after a take-over.
    @Test func clientsNameAllOfThem() throws {
      let site = try ClusterSite(scratch, .nodes(1))
      let owner = try site.owner()
      let all = site.ports.map { "127.0.0.1:\($0)" }.joined(separator: ",")
      let other = "127.0.0.1:\(site.ports[1 - owner]),127.0.0.1:\(site.ports[owner])"
      for (line, server) in [("ping", owner), ("ping", 1 - owner)] {
        for servers in [all, other] {
          let program = try Program(
            [Program.products + "/watchline", "connect", servers, "--raw", "--until", "pong"],
            in: scratch, input: line + "\n")
          #expect(try program.exitCode() == 0, "\(program.errors)")
          #expect(program.output.contains("pong"))
        }
        guard server == owner else { break }
        site.servers[owner].kill()
        _ = try site.owner()
      }
      #expect(try site.stop() == [0, 0])
      let none = try scratch.watchline(["connect", all, "--raw"])
      #expect(none.code == 1 && none.errors.contains("cannot connect to \(all): "), "\(none)")
    }

    /// While no node answers, nothing new is taken, and everybody is told; what was under way comes through once.
    @Test func nodesThatAreGone() throws {
      let site = try ClusterSite(scratch, .nodes(1))
      let owner = try site.owner()
      let (server, standby) = (site.servers[owner], site.servers[1 - owner])
      let watch = try server.device("watch")
      let phone = try server.device("phone")
      func transfer(_ n: Int) -> [String: Any] {
        ["type": "transferUserInfo", "n": n, "payload": ["n": n]]
      }
      #expect(try phone.request(transfer(1)).type == "accepted")
      #expect(try watch.expect("didReceiveUserInfo").integer("seq") == 1)
      site.killNode(0)
      let error = try phone.request(transfer(2))
      #expect(error.code == 4_008 && error.bool("definite") == false, "\(error)")
      try server.expectLog("no NATS server can be reached")
      try standby.expectLog(
        "event=sharedLogSilent shard=0 reason=\"no NATS server can be reached\"")
      try site.restartNode(0)
      try eventually("it is taken again") {
        try phone.request(transfer(2)).type == "accepted"
      }
      #expect(try watch.expect("didReceiveUserInfo").integer("seq") == 2)
      try standby.expectLog("event=sharedLogAnswers")
      #expect(try phone.request(transfer(3)).type == "accepted")
      #expect(try watch.expect("didReceiveUserInfo").integer("seq") == 3)
      _ = try site.stop()
    }

    /// Nodes of which nobody says that they sync.
    @Test func nodesThatDoNotSync() throws {
      let nodes = try Nodes(1)
      let base = ["--cluster", nodes.servers, "--replicas", "1", "--nats-monitor"]
      let unsynced = try refusal(base + [nodes.monitoring])
      #expect(
        unsynced.contains("does not sync a message before it acknowledges it")
          && unsynced.contains("or start with --allow-unsynced"), "\(unsynced)")
      let none = try refusal(base + ["127.0.0.1:\(nodes.ports[0])"])
      #expect(none.contains("correct --nats-monitor"), "\(none)")
      #expect(!FileManager.default.fileExists(atPath: scratch.database))
    }

    /// PostgreSQL says itself whether it syncs.
    @Test func aDatabaseThatDoesNotSync() throws {
      let postgres = try Postgres(["-c", "fsync=off"])
      let unsynced = try refusal(["--cluster", postgres.url])
      #expect(
        unsynced.contains("its fsync is off, so that what is accepted may be lost"), "\(unsynced)")
      #expect(
        try ServerProcess(scratch, ["--cluster", postgres.url, "--allow-unsynced"]).terminate() == 0
      )
      let none = try refusal(["--cluster", "postgres://me:secret@127.0.0.1:1/x?password=secret"])
      #expect(none.contains("start PostgreSQL, or correct --cluster"), "\(none)")
      #expect(!none.contains("secret"), "\(none)")
    }

    /// What is wrong with nodes, the log or the folder is a sentence, and exit 1.
    @Test func whatIsRefusedAtTheStart() throws {
      let nodes = try Nodes(1)
      let none = try refusal(["--cluster", "nats://127.0.0.1:1", "--allow-unsynced"])
      #expect(none.contains("no NATS server can be reached there"), "\(none)")
      let shared = ["--cluster", nodes.servers, "--allow-unsynced"]
      let few = try refusal(shared)
      #expect(few.contains("or give --replicas 1"), "\(few)")
      let store = scratch.path + "/store"
      #expect(try ServerProcess(scratch, data: store).terminate() == 0)
      let alone = try refusal(shared + ["--replicas", "1"], data: store)
      #expect(alone.contains("is the store of a server alone"), "\(alone)")
      #expect(try ServerProcess(scratch, shared + ["--replicas", "1"]).terminate() == 0)
      let copy = try refusal([])
      #expect(copy.contains("start with --cluster"), "\(copy)")
    }
  }
}
