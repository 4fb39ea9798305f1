import Foundation
import Testing
import Wire

extension ProcessTests {
  /// Attacks on the real server: it goes on, others are served, and memory is bounded and given back.
  ///
  /// `ci/attack` runs them against the release build, and `ci/attack --long` ten times as large.
  @Suite struct AttackTests {
    /// How large the attacks are, as a multiple of what is quick.
    static let scale =
      ProcessInfo.processInfo.environment["WATCHLINE_ATTACK"].flatMap(Int.init) ?? 1

    let scratch: Scratch
    init() throws { scratch = try Scratch() }

    private func expectAnswer(_ client: LineClient) throws {
      #expect(try client.request(["type": "ping"]).type == "pong")
    }

    /// Somebody who has a session and does nothing wrong goes on, and the server ends in good order.
    private func expectUnharmed(_ server: ServerProcess, _ bystander: LineClient) throws {
      try expectAnswer(bystander)
      bystander.close()
      #expect(try server.terminate() == 0)
    }

    private func expectMemory(
      _ server: ServerProcess, within bytes: Int, of before: Int, _ when: String
    ) throws {
      try eventually(
        "memory is given back \(when); it is \((server.memory - before) >> 10) KiB more"
      ) {
        server.memory - before < bytes
      }
    }

    // MARK: Memory

    /// Connections without a session that send a megabyte and no LF.
    @Test func tornLines() throws {
      let server = try ServerProcess(scratch, data: ":memory:")
      let bystander = try server.device("phone")
      let before = server.memory
      let torn = [UInt8](repeating: 0x7B, count: 1 << 20)
      var clients: [LineClient] = []
      for _ in 0..<(200 * Self.scale) {
        let client = try server.client()
        try client.send(bytes: torn)
        #expect(try client.line()?.code == 4_005)
        clients.append(client)
      }
      try expectAnswer(bystander)
      try expectMemory(server, within: 16 << 20, of: before, "while they are there")
      for client in clients { client.close() }
      try expectMemory(server, within: 12 << 20, of: before, "when they have gone")
      try expectUnharmed(server, bystander)
    }

    /// Sessions that do the same share one budget; the largest goes, and what was accepted stays.
    @Test func tornLinesOfSessions() throws {
      let server = try ServerProcess(
        scratch, ["--limits", "buffers=16777216"], data: ":memory:")
      let bystander = try server.device("phone")
      let before = server.memory
      let torn = [UInt8](repeating: 0x7B, count: 900 << 10)
      var clients: [LineClient] = []
      for number in 0..<(60 * Self.scale) {
        let client = try server.device("phone", pair: "p\(number)")
        // The server may close it meanwhile.
        try? client.send(bytes: torn)
        clients.append(client)
      }
      try expectAnswer(bystander)
      try expectMemory(server, within: 48 << 20, of: before, "while they are there")
      var shed = 0
      for client in clients where try client.lineNow()?.code == 4_008 { shed += 1 }
      #expect(shed >= clients.count - 20)
      for client in clients { client.close() }
      try expectMemory(server, within: 24 << 20, of: before, "when they have gone")
      try server.expectLog("event=connectionShed")
      try expectUnharmed(server, bystander)
    }

    /// Readers that ask for much and read nothing.
    @Test func slowReaders() throws {
      let server = try ServerProcess(scratch, ["--limits", "keepalive=600"], data: ":memory:")
      let bystander = try server.device("phone")
      let before = server.memory
      let questions = Array(String(repeating: "help\n", count: 2_000).utf8)
      var clients: [LineClient] = []
      for _ in 0..<(200 * Self.scale) {
        let client = try server.client(receiveBuffer: 4_096)
        _ = try client.sendSome(questions[...])
        clients.append(client)
        if clients.count % 20 == 0 { try expectAnswer(bystander) }
      }
      try expectMemory(server, within: 200 * Self.scale * 192 << 10, of: before, "at once")
      for client in clients { client.close() }
      try expectMemory(server, within: 24 << 20, of: before, "when they have gone")
      try expectUnharmed(server, bystander)
    }

    // MARK: Fairness

    static let floods = [
      "?", "", "ping", "help", "frobnicate", #"{"type":"sendMessage","payload":{"a":1}}"#,
      #"{"type":"transferUserInfo","payload":{"a":1}}"#, "getState",
    ]

    /// The bystander is answered while somebody floods, and the flood to its last line.
    /// `FairnessTests` counts how much of it comes before the bystander's answer.
    @Test(arguments: floods) func bystanderGoesFirst(_ line: String) throws {
      let server = try ServerProcess(scratch, ["--limits", "keepalive=600"], data: ":memory:")
      let bystander = try server.device("phone", pair: "quiet")
      try server.device("watch").close()
      let flooder = try server.device("phone")
      let piece = Array(String(repeating: line + "\n", count: 20_000 * Self.scale).utf8)
      var sent = 0
      for _ in 1...20 {
        // As much as the server takes; it is never out of work.
        while sent < piece.count {
          let count = try flooder.sendSome(piece[sent...])
          if count == 0 { break }
          sent += count
        }
        try expectAnswer(bystander)
      }
      // What it says of the flood's last line comes after that.
      try flooder.send(bytes: Array("\nping id=\"last\"\n".utf8), readsMeanwhile: true)
      try flooder.first("the last answer") { $0.string("re") == "last" }
      try expectUnharmed(server, bystander)
    }

    // MARK: Numbers

    /// Every number of every request at the edges of 64 bits.
    @Test func edgeNumbers() throws {
      let server = try ServerProcess(scratch, ["--clock", "manual"])
      let bystander = try server.device("phone", pair: "quiet")
      let edges = [
        "0", "-1", "4294967296", "9223372036854775807", "-9223372036854775808",
        "9223372036854775808", "18446744073709551615", "1e308",
      ]
      for role in ["phone", "watch"] {
        try server.device(role == "phone" ? "watch" : "phone").close()
        let client = try server.device(role)
        try client.send("hold")
        try client.send("transferUserInfo payload={\"a\":1} n=1")
        try client.send("sync.open schema=todoTimers")
        for request in MessageDescription.requests {
          // These end the session, or are what ends a connection.
          if ["activate", "deactivate", "quit", "forgetPair"].contains(request.name) { continue }
          for member in request.members {
            let others = request.example.split(separator: " ").filter {
              !$0.hasPrefix(member.name + "=")
            }
            for edge in edges {
              let line = others.joined(separator: " ") + " \(member.name)=\(edge)"
              for _ in 1...2 { try client.send(line) }
            }
          }
        }
        try client.send("ping id=\"last\"")
        try client.first("the last answer") { $0.string("re") == "last" }
        client.close()
      }
      try expectUnharmed(server, bystander)
    }
  }
}
