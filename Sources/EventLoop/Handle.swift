internal import CUV

/// A libuv handle: the memory, the owner and the rules of its life, for all kinds.
///
///     init ──▶ open ──close()──▶ closing ──close callback──▶ closed ──▶ deinit frees the memory
///
/// libuv keeps pointers to a handle until its close callback. So the memory is on the heap and
/// never moves, and from init to the close callback the handle keeps its owner alive, used or not.
/// Every handle must be closed; nothing closes it from `deinit`.
///
/// Belongs to the loop's thread.
package class Handle {
  enum State {
    case open, closing, closed
  }

  /// The loop that it lives on. It may not be used after the loop is gone.
  package unowned let loop: EventLoop
  /// The C struct. It outlives the close callback, so that late calls find a closed handle rather
  /// than freed memory.
  let cell: UnsafeMutableRawPointer
  private(set) var state = State.closed

  /// Allocates a handle of the kind `type` and has `initialize`, the C function named by
  /// `function`, set it up.
  init(
    loop: EventLoop, type: uv_handle_type, _ function: StaticString,
    _ initialize: (UnsafeMutablePointer<uv_loop_t>, UnsafeMutableRawPointer) -> Int32
  ) throws(UVError) {
    self.loop = loop
    cell = .allocate(byteCount: uv_handle_size(type), alignment: 16)
    // A handle whose init function failed is unknown to the loop and must not be closed.
    try check(initialize(loop.pointer, cell), function)
    raw.pointee.data = Unmanaged.passRetained(self).toOpaque()
    state = .open
  }

  deinit {
    precondition(state == .closed, "a handle was released while \(state)")
    cell.deallocate()
  }

  /// Whether `close()` has not been called yet.
  package var isOpen: Bool { state == .open }

  /// Whether the loop keeps running for this handle while it is active; true at first.
  ///
  /// The corresponding C functions are `uv_has_ref`, `uv_ref` and `uv_unref`.
  package var keepsLoopAlive: Bool {
    get { uv_has_ref(raw) != 0 }
    set { if newValue { uv_ref(raw) } else { uv_unref(raw) } }
  }

  /// Begins to close the handle; it is gone a turn of the loop later. Again has no effect.
  ///
  /// May be called in any callback. The corresponding C function is `uv_close`.
  package func close() {
    guard state == .open else { return }
    state = .closing
    uv_close(raw, handleDidClose)
  }

  /// Begins to close the handle by another C function than `uv_close`.
  ///
  /// - Parameter begin: Passes the callback on to that function and returns its code; a failure
  ///   falls back to `uv_close`.
  func close(by begin: (uv_close_cb) -> Int32) {
    guard state == .open else { return }
    state = .closing
    if begin(handleDidClose) != 0 { uv_close(raw, handleDidClose) }
  }

  /// The handle is gone. The subclass lets go of what it holds.
  func didClose() {}

  final var raw: UnsafeMutablePointer<uv_handle_t> {
    cell.assumingMemoryBound(to: uv_handle_t.self)
  }

  /// Called once by `handleDidClose`.
  fileprivate final func finishClosing() {
    state = .closed
    didClose()
  }
}

private func handleDidClose(_ raw: UnsafeMutablePointer<uv_handle_t>?) {
  // Takes back the reference that init left in `data`.
  Unmanaged<Handle>.fromOpaque(raw!.pointee.data).takeRetainedValue().finishClosing()
}
