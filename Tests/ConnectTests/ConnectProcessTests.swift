import Foundation
import Testing

extension ProgramSuite {
  /// The built program with pipes, against a server of the test's.
  @Suite struct ConnectProcessTests {
    private static let error =
      #"{"type":"error","code":7007,"name":"notReachable","message":"Away."}"#

    /// Answers `ping` by `pong`, `error` by an error, and ends by `close` and `reset`.
    private func withServer(_ body: (ScriptedServer, String) throws -> Void) throws {
      let server = try ScriptedServer { line in
        switch line {
        case "ping": [.line(#"{"type":"pong"}"#)]
        case "error": [.line(Self.error)]
        case "close", "quit": [.close]
        case "reset": [.reset]
        default: []
        }
      }
      defer { server.stop() }
      try body(server, "127.0.0.1:\(server.port)")
    }

    @Test func linesGoThroughAsTheyAre() throws {
      try withServer { server, address in
        let run = try Program(["connect", address], input: "ping\n{\"type\" : \"x\"}\r\nping")
        #expect(run.status == 0)
        #expect(run.output == "\(ScriptedServer.hello)\n{\"type\":\"pong\"}\n{\"type\":\"pong\"}\n")
        #expect(run.errors == "")
        #expect(server.lines == ["ping", "{\"type\" : \"x\"}\r", "ping"])
      }
    }

    @Test func onlyLinesOfATypeArePrinted() throws {
      try withServer { _, address in
        let run = try Program(
          ["connect", "--only", "pong", "--count", "2", address], input: "ping\nactivate\nping\n")
        #expect(run.status == 0)
        #expect(run.output == "{\"type\":\"pong\"}\n{\"type\":\"pong\"}\n")
      }
    }

    @Test(arguments: [("--until", "acepted"), ("--only", "didReciveMessage")])
    func aTypeThatDoesNotExistIsWarnedOf(_ option: String, _ type: String) throws {
      try withServer { _, address in
        let run = try Program(
          ["connect", option, type, "--timeout", "0.3", address], input: "ping\n")
        #expect(
          run.errors.contains("\(option): the server sends no line of type \(type); did you mean"))
        #expect(run.output.isEmpty == (option == "--only"))
      }
    }

    @Test func helpIsASubcommandToo() throws {
      let option = try Program(["--help"])
      #expect(try Program(["help"]).output == option.output)
      #expect(try Program(["help", "connect"]).output == Program(["connect", "--help"]).output)
      let unknown = try Program(["help", "conect"])
      #expect(unknown.status == 2)
      #expect(unknown.errors.contains("did you mean connect?"))
    }

    @Test(arguments: [
      ["replay"], ["fuzz", "--schema"],
      ["device", "--app", "pomodoro", "--role", "phone", "--store"],
    ])
    func aDirectoryAsAFileGetsASentence(_ words: [String]) throws {
      let folder = try TemporaryFolder()
      let run = try Program(words + [folder.path])
      #expect(run.status != 0)
      #expect(run.errors.contains("\(folder.path) is a directory; name a file"), "\(run.errors)")
    }

    @Test func theActivationGoesFirst() throws {
      try withServer { server, address in
        let run = try Program(
          ["connect", "--pair", "demo", "--role", "phone", "--raw", address], input: "ping\n")
        #expect(run.status == 0)
        #expect(
          server.lines == [
            #"{"type":"activate","pair":"demo","role":"phone","acknowledge":"automatic"}"#, "ping",
          ])
      }
    }

    @Test(arguments: [true, false])
    func whatWasShownIsAcknowledgedOnLeaving(isAutomatic: Bool) throws {
      let delivery = #"{"type":"didReceiveUserInfo","payload":{},"seq":"#
      let server = try ScriptedServer { line in
        line.contains("activate") ? (4...6).map { .line(delivery + "\($0)}") } : []
      }
      defer { server.stop() }
      let run = try Program(
        ["connect", "--pair", "p", "--role", "watch", "--until", "didReceiveUserInfo"]
          + (isAutomatic ? [] : ["--acknowledge", "manual"])
          + ["--count", "2", "127.0.0.1:\(server.port)"])
      #expect(run.status == 0)
      #expect(run.lines.suffix(2) == [delivery + "4}", delivery + "5}"])
      let acknowledgement = #"{"type":"acknowledge","lane":"userInfo","seq":5}"#
      #expect(Array(server.lines.dropFirst()) == (isAutomatic ? [acknowledgement] : []))
    }

