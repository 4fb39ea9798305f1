import Testing

@testable import EventLoop

extension EventLoopSuite {
  /// Which addresses are this machine's own.
  @Suite struct Addresses {
    @Test(arguments: [
      ("127.0.0.1", true), ("127.255.0.9", true), ("::1", true), ("::ffff:127.0.0.1", true),
      ("128.0.0.1", false), ("10.127.0.1", false), ("0.0.0.0", false), ("::", false),
      ("::2", false), ("::ffff:10.0.0.1", false), ("7f00::1", false), ("fe80::1", false),
    ]) func loopback(_ host: String, _ isLoopback: Bool) throws {
      try withLoop { loop in
        let address = try SocketAddress(host: host, port: 9_282, loop: loop)
        #expect(address.isLoopback == isLoopback)
      }
    }
  }
}
