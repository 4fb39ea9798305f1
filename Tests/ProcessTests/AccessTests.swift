import Foundation
import Glibc
import Testing

extension ProcessTests {
  /// Tokens with the real programs: who makes them, who takes them, and what happens when they change.
  @Suite struct AccessTests {
    let scratch: Scratch
    var file: String { scratch.path + "/tokens" }

    init() throws { scratch = try Scratch() }

    private func watchline(
      _ arguments: [String], _ environment: [String: String] = [:]
    ) throws -> (code: Int, output: String, errors: String) {
      try scratch.watchline(arguments, environment)
    }

    /// - Returns: the token.
    private func create(_ arguments: [String]) throws -> String {
      let made = try watchline(["token", "create", "--tokens", file] + arguments)
      guard made.code == 0 else { throw Failure(made.errors) }
      return String(made.output.dropLast())
    }

    private func start(_ arguments: [String] = []) throws -> ServerProcess {
      try ServerProcess(scratch, ["--tokens", file] + arguments, data: ":memory:")
    }

    /// The code of a refused activation; nil where it was taken.
    private func refusal(_ server: ServerProcess, _ token: String, pair: String = "demo") throws
      -> Int?
    {
      let client = try server.client()
      let answer = try client.request([
        "type": "activate", "pair": pair, "role": "watch", "token": token,
      ])
      return answer.type == "error" ? answer.code : nil
    }

    private func refusedStart(_ arguments: [String]) throws -> String {
      let program = try Program(
        [ServerProcess.path, "--data", ":memory:"] + arguments, in: scratch)
      #expect(try program.exitCode() == 1)
      #expect(program.output == "")
      #expect(program.errors.split(separator: "\n").count == 1, "\(program.errors)")
      return program.errors
    }

    /// The service that is to read it may be another user. A file of root's in a folder of another's is that one's, and
    /// no link that lies there is followed.
    @Test func theFileIsTheFoldersOwners() throws {
      let folder = scratch.path + "/service"
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
      if getuid() == 0 { #expect(chown(folder, 12_345, 12_346) == 0) }
      let owner = getuid() == 0 ? 12_345 : getuid()
      for arguments in [["create", "--pair", "a"], ["create", "--pair", "b"]] {
        let made = try watchline(["token"] + arguments + ["--tokens", folder + "/tokens"])
        #expect(made.code == 0, "\(made.errors)")
      }
      let listed = try watchline(["token", "list", "--tokens", folder + "/tokens"]).output
      let id = String(try #require(listed.split(separator: " ").first))
      #expect(try watchline(["token", "revoke", id, "--tokens", folder + "/tokens"]).code == 0)
      let file = try FileManager.default.attributesOfItem(atPath: folder + "/tokens")
      #expect(file[.ownerAccountID] as? UInt32 == owner)
      #expect(file[.posixPermissions] as? Int == 0o600)
    }

    @Test func otherMachinesNeedTokens() throws {
      for host in ["0.0.0.0", "[::]"] {
        #expect(try refusedStart(["--listen", "\(host):0"]).contains("or --allow-anonymous where"))
      }
      _ = try create(["--pair", "*"])
      // Tokens that cross the network as plain text.
      let plain = ["--listen", "0.0.0.0:0", "--tokens", file]
      #expect(try refusedStart(plain).contains("or --insecure with --tokens"))
      for arguments in [["--allow-anonymous"], ["--tokens", file, "--insecure"]] {
        let server = try ServerProcess(
          try Scratch(), arguments, data: ":memory:", host: "0.0.0.0")
        #expect(try server.terminate() == 0)
      }
    }

    @Test func aFileThatIsRefused() throws {
      #expect(try refusedStart(["--tokens", file]).contains("No such file"))
      #expect(try refusedStart(["--tokens", scratch.path]).contains("it is not a file"))
      _ = try scratch.tokens(Array("{\"id\":\"a\"}\n".utf8))
      #expect(try refusedStart(["--tokens", file]).contains("line 1: id is 8"))
      _ = try scratch.tokens([])
      for mode in [0o640, 0o604, 0o620, 0o601] as [mode_t] {
        chmod(file, mode)
        #expect(try refusedStart(["--tokens", file]).contains("chmod 600"), "\(mode)")
      }
      chmod(file, 0o600)
      #expect(try start().terminate() == 0)
    }

    @Test func madeListedRotatedAndRevoked() throws {
      let narrow = try create([
        "--pair", "demo,x-*", "--role", "watch", "--expires", "30d", "--quota",
        "connections=9,pairs=3",
      ])
      let wide = try create(["--pair", "*", "--grant", "connect,forget"])
      let attributes = try FileManager.default.attributesOfItem(atPath: file)
      #expect(attributes[.posixPermissions] as? Int == 0o600)
      #expect(try !String(contentsOfFile: file, encoding: .utf8).contains(narrow.suffix(43)))
      let list = try watchline(["token", "list", "--tokens", file])
      #expect(
        list.output.contains(
          "pairs demo, x-*; watch; any device; may connect; connections at most 9; pairs at most 3; expires 2"
        ))
      let server = try start()
      #expect(try refusal(server, narrow) == nil)
      #expect(try refusal(server, wide, pair: "y") == nil)

      let id = String(narrow.dropFirst(4).prefix(8))
      let rotated = try watchline(["token", "rotate", id, "--tokens", file, "--json"])
      let json = try #require(
        try JSONSerialization.jsonObject(with: Data(rotated.output.utf8)) as? [String: String])
      #expect(json["id"] == id && json["token"] != narrow)
      try eventually("the new one is taken") {
        try refusal(server, json["token"] ?? "") == nil && refusal(server, narrow) == 4010
      }
      #expect(try watchline(["token", "revoke", id, "--tokens", file]).code == 0)
      try eventually("it is refused") { try refusal(server, json["token"] ?? "") == 4010 }
      #expect(try refusal(server, wide) == nil)
      let missing = try watchline(["token", "revoke", id, "--tokens", file])
      #expect(missing.code == 1 && missing.errors.contains("has no token \(id)"))
    }