    @Test func aLongLineIsNotCut() throws {
      try withServer { server, address in
        let line = String(repeating: "x", count: 900_000)
        let run = try Program(["connect", address], input: line + "\nping\n")
        #expect(run.status == 0)
        #expect(server.lines == [line, "ping"])
      }
    }

    @Test func theExitStatusTellsHowItEnded() throws {
      try withServer { _, address in
        let cases: [([String], String, Int32, String)] = [
          (["--until", "pong"], "ping\n", 0, "1 line of type pong came, as asked for"),
          (["--count", "2"], "ping\nping\n", 0, "2 lines came, as asked for"),
          (["--until", "error"], "error\n", 0, "1 line of type error came, as asked for"),
          (
            ["--until", "pong"], "error\n", 1,
            "an error came that was not waited for: 7007 notReachable: Away; "
              + "1 line of type pong was waited for"
          ),
          (
            ["--until", "pong", "--timeout", "0.3"], "", 1,
            "time is up after 0.3 s; 1 line of type pong was waited for"
          ),
          (
            ["--until", "pong"], "close\n", 1,
            "the server closed the connection; 1 line of type pong was waited for"
          ),
          (["--timeout=9"], "error\n", 0, ""),
          ([], "quit\n", 0, ""),
        ]
        for (options, input, status, reason) in cases {
          let run = try Program(["connect", address] + options, input: input)
          #expect(run.status == status, "\(options)")
          #expect(run.errors == (reason.isEmpty ? "" : "watchline: \(reason)\n"))
        }
      }
    }

    @Test func aConnectionThatBreaksIsAFailure() throws {
      try withServer { _, address in
        let run = try Program(["connect", address], input: "reset\n", endsInput: false)
        #expect(run.status == 1)
        #expect(run.errors == "watchline: the connection broke: connection reset by peer\n")
      }
    }

    @Test func timeIsUpAlsoWithoutAWait() throws {
      try withServer { _, address in
        let run = try Program(["connect", address, "--timeout", "0.3"], endsInput: false)
        #expect(run.status == 1)
        #expect(run.errors == "watchline: time is up after 0.3 s\n")
      }
    }

    @Test func theServersCloseBeforeTheEndOfTheInputIsAFailure() throws {
      try withServer { _, address in
        let run = try Program(["connect", address], input: "close\n", endsInput: false)
        #expect(run.status == 1)
        #expect(run.errors == "watchline: the server closed the connection\n")
      }
    }

    @Test func aServerThatIsNotThereIsNamed() throws {
      var address = ""
      try withServer { _, free in address = free }
      let run = try Program(["connect", address])
      #expect(run.status == 1)
      #expect(
        run.errors == "watchline: cannot connect to \(address): connection refused "
          + "(is watchline-server running?)\n")
    }

    @Test func aWaitOutlivesTheInput() throws {
      try withServer { server, address in
        Thread.detachNewThread {
          Thread.sleep(forTimeInterval: 0.3)
          server.send(#"{"type":"didReceiveUserInfo","seq":1}"#)
        }
        let run = try Program(
          ["connect", address, "--until", "didReceiveUserInfo", "--timeout", "15"], input: "")
        #expect(run.status == 0)
        #expect(run.lines.last == #"{"type":"didReceiveUserInfo","seq":1}"#)
      }
    }

    @Test(arguments: [
      (["conect"], "unknown subcommand conect; did you mean connect?"),
      (["connect", "--untill", "x"], "unknown option --untill; did you mean --until?"),
      (["--verbose"], "unknown option --verbose; see watchline --help"),
    ])
    func badUsageIsOneLineAndStatusTwo(arguments: [String], message: String) throws {
      let run = try Program(arguments)
      #expect(run.status == 2)
      #expect(run.errors == "watchline: \(message)\n")
      #expect(run.output == "")
    }

    @Test func helpAndVersion() throws {
      for arguments in [["--help"], ["connect", "--help"], ["--version"]] {
        let run = try Program(arguments)
        #expect(run.status == 0)
        #expect(run.errors == "")
        #expect(
          run.output.hasPrefix(arguments == ["--version"] ? "watchline " : "usage: watchline "))
      }
    }
  }
}
