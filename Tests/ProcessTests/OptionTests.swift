import Foundation
import Testing

extension ProcessTests {
  /// The command line: what is refused, and how the server says that it is ready.
  @Suite struct OptionTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func run(_ arguments: [String]) throws -> (code: Int, output: String, errors: String) {
      let program = try Program([ServerProcess.path] + arguments, in: scratch)
      return (try program.exitCode(), program.output, program.errors)
    }

    /// One sentence for a person, and nothing else.
    private func expectOneLine(
      _ errors: String, _ words: String, _ sourceLocation: SourceLocation = #_sourceLocation
    ) {
      #expect(errors.hasPrefix("watchline-server: "), sourceLocation: sourceLocation)
      #expect(errors.hasSuffix("\n"), sourceLocation: sourceLocation)
      #expect(
        errors.split(separator: "\n").count == 1, "\(errors)", sourceLocation: sourceLocation)
      #expect(errors.contains(words), "\(errors)", sourceLocation: sourceLocation)
    }

    static let misuses: [([String], String)] = [
      (["--frobnicate"], "--frobnicate"), (["--lisen", "127.0.0.1:0"], "--listen"),
      (["stray"], "stray"), ([""], "unexpected empty word"),
      (["--schema="], "--schema needs a value"),
      (["--data", "a", "--data", "b"], "given twice"),
      (["--listen"], "--listen needs a value"), (["--listen", ""], "--listen needs a value"),
      (["--listen", "9282"], "HOST:PORT"), (["--listen", ":9282"], "HOST:PORT"),
      (["--listen", "127.0.0.1:"], "HOST:PORT"), (["--listen", "127.0.0.1:65536"], "HOST:PORT"),
      (["--listen", "127.0.0.1:-1"], "HOST:PORT"), (["--listen=127.0.0.1:http"], "HOST:PORT"),
      (["--data"], "--data needs a value"), (["--data="], "--data needs a value"),
      (["--forget-after", "30"], "90m, 12h or 30d"), (["--forget-after", "0d"], "90m, 12h or 30d"),
      (["--limits"], "--limits needs a value"), (["--limits", "lines=5"], "did you mean line?"),
      (["--limits", "line"], "NAME=N"), (["--limits", "line="], "NAME=N"),
      (["--limits", "="], "NAME=N"), (["--limits", ","], "NAME=N"), (["--limits", "=5"], "NAME=N"),
      (["--limits", "line=many"], "number"), (["--limits", "line=0"], "at least 1"),
      (["--limits", "line=-1"], "number"), (["--limits", "line=1.5"], "whole"),
      (["--limits", "line=nan"], "number"), (["--limits", "line=1e16"], "number"),
      (["--limits", "receiverGrace=1e15"], "number"),
      (["--limits", "line=1000,connections=x"], "connections"),
      (["--limits", "buffers=1048575"], "at least 1048576"),
      (["--activate-timeout", "soon"], "0 to 86400"), (["--activate-timeout", "-1"], "0 to"),
      (["--clock"], "--clock needs a value"), (["--clock", "sundial"], "manual or real"),
      (["--log-level"], "--log-level needs a value"),
      (["--log-level", "loud"], "error or info or debug"),
      (["--tls-cert", "x"], "go together"),
      (["--tls-client-ca", "x"], "goes with --tls-listen"),
      (["--tls-listen", "9283"], "--tls-listen is HOST:PORT"),
      (["--cluster"], "--cluster needs a value"),
      (["--cluster", "nats://a"], "needs --nats-monitor"),
      (["--cluster", "nats://a", "--replicas", "0"], "1 to 5"),
      (
        ["--cluster", "nats://a", "--nats-monitor", "b", "--allow-unsynced"], "needs --nats-monitor"
      ),
      (["--cluster", "a:4222", "--allow-unsynced"], "is nats://HOST:PORT"),
      (["--cluster", "http://me:secret@a", "--allow-unsynced"], "not http://a"),
      (["--cluster", "postgres://a/b", "--replicas", "3"], "are for nats://"),
      (["--cluster", "a", "--allow-unsynced", "--clock", "manual"], "for a server alone"),
      (["--cluster", "a", "--allow-unsynced", "--data", ":memory:"], "for a server alone"),
      (["--cluster", "a", "--allow-unsynced", "--accept-loss"], "for a server alone"),
      (["--replicas", "3"], "go with --cluster"), (["--allow-unsynced"], "go with --cluster"),
      (["--tokens"], "--tokens needs a value"), (["--token", "x"], "did you mean --tokens?"),
    ]

    @Test(arguments: misuses) func badUsage(_ misuse: ([String], String)) throws {
      let result = try run(misuse.0)
      #expect(result.code == 2)
      #expect(result.output == "")
      expectOneLine(result.errors, misuse.1)
    }

    @Test func help() throws {
      for argument in ["--help", "-h"] {
        let result = try run([argument])
        #expect(result.code == 0)
        #expect(result.errors == "")
        for option in ["--listen", "--data", "--limits", "--clock", "--log-level", "--version"] {
          #expect(result.output.contains(option))
        }
      }
      let version = try run(["--version"])
      #expect(version.code == 0)
      #expect(version.output.hasPrefix("watchline-server "))
    }

    /// Each limit takes its smallest and its largest value, and the server still talks.
    @Test func extremeLimits() throws {
      let help = try run(["--help"]).output
      let names = help.components(separatedBy: "or counts):\n\n")[1].split(separator: "\n").map {
        String($0.split(separator: " ")[0])
      }
      #expect(names.count > 10)
      for value in ["1", "1e9"] {
        // A line has to hold what is said here, and some have a least value of their own.
        let least = [
          "line": "1000", "firstLine": "1000", "buffers": "1048576", "storeBytes": "4194304",
        ]
        let limits = names.map { "\($0)=\(value == "1" ? least[$0] ?? value : value)" }
        let server = try ServerProcess(
          scratch, ["--limits", limits.joined(separator: ",")], data: ":memory:")
        let client = try server.client()
        #expect(client.hello?.type == "hello")
        try client.send("ping id=1")
        try client.expect("pong")
        client.endOutput()
        #expect(try client.linesToEnd().isEmpty)
        #expect(try server.terminate() == 0)
      }
    }

    /// On the loopback there is no bound where none was set.
    @Test func theTimeToActivateIsSet() throws {
      let server = try ServerProcess(scratch, ["--activate-timeout", "1"], data: ":memory:")
      let (one, other) = (try server.client(), try server.device("phone"))
      let error = try #require(try one.line())
      #expect(error.code == 7_004)
      #expect(try one.linesToEnd().isEmpty)
      #expect(try other.request(["type": "ping"]).type == "pong")
    }

    /// A store in memory begins anew with each start, under another name; so does an empty folder.
    @Test func aNewStoreHasANewName() throws {
      var names: Set<String> = []
      for data in [":memory:", ":memory:", scratch.path + "/one", scratch.path + "/two"] {
        let server = try ServerProcess(scratch, data: data)
        _ = try server.device("watch")
        let phone = try server.device("phone")
        #expect(phone.activation.integer("n") == 0 && phone.activation.integer("outstanding") == 0)
        names.insert(try #require(phone.activation.string("store")))
        let transfer: [String: Any] = ["type": "transferUserInfo", "n": 1, "payload": ["n": 1]]
        #expect(try phone.request(transfer).type == "accepted")
        #expect(try server.terminate() == 0)
      }
      #expect(names.count == 4)
      #expect(scratch.names == [])
    }

    @Test func aFileThatIsNoSchemaEndsTheStart() throws {
      let plants = #"{"schema":"plants","kinds":[{"kind":"bed","fields":[]}]}"#
      let files = [
        ("list", "shopping list\n", "not JSON"),
        ("misspelt", plants.replacing("kinds", with: "kind"), "did you mean kinds?"),
        ("field", plants.replacing("[]", with: "[{}]"), "kinds[bed].fields[0]"),
        ("shipped", plants.replacing("plants", with: "pomodoro"), "a schema pomodoro already"),
        ("long", plants + String(repeating: " ", count: 1 << 20), "at most 1048576 bytes"),
      ]
      let folder = try run(
        ["--schema", scratch.path, "--data", ":memory:", "--listen", "127.0.0.1:0"])
      #expect(folder.code == 1)
      expectOneLine(folder.errors, "it is a directory; name a file")
      for (name, text, words) in files {
        let path = "\(scratch.path)/\(name).json"
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        let result = try run(["--schema", path, "--data", ":memory:", "--listen", "127.0.0.1:0"])
        #expect(result.code == 1)
        expectOneLine(result.errors, path)
        expectOneLine(result.errors, words)
      }
    }

    @Test func portInUse() throws {
      let server = try ServerProcess(scratch, data: ":memory:")
      let other = try Scratch()
      let result = try run(["--listen", "127.0.0.1:\(server.port)", "--data", other.data])
      #expect(result.code == 1)
      #expect(result.output == "")
      expectOneLine(result.errors, "127.0.0.1:\(server.port)")
      #expect(try server.device("phone").activation.string("device") == "phone")
    }

    @Test func addressThatIsNotThere() throws {
      for listen in ["192.0.2.1:0", "nowhere.invalid:0"] {
        let result = try run(["--listen", listen, "--data", ":memory:"])
        #expect(result.code == 1)
        expectOneLine(result.errors, "cannot listen")
      }
    }

    @Test func listensOnSix() throws {
      let server = try ServerProcess(scratch, data: ":memory:", host: "::1")
      #expect(try server.device("phone").activation.integer("n") == 0)
      #expect(try server.terminate() == 0)
    }

    /// Nothing comes before the ready line, and nothing after it.
    @Test func readyLine() throws {
      let server = try ServerProcess(scratch)
      _ = try server.device("phone")
      #expect(try server.terminate() == 0)
      #expect(server.program.output == "watchline-server listening on 127.0.0.1:\(server.port)\n")
    }
  }
}
