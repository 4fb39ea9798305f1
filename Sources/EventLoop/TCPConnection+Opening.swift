internal import CUV

extension TCPConnection {
  /// Opens a connection. `connectionDidOpen` or `didFail` (`ECONNREFUSED`, `ETIMEDOUT`, …) follows
  /// in a later turn.
  ///
  /// The corresponding C function is `uv_tcp_connect`.
  /// - Parameter host: An IPv4 or IPv6 address, or a name, which is looked up before this returns.
  /// - Throws: `EMFILE`, `ENETUNREACH`, the codes of the look-up; the handler is then not called.
  @discardableResult
  package static func connect(
    loop: EventLoop, host: String, port: Int, handler: any ClientHandler
  ) throws(UVError) -> TCPConnection {
    let address = try SocketAddress(host: host, port: port, loop: loop)
    let connection = try TCPConnection(loop: loop)
    let request = UnsafeMutablePointer<uv_connect_t>.allocate(capacity: 1)
    do throws(UVError) {
      let code = address.withPointer {
        uv_tcp_connect(request, connection.tcp, $0, connectionOpened)
      }
      try check(code, "uv_tcp_connect")
    } catch {
      request.deallocate()
      connection.close()
      throw error
    }
    connection.handler = handler
    connection.opening = handler
    return connection
  }

  fileprivate func opened(_ status: Int32) {
    // Cancelled by close(), which connectionDidClose will tell.
    guard isOpen else { return }
    do throws(UVError) {
      try check(status, "uv_tcp_connect")
      try check(uv_tcp_nodelay(tcp, 1), "uv_tcp_nodelay")
    } catch {
      fail(error)
      return
    }
    let opening = opening
    self.opening = nil
    opening?.connectionDidOpen(self)
  }
}

private func connectionOpened(_ request: UnsafeMutablePointer<uv_connect_t>?, _ status: Int32) {
  let stream = request!.pointee.handle!
  request!.deallocate()
  TCPConnection.owner(of: stream)._withUnsafeGuaranteedRef { $0.opened(status) }
}
