import Foundation
import Testing

extension ProcessTests {
  /// `watchline load` from outside, on servers that it starts itself.
  @Suite struct LoadTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func load(_ words: [String]) throws -> Program {
      try Program(["\(Program.products)/watchline", "load"] + words, in: scratch)
    }

    private func objects(_ program: Program) throws -> [[String: Any]] {
      try program.output.split(separator: "\n").map {
        try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
      }
    }

    /// Runs on a spawned server for a moment; the one object that it prints.
    private func spawn(
      _ words: String..., seconds: String = "0.4", warmUp: String? = "0.1"
    ) throws -> [String: Any] {
      var quick = ["--spawn", "--data", scratch.path, "--seconds", seconds, "--json"]
      if let warmUp { quick += ["--warm-up", warmUp] }
      let program = try load(quick + words)
      #expect(try program.exitCode() == 0, "\(program.errors)")
      #expect(program.errors.isEmpty, "\(program.errors)")
      let left = try FileManager.default.contentsOfDirectory(atPath: scratch.path)
      #expect(!left.contains { $0.hasPrefix("watchline-load") }, "its folder is left behind")
      return try #require(try objects(program).first)
    }

    /// Figures are there, and nothing was lost, duplicated or reordered.
    private func expectSound(
      _ result: [String: Any], _ sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
      #expect(result["ended"] as? String == "complete", sourceLocation: sourceLocation)
      for name in ["lost", "duplicated", "reordered", "inFlight"] {
        #expect(result[name] as? Int == 0, "\(name)", sourceLocation: sourceLocation)
      }
      for name in [
        "messages", "messagesPerSecond", "seconds", "serverResidentBytes", "wireBytesPerMessage",
      ] {
        #expect(result[name] as? Double ?? 0 > 0, "\(name)", sourceLocation: sourceLocation)
      }
      #expect(result["serverCPUSecondsPerMillion"] is NSNumber, sourceLocation: sourceLocation)
      #expect(result["diskBytesPerMessage"] is NSNumber, sourceLocation: sourceLocation)
      #expect(result["clientCPUPercent"] as? Double ?? -1 >= 0, sourceLocation: sourceLocation)
      let latency = try #require(result["latencyMilliseconds"] as? [String: Double])
      #expect(latency["p50"]! > 0 && latency["p50"]! <= latency["p99"]!)
      #expect(latency["p99"]! <= latency["p999"]! && latency["p999"]! <= latency["max"]!)
      let histogram = try #require(result["latencyHistogram"] as? [[Double]])
      let counted = histogram.reduce(0) { $0 + Int($1[1]) }
      #expect(counted > 0, sourceLocation: sourceLocation)
      #expect((result["samples"] as? [Any])?.isEmpty == false, sourceLocation: sourceLocation)
    }

    /// A server that was there before is left as it was, with nothing to be said of that.
    @Test(arguments: ["message", "transfer", "backlog", "sync", "connect"])
    func aServerThatIsThereForgetsTheRun(_ workload: String) throws {
      let server = try ServerProcess(scratch)
      let program = try load(
        [
          "--connect", "127.0.0.1:\(server.port)", "--workload", workload, "--pairs", "3",
          "--seconds", "0.3", "--json",
        ] + (workload == "connect" ? [] : ["--warm-up", "0.1"]))
      #expect(try program.exitCode() == 0, "\(program.errors)")
      #expect(program.errors.isEmpty, "\(program.errors)")
    }

    @Test(arguments: [["--window", "16"], ["--rate", "300"]]) func messages(
      _ pace: [String]
    ) throws {
      let result = try spawn("--workload", "message", "--pairs", "3", pace[0], pace[1])
      try expectSound(result)
      #expect(result["deliveryLatencyMilliseconds"] == nil)
      let options = try #require(result["options"] as? [String: Any])
      #expect(options["pairs"] as? Int == 3)
      #expect((options["rate"] is NSNull) == (pace[0] == "--window"))
      // In and out, 200 bytes each time and what is around them; nothing of it goes to the disk.
      #expect(450..<1_000 ~= (result["wireBytesPerMessage"] as? Double ?? 0))
      if pace[0] == "--rate" {
        let rate = try #require(result["messagesPerSecond"] as? Double)
        #expect(rate < 450, "an open loop sends no more than asked for")
      }
    }

    @Test(arguments: [["--window", "16"], ["--rate", "300"]]) func transfers(
      _ pace: [String]
    ) throws {
      let result = try spawn("--workload", "transfer", "--pairs", "3", pace[0], pace[1])
      try expectSound(result)
      let (end, delivery) = (
        try #require(result["latencyMilliseconds"] as? [String: Double]),
        try #require(result["deliveryLatencyMilliseconds"] as? [String: Double])
      )
      #expect(delivery["p50"]! > 0 && delivery["p50"]! <= end["p50"]!)
    }

