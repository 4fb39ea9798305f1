internal import CUV

// The setters have no effect on a connection that is closing. On an open one they clamp their value
// to what the kernel takes, so that a failure can only be a mistake of this package, and traps.
extension TCPConnection {
  /// Bytes given to the connection that the peer's kernel has not acknowledged: those of a `write`
  /// in flight, and what the kernel has not sent or heard back of.
  ///
  /// 0 means that everything has reached the peer's machine, not that its program has read it.
  /// After `shutdown()` the end of the stream counts as one byte. `Int.max` after `close()`: then
  /// nothing is known. One system call.
  ///
  /// The corresponding C functions are `uv_stream_get_write_queue_size` and `ioctl(SIOCOUTQ)`.
  package var unacknowledgedBytes: Int {
    guard isOpen, !hasFailed else { return .max }
    let count = watchline_unacknowledged_bytes(tcp)
    // Without a socket (EBADF, still opening) nothing has left.
    return count < 0 ? .max : Int(count) + uv_stream_get_write_queue_size(stream)
  }

  /// Has the kernel look, after `seconds` without traffic, whether the peer is still there; 0 for
  /// never. The system's limit is 32,767.
  ///
  /// The corresponding C function is `uv_tcp_keepalive`.
  package func setKeepalive(seconds: Int) {
    guard isOpen, !hasFailed else { return }
    let delay = UInt32(min(max(0, seconds), 32_767))
    require(uv_tcp_keepalive(tcp, delay == 0 ? 0 : 1, delay), "uv_tcp_keepalive")
  }

  /// How long sent bytes may stay unacknowledged, or the peer's window closed, before the
  /// connection fails with `ETIMEDOUT`; 0 for the system's default.
  ///
  /// The corresponding C function is `setsockopt(TCP_USER_TIMEOUT)`.
  package func setUserTimeout(milliseconds: Int) {
    guard isOpen, !hasFailed else { return }
    let value = UInt32(min(max(0, milliseconds), Int(Int32.max)))
    require(watchline_set_user_timeout(tcp, value), "setsockopt(TCP_USER_TIMEOUT)")
  }

  /// The size of the kernel's buffer for output. Linux doubles it, has a least and a most, and
  /// adapts it no more.
  ///
  /// The corresponding C function is `uv_send_buffer_size`.
  package func setSendBuffer(bytes: Int) {
    guard isOpen, !hasFailed else { return }
    var value = Int32(clamping: max(1, bytes))
    require(uv_send_buffer_size(raw, &value), "uv_send_buffer_size")
  }

  /// The size of the kernel's buffer for input, as for output.
  ///
  /// The corresponding C function is `uv_recv_buffer_size`.
  package func setReceiveBuffer(bytes: Int) {
    guard isOpen, !hasFailed else { return }
    var value = Int32(clamping: max(1, bytes))
    require(uv_recv_buffer_size(raw, &value), "uv_recv_buffer_size")
  }

  /// The peer's host and port, such as `127.0.0.1:52114`; `unknown` when it is gone.
  ///
  /// The corresponding C function is `uv_tcp_getpeername`.
  package var peerAddress: String {
    do throws(UVError) {
      return try SocketAddress("uv_tcp_getpeername") { uv_tcp_getpeername(tcp, $0, $1) }.description
    } catch {
      return "unknown"
    }
  }

  /// The same without the port.
  package var peerHost: String {
    let address = peerAddress
    return address.lastIndex(of: ":").map { String(address[..<$0]) } ?? address
  }

  /// Whether the peer is on this machine: its address is in 127.0.0.0/8 or is ::1. False when it is
  /// gone.
  ///
  /// The corresponding C function is `uv_tcp_getpeername`.
  package var isPeerOnLoopback: Bool {
    do throws(UVError) {
      return try SocketAddress("uv_tcp_getpeername") { uv_tcp_getpeername(tcp, $0, $1) }.isLoopback
    } catch {
      return false
    }
  }
}
