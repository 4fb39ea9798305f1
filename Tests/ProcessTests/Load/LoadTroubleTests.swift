import Foundation
import Testing

extension ProcessTests {
  /// Servers that are not there or fail, interrupts, and bad usage of `watchline load`.
  @Suite struct LoadTroubleTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func load(_ words: [String]) throws -> Program {
      try Program(["\(Program.products)/watchline", "load"] + words, in: scratch)
    }

    /// One line on the standard error, and the exit status 1.
    private func expectFailure(
      _ program: Program, _ words: String, _ sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
      #expect(try program.exitCode() == 1, sourceLocation: sourceLocation)
      let errors = program.errors
      #expect(errors.hasPrefix("watchline: "), "\(errors)", sourceLocation: sourceLocation)
      #expect(
        errors.split(separator: "\n").count == 1, "\(errors)", sourceLocation: sourceLocation)
      #expect(errors.contains(words), "\(errors)", sourceLocation: sourceLocation)
    }

    private func result(_ program: Program) throws -> [String: Any] {
      let line = try #require(program.output.split(separator: "\n").first, "\(program.errors)")
      return try #require(
        try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
    }

    @Test func nobodyListens() throws {
      let server = try ServerProcess(scratch)
      let port = server.port
      server.kill()
      let program = try load(["--connect", "127.0.0.1:\(port)"])
      try expectFailure(program, "cannot connect to 127.0.0.1:\(port): Connection refused")
    }

    @Test func noSuchHost() throws {
      try expectFailure(try load(["--connect", "nosuchhost.invalid:1"]), "cannot find")
    }

    /// Malformed answers of a server, and what is said of them.
    static let answers: [(String, String)] = [
      ("HTTP/1.1 400 Bad Request\r\n", "does not answer in JSON lines: HTTP/1.1 400"),
      ("[1,2]\n", "does not answer in JSON lines: [1,2]"),
      ("{\"type\":\"greeting\"}\n", "no Watchline server"),
      (
        "{\"type\":\"error\",\"code\":4011,\"name\":\"tooManyConnections\",\"message\":\"full\"}\n",
        "refuses: 4011 tooManyConnections: full"
      ),
      (
        "{\"type\":\"hello\",\"server\":\"x\"}\n{\"type\":\"didReceiveMessage\",\"payload\":{}}\n",
        "was not to be expected: {\"type\":\"didReceiveMessage\""
      ),
      ("", "has not gone on for 0.3 s, waiting for hello"),
      ("{\"type\":\"hello\",\"server\":\"x\"}\n", "has not gone on for 0.3 s"),
    ]

    @Test(arguments: answers) func nonsense(_ test: (answer: String, words: String)) throws {
      let server = try SpeakingServer(test.answer)
      defer { server.stop() }
      let program = try load(["--connect", "127.0.0.1:\(server.port)", "--timeout", "0.3"])
      try expectFailure(program, test.words)
    }

    @Test func serverRefusesConnections() throws {
      let server = try ServerProcess(scratch, ["--limits", "connections=3"])
      let program = try load(["--connect", "127.0.0.1:\(server.port)", "--pairs", "5"])
      try expectFailure(program, "refuses: 4011 tooManyConnections")
    }

    @Test func tooFewDescriptors() throws {
      let words = "ulimit -n 100; exec \"$0\" load --spawn --workload connect --pairs 500"
      let program = try Program(
        ["sh", "-c", words, "\(Program.products)/watchline"], in: scratch)
      try expectFailure(program, "1000 connections need 1064 file descriptors")
    }

    @Test func cannotBeBound() throws {
      let program = try load(["--spawn", "--server-cpu", "1000"])
      try expectFailure(program, "cannot be bound to processor 1000")
    }

    /// Waits until transfers are being stored.
    private func awaitTraffic() throws {
      try eventually("traffic") { scratch.contents.values.reduce(0) { $0 + $1.count } > 1 << 19 }
      usleep(300_000)
    }

    @Test func theServerDies() throws {
      let server = try ServerProcess(scratch)
      let program = try load([
        "--connect", "127.0.0.1:\(server.port)", "--workload", "transfer", "--seconds", "60",
        "--pairs", "4", "--window", "16", "--warm-up", "0", "--json",
      ])
      try awaitTraffic()
      server.kill()
      try expectFailure(program, "the server has closed the connection of the ")
      let result = try result(program)
      #expect((result["ended"] as? String)?.contains("has closed") == true)
      #expect(result["messages"] as? Int ?? 0 > 0)
      #expect(result["lost"] as? Int == 0)
      #expect(result["inFlight"] as? Int ?? 0 > 0, "what was under way is not called lost")
    }

    /// A server of its own is stopped and its folder removed; the process ends by the signal.
    @Test(arguments: [SIGINT, SIGTERM]) func interrupt(_ number: Int32) throws {
      let program = try load([
        "--spawn", "--data", scratch.path, "--seconds", "60", "--warm-up", "0", "--pairs", "2",
        "--json",
      ])
      try eventually("its server's folder") { try leftovers().count == 1 }
      usleep(1_500_000)
      program.signal(number)
      #expect(try program.exitCode() == -Int(number))
      #expect(program.errors == "watchline: interrupted: these are the figures so far\n")
      let result = try result(program)
      #expect(result["ended"] as? String == "interrupted")
      #expect(result["messages"] as? Int ?? 0 > 0)
      #expect(result["lost"] as? Int == 0)
      #expect((result["latencyMilliseconds"] as? [String: Any])?["p99"] is NSNumber)
      #expect(try leftovers().isEmpty)
    }

    private func leftovers() throws -> [String] {
      try FileManager.default.contentsOfDirectory(atPath: scratch.path)
        .filter { $0.hasPrefix("watchline-load") }
    }

    @Test func interruptTellsAPerson() throws {
      let program = try load(["--spawn", "--seconds", "60", "--warm-up", "0", "--pairs", "2"])
      usleep(2_500_000)
      program.signal(SIGINT)
      #expect(try program.exitCode() == -Int(SIGINT))
      #expect(program.output.contains("messages a second"), "\(program.output)")
      #expect(program.output.contains("ended after"), "\(program.output)")
    }

    @Test func noServerProgram() throws {
      let program = try load(["--servers", "/nonexistent/a,\(ServerProcess.path)"])
      try expectFailure(program, "cannot start /nonexistent/a: No such file or directory")
      let other = try load(["--servers", "/bin/true,\(ServerProcess.path)"])
      try expectFailure(other, "/bin/true does not start")
    }

    static let misuses: [([String], String)] = [
      ([], "no server"), (["--spawn", "--connect", "127.0.0.1:1"], "does not go with"),
      (["--connect", "nowhere"], "HOST:PORT"), (["--spawn", "--workload", "dance"], "message or"),
      (["--spawn", "--window", "1", "--rate", "1"], "closed loop"),
      (["--spawn", "--window", "0"], "--window"), (["--spawn", "--rate", "x"], "--rate"),
      (["--spawn", "--pairs", "0"], "--pairs"), (["--spawn", "--payload", "63"], "--payload"),
      (["--spawn", "--payload", "60001"], "--payload"),
      (["--spawn", "--seconds", "0"], "--seconds"),
      (["--spawn", "--seconds", "nan"], "--seconds"),
      (["--spawn", "--warm-up", "-1"], "--warm-up"),
      (["--spawn", "--fail-if", "p98>1"], "did you mean p99?"),
      (["--spawn", "--fail-if", ""], "--fail-if"), (["--spawn", "--server-pid", "1"], "--connect"),
      (["--connect", "127.0.0.1:1", "--data", "."], "--data"), (["--servers", "a"], "--servers"),
      (["--servers", "a,"], "--servers"), (["--compare", "a"], "two files"),
      (["--compare", "/nonexistent", "/nonexistent"], "no file"),
      (["--compare", "a", "b", "--pairs", "2"], "--pairs does not go with --compare"),
      (["--spawn", "stray"], "stray"),
      (["--spawn", "--workload", "connect", "--rate", "5"], "--rate does not go with"),
    ]

    @Test(arguments: misuses) func badUsage(_ misuse: ([String], String)) throws {
      let program = try load(misuse.0)
      #expect(try program.exitCode() == 2, "\(program.errors)")
      #expect(program.errors.split(separator: "\n").count == 1, "\(program.errors)")
      #expect(program.errors.contains(misuse.1), "\(program.errors)")
      #expect(program.output.isEmpty)
    }
  }
}