    @Test func backlog() throws {
      let result = try spawn("--workload", "backlog", "--pairs", "2", "--window", "32")
      try expectSound(result)
      let fill = try #require(result["fill"] as? [String: Any])
      let drain = try #require(result["drain"] as? [String: Any])
      // Everything sent is drained, what the warm-up sent and what came after the window too.
      let (filled, drained) = (fill["messages"] as? Int ?? 0, drain["messages"] as? Int ?? 0)
      #expect(filled > 0 && drained >= filled)
      for phase in [fill, drain] {
        #expect(phase["messagesPerSecond"] as? Double ?? 0 > 0)
        #expect((phase["latencyMilliseconds"] as? [String: Any])?["p50"] is NSNumber)
      }
      let phases = (result["samples"] as? [[String: Any]])?.compactMap { $0["phase"] as? String }
      #expect(Set(phases ?? []) == ["fill", "drain"])
    }

    /// Also with so large values that a push cannot have many of them.
    @Test(arguments: ["200", "60000"]) func sync(_ payload: String) throws {
      let result = try spawn(
        "--workload", "sync", "--pairs", "1", "--window", "20", "--payload", payload, seconds: "2")
      try expectSound(result)
      #expect(result["headsAgree"] as? Bool == true)
    }

    /// The hub collects again and again, what the devices have acknowledged.
    @Test func syncThroughCollections() throws {
      let server = try ServerProcess(scratch, ["--limits", "syncLog=64"])
      let program = try load([
        "--connect", "127.0.0.1:\(server.port)", "--workload", "sync", "--pairs", "1", "--seconds",
        "2", "--json",
      ])
      #expect(try program.exitCode() == 0, "\(program.errors)")
      let result = try #require(try objects(program).first)
      try expectSound(result)
      #expect(result["messages"] as? Int ?? 0 > 1_000)
      #expect(result["headsAgree"] as? Bool == true)
    }

    @Test func connect() throws {
      let result = try spawn(
        "--workload", "connect", "--pairs", "40", "--window", "8", warmUp: nil)
      try expectSound(result)
      let figures = try #require(result["connect"] as? [String: Any])
      #expect(figures["connections"] as? Int == 80)
      #expect(figures["activations"] as? Int == 80)
      #expect(result["messages"] as? Int == 80)
      for name in ["connectionsPerSecond", "idleSeconds", "activatedBytesPerConnection"] {
        #expect(figures[name] as? Double ?? 0 > 0, "\(name)")
      }
    }

    /// A server that runs already: its process is found by its port.
    @Test func findsTheProcess() throws {
      let server = try ServerProcess(scratch)
      let program = try load([
        "--connect", "127.0.0.1:\(server.port)", "--seconds", "0.3", "--warm-up", "0", "--pairs",
        "2", "--json",
      ])
      #expect(try program.exitCode() == 0, "\(program.errors)")
      let result = try #require(try objects(program).first)
      try expectSound(result)
      let memory = try #require(result["serverResidentBytes"] as? Int)
      #expect(abs(memory - server.memory) < 4 << 20)
    }

    @Test func failIf() throws {
      let quick = ["--spawn", "--seconds", "0.3", "--warm-up", "0", "--pairs", "2"]
      let good = try load(quick + ["--fail-if", "lost>0,messagesPerSecond<1"])
      #expect(try good.exitCode() == 0, "\(good.errors)")
      let bad = try load(quick + ["--fail-if", "lost>0,messagesPerSecond>1"])
      #expect(try bad.exitCode() == 1)
      #expect(bad.errors.hasPrefix("watchline: --fail-if messagesPerSecond>1: "))
      #expect(bad.errors.split(separator: "\n").count == 1)
      #expect(bad.output.contains("messages a second"), "the figures come all the same")
    }

    @Test func twoServersInTurn() throws {
      let path = ServerProcess.path
      let program = try load([
        "--servers", "\(path),\(path)", "--repeat", "2", "--seconds", "0.2", "--warm-up", "0",
        "--pairs", "2", "--json",
      ])
      #expect(try program.exitCode() == 0, "\(program.errors)")
      let result = try #require(try objects(program).first)
      for side in ["old", "new"] {
        let runs = try #require(result[side] as? [[String: Any]])
        #expect(runs.count == 2)
        for run in runs { try expectSound(run) }
      }
      let rows = try #require(result["comparison"] as? [[String: Any]])
      #expect(rows.first?["metric"] as? String == "messagesPerSecond")
      #expect(rows.first?["noDifference"] is Bool)
    }

    @Test func comparesSavedRuns() throws {
      var files: [String] = []
      for pairs in ["2", "2", "3"] {
        let program = try load([
          "--spawn", "--seconds", "0.2", "--warm-up", "0", "--pairs", pairs, "--json",
        ])
        #expect(try program.exitCode() == 0, "\(program.errors)")
        files.append(program.outputPath)
      }
      let alike = try load(["--compare", files[0], files[1]])
      #expect(try alike.exitCode() == 0, "\(alike.errors)")
      #expect(alike.output.contains("messages/s"))
      let unlike = try load(["--compare", files[0], files[2]])
      #expect(try unlike.exitCode() == 2)
      #expect(unlike.errors.contains("not alike: pairs is 2 and 3"))
    }
  }
}
