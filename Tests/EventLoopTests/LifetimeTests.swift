import EventLoop
import Testing

extension EventLoopSuite {
  /// Who keeps whom, and closing at awkward moments.
  @Suite struct Lifetime {
    @Test func closingWithAWriteInFlight() throws {
      try withLoop { loop in
        let server = Peer()
        let client = Peer()
        server.onOpen = { connection in
          connection.write([UInt8](repeating: 0, count: 32 << 20))
          #expect(connection.isWriting)
          after(20, on: loop) {
            #expect(connection.isWriting)
            connection.close()
            connection.close()
          }
        }
        client.onOpen = { connection in
          after(60, on: loop) { connection.close() }
        }
        server.onClose = { #expect(!$0.isWriting) }
        try withPair(on: loop, reads: false, server: server, client: client)
        #expect(server.events == ["close"])
      }
    }

    @Test func closingWithAShutdownUnderWay() throws {
      try withLoop { loop in
        let server = Peer()
        let client = Peer()
        server.onOpen = { connection in
          connection.write([UInt8](repeating: 0, count: 32 << 20))
          connection.shutdown()
          after(20, on: loop) { connection.closeReset() }
        }
        client.onOpen = { connection in
          after(60, on: loop) { connection.close() }
        }
        try withPair(on: loop, reads: false, server: server, client: client)
        #expect(server.events == ["close"])
      }
    }

    @Test func closingInTheMiddleOfARead() throws {
      try withLoop(readBufferSize: 16) { loop in
        let server = Peer()
        let client = Peer()
        client.onOpen = { connection in
          connection.send(String(repeating: "x", count: 64))
        }
        server.onRead = { connection, bytes in connection.close() }
        client.onFail = { _ in }
        try withPair(on: loop, server: server, client: client)
        // The first buffer's worth was the last.
        #expect(server.received.count == 16)
        #expect(server.events == ["read", "close"])
      }
    }

    @Test func stoppingInTheMiddleOfARead() throws {
      try withLoop(readBufferSize: 16) { loop in
        let server = Peer()
        let client = Peer()
        client.onOpen = { connection in
          connection.send(String(repeating: "x", count: 64))
          connection.shutdown()
        }
        server.onRead = { connection, bytes in
          connection.stopReading()
          let count = server.received.count
          after(5, on: loop) {
            #expect(server.received.count == count)
            connection.read()
          }
        }
        try withPair(on: loop, server: server, client: client)
        #expect(server.received.count == 64)
      }
    }

    @Test func closingTheListenerAndTheOtherEndInACallback() throws {
      try withLoop { loop in
        let server = Peer()
        let client = Peer()
        var accepted: TCPConnection?
        server.onOpen = { accepted = $0 }
        client.onOpen = { $0.send("x") }
        server.onRead = { connection, _ in connection.send("y") }
        client.onRead = { connection, _ in
          accepted?.close()
          connection.close()
        }
        try withPair(on: loop, server: server, client: client)
        #expect(client.text == "y")
        #expect(server.events == ["read", "close"])
      }
    }

    @Test func turnedAwayAtTheDoor() throws {
      try withLoop { loop in
        let acceptor = Acceptor { listener, connection in
          connection.close()
          listener.close()
        }
        let listener = try TCPListener(loop: loop, host: "127.0.0.1", port: 0, handler: acceptor)
        let client = Peer()
        client.onOpen = { $0.read() }
        try TCPConnection.connect(
          loop: loop, host: "127.0.0.1", port: listener.port, handler: client)
        try loop.run()
        #expect(client.events == ["open", "end", "close"])
        withExtendedLifetime(acceptor) {}
      }
    }

    @Test func handlesKeepTheirOwnersUntilTheyHaveClosed() throws {
      try withLoop { loop in
        var fired = 0
        weak var timer: Timer?
        weak var wakeup: Wakeup?
        do {
          let made = Timer(loop: loop) {
            fired += 1
            timer?.close()
          }
          made.start(after: 1_000)
          timer = made
          let woken = Wakeup(loop: loop) {
            fired += 1
            wakeup?.close()
          }
          woken.wake()
          wakeup = woken
        }
        #expect(timer != nil)
        #expect(wakeup != nil)
        try loop.run()
        #expect(fired == 2)
        #expect(timer == nil)
        #expect(wakeup == nil)
      }
    }

    @Test func connectionsKeepNeitherHandlersNorThemselves() throws {
      weak var server: Peer?
      weak var client: Peer?
      weak var connection: TCPConnection?
      try withLoop { loop in
        let (first, second) = (Peer(), Peer())
        server = first
        client = second
        second.onOpen = { opened in
          connection = opened
          opened.close()
        }
        try withPair(on: loop, server: first, client: second)
        #expect(connection == nil)
      }
      #expect(server == nil)
      #expect(client == nil)
    }
  }
}
