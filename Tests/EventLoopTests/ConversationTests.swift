import EventLoop
import Testing

extension EventLoopSuite {
  /// What two ends that behave say to each other.
  @Suite struct Conversation {
    @Test(arguments: ["127.0.0.1", "localhost"])
    func echo(host: String) throws {
      try withLoop { loop in
        let server = Peer()
        let client = Peer()
        server.onRead = { connection, bytes in
          #expect(try! connection.tryWrite(bytes) == bytes.count)
        }
        client.onOpen = { connection in
          #expect(connection.peerAddress.hasPrefix("127.0.0.1:"))
          connection.send("hello\n")
        }
        client.onRead = { connection, _ in
          if client.text == "hello\n" { connection.close() }
        }
        try withPair(on: loop, host: host, server: server, client: client)
        #expect(server.text == "hello\n")
        #expect(client.events == ["open", "read", "close"])
        #expect(server.events == ["read", "end", "close"])
      }
    }

    @Test(.enabled(if: hasIPv6)) func echoOverIPv6() throws {
      try withLoop { loop in
        let server = Peer()
        let client = Peer()
        server.onOpen = { #expect($0.peerAddress.hasPrefix("[::1]:")) }
        client.onOpen = { connection in
          connection.send("six")
          connection.shutdown()
        }
        try withPair(on: loop, host: "::1", server: server, client: client)
        #expect(server.text == "six")
      }
    }

    @Test func serverAnswersAfterTheClientHasShutDown() throws {
      try withLoop { loop in
        let server = Peer()
        let client = Peer()
        client.onOpen = { connection in
          connection.send("question")
          connection.shutdown()
          connection.shutdown()
        }
        server.onEnd = { connection in
          #expect(server.text == "question")
          // Reading on brings no second end.
          connection.read()
          // A turn later, so that the client would have seen a close of ours.
          after(20, on: loop) {
            connection.write(Array("-answer".utf8), from: 1)
            connection.shutdown()
          }
        }
        client.onEnd = { connection in
          #expect(client.text == "answer")
          connection.close()
          after(0, on: loop) { self.expectClosed(connection) }
        }
        server.onWrite = { connection, count in
          #expect(count == 6)
          after(20, on: loop) { connection.close() }
        }
        try withPair(on: loop, server: server, client: client)
        #expect(client.events == ["open", "read", "end", "close"])
        #expect(server.events == ["read", "end", "write", "close"])
      }
    }

    private func expectClosed(_ connection: TCPConnection) {
      #expect(!connection.isOpen)
      #expect(connection.unacknowledgedBytes == .max)
      #expect(connection.peerAddress == "unknown")
      #expect(throws: UVError.self) { try connection.startReading() }
      #expect(throws: UVError.self) {
        _ = try [UInt8(1)].withUnsafeBytes { try connection.tryWrite($0) }
      }
      connection.stopReading()
      connection.setKeepalive(seconds: 1)
      connection.shutdown()
      connection.write([1])
      connection.close()
      connection.closeReset()
    }

    @Test func optionsAreTaken() throws {
      try withLoop { loop in
        let server = Peer()
        let client = Peer()
        client.onOpen = { connection in
          connection.token = 7
          for seconds in [30, 0, -1, 1 << 40] { connection.setKeepalive(seconds: seconds) }
          for milliseconds in [30_000, 0, -1, 1 << 40] {
            connection.setUserTimeout(milliseconds: milliseconds)
          }
          for bytes in [65_536, 0, 1 << 40] {
            connection.setSendBuffer(bytes: bytes)
            connection.setReceiveBuffer(bytes: bytes)
          }
          connection.close()
        }
        client.onClose = { #expect($0.token == 7) }
        try withPair(on: loop, server: server, client: client)
      }
    }

    @Test func aThousandConnections() throws {
      try withLoop { loop in
        let total = 1_000
        var accepted = 0
        var closed = 0
        var started = 0
        let server = Peer()
        server.onRead = { connection, bytes in _ = try! connection.tryWrite(bytes) }
        server.onClose = { _ in closed += 1 }
        let acceptor = Acceptor { listener, connection in
          accepted += 1
          if accepted == total { listener.close() }
          connection.handler = server
          connection.read()
        }
        let listener = try TCPListener(loop: loop, host: "127.0.0.1", port: 0, handler: acceptor)
        let port = listener.port
        let client = Peer()
        func start() {
          guard started < total else { return }
          started += 1
          #expect(throws: Never.self) {
            try TCPConnection.connect(loop: loop, host: "127.0.0.1", port: port, handler: client)
          }
        }
        client.onOpen = { connection in
          connection.read()
          connection.send("x")
        }
        client.onRead = { connection, _ in
          connection.close()
          start()
        }
        client.onClose = { _ in closed += 1 }
        for _ in 0..<100 { start() }
        try loop.run()
        #expect(accepted == total)
        #expect(closed == 2 * total)
        #expect(client.received.count == total)
        #expect(client.errors.isEmpty && server.errors.isEmpty && acceptor.errors.isEmpty)
        withExtendedLifetime(acceptor) {}
        server.forget()
        client.forget()
      }
    }
  }
}

/// Whether this machine can listen on ::1.
private let hasIPv6: Bool = {
  do {
    let loop = try EventLoop()
    let acceptor = Acceptor { _, connection in connection.close() }
    let listener = try? TCPListener(loop: loop, host: "::1", port: 0, handler: acceptor)
    listener?.close()
    try loop.run()
    try loop.close()
    return listener != nil
  } catch {
    return false
  }
}()
