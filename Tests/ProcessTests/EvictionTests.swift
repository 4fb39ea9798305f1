import Foundation
import Testing

extension ProcessTests {
  /// Many pairs with much that waits: memory holds what is in use, and each gets all of its own.
  @Suite struct EvictionTests {
    let scratch: Scratch
    let pairs = 500
    let transfers = 200

    init() throws { scratch = try Scratch() }

    /// The clock is manual so that the test need not wait for pairs to be idle for long enough.
    @Test func memoryHoldsWhatIsInUse() throws {
      var server = try ServerProcess(scratch, ["--clock", "manual"])
      let empty = server.memory
      try fill(server)
      let full = server.memory
      #expect(full - empty > 12 << 20, "\(empty >> 20) MiB, then \(full >> 20)")

      let other = try server.device("phone", pair: "other")
      try other.request(["type": "advance", "seconds": 31])
      try eventually("memory falls from \(full >> 20) MiB, \(empty >> 20) at the start") {
        server.memory < empty + (full - empty) * 2 / 3
      }
      server.kill()
      server = try ServerProcess(scratch, ["--clock", "manual"])
      #expect(server.memory < empty + (full - empty) * 2 / 3)
      for number in 0..<(pairs / 2) { try drain(number, server) }

      #expect(try server.terminate() == 0)
      server = try ServerProcess(scratch, ["--clock", "manual"])
      #expect(server.memory < empty + (full - empty) * 2 / 3)
      for number in (pairs / 2)..<pairs { try drain(number, server) }
      for number in 0..<pairs {
        let phone = try server.device("phone", pair: "pair \(number)")
        #expect(phone.activation.integer("outstanding") == 0)
        #expect(phone.activation.object("pending")?["outcome"] as? Int == transfers)
      }
      #expect(try server.terminate() == 0)
    }

    /// Pairs that nobody uses are erased, and leave nothing on the disk.
    @Test func whatNobodyUsesIsErased() throws {
      let arguments = ["--clock", "manual", "--forget-after", "12h"]
      var server = try ServerProcess(scratch, arguments)
      let phone = try server.device("phone", pair: "unused")
      try phone.request(["type": "sync.open", "schema": "todoTimers"])
      try phone.request([
        "type": "sync.edit", "kind": "timer", "set": ["name": "Tea", "durationInSeconds": 60],
      ])
      phone.close()
      let other = try server.device("phone", pair: "other")
      for _ in 0..<14 {
        try other.request(["type": "advance", "seconds": 3_600])
      }
      try eventually("the log tells of it: \(server.log)") {
        server.log.contains("event=pairUnused app=\"default\" pair=\"unused\" waiting=0")
      }
      // Answered once it is on the disk, and with it all from before.
      try other.request(["type": "advance", "seconds": 1])
      server.kill()
      server = try ServerProcess(scratch, arguments)
      #expect(try server.terminate() == 0)
      let check = try scratch.watchline(["check", scratch.data])
      #expect(check.code == 0, "\(check)")
      let dump = try scratch.watchline(["dump", scratch.data]).output
      #expect(
        dump.contains("\"pair\":\"other\"") && !dump.contains("unused") && !dump.contains("Tea"))
    }

    private func fill(_ server: ServerProcess) throws {
      let lines = (1...transfers).map {
        "{\"type\":\"transferUserInfo\",\"n\":\($0),\"payload\":{\"n\":\($0)}}\n"
      }.joined()
      for first in stride(from: 0, to: pairs, by: 50) {
        let numbers = first..<min(pairs, first + 50)
        for number in numbers { _ = try server.device("watch", pair: "pair \(number)") }
        let phones = try numbers.map { try server.device("phone", pair: "pair \($0)") }
        for phone in phones { try phone.send(bytes: Array(lines.utf8)) }
        for phone in phones {
          var accepted = 0
          while accepted < transfers, let line = try phone.text() {
            if line.hasPrefix("{\"type\":\"accepted\"") { accepted += 1 }
          }
          #expect(accepted == transfers)
        }
      }
    }

    /// A watch comes for what waits: all of it, in order, and once.
    private func drain(_ number: Int, _ server: ServerProcess) throws {
      let watch = try server.device("watch", pair: "pair \(number)")
      for n in 1...transfers {
        let line = try watch.first("delivery \(n)") { $0.type == "didReceiveUserInfo" }
        try #require(line.payload["n"] as? Int == n && line.integer("seq") == n)
      }
      try watch.request(["type": "acknowledge"])
      #expect(try watch.request(["type": "getState"]).object("pending")?["userInfo"] as? Int == 0)
    }
  }
}
