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
