import Foundation
import Testing

extension ProgramSuite {
  /// The built program on a terminal.
  @Suite struct ConnectTerminalTests {
    private func withSession(
      _ options: [String] = [], columns: Int = 60, state: TemporaryFolder? = nil,
      environment: [String] = ["NO_COLOR=1"],
      answer: @escaping @Sendable (String) -> [ScriptedServer.Answer] = { _ in [] },
      _ body: (TerminalSession, ScriptedServer) throws -> Void
    ) throws {
      let server = try ScriptedServer(answer: answer)
      defer { server.stop() }
      let session = try TerminalSession(
        options + ["127.0.0.1:\(server.port)"], columns: columns, state: state,
        environment: environment)
      try session.wait("hello") { $0.contains(#""type":"hello""#) && $0.hasSuffix("\n>") }
      try body(session, server)
    }

    /// The last rows of the screen.
    private func last(_ rows: Int, of screen: String) -> String {
      screen.split(separator: "\n").suffix(rows).joined(separator: "\n")
    }

    private func expectReceived(
      _ lines: [String], _ server: ScriptedServer, sourceLocation: SourceLocation = #_sourceLocation
    ) {
      let deadline = Date() + 15
      while server.lines != lines, Date() < deadline { Thread.sleep(forTimeInterval: 0.01) }
      #expect(server.lines == lines, sourceLocation: sourceLocation)
    }

    @Test func incomingLinesDoNotTearTheOneBeingTyped() throws {
      try withSession(columns: 40) { session, server in
        // Three rows, with a wide character at the end of the first, and the cursor in the second.
        try session.type(
          "transferUserInfo payload={\"note\":\"abcd漢字 and some more words than two rows hold\"}")
        try session.wait("the line") { $0.hasSuffix("\nold\"}") }
        for _ in 0..<30 { try session.press("Left") }
        let edited = """
          > transferUserInfo payload={"note":"abcd
          漢字 and some more words than two rows h
          old"}
          """
        try session.wait("the edited line") { last(3, of: $0) == edited }
        for number in 1...5 {
          server.send(#"{"type":"didReceiveUserInfo","seq":\#(number),"payload":{}}"#)
          try session.type("\(number)")
        }
        let typed = """
          > transferUserInfo payload={"note":"abcd
          漢字 and some m12345ore words than two r
          ows hold"}
          """
        try session.wait("the deliveries", joined: false) { screen in
          last(3, of: screen) == typed && (1...5).allSatisfy { screen.contains("\"seq\":\($0)") }
        }
        // The same rows again: nothing was left over of the line in between.
        let rows = try session.screen(joined: true).split(separator: "\n")
        #expect(rows.count(where: { $0.hasPrefix("←") }) == 6)
        #expect(rows.count(where: { $0.contains("transferUserInfo") }) == 1)
        try session.press("Enter")
        expectReceived(
          [
            #"transferUserInfo payload={"note":"abcd漢字 and some m12345ore words than two rows hold"}"#
          ],
          server)
        try session.wait("the sent line", joined: true) { screen in
          screen.hasSuffix("\n>") && screen.contains("→") && screen.contains("two rows hold\"}\n>")
        }
      }
    }

    @Test func theEscapeKeyHoldsNothingUp() throws {
      try withSession { session, server in
        try session.type("ping")
        try session.press("Escape")
        server.send(#"{"type":"pong","n":1}"#)
        try session.wait("the pong") { $0.contains(#""n":1"#) && $0.hasSuffix("\n> ping") }
      }
    }

    @Test func aNarrowerWindowKeepsTheLineWhole() throws {
      try withSession { session, server in
        try session.type("ping note=\"one two three four five six seven\"")
        try session.wait("the line") { $0.hasSuffix("seven\"") }
        try session.resize(columns: 30, rows: 24)
        let narrow = "> ping note=\"one two three fou\nr five six seven\""
        try session.wait("the narrow line") { last(2, of: $0) == narrow }
        server.send(#"{"type":"pong","n":1}"#)
        try session.wait("the pong", joined: true) { $0.contains(#""n":1"#) }
        let screen = try session.screen()
        #expect(last(2, of: screen) == narrow)
        #expect(screen.components(separatedBy: "> ping").count == 2, "\(screen)")
      }
    }

    @Test func longLinesAreFolded() throws {
      try withSession(columns: 50) { session, server in
        server.send(
          #"{"type":"sync.records","records":[{"id":"B5C2","name":"Tea"},{"id":"0D9F","name":"Bread"}],"#
            + #""at":12,"last":true,"note":"one two three four five six seven"}"#)
        let folded = """
            "type":"sync.records",
            "records":[
              {"id":"B5C2","name":"Tea"},
              {"id":"0D9F","name":"Bread"}
            ],
            "at":12,
            "last":true,
            "note":"one two three four five six seven"
          }
          >
          """
        try session.wait("the folded line") { $0.contains(folded) }
        server.send(#"{"type":"pong","now":1}"#)
        try session.wait("a short line") { $0.contains(#" {"type":"pong","now":1}"#) }
      }
    }

    @Test func helpIsShownAsText() throws {
      try withSession(columns: 100) { session, server in
        server.send(
          #"{"type":"help","topic":"ping","summary":"Asks for a pong.","example":"ping id=1"}"#)
        server.send(
          #"{"type":"help","member":"id","is":"a string","default":"none","text":"comes back"}"#)
        server.send(#"{"type":"help","errors":[7007,7012],"text":"help NUMBER explains one"}"#)
        try session.wait("help") {
          $0.contains("ping: Asks for a pong.\n      ping id=1\n")
            && $0.contains("  id (a string; \"none\" where left out): comes back\n")
            && $0.contains("  errors: 7007, 7012\n") && !$0.contains("\"help\"")
        }
      }
    }

    @Test func aFileIsSentWithItsDigest() throws {
      let state = try TemporaryFolder()
      let path = "\(state.path)/hello.txt"
      try String(repeating: "hello", count: 10_000).write(
        toFile: path, atomically: true, encoding: .utf8)
      try withSession(
        columns: 100, state: state,
        answer: { line in
          if line.contains("transferFile") {
            return [
              .line(#"{"type":"accepted","re":"send-file","transfer":"phone:0#1","offset":0}"#)
            ]
          }
          guard line.contains("fileChunk") else { return [] }
          let offset = line.contains(#""offset":0"#) ? 49_152 : 50_000
          return [
            .line(
              #"{"type":"accepted","re":"send-file","transfer":"phone:0#1","offset":\#(offset)}"#)
          ]
        }
      ) { session, server in
        try session.type("send-file \(path)")
        try session.press("Enter")
        try session.wait("the end") { $0.contains("* hello.txt is with the server as phone:0#1") }
        #expect(server.lines.count == 3)
        #expect(server.lines[0].contains(#""name":"hello.txt","size":50000,"sha256":""#))
        #expect(server.lines[1].contains(#""transfer":"phone:0#1","offset":0,"data":"aGVsbG9o"#))
        #expect(server.lines[2].contains(#""offset":49152,"#))
        try session.type("send-file \(state.path)")
        try session.press("Enter")
        try session.wait("a directory", joined: true) { $0.contains("is a directory; name a file") }
      }
    }

    @Test(arguments: [["NO_COLOR="], ["NO_COLOR=1"]])
    func coloursAreShownWhereTheyAreWanted(_ environment: [String]) throws {
      try withSession(columns: 100, environment: environment) { session, server in
        server.send(#"{"type":"pong","now":1}"#)
        try session.wait("the pong") { $0.contains(#"{"type":"pong","now":1}"#) }
        let screen = try session.screen(styled: true)
        let isColoured = screen.contains("\u{1B}[36m\"type\"")
        #expect(isColoured == (environment == ["NO_COLOR="]), "\(screen.debugDescription)")
      }
    }

    @Test func historyIsKeptWithinAndAcrossSessions() throws {
      let state = try TemporaryFolder()
      try withSession(state: state) { session, server in
        // A secret is not kept.
        let lines = ["ping token=wl1_x", "ping id=1", "ping id=2"]
        for line in lines {
          try session.type(line)
          try session.press("Enter")
        }
        expectReceived(lines, server)
        try session.type("draft")
        try session.press("Up", "Up")
        try session.wait("the first line") { $0.hasSuffix("\n> ping id=1") }
        try session.press("Down", "Down")
        try session.wait("the draft") { $0.hasSuffix("\n> draft") }
      }
      #expect(try state.text("watchline/history") == "ping id=1\nping id=2\n")
      try withSession(state: state) { session, server in
        try session.press("Up")
        try session.wait("the last session's line") { $0.hasSuffix("\n> ping id=2") }
        try session.type("0")
        try session.press("Enter")
        expectReceived(["ping id=20"], server)
      }
    }

    @Test func tabCompletesAndLists() throws {
      try withSession { session, server in
        try session.type("acti")
        try session.press("Tab")
        try session.type("pai")
        try session.press("Tab")
        try session.type("demo role=w")
        try session.press("Tab")
        try session.wait("the completed line") { $0.hasSuffix("\n> activate pair=demo role=watch") }
        try session.press("C-u")
        try session.type("transfer")
        try session.press("Tab", "Tab")
        try session.wait("the list") { screen in
          last(4, of: screen) == """
            transferCurrentComplicationUserInfo
            transferFile
            transferUserInfo
            > transfer
            """
        }
        #expect(server.lines.isEmpty)
      }
    }

    @Test func aLineMayBeLongerThanATerminalsAndTheScreen() throws {
      try withSession { session, server in
        let line = "ping note=" + (0..<1_000).map { "\($0 + 100_000)" }.joined()
        try session.type(line)
        try session.wait("the end of the line") { $0.hasSuffix("100999") }
        #expect(try session.screen().split(separator: "\n").count == 24)
        try session.press("Enter")
        expectReceived([line], server)
        try session.wait("the prompt") { $0.hasSuffix("100999\n>") }
      }
    }

    @Test func aLostConnectionIsMadeAndActivatedAgain() throws {
      try withSession(
        ["--pair", "demo", "--role", "watch"], answer: { $0 == "drop" ? [.close] : [] }
      ) {
        session, server in
        let activation =
          #"{"type":"activate","pair":"demo","role":"watch","acknowledge":"automatic"}"#
        try session.type("drop")
        try session.press("Enter")
        try session.wait("the notice", joined: true) {
          $0.contains("connection lost") && $0.contains("connecting and activating again in 1 s")
        }
        try session.type("ping")
        expectReceived([activation, "drop", activation], server)
        try session.wait("the typed line") { $0.contains("again\n") && $0.hasSuffix("\n> ping") }
        #expect(server.connectionCount == 2)
      }
    }

    @Test func aSessionTakenOverIsNotTakenBackByItself() throws {
      let replaced = #"{"type":"sessionDidDeactivate","reason":"replaced"}"#
      try withSession(answer: { $0 == "lose" ? [.line(replaced), .close] : [] }) {
        session, server in
        try session.type("lose")
        try session.press("Enter")
        try session.wait("the notice", joined: true) { $0.contains("Enter takes it back") }
        Thread.sleep(forTimeInterval: 1.3)
        #expect(server.connectionCount == 1)
        try session.press("Enter")
        try session.wait("the connection") { $0.contains("again") }
      }
    }

    @Test(arguments: ["C-c", "C-d"])
    func leavingRestoresTheTerminal(key: String) throws {
      try withSession { session, _ in
        try session.press(key)
        try session.wait("the end") { $0.hasSuffix("status 0\nicanon") }
      }
    }

    @Test func coloursAreForTerminalsThatWantThem() throws {
      let error = #"{"type":"error","code":4002,"name":"unknownType","message":"No."}"#
      for (environment, isRed) in [(["NO_COLOR=1"], false), (["NO_COLOR="], true)] {
        try withSession(environment: environment) { session, server in
          server.send(error)
          try session.wait("the error", joined: true) { $0.contains("4002") }
          #expect(try session.screen(styled: true).contains("\u{1B}[31m") == isRed)
        }
      }
    }
  }
}
