import Foundation
import Testing

extension ProcessTests {
  /// `--clock manual`, `--log-level`, and what the log looks like.
  @Suite struct ClockTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    @Test func manualClock() throws {
      var server = try ServerProcess(scratch, ["--clock", "manual"])
      _ = try server.device("watch", pair: "demo")
      let watch = try server.device("watch")
      let phone = try server.device("phone")
      let start = try phone.request(["type": "ping"]).members["now"] as! Double
      #expect(start == 978_307_200)
      try phone.send([
        "type": "sendMessage", "id": "m", "payload": ["a": 1], "expectsReply": true, "timeout": 60,
      ])
      try watch.expect("didReceiveMessage")
      try watch.request(["type": "advance", "seconds": 59.5])
      #expect(try phone.lineNow()?.code == nil)
      let advanced = try watch.request(["type": "advance", "seconds": 0.5])
      #expect(advanced.members["now"] as? Double == start + 60)
      #expect(try phone.expect("error").code == 7_012)
      // The time is kept.
      server.kill()
      server = try ServerProcess(scratch, ["--clock", "manual"])
      let again = try server.device("phone")
      #expect(try again.request(["type": "ping"]).members["now"] as? Double == start + 60)
    }

    @Test func realClock() throws {
      let server = try ServerProcess(scratch, ["--clock", "real"], data: ":memory:")
      let phone = try server.device("phone")
      #expect(try phone.request(["type": "advance", "seconds": 1]).code == 4_004)
      let now = try phone.request(["type": "ping"]).members["now"] as! Double
      #expect(abs(now - Date().timeIntervalSince1970) < 60)
    }

    /// The members of a logfmt line; nil where it is none.
    private func logfmt(_ line: Substring) -> [String: String]? {
      var members: [String: String] = [:]
      var rest = line
      while !rest.isEmpty {
        guard let equals = rest.firstIndex(of: "="), equals > rest.startIndex else { return nil }
        let key = String(rest[..<equals])
        guard key.allSatisfy({ $0.isLetter }) else { return nil }
        rest = rest[rest.index(after: equals)...]
        var value = ""
        if rest.first == "\"" {
          rest = rest.dropFirst()
          while let character = rest.popFirst(), character != "\"" {
            value.append(character == "\\" ? rest.popFirst() ?? "\\" : character)
          }
        } else {
          while let character = rest.first, character != " " {
            guard character != "\"", character != "=" else { return nil }
            value.append(character)
            rest = rest.dropFirst()
          }
        }
        members[key] = value
        guard rest.isEmpty || rest.popFirst() == " " else { return nil }
      }
      return members
    }

    @Test(arguments: ["error", "info", "debug"]) func logLevel(_ level: String) throws {
      let data = scratch.path + "/my \"data\"=1"
      let server = try ServerProcess(scratch, ["--log-level", level], data: data)
      let phone = try server.device("phone")
      try phone.send("nonsense")
      phone.reset()
      #expect(try server.terminate() == 0)
      let lines = server.log.split(separator: "\n")
      let members = lines.map { logfmt($0) }
      for (line, found) in zip(lines, members) {
        #expect(found?["time"]?.hasSuffix("Z") == true, "\(line)")
        #expect(found?["level"] != nil && found?["event"] != nil, "\(line)")
      }
      let events = members.compactMap { $0?["event"] }
      let isInfo = level != "error"
      #expect(events.contains("listening") == isInfo)
      #expect(events.contains("stopped") == isInfo)
      #expect(events.contains("accepted") == (level == "debug"))
      if isInfo { #expect(members.contains { $0?["data"] == data }) }
    }
  }
}
