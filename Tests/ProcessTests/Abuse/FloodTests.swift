import Seeded
import Foundation
import Testing

extension ProcessTests {
  /// Clients that send too much, too slowly, or nonsense.
  @Suite struct FloodTests {
    let scratch: Scratch
    let server: ServerProcess

    init() throws {
      scratch = try Scratch()
      // A client that does not read for 30 s would be given up; a busy machine may take that long.
      server = try ServerProcess(scratch, ["--limits", "keepalive=600"], data: ":memory:")
    }

    private func expectAnswers(_ client: LineClient) throws {
      let answer = try client.request(["type": "ping"])
      #expect(answer.type == "pong")
    }

    @Test func oneByteAfterAnother() throws {
      let slow = try server.client()
      let other = try server.client()
      for byte in "ping".utf8 {
        try slow.send(bytes: [byte])
        for _ in 1...50 { try expectAnswers(other) }
        sleep(1)
      }
      try slow.send(bytes: [0x0A])
      try slow.expect("pong")
    }

    /// Asks and never reads: the server stops reading it, and forgets nothing.
    @Test func asksWithoutReading() throws {
      let flood = try server.device("phone", receiveBuffer: 4_096)
      let other = try server.client()
      let before = server.memory
      // As long as the answers, so that neither side's buffers hold much more than the other's.
      let fill = ",\"x\":\"\(String(repeating: "x", count: 1_000))\""
      var asked = 0
      var rest: ArraySlice<UInt8> = []
      while flood.waitForRoom(0.5) {
        if rest.isEmpty {
          try #require(asked < 1_000_000, "the server takes everything")
          let ids = asked + 1...asked + 500
          rest =
            Array(ids.map { "{\"type\":\"getState\",\"id\":\($0)\(fill)}\n" }.joined().utf8)[...]
          asked += 500
          try expectAnswers(other)
        }
        rest = rest.dropFirst(try flood.sendSome(rest))
      }
      try expectAnswers(other)
      #expect(server.memory - before < 32 << 20)
      // Reads at last: everything that was asked is answered, in order.
      try flood.send(bytes: Array(rest))
      for id in 1...asked {
        let text = try #require(try flood.text())
        try #require(text.hasPrefix("{\"type\":\"state\",\"re\":\(id),"), "\(text)")
      }
    }

    /// Each line of nonsense gets its error; the next good one works.
    @Test func garbage() throws {
      var random = SplitMix64(seed: 4_711)
      let client = try server.client()
      let other = try server.client()
      let count = 5_000
      for number in 1...count {
        // No LF, and no IAC, which telnet takes out.
        var line = (0..<random.pick(0...200)).map { _ in UInt8(random.pick(11...254)) }
        line.insert(random.chance(0.5) ? 0x7B : UInt8(random.pick(0x21...0x7E)), at: 0)
        try client.send(bytes: line + [0x0A])
        if number % 100 == 0 { try expectAnswers(other) }
      }
      for number in 1...count {
        let line = try client.expect("error")
        #expect(line.integer("line") == number)
        #expect((4_001...4_004).contains(line.code ?? 0) || line.code == 7_004, "\(line)")
      }
      try expectAnswers(client)
    }

    @Test func endlessLine() throws {
      let client = try server.client()
      try expectAnswers(client)
      let before = server.memory
      let piece = [UInt8](repeating: 0x61, count: 1 << 20)
      for _ in 1...100 { try client.send(bytes: piece) }
      try client.send(bytes: [0x0A])
      let answer = try client.line()
      #expect(answer?.code == 4_005, "\(answer as Any)")
      try client.send("ping id=1")
      #expect(try client.line()?.type == "pong")
      #expect(server.memory - before < 8 << 20, "\((server.memory - before) >> 10) KiB more")
    }

    @Test func longestLine() throws {
      let client = try server.device("phone")
      for (length, type) in [(1 << 20, "pong"), (1 << 20 + 1, "error"), (1 << 20, "pong")] {
        let start = "{\"type\":\"ping\",\"x\":\""
        let fill = String(repeating: "x", count: length - start.utf8.count - 2)
        try client.send(start + fill + "\"}")
        #expect(try client.line()?.type == type, "\(length)")
      }
    }

    /// Named, since the texts are long.
    enum BadText: String, CaseIterable {
      case deepArrays, deepObjects, nulInString, nulsAlone, nulInWord

      var text: String {
        switch self {
        case .deepArrays: "{\"type\":\"ping\",\"x\":" + String(repeating: "[", count: 100_000)
        case .deepObjects: String(repeating: "{\"a\":", count: 100_000) + "1"
        case .nulInString: "{\"type\":\"ping\",\"x\":\"a\u{0}b\"}"
        case .nulsAlone: "\u{0}\u{0}\u{0}"
        case .nulInWord: "ping\u{0}"
        }
      }

      var complaint: String { rawValue.hasPrefix("deep") ? "nested too deep at byte" : "at byte" }
    }

    @Test(arguments: BadText.allCases) func badText(_ bad: BadText) throws {
      let client = try server.device("phone")
      try client.send(bad.text)
      let answer = try #require(try client.line())
      #expect(answer.code == 4_001, "\(answer)")
      #expect(answer.text.contains(bad.complaint), "\(answer)")
      try expectAnswers(client)
    }

    @Test(
      arguments: [
        [0x80], [0xC0, 0xAF], [0xE2, 0x82], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xFE],
      ] as [[UInt8]]) func invalidUTF8(_ bytes: [UInt8]) throws
    {
      let client = try server.client()
      let start = Array("{\"type\":\"ping\",\"x\":\"".utf8)
      try client.send(bytes: start + bytes + Array("\"}\n".utf8))
      let answer = try #require(try client.line())
      #expect(answer.code == 4_001, "\(answer)")
      // The byte that breaks it: the first one, or the first that does not continue it.
      let places = (start.count...start.count + bytes.count).map { "at byte \($0)" }
      #expect(places.contains { answer.text.contains($0) }, "\(answer)")
      try expectAnswers(client)
    }
  }
}