    /// Within a second, and what its session is owed before that.
    @Test func aRevokedSessionEnds() throws {
      let token = try create(["--pair", "*"])
      let server = try start()
      let phone = try server.device("phone", ["token": token])
      #expect(
        try watchline(["token", "revoke", String(token.dropFirst(4).prefix(8)), "--tokens", file])
          .code == 0)
      #expect(try phone.expect("sessionDidDeactivate").string("reason") == "revoked")
      #expect(try phone.line() == nil)
      try eventually("the log says so") { server.log.contains("event=withdrawn reason=revoked") }
    }

    @Test func aBadFileChangesNothing() throws {
      let token = try create(["--pair", "*"])
      let good = try Data(contentsOf: URL(fileURLWithPath: file))
      let server = try start()
      let phone = try server.device("phone", ["token": token])
      for bad in ["{", "[]", "{\"id\":\"a1b2c3d4\"}"] {
        let before = server.log.components(separatedBy: "event=tokensRefused").count
        _ = try scratch.tokens(Array(bad.utf8))
        try eventually("the log says why") {
          server.log.components(separatedBy: "event=tokensRefused").count > before
        }
        #expect(try refusal(server, token) == nil)
      }
      unlink(file)
      try eventually("the log says so") { server.log.contains("No such file") }
      #expect(try phone.request(["type": "ping"]).type == "pong")
      _ = try scratch.tokens(Array(good))
      try eventually("it is taken again") { server.log.contains("event=tokensReloaded tokens=1") }
      // At once, and with the schemas, where the server is told so.
      server.program.signal(SIGHUP)
      try eventually("both are read") {
        server.log.contains("event=reloaded files=0")
          && server.log.components(separatedBy: "event=tokensReloaded").count == 3
      }
      #expect(try phone.request(["type": "ping"]).type == "pong")
    }

    /// The secret is neither shown nor logged, and the tools take it from the environment.
    @Test func toolsShowIt() throws {
      let token = try create(["--pair", "*", "--grant", "connect,forget"])
      let server = try start(["--log-level", "debug"])
      let address = "127.0.0.1:\(server.port)"
      let variable = ["WATCHLINE_TOKEN": token]
      let connect = ["connect", address, "--pair", "p", "--role", "phone", "--until"]
      let connected = try watchline(connect + ["activationDidComplete"], variable)
      #expect(connected.code == 0, "\(connected)")
      #expect(try watchline(connect + ["activationDidComplete"]).code == 1)
      let load = [
        "load", "--connect", address, "--pairs", "1", "--seconds", "0.1", "--warm-up", "0",
      ]
      let loaded = try watchline(load, variable)
      #expect(loaded.code == 0, "\(loaded)")
      #expect(try watchline(load).code == 1)
      let device = [
        "device", "--app", "todoTimers", "--connect", address, "--role", "phone", "--pair", "q",
        "--timeout", "5",
      ]
      let shown = try watchline(device, variable)
      let refusal = "this server asks for a token"
      #expect(!shown.output.contains(refusal) && !shown.errors.contains(refusal), "\(shown)")
      let refused = try watchline(device)
      #expect(refused.output.contains(refusal) || refused.errors.contains(refusal), "\(refused)")
      try eventually("the log says who came") {
        server.log.contains("event=activated token=\(token.dropFirst(4).prefix(8)) pair=\"p\"")
      }
      for text in [connected.output, connected.errors, loaded.output, shown.output, server.log] {
        #expect(!text.contains(token.suffix(43)))
      }
    }
  }
}
