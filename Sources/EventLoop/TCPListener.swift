internal import CUV
internal import Glibc

/// A listening TCP socket.
///
/// Belongs to the loop's thread; lives until `close()`. The handler must outlive it.
///
/// **Out of descriptors.** Connections that cannot be accepted stay in the backlog and wake the
/// loop again at once. libuv 1.44.2 then accepts and closes them by means of a descriptor that it
/// holds back, and tells no one. So the listener keeps one descriptor free of its own accord: the
/// connection that takes the last one is closed and reported. Only where another thread has taken
/// that one too does libuv's way come into play. And should libuv lose the descriptor that it holds
/// back, it would call back for ever without returning to the loop: the listener gives it its own.
package final class TCPListener: Handle {
  /// The port that it listens on, also where 0 was asked for.
  package private(set) var port = 0
  /// Host and port as the system has them, such as `127.0.0.1:9282` or `[::1]:9282`.
  package private(set) var address = ""
  /// Whether only this machine can reach it.
  package private(set) var isOnLoopback = false

  private unowned(unsafe) let handler: any ListenerHandler
  private var spare = SpareDescriptor()

  /// Binds and listens.
  ///
  /// The corresponding C functions are `uv_tcp_bind` and `uv_listen`; SO_REUSEADDR is set, as libuv
  /// does. When it throws, the half-open handle is gone one turn of the loop later.
  /// - Parameters:
  ///   - host: An IPv4 or IPv6 address, or a name, which is looked up before this returns.
  ///   - port: 0 for any free one.
  ///   - backlog: How many connections may wait to be accepted; the system may lower it.
  /// - Throws: `EADDRINUSE`, `EADDRNOTAVAIL`, `EACCES`, `EMFILE`, the codes of the look-up.
  package init(
    loop: EventLoop, host: String, port: Int, backlog: Int = 1024, handler: any ListenerHandler
  ) throws(UVError) {
    self.handler = handler
    let wanted = try SocketAddress(host: host, port: port, loop: loop)
    try super.init(loop: loop, type: UV_TCP, "uv_tcp_init") { loop, cell in
      uv_tcp_init(loop, cell.assumingMemoryBound(to: uv_tcp_t.self))
    }
    do throws(UVError) {
      try check(wanted.withPointer { uv_tcp_bind(tcp, $0, 0) }, "uv_tcp_bind")
      try check(uv_listen(stream, Int32(clamping: backlog), peerConnected), "uv_listen")
      let bound = try SocketAddress("uv_tcp_getsockname") { uv_tcp_getsockname(tcp, $0, $1) }
      self.port = bound.port
      address = bound.description
      isOnLoopback = bound.isLoopback
      spare.hold()
    } catch {
      close()
      throw error
    }
  }

  override func didClose() {
    spare.release()
  }

  fileprivate func connected(_ status: Int32) {
    if status == UV_EMFILE.rawValue || status == UV_ENFILE.rawValue { rearm() }
    do throws(UVError) {
      try check(status, "accept")
      let connection = try accept()
      guard spare.isAnotherLeft() else {
        connection.close()
        spare.hold()
        throw UVError(code: UV_EMFILE.rawValue, function: "accept")
      }
      handler.listener(self, accepted: connection)
    } catch {
      handler.listener(self, failed: error)
    }
  }

  /// Gives libuv a descriptor to hold back, if it has lost its own. Then it turns away those who
  /// wait, and returns.
  ///
  /// It is handed over, as what is released another thread could take. Where that has happened, all
  /// stands still for a moment, until another thread gives one back: libuv would not return either.
  private func rearm() {
    for _ in 0..<Self.longestWait {
      // Another thread may have taken a descriptor just while libuv let go of its own.
      if loop.pointer.pointee.emfile_fd >= 0 { return }
      spare.hold()
      if let descriptor = spare.give() {
        loop.pointer.pointee.emfile_fd = descriptor
        return
      }
      usleep(1_000)
    }
    close()
  }

  /// Milliseconds.
  private static let longestWait = 1_000

  private func accept() throws(UVError) -> TCPConnection {
    let connection = try TCPConnection(loop: loop)
    do throws(UVError) {
      try check(uv_accept(stream, connection.stream), "uv_accept")
      try check(uv_tcp_nodelay(connection.tcp, 1), "uv_tcp_nodelay")
      return connection
    } catch {
      connection.close()
      throw error
    }
  }

  private var tcp: UnsafeMutablePointer<uv_tcp_t> { cell.assumingMemoryBound(to: uv_tcp_t.self) }

  private var stream: UnsafeMutablePointer<uv_stream_t> {
    cell.assumingMemoryBound(to: uv_stream_t.self)
  }
}

private func peerConnected(_ server: UnsafeMutablePointer<uv_stream_t>?, _ status: Int32) {
  Unmanaged<TCPListener>.fromOpaque(server!.pointee.data)
    ._withUnsafeGuaranteedRef { $0.connected(status) }
}
