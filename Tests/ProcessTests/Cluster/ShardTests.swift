import Foundation
import LoopbackSupport
import Testing

extension ProcessTests {
  /// Servers that share several shards, and bring connections to one another.
  @Suite struct ShardTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func transfer(_ n: Int, _ text: String = "") -> [String: Any] {
      ["type": "transferUserInfo", "n": n, "payload": ["n": n, "text": text]]
    }

    /// The number of a server that does not own the only shard.
    private func edge(_ site: ClusterSite) throws -> Int {
      let owner = try site.owner()
      let other = site.servers.indices.first { $0 != owner }!
      // It knows the owner once the copy has the opening.
      try site.servers[other].device("phone", pair: "first").close()
      return other
    }

    /// Each server owns some of the shards, and devices of all pairs come to any of them; also when one has gone, and
    /// when it is back.
    @Test func shardsAreSpread() throws {
      let site = try ClusterSite(scratch, .nodes(1), servers: 3, more: ["--shards", "5"])
      let pairs = (0..<12).map { "pair\($0)" }
      func exchange(_ n: Int) throws {
        try site.balance(5)
        for (index, pair) in pairs.enumerated() {
          let running = site.servers.filter { !$0.program.hasEnded }
          let watch = try running[index % running.count].device("watch", pair: pair)
          let phone = try running[(index + 1) % running.count].device("phone", pair: pair)
          #expect(try phone.request(transfer(n)).type == "accepted")
          let delivery = try watch.first("a delivery of now") { line in
            line.object("payload")?["n"] as? Int == n
          }
          try watch.send([
            "type": "acknowledge", "lane": "userInfo", "seq": delivery.integer("seq")!,
          ])
          try phone.expect("didFinishUserInfoTransfer")
          watch.close()
          phone.close()
        }
      }
      try exchange(1)
      let owners = Set(try (0..<5).map { try site.owner(of: $0) })
      #expect(owners.count == 3)
      site.servers[1].kill()
      try exchange(2)
      #expect(try site.servers[0].terminate() == 0)
      try exchange(3)
      #expect(try site.stop() == [0, 0, 0])
    }

    /// Many shards go from the first server to one that comes later, each with the folder of its copy, and none is lost.
    @Test func manyShardsMove() throws {
      let site = try ClusterSite(scratch, .nodes(1), servers: 2, more: ["--shards", "32"])
      _ = try site.owner()
      for pair in 0..<20 { try site.servers[0].device("phone", pair: "pair\(pair)").close() }
      try site.balance(32)
      for pair in 0..<20 { try site.servers[1].device("phone", pair: "pair\(pair)").close() }
      #expect(!site.servers.contains { $0.log.contains("event=shardFailed") }, "\(site.logs)")
      #expect(try site.stop() == [0, 0])
    }

    /// Requests that are about all pairs name a shard, whichever server is asked.
    @Test func anyServerIsAskedOfAnyShard() throws {
      let site = try ClusterSite(scratch, .nodes(1), servers: 2, more: ["--shards", "2"])
      try site.balance(2)
      for pair in ["a", "b", "c", "d"] {
        try site.servers[0].device("phone", pair: pair).close()
      }
      for server in site.servers {
        let client = try server.client()
        #expect(try client.request(["type": "listPairs"]).code == 4_003)
        var listed: [String] = []
        for shard in 0...1 {
          let answer = try client.request(["type": "listPairs", "shard": shard])
          listed += (answer.members["pairs"] as? [[String: Any]] ?? []).compactMap {
            $0["pair"] as? String
          }
        }
        #expect(listed.sorted() == ["a", "b", "c", "d"])
        client.close()
      }
      #expect(try site.stop() == [0, 0])
    }

