import Foundation
import LoopbackSupport
import Testing

extension ProcessTests {
  /// `watchline stats`, `watchline top`, and a device that is kicked, on a server with tokens.
  @Suite struct OperatorTests {
    let scratch: Scratch
    let server: ServerProcess
    let token: String
    let admin: [String: String]
    let address: String

    init() throws {
      scratch = try Scratch()
      let file = scratch.path + "/tokens"
      func create(_ scratch: Scratch, _ grant: String) throws -> String {
        let made = try scratch.watchline([
          "token", "create", "--tokens", file, "--pair", "*", "--grant", grant,
        ])
        guard made.code == 0 else { throw Failure(made.errors) }
        return String(made.output.dropLast())
      }
      token = try create(scratch, "connect")
      admin = ["WATCHLINE_TOKEN": try create(scratch, "admin")]
      server = try ServerProcess(scratch, ["--tokens", file])
      address = "127.0.0.1:\(server.port)"
    }

    @Test func whatItHoldsAndWhoUsesIt() throws {
      let phone = try server.device("phone", ["token": token])
      let watch = try server.device("watch", ["token": token])
      defer { watch.close() }
      try phone.request(["type": "transferUserInfo", "payload": ["a": 1]])
      let stats = try scratch.watchline(["stats", address, "--json"], admin)
      #expect(stats.code == 0, "\(stats)")
      let object = try #require(
        try JSONSerialization.jsonObject(with: Data(stats.output.utf8)) as? [String: Any])
      #expect(object["sessions"] as? Int == 2 && object["pairs"] as? Int == 1)
      #expect((object["accepted"] as? [String: Int])?["userInfo"] == 1)
      let text = try scratch.watchline(["stats", address], admin).output
      #expect(text.contains("accepted.userInfo") && !text.contains("accepted.file"), "\(text)")

      let top = try scratch.watchline(["top", address, "--every", "0.2", "--count", "2"], admin)
      #expect(top.code == 0, "\(top)")
      let looks = top.output.components(separatedBy: "connections ").dropFirst()
      #expect(looks.count == 2, "\(top.output)")
      #expect(looks.first?.contains("since the start") == true)
      #expect(looks.last?.contains("accepted 0.0/s") == true)
      #expect(top.output.contains("demo") && top.output.contains("2/2"))
      let none = try scratch.watchline(["top", address, "--count", "1", "--pair", "x*"], admin)
      #expect(none.code == 0 && !none.output.contains("demo"))
    }

    /// What passes, as it is typed and with tokens by their size; and who may not see it.
    @Test func whatPassesIsPrinted() throws {
      let watch = try server.device("watch", ["token": token])
      defer { watch.close() }
      let tail = try Program(
        [Program.products + "/watchline", "tail", address, "--pair", "demo", "--count", "3"],
        in: scratch, environment: admin)
      let phone = try server.client()
      try eventually("somebody is told") {
        try watch.request(["type": "ping"])
        return tail.output.split(separator: "\n").count >= 3
      }
      #expect(try tail.exitCode() == 0, "\(tail.errors)")
      let lines = tail.output.split(separator: "\n")
      #expect(lines.count == 3)
      #expect(
        lines[0].wholeMatch(
          of: /\d\d:\d\d:\d\d\.\d\d\d  demo  watch  [→←] {.*"type":"p[io]ng".*}/) != nil,
        "\(lines[0])")

      let all = try Program(
        [Program.products + "/watchline", "tail", address, "--count", "4", "--json", "--payloads"],
        in: scratch, environment: admin)
      try eventually("somebody is told") {
        try phone.request([
          "type": "activate", "pair": "demo", "role": "phone", "token": token,
        ])
        // It may have come to hear of the answer first.
        return all.output.split(separator: "\n").count >= 4
      }
      #expect(try all.exitCode() == 0, "\(all.errors)")
      #expect(all.output.contains(#""type":"activate""#) && !all.output.contains(token))

      let refused = try scratch.watchline(["tail", address], ["WATCHLINE_TOKEN": token])
      #expect(refused.code == 1 && refused.errors.contains("no grant admin"), "\(refused.errors)")
    }

    /// It hears why, the log says who did it, and it may come back.
    @Test func aDeviceIsKicked() throws {
      let phone = try server.device("phone", ["token": token])
      let keeper = try server.client()
      try keeper.request(["type": "authenticate", "token": admin["WATCHLINE_TOKEN"]!])
      let devices = try keeper.request(["type": "listDevices", "pair": "demo"])
      let listed = try #require(devices.members["devices"] as? [[String: Any]])
      #expect((listed[0]["peer"] as? String)?.hasPrefix("127.0.0.1:") == true)
      #expect(listed[0]["token"] as? String == String(token.dropFirst(4).prefix(8)))
      try keeper.request(["type": "kick", "pair": "demo"])
      #expect(try phone.expect("sessionDidDeactivate").string("reason") == "kicked")
      let id = admin["WATCHLINE_TOKEN"]!.dropFirst(4).prefix(8)
      try eventually("the log says who") {
        server.log.contains("event=kicked token=\(id) pair=\"demo\" device=\"phone\"")
      }
      let again = try server.device("phone", ["token": token])
      defer { again.close() }
      let another = try server.device("phone", ["token": token])
      defer { another.close() }
      try eventually("the log says that") { server.log.contains("event=tookOver") }
    }

    @Test func whoMayNot() throws {
      for command in ["stats", "top"] {
        let without = try scratch.watchline([command, address])
        #expect(without.code == 1 && without.errors.contains("grant admin"), "\(without)")
        let other = try scratch.watchline([command, address], ["WATCHLINE_TOKEN": token])
        #expect(other.code == 1 && other.errors.contains("no grant admin"), "\(other)")
        let nobody = try scratch.watchline([command, "127.0.0.1:1"])
        #expect(nobody.code == 1 && nobody.errors.contains("refused"), "\(nobody)")
      }
      let order = try scratch.watchline(["top", address, "--sort", "age"])
      #expect(order.code == 2 && order.errors.contains("waiting"), "\(order.errors)")
    }
  }
}
