internal import CUV

/// A TCP connection, accepted or opened by this process.
///
/// Belongs to the loop's thread. It lives until its close callback whether or not anyone refers to
/// it. Every connection must be closed, by `close()`, `closeReset()` or its own failure.
///
///     accepted ──────────┐         shutdown(): no more writes
///     connect ─▶ opening ┴▶ open ─┬─ the peer ends: no more reads ─┬▶ closing ─▶ closed
///                                 └─ failure: didFail ─────────────┘
///
/// An idle connection owns its C struct and this object, and no buffer.
package final class TCPConnection: Handle {
  /// For the handler's use.
  package var token = 0

  /// Hears what happens. It is not kept alive and not checked, to spare the reads a reference
  /// count: it must outlive `connectionDidClose`, or set this to nil before it goes.
  package unowned(unsafe) var handler: (any ConnectionHandler)?
  /// Hears of the opening, and is nil after it.
  unowned(unsafe) var opening: (any ClientHandler)?

  /// Whether `didFail` has been called, or is being called.
  var hasFailed = false
  var incoming = Incoming.paused
  var isShutDown = false
  /// The turn in which it last read, and how many bytes then.
  var readTurn: UInt64 = 0
  var readInTurn = 0
  /// What `write` was given, from `writeOffset`; libuv points into it while `isWriting`.
  var writing: [UInt8] = []
  var writeOffset = 0
  package internal(set) var isWriting = false

  /// What becomes of what arrives. A connection that is closed or has failed does not read.
  enum Incoming {
    /// It stays with the kernel. Can go to: `reading`.
    case paused
    /// The handler is given it. Can go to: `paused`, `ended`.
    case reading
    /// The peer has ended: nothing more arrives. Can go nowhere.
    case ended
  }

  /// Whether the peer has ended its output, and the handler was told.
  package var hasEnded: Bool { incoming == .ended }

  /// A connection without a socket.
  init(loop: EventLoop) throws(UVError) {
    try super.init(loop: loop, type: UV_TCP, "uv_tcp_init") { loop, cell in
      uv_tcp_init(loop, cell.assumingMemoryBound(to: uv_tcp_t.self))
    }
  }

  /// Closes at once: output in flight is dropped, and what the kernel has is still sent. Again has
  /// no effect.
  ///
  /// The corresponding C function is `uv_close`.
  override package func close() {
    if incoming == .reading { incoming = .paused }
    super.close()
  }

  /// Closes at once and resets: what the kernel has is dropped, and the peer's reads fail with
  /// `ECONNRESET`. While a `shutdown()` is under way it is an ordinary `close()`, since libuv
  /// allows no more.
  ///
  /// The corresponding C function is `uv_tcp_close_reset`.
  package func closeReset() {
    if incoming == .reading { incoming = .paused }
    close(by: { uv_tcp_close_reset(tcp, $0) })
  }

  /// Tells the handler, once, and closes.
  func fail(_ error: UVError) {
    guard isOpen, !hasFailed else { return }
    hasFailed = true
    handler?.connection(self, didFail: error)
    close()
  }

  override func didClose() {
    opening = nil
    let handler = handler
    self.handler = nil
    handler?.connectionDidClose(self)
  }

  var tcp: UnsafeMutablePointer<uv_tcp_t> { cell.assumingMemoryBound(to: uv_tcp_t.self) }
  var stream: UnsafeMutablePointer<uv_stream_t> { cell.assumingMemoryBound(to: uv_stream_t.self) }

  /// The connection that owns a stream, without a retain: the handle keeps it until it has closed.
  static func owner(
    of stream: UnsafeMutablePointer<uv_stream_t>
  ) -> Unmanaged<TCPConnection> {
    .fromOpaque(stream.pointee.data)
  }
}
