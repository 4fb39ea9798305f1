internal import CUV

extension TCPConnection {
  /// Has `didRead` called for what arrives. Without effect when it reads already or the peer has
  /// ended.
  ///
  /// A connection that does not read does not notice a reset either.
  ///
  /// The corresponding C function is `uv_read_start`.
  /// - Throws: `EINVAL` after `close()`, `ENOTCONN` before it is open.
  package func startReading() throws(UVError) {
    if isOpen, incoming != .paused { return }
    try check(uv_read_start(stream, bufferWanted, bytesRead), "uv_read_start")
    incoming = .reading
  }

  /// Leaves what arrives with the kernel, which slows the peer down when its buffers are full. From
  /// within `didRead` too: there is no further call.
  ///
  /// The corresponding C function is `uv_read_stop`.
  package func stopReading() {
    guard incoming == .reading else { return }
    incoming = .paused
    require(uv_read_stop(stream), "uv_read_stop")
  }

  /// Whether it may read now, or has had its share of the turn.
  fileprivate func mayRead(in loop: EventLoop) -> Bool {
    if readTurn != loop.turn {
      readTurn = loop.turn
      readInTurn = 0
    }
    return readInTurn < loop.readLimitPerTurn
  }

  fileprivate func received(_ bytes: UnsafeRawBufferPointer) {
    readInTurn += bytes.count
    handler?.connection(self, didRead: bytes)
  }

  fileprivate func readFailed(_ code: Int32) {
    if code == UV_EOF.rawValue {
      // libuv takes a hang-up that comes together with the last bytes for an end without another
      // read, and so misses that it was a reset.
      let error = watchline_take_socket_error(tcp)
      if error != 0 { return fail(UVError(code: error, function: "uv_read_start")) }
      stopReading()
      incoming = .ended
      handler?.connectionDidEnd(self)
    } else {
      fail(UVError(code: code, function: "uv_read_start"))
    }
  }
}

private func bufferWanted(
  _ handle: UnsafeMutablePointer<uv_handle_t>?, _ suggestedSize: Int,
  _ buffer: UnsafeMutablePointer<uv_buf_t>?
) {
  let loop = EventLoop.owner(of: handle!.pointee.loop)
  let connection = Unmanaged<TCPConnection>.fromOpaque(handle!.pointee.data)
  loop._withUnsafeGuaranteedRef { loop in
    // An empty buffer is libuv's way to read no more in this turn; what is left comes in the next.
    let mayRead = connection._withUnsafeGuaranteedRef { $0.mayRead(in: loop) }
    buffer!.pointee.base = loop.readBuffer.baseAddress!.assumingMemoryBound(to: CChar.self)
    buffer!.pointee.len = mayRead ? loop.readBuffer.count : 0
  }
}

private func bytesRead(
  _ stream: UnsafeMutablePointer<uv_stream_t>?, _ count: Int, _ buffer: UnsafePointer<uv_buf_t>?
) {
  // 0 is EAGAIN, and ENOBUFS answers the empty buffer: both mean that nothing has happened.
  if count == 0 || count == Int(UV_ENOBUFS.rawValue) { return }
  TCPConnection.owner(of: stream!)._withUnsafeGuaranteedRef { connection in
    if count > 0 {
      connection.received(UnsafeRawBufferPointer(start: buffer!.pointee.base, count: count))
    } else {
      connection.readFailed(Int32(count))
    }
  }
}
