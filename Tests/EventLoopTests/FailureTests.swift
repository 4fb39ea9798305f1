import EventLoop
import Testing

extension EventLoopSuite {
  /// What goes wrong with sockets, and how it is told.
  @Suite struct Failure {
    @Test func resetByPeer() throws {
      try withLoop { loop in
        let server = Peer()
        let client = Peer()
        client.onOpen = { $0.closeReset() }
        server.onFail = { connection in
          // It is closed for us, and nothing done here changes that.
          connection.write([1])
          connection.shutdown()
          connection.close()
        }
        try withPair(on: loop, server: server, client: client)
        #expect(client.events == ["open", "close"])
        #expect(server.events == ["fail", "close"])
        #expect(server.errors.map(\.name) == ["ECONNRESET"])
      }
    }

    @Test func resetTogetherWithTheLastBytes() throws {
      try withLoop { loop in
        let server = Peer()
        let client = Peer()
        client.onOpen = { connection in
          connection.send("last")
          connection.closeReset()
        }
        // Both are there when it first looks.
        server.onOpen = { connection in after(20, on: loop) { connection.read() } }
        try withPair(on: loop, reads: false, server: server, client: client)
        #expect(server.text == "last" || server.text.isEmpty)
        #expect(server.events.suffix(2) == ["fail", "close"])
        #expect(server.errors.map(\.name) == ["ECONNRESET"])
      }
    }

    @Test func resetWhileAWriteIsInFlight() throws {
      try withLoop { loop in
        let server = Peer()
        let client = Peer()
        server.onOpen = { $0.write([UInt8](repeating: 0, count: 32 << 20)) }
        client.onOpen = { connection in
          after(20, on: loop) { connection.closeReset() }
        }
        try withPair(on: loop, reads: false, server: server, client: client)
        #expect(server.events == ["fail", "close"])
        #expect(server.errors.allSatisfy { $0.function == "uv_write" })
      }
    }

    @Test func writingToAPeerThatIsGone() throws {
      try withLoop { loop in
        let server = Peer()
        let client = Peer()
        client.onOpen = { $0.closeReset() }
        server.onOpen = { connection in
          after(20, on: loop) {
            let error = #expect(throws: UVError.self) {
              _ = try [UInt8(1)].withUnsafeBytes { try connection.tryWrite($0) }
            }
            #expect(error?.function == "uv_try_write")
            #expect(["EPIPE", "ECONNRESET"].contains(error?.name))
            connection.close()
          }
        }
        try withPair(on: loop, reads: false, server: server, client: client)
        #expect(server.events == ["close"])
      }
    }

    @Test func connectionRefused() throws {
      try withLoop { loop in
        // A port that was free a moment ago.
        let acceptor = Acceptor { _, connection in connection.close() }
        let listener = try TCPListener(loop: loop, host: "127.0.0.1", port: 0, handler: acceptor)
        let port = listener.port
        listener.close()
        try loop.run()

        let client = Peer()
        try TCPConnection.connect(loop: loop, host: "127.0.0.1", port: port, handler: client)
        try loop.run()
        #expect(client.events == ["fail", "close"])
        #expect(client.errors == [UVError(code: -111, function: "uv_tcp_connect")])
        #expect(client.errors.first?.name == "ECONNREFUSED")
      }
    }

    @Test func closedWhileOpening() throws {
      try withLoop { loop in
        let acceptor = Acceptor { listener, connection in
          listener.close()
          connection.close()
        }
        let listener = try TCPListener(loop: loop, host: "127.0.0.1", port: 0, handler: acceptor)
        let client = Peer()
        let connection = try TCPConnection.connect(
          loop: loop, host: "127.0.0.1", port: listener.port, handler: client)
        connection.close()
        try loop.run()
        #expect(client.events == ["close"])
        withExtendedLifetime(acceptor) {}
      }
    }

    @Test func portInUse() throws {
      try withLoop { loop in
        let acceptor = Acceptor { _, connection in connection.close() }
        let listener = try TCPListener(loop: loop, host: "127.0.0.1", port: 0, handler: acceptor)
        #expect(listener.port > 0)
        #expect(listener.address == "127.0.0.1:\(listener.port)")
        let error = #expect(throws: UVError.self) {
          try TCPListener(loop: loop, host: "127.0.0.1", port: listener.port, handler: acceptor)
        }
        #expect(error?.name == "EADDRINUSE")
        #expect(error?.message == "address already in use")
        listener.close()
        try loop.run()
        withExtendedLifetime(acceptor) {}
      }
    }

    @Test func hostsAndPortsThatAreNone() throws {
      try withLoop { loop in
        let acceptor = Acceptor { _, connection in connection.close() }
        let client = Peer()
        for (host, port) in [
          ("127.0.0.1", -1), ("127.0.0.1", 65_536), ("256.0.0.1", 1), ("", 1), ("::g", 1),
        ] {
          #expect(throws: UVError.self, "\(host) \(port)") {
            try TCPListener(loop: loop, host: host, port: port, handler: acceptor)
          }
          #expect(throws: UVError.self, "\(host) \(port)") {
            try TCPConnection.connect(loop: loop, host: host, port: port, handler: client)
          }
        }
        #expect(client.events.isEmpty)
      }
    }

    @Test func aLoopWithOpenHandlesDoesNotClose() throws {
      try withLoop { loop in
        let timer = Timer(loop: loop) {}
        let error = #expect(throws: UVError.self) { try loop.close() }
        #expect(error?.name == "EBUSY")
        #expect(error?.function == "uv_loop_close")
        timer.close()
      }
    }

    @Test func errorsReadWell() {
      #expect(
        "\(UVError(code: -98, function: "uv_listen"))"
          == "uv_listen: EADDRINUSE (address already in use)")
      #expect(UVError(code: -99_999, function: "f").name == "Unknown system error -99999")
    }
  }
}
