import EventLoop
import Testing

extension EventLoopSuite {
  /// `unacknowledgedBytes` is what an automatic acknowledge rests on: it may be too large for a
  /// while, never too small.
  @Suite struct Acknowledgement {
    @Test func zeroOnlyWhenThePeerHasTakenEverything() throws {
      try withLoop { loop in
        let server = Peer()
        let client = Peer()
        var whileWaiting: [Int] = []
        var atTheEnd: Int?
        var remote: TCPConnection?
        client.onOpen = { connection in
          connection.setReceiveBuffer(bytes: 65_536)
          remote = connection
        }
        server.onOpen = { connection in
          connection.setSendBuffer(bytes: 65_536)
          connection.write([UInt8](repeating: 0, count: 1 << 20))
          for delay: Int64 in [0, 20, 50] {
            after(delay, on: loop) { whileWaiting.append(connection.unacknowledgedBytes) }
          }
          after(60, on: loop) { remote?.read() }
          func poll() {
            if connection.unacknowledgedBytes > 0 { return after(5, on: loop) { poll() } }
            atTheEnd = client.received.count
            connection.close()
          }
          after(60, on: loop) { poll() }
        }
        try withPair(on: loop, reads: false, server: server, client: client)
        #expect(whileWaiting.count == 3)
        #expect(whileWaiting.allSatisfy { $0 > 0 && $0 <= 1 << 20 })
        // What the peer has not read by then is in its kernel's buffer.
        #expect(try #require(atTheEnd) > (1 << 20) - (256 << 10))
        #expect(client.received.count == 1 << 20)
      }
    }

    @Test func neverZeroAfterAReset() throws {
      try withLoop { loop in
        let server = Peer()
        let client = Peer()
        client.onOpen = { connection in
          connection.setReceiveBuffer(bytes: 8_192)
          after(30, on: loop) { connection.closeReset() }
        }
        server.onOpen = { connection in
          // Only what the kernel takes: the connection neither reads nor writes when the reset
          // arrives, so nobody has told it.
          let bytes = [UInt8](repeating: 0, count: 4 << 20)
          #expect(try! bytes.withUnsafeBytes { try connection.tryWrite($0) } > 0)
          after(60, on: loop) {
            #expect(connection.isOpen)
            #expect(connection.unacknowledgedBytes > 0)
            connection.close()
          }
        }
        try withPair(on: loop, reads: false, server: server, client: client)
      }
    }
  }
}