    /// Long lines, many lines and a file, both ways, to devices that read slowly.
    @Test func muchThroughAPeerLink() throws {
      let site = try ClusterSite(scratch, .nodes(1))
      let server = site.servers[try edge(site)]
      let watch = try server.device(
        "watch", pair: "first", ["acknowledge": "automatic"], receiveBuffer: 4_096)
      let phone = try server.device("phone", pair: "first")
      let text = String(repeating: "é", count: 25_000)
      for n in 1...200 { try phone.send(transfer(n, text)) }
      for n in 1...200 {
        #expect(try phone.expect("accepted").type == "accepted")
        if n % 20 == 0 { usleep(10_000) }
      }
      for n in 1...200 {
        let line = try watch.expect("didReceiveUserInfo")
        #expect(line.integer("seq") == n)
        #expect((line.object("payload")?["text"] as? String)?.utf8.count == 50_000)
      }
      // What is acknowledged for the watch is what its own kernel has.
      for _ in 1...200 { try phone.expect("didFinishUserInfoTransfer") }
      for count in 1...2_000 { try phone.send("ping id=\(count)") }
      for count in 1...2_000 { #expect(try phone.expect("pong").integer("re") == count) }
      phone.close()
      watch.close()
      #expect(try site.stop() == [0, 0])
    }

    /// A device whose kernel has not confirmed what it was told is told so when it comes back; one whose kernel has is
    /// not.
    @Test func whatTheKernelHasConfirmed() throws {
      let site = try ClusterSite(scratch, .nodes(1))
      let server = site.servers[try edge(site)]
      let watch = try server.device("watch", pair: "first", ["acknowledge": "automatic"])
      let phone = try server.device("phone", pair: "first")
      for n in 1...5 { #expect(try phone.request(transfer(n)).type == "accepted") }
      for _ in 1...5 { try watch.expect("didReceiveUserInfo") }
      for _ in 1...5 { try phone.expect("didFinishUserInfoTransfer") }
      try phone.send("quit")
      #expect(try phone.linesToEnd().allSatisfy { $0.type != "error" })
      let back = try server.device("phone", pair: "first")
      #expect(back.activation.bool("mayHaveMissedDidFinish") == nil)
      #expect(back.activation.integer("outstanding") == 0)
      #expect(try site.stop() == [0, 0])
    }

    /// Where nobody owns a shard a device is told so after a while, and may try again.
    @Test func aShardWithoutAnOwner() throws {
      let site = try ClusterSite(scratch, .nodes(1))
      let edge = try edge(site)
      let client = try site.servers[edge].client()
      site.killNode(0)
      site.servers[1 - edge].kill()
      let error = try client.request(["type": "activate", "pair": "first", "role": "phone"])
      #expect(error.code == 4_008 && error.bool("definite") != false, "\(error)")
      #expect(error.string("message")?.contains("no server has shard 0 at present") == true)
      #expect(try client.request(["type": "ping"]).type == "pong")
      try site.restartNode(0)
      let answer = try client.request(["type": "activate", "pair": "first", "role": "phone"])
      #expect(answer.type == "activationDidComplete", "\(answer)")
      #expect(try site.servers[edge].terminate() == 0)
    }

    /// Guests of a server that stands still are cut off once another one owns the shard, and come back there. Who wants to
    /// become one meanwhile is taken there.
    @Test func guestsOfOneThatStandsStill() throws {
      let site = try ClusterSite(scratch, .nodes(1), servers: 3)
      let edge = try edge(site)
      let owner = try site.owner()
      let phone = try site.servers[edge].device("phone", pair: "first")
      site.freeze(owner)
      let late = try site.servers[edge].client()
      try late.send(["type": "activate", "pair": "second", "role": "phone"])
      _ = try site.owner()
      #expect(try phone.linesToEnd().isEmpty)
      try late.expect("activationDidComplete")
      let back = try site.servers[edge].device("phone", pair: "first")
      #expect(try back.request(["type": "ping"]).type == "pong")
      site.thaw(owner)
      try site.servers[owner].expectLog("event=fenced shard=0")
      #expect(try site.stop() == [0, 0, 0])
    }

    /// Whoever comes to the port of the peer links and is no server learns nothing, and hurts nobody.
    @Test func whoeverIsNoServerIsSentAway() throws {
      let site = try ClusterSite(scratch, .nodes(1))
      let owner = site.servers[try site.owner()]
      let port = try #require(
        owner.log.firstMatch(of: /peers=127\.0\.0\.1:(\d+)/).flatMap { Int($0.1) })
      func frame(_ kind: UInt8, _ body: [UInt8]) -> [UInt8] {
        [kind] + (0..<4).map { UInt8(truncatingIfNeeded: body.count >> (8 * $0)) } + body
      }
      let phone = try owner.device("phone")
      for bytes in [
        Array("ping\n".utf8), frame(0, Array("key".utf8)), frame(1, [1, 0]), frame(2, [0]),
        [0, 0xFF, 0xFF, 0xFF, 0xFF], frame(11, [UInt8](repeating: 0, count: 16)), [], [99],
        frame(0, [UInt8](repeating: 0xFF, count: 32)) + frame(1, [1, 0]),
      ] as [[UInt8]] {
        let client = try LineClient(port: port, awaitsHello: false)
        try client.send(bytes: bytes)
        #expect(try client.linesToEnd().isEmpty, "\(bytes)")
        client.close()
      }
      try owner.expectLog("event=peerRefused")
      #expect(try phone.request(["type": "ping"]).type == "pong")
      phone.close()
      #expect(try site.stop() == [0, 0])
    }

    /// TLS is the edge's.
    @Test(arguments: ["session", "bulk", "torn"]) func overTLS(what: String) throws {
      let files = ["cert", "key"].map { "\(scratch.path)/\($0).pem" }
      let made = try Program(
        ["openssl"] + [
          "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days",
          "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1",
          "-keyout", files[1], "-out", files[0],
        ], in: scratch)
      #expect(try made.exitCode() == 0)
      let site = try ClusterSite(
        scratch, .nodes(1),
        more: ["--tls-listen", "127.0.0.1:0", "--tls-cert", files[0], "--tls-key", files[1]])
      let server = site.servers[try edge(site)]
      let port = try #require(
        server.program.output.split(separator: ":").last.map { $0.dropLast() })
      let script = #filePath.replacing("Cluster/ShardTests.swift", with: "Examples/tls.py")
      let program = try Program(
        ["python3", "-B", script, what, "127.0.0.1", "\(port)", files[0]], in: scratch)
      #expect(try program.exitCode(within: 60) == 0, "\(program.errors) \(site.logs)")
      #expect(try site.stop() == [0, 0])
    }

