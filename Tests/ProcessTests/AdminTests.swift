import Foundation
import LoopbackSupport
import Testing

extension ProcessTests {
  /// The admin port: what an operator and Prometheus ask by HTTP.
  @Suite struct AdminTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func start(data: String? = ":memory:", shell: String? = nil) throws -> (
      server: ServerProcess, admin: AdminPort
    ) {
      let server = try ServerProcess(scratch, AdminPort.arguments, data: data, shell: shell)
      return (server, try AdminPort(server, scratch))
    }

    private func load(_ server: ServerProcess, _ line: String) throws {
      let program = try Program(
        [Program.products + "/watchline", "load", "--connect", "127.0.0.1:\(server.port)"]
          + line.split(separator: " ").map(String.init), in: scratch)
      #expect(try program.exitCode(within: 60) == 0, "\(program.errors)")
    }

    /// What is counted is what has happened, and Prometheus takes the format.
    @Test func metricsAreTrue() throws {
      let (server, admin) = try start()
      let before = try admin.metrics()
      #expect(AdminPort.value("watchline_connections", in: before) == 0)
      let watch = try server.device("watch")
      let phone = try server.device("phone")
      for n in 1...3 { try phone.send(["type": "transferUserInfo", "n": n, "payload": [:]]) }
      for _ in 1...3 { try watch.expect("didReceiveUserInfo") }
      try watch.send(["type": "acknowledge", "lane": "userInfo", "seq": 3])
      for _ in 1...3 { try phone.expect("didFinishUserInfoTransfer") }
      try phone.send(["type": "sendMessage", "payload": [:]])
      try watch.expect("didReceiveMessage")
      try phone.send(["type": "bogus"])
      try phone.expect("error")
      let metrics = try admin.metrics()
      for (name, count) in [
        ("watchline_connections", 2), ("watchline_sessions", 2), ("watchline_pairs", 1),
        ("watchline_activations_total", 2), ("watchline_messages_total", 1),
        (#"watchline_accepted_total{lane="userInfo"}"#, 3),
        (#"watchline_delivered_total{lane="userInfo"}"#, 3), ("watchline_finished_total", 3),
        (#"watchline_refused_total{code="4002"}"#, 1), ("watchline_store_failing", 0),
      ] { #expect(AdminPort.value(name, in: metrics) == Double(count), "\(name)") }
      for name in [
        "watchline_commit_seconds_count", "watchline_committed_bytes_total",
        "watchline_turn_seconds_count", #"watchline_limit{limit="queueItems"}"#,
      ] { #expect(try #require(AdminPort.value(name, in: metrics)) >= 2, "\(name)") }
      let longest = try #require(AdminPort.value("watchline_longest_turn_seconds", in: metrics))
      #expect(longest > 0 && longest < 10)
      #expect(AdminPort.value(#"watchline_limit{limit="receiverGrace"}"#, in: metrics) == 2)
      #expect(try #require(AdminPort.value("watchline_log_bytes", in: metrics)) > 100)
      #expect(try #require(AdminPort.value("watchline_memtable_bytes", in: metrics)) > 100)
      #expect(try #require(AdminPort.value("watchline_database_bytes", in: metrics)) > 10_000)
      #expect(try #require(AdminPort.value("watchline_store_used_bytes", in: metrics)) > 10_000)
      // All of it is in memory here, of which nobody says how much it may be.
      #expect(AdminPort.value("watchline_store_quota_bytes", in: metrics) == .infinity)
      #expect(
        try #require(AdminPort.value("process_resident_memory_bytes", in: metrics)) > 1_000_000)
      let check = try Program(
        ["promtool", "check", "metrics"], in: scratch,
        input: metrics.split(separator: "\n").dropLast().joined(separator: "\n") + "\n")
      #expect(try check.exitCode() == 0, "\(check.output) \(check.errors)")
      #expect(try server.terminate() == 0)
    }

    /// Pairs in memory, as listPairs has them, and errors that say what to do.
    @Test func pairsAreListed() throws {
      let (server, admin) = try start()
      for pair in ["team-a", "team-b", "other"] {
        try server.client().request(["type": "activate", "pair": pair, "role": "phone"])
      }
      #expect(try admin.get("/debug/pairs").contains(#""pair":"other","app":"default""#))
      let found = try admin.get("/debug/pairs?pair=team-*&limit=1")
      #expect(
        found.hasPrefix(#"{"pairs":[{"pair":"team-a","#) && found.contains(#","next":"#), "\(found)"
      )
      #expect(!found.contains("team-b"))
      for (query, advice) in [
        ("limit=0", "limit is a number from 1 to 1000"), ("limit=x", "limit is"),
        ("after=-1", "after is next of the answer before"), ("shard=x", "shard is a number"),
        ("pears=1", "there are pair, app, limit, after and shard, and no pears"),
      ] {
        let answer = try admin.get("/debug/pairs?" + query)
        #expect(answer.hasPrefix(advice) && answer.hasSuffix("\n400"), "\(answer)")
      }
      #expect(try admin.get("/debug/pairs?shard=3") == "this server has no shard 3\n\n404")
      #expect(try server.terminate() == 0)
    }

    /// Where the server asks for tokens, so does this: for one with the grant.
    @Test func pairsForWhoeverMayKnowThem() throws {
      let file = scratch.path + "/tokens"
      func token(_ grant: String) throws -> String {
        let made = try Program(
          [
            Program.products + "/watchline", "token", "create", "--tokens", file, "--pair", "*",
            "--grant", grant,
          ], in: scratch)
        #expect(try made.exitCode() == 0, "\(made.errors)")
        return try #require(
          made.output.split(whereSeparator: \.isWhitespace).first { $0.hasPrefix("wl1_") }.map(
            String.init))
      }
      let (own, others) = (try token("admin"), try token("connect"))
      let server = try ServerProcess(
        scratch, AdminPort.arguments + ["--tokens", file], data: ":memory:")
      let admin = try AdminPort(server, scratch)
      try server.client().request(
        ["type": "activate", "pair": "secret", "role": "phone", "token": others])
      for header in ["", "Authorization: Bearer \(others)", "Authorization: Bearer wl1_no"] {
        let answer = try admin.get("/debug/pairs", header.isEmpty ? [] : ["-H", header])
        #expect(answer.hasSuffix("\n401") && !answer.contains("secret"), "\(answer)")
        #expect(answer.contains("a token with the grant admin"), "\(answer)")
      }
      let answer = try admin.get("/debug/pairs", ["-H", "Authorization: Bearer \(own)"])
      #expect(answer.contains(#""pair":"secret""#) && answer.hasSuffix("\n200"), "\(answer)")
      try server.expectLog("event=refused token=")
      for text in [own, others] { #expect(!server.log.contains(text)) }
      #expect(try server.terminate() == 0)
    }

    /// Prometheus itself scrapes a server under load.
    @Test func prometheusScrapes() throws {
      let (server, admin) = try start()
      let settings = """
        global: {scrape_interval: 200ms, scrape_timeout: 200ms}
        scrape_configs:
          - {job_name: watchline, static_configs: [{targets: ["\(admin.address)"]}]}
        """
      let file = scratch.path + "/prometheus.yml"
      try Data(settings.utf8).write(to: URL(fileURLWithPath: file))
      // It does not say which port it got: one that was free is named to it.
      let own = try FreePorts.draw(1)[0]
      let prometheus = try Program(
        [
          "prometheus", "--config.file=\(file)", "--storage.tsdb.path=\(scratch.path)/series",
          "--web.listen-address=127.0.0.1:\(own)",
        ], in: scratch)
      try eventually(within: 30, "Prometheus is ready: \(prometheus.errors.suffix(500))") {
        prometheus.errors.contains("Server is ready to receive web requests")
      }
      try load(server, "--workload transfer --pairs 4 --seconds 1 --warm-up 0")
      let wanted = try admin.metrics().split(separator: "\n").first {
        $0.hasPrefix("watchline_finished_total ")
      }.map { String($0.dropFirst("watchline_finished_total ".count)) }
      let count = try #require(wanted)
      try eventually(within: 20, "it has the count \(count)") {
        try admin.get(url: "127.0.0.1:\(own)/api/v1/query?query=watchline_finished_total")
          .contains("\"\(count)\"")
      }
      #expect(try server.terminate() == 0)
    }

    /// Each as a rule that promtool reads.
    private func checkExpressions(of dashboard: String) throws {
      let json =
        try JSONSerialization.jsonObject(
          with: Data(contentsOf: URL(filePath: dashboard))) as? [String: Any]
      let panels = try #require(json?["panels"] as? [[String: Any]])
      var rules = "groups:\n- name: dashboard\n  rules:\n"
      for (number, panel) in panels.enumerated() {
        let targets = try #require(panel["targets"] as? [[String: Any]])
        for (index, target) in targets.enumerated() {
          let expression = try #require(target["expr"] as? String)
            .replacing("$__rate_interval", with: "1m")
          rules += "  - record: panel:\(number):\(index)\n    expr: \(expression)\n"
        }
      }
      let path = scratch.path + "/dashboard.yml"
      try rules.write(toFile: path, atomically: true, encoding: .utf8)
      let check = try Program(["promtool", "check", "rules", path], in: scratch)
      #expect(try check.exitCode() == 0, "\(check.output) \(check.errors)")
      #expect(panels.count > 10)
    }

    /// The rules of the documentation are rules, and ask for metrics that there are.
    @Test func alertsAndTheDashboardAskForWhatThereIs() throws {
      let (server, admin) = try start()
      let rules = #filePath.replacing(
        "Tests/ProcessTests/AdminTests.swift", with: "Documentation/alerts.yml")
      let check = try Program(["promtool", "check", "rules", rules], in: scratch)
      #expect(try check.exitCode() == 0, "\(check.output) \(check.errors)")
      let metrics = try admin.metrics()
      let dashboard = rules.replacing("alerts.yml", with: "dashboard.json")
      try checkExpressions(of: dashboard)
      let documents = [rules, dashboard, rules.replacing("alerts.yml", with: "Operating.md")]
      for path in documents {
        let text = try String(contentsOfFile: path, encoding: .utf8)
        let names = text.matches(of: /(watchline|process)_[a-z_]+/).map { String($0.output.0) }
        #expect(names.count >= 4)
        for name in names {
          let isThere = metrics.contains("# TYPE \(name.replacing("_bucket", with: "")) ")
          #expect(isThere, "\(name)")
        }
      }
      #expect(try server.terminate() == 0)
    }

    /// Alive and ready are two things: a server whose disk is full serves what it has, and is not ready.
    @Test func readyMeansThatItTakesWhatIsNew() throws {
      let (server, admin) = try start(data: nil, shell: "trap '' XFSZ")
      #expect(try admin.get("/healthz") == "ok\n\n200")
      #expect(try admin.get("/readyz") == "ok\n\n200")
      #expect(try admin.get("/").hasPrefix("/metrics"))
      #expect(try admin.get("/none").hasSuffix("\n404"))
      // A page in a browser of this machine's may have any name looked up as this address.
      #expect(try admin.get("/metrics", ["-H", "Host: evil.example"]).hasSuffix("\n403"))
      // Somebody who says nothing keeps nobody from being served, and the server from nothing.
      let idle = try loopbackConnection(
        host: "127.0.0.1", port: Int(admin.address.split(separator: ":")[1])!)
      defer { close(idle) }
      let phone = try server.device("phone")
      let watch = try server.device("watch")
      try server.limitFiles(to: 12_000)
      let transfer: [String: Any] = [
        "type": "transferUserInfo", "payload": ["text": String(repeating: "x", count: 8_000)],
      ]
      try eventually("the disk is full") { try phone.request(transfer).type == "error" }
      let answer = try admin.get("/readyz")
      #expect(answer.hasPrefix("the store takes nothing new: ") && answer.hasSuffix("\n503"))
      #expect(try admin.get("/healthz") == "ok\n\n200")
      let metrics = try admin.metrics()
      #expect(AdminPort.value("watchline_store_failing", in: metrics) == 1)
      #expect(
        try #require(AdminPort.value("watchline_store_failing_seconds_total", in: metrics)) > 0)
      try server.limitFiles(to: 1 << 30)
      try eventually("it is ready again") { try admin.get("/readyz") == "ok\n\n200" }
      phone.close()
      watch.close()
      #expect(try server.terminate() == 0)
    }

    @Test func addressesThatAreRefused() throws {
      for (address, words) in [
        ("0.0.0.0:0", "it is for 127.0.0.1 alone"), ("9292", "--admin is HOST:PORT"),
      ] {
        let program = try Program(
          [
            ServerProcess.path, "--data", ":memory:", "--listen", "127.0.0.1:0", "--admin", address,
          ], in: scratch)
        #expect(try program.exitCode() != 0)
        #expect(program.errors.contains(words), "\(program.errors)")
      }
      let (server, admin) = try start()
      let second = try Program(
        [
          ServerProcess.path, "--data", ":memory:", "--listen", "127.0.0.1:0", "--admin",
          admin.address,
        ],
        in: scratch)
      #expect(try second.exitCode() == 1)
      #expect(second.errors.contains("cannot listen on \(admin.address), which --admin names"))
      #expect(try server.terminate() == 0)
    }
  }
}
