import Foundation
import Testing

extension ProcessTests {
  /// `acknowledge=automatic`: an item counts as arrived when the peer's kernel has it.
  @Suite struct AutomaticTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    /// The receiver never reads: what its kernel has no room for does not count as arrived.
    @Test func waitsForThePeersKernel() throws {
      let server = try ServerProcess(scratch)
      let watch = try server.device("watch", ["acknowledge": "automatic"], receiveBuffer: 16_384)
      let phone = try server.device("phone")
      let text = String(repeating: "x", count: 10_000)
      let count = 300
      for n in 1...count {
        try phone.send(["type": "transferUserInfo", "n": n, "payload": ["n": n, "text": text]])
      }
      // The kernel counts its own overhead too, so fewer bytes than this fit.
      var size: Int32 = 0
      var length = socklen_t(MemoryLayout<Int32>.size)
      getsockopt(watch.descriptor, SOL_SOCKET, SO_RCVBUF, &size, &length)
      let most = Int(size) / 10_000
      // Ample time for a server that would acknowledge at the write.
      for _ in 1...20 {
        try phone.request(["type": "ping"])
        usleep(20_000)
      }
      let waiting = try phone.request(["type": "outstandingTransfers"]).integer("count")!
      #expect(count - waiting <= most, "\(count - waiting) finished, room is for \(most)")

      for n in 1...count {
        #expect(try watch.expect("didReceiveUserInfo").payload["n"] as? Int == n)
      }
      try eventually("all have finished") {
        try phone.request(["type": "outstandingTransfers"]).integer("count") == 0
      }
    }

    /// What had not arrived when the receiver went comes again.
    @Test func comesAgain() throws {
      let server = try ServerProcess(scratch)
      let watch = try server.device("watch", ["acknowledge": "automatic"], receiveBuffer: 16_384)
      let phone = try server.device("phone")
      let text = String(repeating: "x", count: 10_000)
      for n in 1...100 {
        try phone.request(["type": "transferUserInfo", "n": n, "payload": ["n": n, "text": text]])
      }
      watch.reset()
      let again = try server.device("watch", ["acknowledge": "automatic"])
      let first = try again.expect("didReceiveUserInfo")
      var n = first.payload["n"] as! Int
      #expect(n <= 10, "\(n)")
      #expect(first.bool("redelivered") == true)
      while n < 100 {
        n += 1
        #expect(try again.expect("didReceiveUserInfo").payload["n"] as? Int == n)
      }
    }
  }
}
