import Testing

@testable import EventLoop

extension EventLoopSuite {
  /// When the turn handler is called.
  @Suite struct Turns {
    @Test func twiceATurn() throws {
      try withLoop { loop in
        let turns = TurnCounter()
        loop.turnHandler = turns
        // A timer that is started by another fires in a later turn.
        after(0, on: loop) { after(1, on: loop) { after(1, on: loop) {} } }
        try loop.run()
        #expect(turns.count >= 6)
        #expect(turns.count == 2 * Int(loop.turn))
      }
    }

    @Test func afterTimersAndBeforeTheWait() throws {
      try withLoop { loop in
        let turns = TurnCounter()
        var log: [String] = []
        turns.onTurn = { log.append("turn") }
        loop.turnHandler = turns
        // For which the loop would wait, had it not called the handler before.
        let far = Timer(loop: loop) {}
        far.start(after: 3_600_000_000)
        after(10, on: loop) {
          log = ["timer"]
          turns.onTurn = {
            log.append("turn")
            turns.onTurn = {}
            after(1, on: loop) {
              log.append("timer")
              far.close()
            }
          }
        }
        try loop.run()
        #expect(log == ["timer", "turn", "timer"])
      }
    }

    @Test func onceForAllThatOnePollBrings() throws {
      try withLoop { loop in
        let turns = TurnCounter()
        loop.turnHandler = turns
        let count = 5
        var log: [String] = []
        var waiting: [TCPConnection] = []
        var sent = 0
        func readWhenAllIsThere() {
          guard waiting.count == count, sent == count else { return }
          after(1, on: loop) {
            for connection in waiting { connection.read() }
            turns.onTurn = { log.append("turn") }
          }
        }
        let server = Peer()
        server.onRead = { _, _ in log.append("read") }
        let acceptor = Acceptor { listener, connection in
          connection.handler = server
          waiting.append(connection)
          guard waiting.count == count else { return }
          listener.close()
          readWhenAllIsThere()
        }
        let listener = try TCPListener(loop: loop, host: "127.0.0.1", port: 0, handler: acceptor)
        let client = Peer()
        client.onOpen = { connection in
          connection.send("x")
          sent += 1
          readWhenAllIsThere()
          after(100, on: loop) { connection.close() }
        }
        for _ in 0..<count {
          try TCPConnection.connect(
            loop: loop, host: "127.0.0.1", port: listener.port, handler: client)
        }
        try loop.run()
        let reads = Array(repeating: "read", count: count)
        #expect(Array(log.prefix(count + 2)) == ["turn"] + reads + ["turn"])
        withExtendedLifetime(acceptor) {}
        server.forget()
        client.forget()
      }
    }

    @Test func notAfterTheHooksAreShutDownNorForAHandlerThatIsGone() throws {
      try withLoop { loop in
        let turns = TurnCounter()
        loop.turnHandler = turns
        loop.shutDownHooks()
        loop.shutDownHooks()
        after(1, on: loop) {}
        try loop.run()
        #expect(turns.count == 0)
      }
      try withLoop { loop in
        do {
          let turns = TurnCounter()
          loop.turnHandler = turns
        }
        #expect(loop.turnHandler == nil)
        after(1, on: loop) { loop.stop() }
        try loop.run()
        try loop.run()
      }
    }
  }
}
