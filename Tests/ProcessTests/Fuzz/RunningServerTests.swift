import Foundation
import Testing

extension ProcessTests {
  /// `watchline fuzz --against tcp:…` and `watchline replay … --against tcp:…`.
  @Suite struct RunningServerTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private var out: String { "\(scratch.path)/out" }
    private var start: String {
      "\(ServerProcess.path) --listen 127.0.0.1:0 --data \(scratch.data)"
    }

    private func watchline(_ words: [String]) throws -> Program {
      try Program(["\(Program.products)/watchline"] + words, in: scratch)
    }

    private func fuzz(_ target: String, _ words: String...) throws -> Program {
      try watchline(["fuzz", "--against", "tcp:\(target)", "--json", "--out", out] + words)
    }

    private func object(_ program: Program) throws -> [String: Any] {
      let last = try #require(program.output.split(separator: "\n").last, "\(program.errors)")
      return try #require(
        try JSONSerialization.jsonObject(with: Data(last.utf8)) as? [String: Any])
    }

    private func slugs(_ program: Program) throws -> [String] {
      let violations = try #require(try object(program)["violations"] as? [[String: Any]])
      return violations.compactMap { $0["slug"] as? String }
    }

    @Test func aServerThatRuns() throws {
      let server = try ServerProcess(scratch)
      let program = try fuzz("127.0.0.1:\(server.port)", "--seeds", "1..12")
      #expect(try program.exitCode(within: 120) == 0, "\(program.output) \(program.errors)")
      let summary = try object(program)
      #expect(summary["schedules"] as? Int == 12)
      #expect((summary["notTested"] as? [String] ?? []).count >= 3)
      let coverage = try #require(summary["coverage"] as? [String: Int])
      #expect(coverage["edit"] ?? 0 > 0 && coverage["transfer"] ?? 0 > 0, "\(coverage)")
      let faults = ["takeover", "oneWay", "halfOpen", "slice", "delay", "duplicate"]
      #expect(faults.contains { coverage[$0] ?? 0 > 0 }, "\(coverage)")
      #expect(coverage["kill"] == nil)
      // Once more, at a server that has seen these seeds.
      let again = try fuzz("127.0.0.1:\(server.port)", "--seeds", "1..3", "--jobs", "1")
      #expect(try again.exitCode(within: 120) == 0, "\(again.output) \(again.errors)")
      #expect(!FileManager.default.fileExists(atPath: out))
    }

    @Test func aServerThatIsKilled() throws {
      let program = try fuzz(
        "127.0.0.1:0", "--server", start, "--seeds", "1..8", "--faults", "crash,cut,delay")
      #expect(try program.exitCode(within: 120) == 0, "\(program.output) \(program.errors)")
      let coverage = try #require(try object(program)["coverage"] as? [String: Int])
      #expect(coverage["kill"] ?? 0 > 3)
      // It has left nobody behind, and so nobody who holds the store.
      let server = try ServerProcess(scratch)
      #expect(try server.terminate() == 0)
    }

    /// A lie is found, and the finding is of some use.
    @Test(arguments: [LyingServer.Lie.drops, .forgets]) func aServerThatLies(
      _ lie: LyingServer.Lie
    ) throws {
      let server = try ServerProcess(scratch)
      let liar = try LyingServer(lie, before: server, in: scratch)
      let target = "127.0.0.1:\(liar.port)"
      let program = try fuzz(
        target, "--seeds", "1..1", "--schema", "none", "--faults", "none", "--events", "12",
        "--devices", "2", "--shrinking", "2", "--jobs", "1")
      #expect(try program.exitCode(within: 120) == 1, "\(program.output) \(program.errors)")
      let violations = try #require(try object(program)["violations"] as? [[String: Any]])
      let lost = try #require(
        violations.first { $0["slug"] as? String == "lost-transfer" }, "\(violations)")
      let folder = try #require(lost["folder"] as? String)
      for name in ["trace.ndjson", "report.html", "finding.json", "Reproduce.swift", "stderr.txt"] {
        #expect(FileManager.default.fileExists(atPath: "\(folder)/\(name)"), "\(name)")
      }
      #expect((lost["command"] as? String ?? "").contains("--against tcp:\(target)"))
      let trace = "\(folder)/trace.ndjson"
      let again = try watchline(["replay", trace, "--against", "tcp:\(target)"])
      #expect(try again.exitCode(within: 60) == 1, "\(again.output) \(again.errors)")
      // The server itself is honest.
      let honest = try watchline(["replay", trace, "--against", "tcp:127.0.0.1:\(server.port)"])
      #expect(try honest.exitCode(within: 60) == 0, "\(honest.output) \(honest.errors)")
    }

    @Test func aServerThatForgetsWhenItIsKilled() throws {
      let forgetful = "\(ServerProcess.path) --listen 127.0.0.1:0 --data :memory:"
      let program = try fuzz(
        "127.0.0.1:0", "--server", forgetful, "--seeds", "1..3", "--faults", "crash",
        "--shrinking", "1")
      #expect(try program.exitCode(within: 120) == 1, "\(program.errors)")
      #expect(try slugs(program).contains("other-store"))
    }

    @Test func aServerThatDies() throws {
      let server = try ServerProcess(scratch)
      let program = try fuzz("127.0.0.1:\(server.port)", "--seconds", "60", "--jobs", "1")
      try eventually("a connection") { server.log.contains("pair") || !program.hasEnded }
      Thread.sleep(forTimeInterval: 2)
      server.kill()
      #expect(try program.exitCode(within: 60) == 1, "\(program.output) \(program.errors)")
      #expect(try slugs(program) == ["server-died"])
      #expect(program.errors.split(separator: "\n").count == 1, "\(program.errors)")
    }

    /// Traces of devices alone, and of the server in memory, at a server that runs.
    @Test func tracesOfOtherWorlds() throws {
      let server = try ServerProcess(scratch)
      let target = ["--against", "tcp:127.0.0.1:\(server.port)"]
      let made = try watchline([
        "generate", "--seed", "7", "--devices", "3", "--events", "40", "--schema", "todoTimers",
        "--out", scratch.path,
      ])
      #expect(try made.exitCode() == 0)
      let devices = try watchline(["replay", "\(scratch.path)/trace.ndjson"] + target)
      #expect(try devices.exitCode(within: 60) == 0, "\(devices.output) \(devices.errors)")
      let simulated = """
        {"trace":1,"world":"server","seed":1,"schema":"todoTimers","options":{"sparse":""},"devices":[{"device":"phone","role":"phone"},{"device":"watch","role":"watch"}]}
        {"at":0,"device":"phone","do":"connect"}
        {"at":1,"device":"phone","do":"flow"}
        {"at":2,"device":"phone","do":"edit","kind":"timer","record":"00000001-0000-4000-8000-000000000000","create":{"name":"Tea","durationInSeconds":300,"icon":"timer","colorHex":"#007AFF"}}
        {"at":3,"device":"server","do":"fail"}
        {"at":4,"device":"phone","do":"flow"}
        {"at":5,"device":"server","do":"recover"}
        {"at":6,"device":"server","do":"kill"}

        """
      let path = "\(scratch.path)/simulated.ndjson"
      try Data(simulated.utf8).write(to: URL(filePath: path))
      let passed = try watchline(["replay", path] + target)
      #expect(try passed.exitCode(within: 60) == 0, "\(passed.output) \(passed.errors)")
      #expect(passed.errors.contains("cannot do it: fail 1×, kill 1×, recover 1×"))
      #expect(passed.errors.contains("the option sparse"))
      // The edit alone, for somebody's merge.
      let merge = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Tools/Examples/field_level.py").path
      let alone = try watchline(["replay", path, "--against", "command:python3 -B '\(merge)'"])
      #expect(try alone.exitCode(within: 60) == 0, "\(alone.output) \(alone.errors)")
      let lanes = simulated.replacingOccurrences(of: "\"do\":\"edit\"", with: "\"do\":\"message\"")
      try Data(lanes.utf8).write(to: URL(filePath: path))
      let nothing = try watchline(["replay", path, "--against", "command:python3 -B '\(merge)'"])
      #expect(try nothing.exitCode(within: 60) == 2)
      #expect(nothing.errors.contains("no edits"), "\(nothing.errors)")
    }

    @Test(arguments: [
      (["--against", "tcp:127.0.0.1:1"], "no server at 127.0.0.1:1"),
      (["--against", "tcp:nowhere"], "HOST:PORT"),
      (["--against", "tcp:127.0.0.1:0"], "HOST:PORT"),
      (["--against", "udp:127.0.0.1:1"], "tcp:HOST:PORT"),
      (["--server", "true"], "--against tcp:HOST:PORT"),
      (["--shrinking", "3"], "--against tcp:HOST:PORT"),
      (["--against", "command:cat", "--server", "true"], "--against tcp:HOST:PORT"),
      (["--against", "tcp:127.0.0.1:1", "--loss", "fields"], "--against command:"),
      (["--against", "tcp:127.0.0.1:1", "--faults", "crash"], "--server"),
      (["--against", "tcp:127.0.0.1:1", "--faults", "disk"], "cannot be brought about"),
      (["--against", "tcp:127.0.0.1:1", "--world", "exchange"], "--world"),
      (["--against", "tcp:127.0.0.1:0", "--server", "false"], "before it listened"),
      (["--against", "tcp:127.0.0.1:0", "--server", "/nowhere/server"], "before it listened"),
      (["--against", "tcp:127.0.0.1:0", "--server", "cat", "--jobs", "2"], "--jobs"),
      (["--against", "tcp:127.0.0.1:0", "--server", " "], "nothing"),
    ]) func badWords(_ words: [String], _ hint: String) throws {
      let program = try watchline(["fuzz", "--seeds", "1..2", "--out", out] + words)
      #expect(try program.exitCode(within: 60) == 2, "\(program.output)")
      #expect(program.errors.contains(hint), "\(program.errors)")
      #expect(program.errors.split(separator: "\n").count == 1, "\(program.errors)")
    }

    @Test func whatIsNoServerOfOurs() throws {
      let web = try Program(
        [
          "python3", "-uc",
          "import socket; s=socket.socket(); s.bind(('127.0.0.1',0)); s.listen(9); print(s.getsockname()[1])\nwhile True: c=s.accept()[0]; c.sendall(b'SSH-2.0\\n'); c.close()",
        ], in: scratch)
      try eventually("it listens; errors: \(web.errors)") { web.output.hasSuffix("\n") }
      let port = web.output.dropLast()
      let program = try fuzz("127.0.0.1:\(port)", "--seeds", "1..2")
      #expect(try program.exitCode() == 2)
      #expect(program.errors.contains("not a watchline-server"), "\(program.errors)")
      let busy = try fuzz("127.0.0.1:\(port)", "--server", start, "--seeds", "1..2")
      #expect(try busy.exitCode() == 2)
      #expect(busy.errors.contains("already"), "\(busy.errors)")
    }
  }
}
