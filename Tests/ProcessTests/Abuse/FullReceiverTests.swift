import Foundation
import Testing

extension ProcessTests {
  /// A client that stops reading delays its own counterpart and nobody else.
  @Suite struct FullReceiverTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private static let text = String(repeating: "x", count: 60_000)

    private func message(_ number: Int) -> [UInt8] {
      Array(
        "{\"type\":\"sendMessage\",\"id\":\(number),\"payload\":{\"n\":\(number),\"t\":\"\(Self.text)\"}}\n"
          .utf8)
    }

    /// Sends messages until the server takes no more. Returns the number of the last one, which is
    /// on its way in part, and the rest of it.
    private func fill(_ phone: LineClient) throws -> (last: Int, rest: ArraySlice<UInt8>) {
      for number in 1...5_000 {
        var rest = message(number)[...]
        while !rest.isEmpty {
          guard phone.waitForRoom(0.5) else { return (number, rest) }
          rest = rest.dropFirst(try phone.sendSome(rest))
        }
      }
      throw Failure("the server takes everything")
    }

    /// Another pair's messages and transfers go to and fro.
    private func work(_ phone: LineClient, _ watch: LineClient, _ rounds: Int) throws {
      for number in 1...rounds {
        try phone.send(["type": "sendMessage", "payload": ["n": number]])
        #expect(try watch.expect("didReceiveMessage").payload["n"] as? Int == number)
        try phone.request(["type": "transferUserInfo", "payload": ["n": number]])
        #expect(try watch.expect("didReceiveUserInfo").payload["n"] as? Int == number)
        try watch.send("acknowledge")
        try phone.expect("didFinishUserInfoTransfer")
      }
    }

    @Test func delaysOnlyItsCounterpart() throws {
      let server = try ServerProcess(scratch, ["--clock", "manual"], data: ":memory:")
      let (watch, phone) = (
        try server.device("watch", receiveBuffer: 4_096), try server.device("phone")
      )
      let (otherWatch, otherPhone) = (
        try server.device("watch", pair: "other"), try server.device("phone", pair: "other")
      )
      let before = server.memory
      let (last, rest) = try fill(phone)
      // Time stands still, so the phone waits while everyone else goes on.
      try work(otherPhone, otherWatch, 100)
      try otherPhone.request(["type": "advance", "seconds": 1.9])
      try work(otherPhone, otherWatch, 20)
      #expect(try phone.lineNow()?.code == nil)
      #expect(server.memory - before < 32 << 20)

      try otherPhone.request(["type": "advance", "seconds": 0.2])
      let failure = try phone.expect("error")
      #expect(failure.code == 7014, "\(failure)")
      // The rest fails at once now, and reading is what ends that.
      try phone.send(bytes: Array(rest))
      try phone.send(bytes: message(last + 1))
      let next = try phone.first("the last failure") { $0.integer("re") == last + 1 }
      #expect(next.code == 7014)
      try work(otherPhone, otherWatch, 20)
      try expectDelivered(through: failure.integer("re")! - 1, watch)
      try phone.send(["type": "sendMessage", "payload": ["n": 0]])
      #expect(try watch.expect("didReceiveMessage").payload["n"] as? Int == 0)
    }

    /// What was handed over before comes in order and without gaps.
    private func expectDelivered(through last: Int, _ watch: LineClient) throws {
      for number in 1...last {
        #expect(try watch.expect("didReceiveMessage").payload["n"] as? Int == number)
      }
    }

    @Test func failsAfterTheGrace() throws {
      let server = try ServerProcess(scratch, data: ":memory:")
      let watch = try server.device("watch", receiveBuffer: 4_096)
      let phone = try server.device("phone")
      _ = try fill(phone)
      #expect(try phone.expect("error").code == 7014)
      watch.close()
    }

    /// Its transfers wait in the store and not in memory.
    @Test func transfersWaitInTheStore() throws {
      let server = try ServerProcess(scratch)
      let watch = try server.device("watch", receiveBuffer: 4_096)
      let phone = try server.device("phone")
      let before = server.memory
      let count = 2_500
      for n in 1...count {
        try phone.send(
          "{\"type\":\"transferUserInfo\",\"payload\":{\"n\":\(n),\"t\":\"\(Self.text)\"}}")
      }
      try phone.request(["type": "outstandingTransfers", "limit": 1])
      let grown = server.memory - before
      print("\(count * 60) kB that nobody reads: the server has grown by \(grown >> 10) KiB")
      // It keeps 32 MiB of recent payloads for all receivers together, in arrays with room to
      // grow, and SQLite has a cache.
      #expect(grown < 100 << 20)
      for n in 1...100 {
        #expect(try watch.expect("didReceiveUserInfo").payload["n"] as? Int == n)
      }
    }
  }
}
