internal import CUV

extension TCPConnection {
  /// Writes what the kernel takes at once.
  ///
  /// The corresponding C function is `uv_try_write`.
  /// - Returns: How many bytes were taken: 0 when the kernel's buffer is full, while it is being
  ///   opened, and while a `write` is in flight.
  /// - Throws: `EPIPE`, `ECONNRESET` when the peer is gone, and `EPIPE` after `shutdown()`; `EBADF`
  ///   after `close()`. The handler does not hear of it: the caller closes.
  package func tryWrite(_ bytes: UnsafeRawBufferPointer) throws(UVError) -> Int {
    guard let base = bytes.baseAddress, !bytes.isEmpty else { return 0 }
    // libuv's buffers are mutable because reads use them too; a write changes nothing.
    let start = UnsafeMutableRawPointer(mutating: base).assumingMemoryBound(to: CChar.self)
    var buffer = uv_buf_t(base: start, len: bytes.count)
    let written = uv_try_write(stream, &buffer, 1)
    if written == UV_EAGAIN.rawValue { return 0 }
    try check(written, "uv_try_write")
    return Int(written)
  }

  /// Writes what the kernel takes at once, and then the rest as `write` does.
  ///
  /// - Returns: how many bytes were taken at once.
  /// - Throws: what `tryWrite` does.
  package func send(_ bytes: [UInt8]) throws(UVError) -> Int {
    // A typed throw does not pass through `withUnsafeBytes`' closure.
    let count = try bytes.withUnsafeBytes { bytes in
      Result { () throws(UVError) in try tryWrite(bytes) }
    }.get()
    if count < bytes.count { write(bytes, from: count) }
    return count
  }

  /// Writes all of `bytes` from `offset` on, as the kernel takes them; then `didWrite` is called,
  /// in a later turn, or `didFail`.
  ///
  /// One may be in flight at a time, and none after `shutdown()`. Without effect after `close()` or
  /// a failure, which `connectionDidClose` tells.
  ///
  /// The corresponding C function is `uv_write`.
  package func write(_ bytes: consuming [UInt8], from offset: Int = 0) {
    guard isOpen, !hasFailed else { return }
    precondition(opening == nil, "TCPConnection.write before it is open")
    precondition(!isWriting, "TCPConnection.write while a write is in flight")
    precondition(!isShutDown, "TCPConnection.write after shutdown()")
    precondition((0...bytes.count).contains(offset), "TCPConnection.write from outside the bytes")
    writing = bytes
    writeOffset = offset
    isWriting = true
    // The pointer outlives the closure: an array of bytes made by Swift keeps its elements in one
    // heap object, which neither moves nor goes while `writing` refers to it and no one changes it.
    var buffer = writing.withUnsafeBytes { bytes in
      let rest = UnsafeMutableRawBufferPointer(
        mutating: UnsafeRawBufferPointer(rebasing: bytes[offset...]))
      return uv_buf_t(
        base: rest.baseAddress?.assumingMemoryBound(to: CChar.self), len: rest.count)
    }
    let request = UnsafeMutablePointer<uv_write_t>.allocate(capacity: 1)
    // Errors of the socket come by the callback; a code here means a call that is not allowed.
    require(uv_write(request, stream, &buffer, 1, bytesWritten), "uv_write")
  }

  /// Ends the outgoing direction once what is in flight has been written. Again has no effect.
  ///
  /// The peer may go on sending. The corresponding C function is `uv_shutdown`.
  package func shutdown() {
    guard isOpen, !hasFailed, !isShutDown else { return }
    precondition(opening == nil, "TCPConnection.shutdown() before it is open")
    isShutDown = true
    let request = UnsafeMutablePointer<uv_shutdown_t>.allocate(capacity: 1)
    require(uv_shutdown(request, stream, outputEnded), "uv_shutdown")
  }

  fileprivate func finishWrite(_ status: Int32) {
    let count = writing.count - writeOffset
    writing = []
    isWriting = false
    // Cancelled by close(), which connectionDidClose will tell.
    guard isOpen else { return }
    if status == 0 {
      handler?.connection(self, didWrite: count)
    } else {
      fail(UVError(code: status, function: "uv_write"))
    }
  }

  fileprivate func finishShutdown(_ status: Int32) {
    if status < 0 { fail(UVError(code: status, function: "uv_shutdown")) }
  }
}

private func bytesWritten(_ request: UnsafeMutablePointer<uv_write_t>?, _ status: Int32) {
  let stream = request!.pointee.handle!
  request!.deallocate()
  TCPConnection.owner(of: stream)._withUnsafeGuaranteedRef { $0.finishWrite(status) }
}

private func outputEnded(_ request: UnsafeMutablePointer<uv_shutdown_t>?, _ status: Int32) {
  let stream = request!.pointee.handle!
  request!.deallocate()
  TCPConnection.owner(of: stream)._withUnsafeGuaranteedRef { $0.finishShutdown(status) }
}
