import Foundation
import Testing

extension ProcessTests {
  /// Other programs than ours: two netcats, and telnet at a terminal.
  @Suite struct ToolTests {
    let scratch: Scratch
    let server: ServerProcess

    init() throws {
      scratch = try Scratch()
      server = try ServerProcess(scratch)
    }

    private func run(_ arguments: [String], input: String? = nil) throws -> [Line] {
      let program = try Program(arguments, in: scratch, input: input)
      let code = try program.exitCode()
      #expect(code == 0, "\(program.errors)")
      return try program.output.split(separator: "\n").map { try Line(Array($0.utf8)) }
    }

    /// With openbsd's `-N` and traditional's `-q` the end of the input is passed on.
    static let netcats = [["nc.openbsd", "-N"], ["nc.traditional", "-q", "1"]]

    @Test(arguments: netcats) func pipesASession(_ netcat: [String]) throws {
      let input = """
        activate pair=demo role=watch
        ping id=1
        transferUserInfo payload={"steps":412} id=2
        help
        """
      let lines = try run(netcat + ["127.0.0.1", "\(server.port)"], input: input)
      #expect(
        lines.map(\.type) == ["hello", "activationDidComplete", "pong", "error", "help"]
          || lines.count > 5 && lines[3].code == 7_005)
    }

    /// A half-close is answered with everything that is owed: commits, deliveries, replies.
    @Test(arguments: netcats) func bringsWhatIsOwed(_ netcat: [String]) throws {
      try server.device("watch").close()
      let target = netcat + ["127.0.0.1", "\(server.port)"]
      let count = 200
      let transfers = (1...count).map {
        "transferUserInfo n=\($0) payload={\"n\":\($0)} id=\($0)\n"
      }
      let sent = try run(target, input: "activate pair=demo role=phone\n" + transfers.joined())
      #expect(sent.dropFirst(2).map { $0.integer("re") } == Array(1...count))
      let got = try run(target, input: "activate pair=demo role=watch\n")
      let deliveries = got.filter { $0.type == "didReceiveUserInfo" }
      #expect(deliveries.map { $0.payload["n"] as? Int } == Array(1...count))
    }

    @Test func quits() throws {
      let client = try server.client()
      try client.send("activate pair=demo role=phone\nquit\nping")
      #expect(try client.linesToEnd().map(\.type) == ["activationDidComplete"])
    }

    /// Types at a terminal. Ctrl-C has the terminal forget the line and telnet send IAC IP and
    /// IAC DO TIMING-MARK; it waits for the answer to that before it shows anything.
    @Test func telnet() throws {
      let script = """
        log_user 0
        set timeout 10
        proc want {pattern} {
          expect {
            -re $pattern {}
            timeout { puts stderr "no $pattern"; exit 1 }
            eof { puts stderr "ended before $pattern"; exit 1 }
          }
        }
        spawn telnet 127.0.0.1 \(server.port)
        want {"type":"hello"}
        send "activate pair=demo role=watch\\r"
        want {"type":"activationDidComplete"}
        send "pi"
        after 100
        send "\\003"
        after 100
        send "ping id=7\\r"
        want {"type":"pong","re":7}
        send "ping id=8\\r"
        want {"type":"pong","re":8}
        send "nonsense\\r"
        want {"line":4,"code":4001}
        send "quit\\r"
        want {closed by foreign host}
        expect eof
        """
      let path = scratch.path + "/telnet.exp"
      try script.write(toFile: path, atomically: true, encoding: .utf8)
      let program = try Program(["expect", path], in: scratch)
      #expect(try program.exitCode() == 0, "\(program.errors) \(program.output)")
    }

    /// The bytes of telnet's interrupt within a line, without telnet; also one by one.
    @Test(arguments: [true, false]) func interruptWithinALine(isSplit: Bool) throws {
      let client = try server.client()
      let bytes = Array("pi".utf8) + [255, 244, 255, 253, 6] + Array("ng id=1\r\n".utf8)
      if isSplit {
        for byte in bytes { try client.send(bytes: [byte]) }
      } else {
        try client.send(bytes: bytes)
      }
      // IAC WONT TIMING-MARK comes before the line's answer.
      let text = try #require(try client.bytes())
      #expect(text.starts(with: [255, 252, 6]))
      #expect(
        String(decoding: text.dropFirst(3), as: UTF8.self).hasPrefix("{\"type\":\"pong\",\"re\":1,")
      )
    }
  }
}
