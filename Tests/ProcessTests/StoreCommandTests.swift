import Foundation
import Testing

extension ProcessTests {
  /// `watchline check` and `watchline dump`, at a store of a server that was killed.
  @Suite struct StoreCommandTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func fill() throws -> String {
      let server = try ServerProcess(scratch, [])
      let phone = try server.device("phone")
      _ = try server.device("watch")
      try phone.request([
        "type": "transferUserInfo", "payload": ["secret": "payload-of-mine"],
      ])
      let busy = try scratch.watchline(["check", scratch.data])
      #expect(busy.code == 2 && busy.errors.contains("another process"), "\(busy.errors)")
      server.kill()
      return scratch.data
    }

    @Test func checkedAndTold() throws {
      let data = try fill()
      let check = try scratch.watchline(["check", data])
      #expect(check.code == 0 && check.output.hasPrefix("nothing is wrong (pairs: 1, "), "\(check)")
      let json = try scratch.watchline(["check", data, "--json"])
      let object = try #require(
        try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any])
      #expect(object["pairs"] as? Int == 1 && (object["faults"] as? [String])?.isEmpty == true)

      let dump = try scratch.watchline(["dump", data])
      #expect(dump.code == 0 && !dump.output.contains("payload-of-mine"))
      let told = dump.output.split(separator: "\n")
      #expect(told.count { $0.contains(#""lane":"userInfo""#) } == 1)
      #expect(
        try scratch.watchline(["dump", data, "--payloads"]).output.contains(
          #""payload":{"secret":"payload-of-mine"}"#))
      let none = try scratch.watchline(["dump", data, "--pair", "x*"])
      #expect(none.code == 0 && none.output.split(separator: "\n").count == 1)
    }

    @Test func aDamagedOneIsSaidToBe() throws {
      let data = try fill()
      for name in ["watchline.log", "watchline.sqlite", "watchline.sqlite-wal"] {
        let url = URL(filePath: data + "/" + name)
        var bytes = try Data(contentsOf: url)
        while let place = bytes.range(of: Data("payload-of-mine".utf8)) {
          bytes.replaceSubrange(place, with: Data("payload-of-MINE".utf8))
        }
        try bytes.write(to: url)
      }
      let check = try scratch.watchline(["check", data])
      #expect(check.code == 1 && check.errors.contains("faults"), "\(check)")
      let json = try scratch.watchline(["check", data, "--json"])
      #expect(json.code == 1 && json.output.contains(#""faults":[""#))
      #expect(try scratch.watchline(["dump", data, "--payloads"]).code == 1)
    }

    /// A copy is made while transfers come in; a server on the copy has all that was accepted before, in order, under
    /// a new name, and the one that runs has everything.
    @Test func aBackupOfARunningServer() throws {
      let server = try ServerProcess(scratch, [])
      let phone = try server.device("phone")
      try server.device("watch").close()
      var n = 0
      func send(_ count: Int) throws {
        for _ in 0..<count {
          n += 1
          try phone.send(["type": "transferUserInfo", "n": n, "payload": ["n": n]])
        }
        for _ in 0..<count { #expect(try phone.expect("accepted").type == "accepted") }
      }
      try send(300)
      let backup = try Program(
        [Program.products + "/watchline", "backup", scratch.data, scratch.path + "/copy"],
        in: scratch)
      while !backup.hasEnded, n < 20_000 { try send(20) }
      #expect(try backup.exitCode() == 0, "\(backup.errors)")
      let last = n
      #expect(try scratch.watchline(["check", scratch.path + "/copy"]).code == 0)

      let again = try scratch.watchline(["backup", scratch.data, scratch.path + "/copy"])
      #expect(again.code == 2 && again.errors.contains("is not empty"), "\(again.errors)")
      let refused = try scratch.watchline(["backup", scratch.data])
      #expect(refused.code == 2)

      let restored = try ServerProcess(scratch, ["--accept-loss"], data: scratch.path + "/copy")
      let count = try restored.device("phone").activation.integer("n") ?? 0
      #expect((300...last).contains(count))
      let watch = try restored.device("watch")
      for expected in 1...count {
        #expect(try watch.expect("didReceiveUserInfo").payload["n"] as? Int == expected)
      }
      #expect(try restored.terminate() == 0)
      let original = try server.device("watch")
      for expected in 1...last {
        #expect(try original.expect("didReceiveUserInfo").payload["n"] as? Int == expected)
      }
      #expect(try server.terminate() == 0)
    }

    @Test func whatCannotBeLookedAt() throws {
      for command in ["check", "dump"] {
        let none = try scratch.watchline([command])
        #expect(none.code == 2 && none.errors.contains("--data"), "\(none.errors)")
        let missing = try scratch.watchline([command, scratch.path + "/missing"])
        #expect(missing.code == 2 && missing.errors.contains("No such file"), "\(missing.errors)")
      }
    }
  }
}