    /// A token that is shown at one server counts at the other one, and so does its end.
    @Test func tokensGoAlong() throws {
      let file = scratch.path + "/tokens"
      func token(_ arguments: [String]) throws -> String {
        let made = try scratch.watchline(["token"] + arguments + ["--tokens", file], [:])
        guard made.code == 0 else { throw Failure(made.errors) }
        return String(made.output.dropLast())
      }
      let mine = try token(["create", "--pair", "first"])
      let site = try ClusterSite(scratch, .nodes(1), more: ["--tokens", file])
      let owner = try site.owner()
      let server = site.servers[1 - owner]
      let phone = try server.client()
      #expect(
        try phone.request(["type": "activate", "pair": "other", "role": "phone", "token": mine])
          .code
          == 4_010)
      #expect(try phone.request(["type": "authenticate", "token": mine]).type == "accepted")
      try phone.activate("phone", pair: "first")
      #expect(!site.servers[owner].log.contains("event=refused"))
      _ = try token(["revoke", String(mine.dropFirst(4).prefix(8))])
      #expect(try phone.expect("sessionDidDeactivate").string("reason") == "revoked")
      #expect(try phone.linesToEnd().isEmpty)
      #expect(site.logs.components(separatedBy: mine).count == 1)
      #expect(try site.stop() == [0, 0])
    }

    /// A server that takes a shard over does so with the tokens and schemas that it has read since it started.
    @Test func whatWasReadAnewHoldsInATakeOver() throws {
      let tokens = scratch.path + "/tokens"
      let schema = scratch.path + "/notes.json"
      func write(_ fields: String) throws {
        try Data(#"{"schema":"notes","kinds":[{"kind":"note","fields":[\#(fields)]}]}"#.utf8)
          .write(to: URL(filePath: schema))
      }
      let title = #"{"field":"title","type":"text"}"#
      try write(title)
      func token() throws -> String {
        let made = try scratch.watchline(
          ["token", "create", "--pair", "first", "--tokens", tokens], [:])
        guard made.code == 0 else { throw Failure(made.errors) }
        return String(made.output.dropLast())
      }
      _ = try token()
      let site = try ClusterSite(
        scratch, .nodes(1), more: ["--tokens", tokens, "--schema", schema])
      let owner = try site.owner()
      let other = site.servers[1 - owner]
      let later = try token()
      try other.expectLog("tokens=2")
      try write(title + #",{"field":"place","type":"text"}"#)
      other.program.signal(SIGHUP)
      try other.expectLog("event=reloaded files=1")
      site.servers[owner].kill()
      try other.expectLog("event=shardOwned")
      let phone = try other.client()
      #expect(try phone.request(["type": "authenticate", "token": later]).type == "accepted")
      try phone.activate("phone", pair: "first")
      #expect(try phone.request(["type": "sync.open", "schema": "notes"]).type == "sync.opened")
      let answer = try phone.request([
        "type": "sync.edit", "kind": "note", "set": ["title": "Tea", "place": "Kitchen"],
      ])
      #expect(answer.type == "sync.edited", "\(answer)")
      try site.restart(owner)
      try site.servers[owner].expectLog("event=standingBy")
      #expect(try site.stop() == [0, 0])
    }

    /// What a start refuses that is one of several.
    @Test func whatAStartRefuses() throws {
      let nodes = try Nodes(1)
      let shared = ["--cluster", nodes.servers, "--replicas", "1", "--allow-unsynced"]
      let first = try ServerProcess(scratch, shared + ["--shards", "2"], data: scratch.path + "/a")
      #expect(try first.terminate() == 0)
      for (arguments, code, words) in [
        (shared + ["--shards", "3"], 1, "is not the log of this shard"),
        (shared, 1, "or the cluster has another number of shards"),
        (shared + ["--shards", "0"], 2, "shards"),
        (["--shards", "2"], 2, "go with --cluster"),
        (["--peers", "127.0.0.1:1"], 2, "go with --cluster"),
        (
          shared + ["--shards", "2", "--listen", "0.0.0.0:0", "--allow-anonymous"], 1,
          "give --peers HOST:PORT"
        ),
        (shared + ["--shards", "2", "--peers", "192.0.2.1:0"], 1, "cannot listen on 192.0.2.1:0"),
      ] as [([String], Int, String)] {
        let listen = arguments.contains("--listen") ? [] : ["--listen", "127.0.0.1:0"]
        let program = try Program(
          [ServerProcess.path, "--data", scratch.path + "/b"] + listen + arguments, in: scratch)
        #expect(try program.exitCode() == code, "\(arguments)")
        #expect(program.errors.contains(words), "\(arguments): \(program.errors)")
        #expect(program.output == "")
      }
    }
  }
}
