internal import CUV
internal import Synchronization

/// Runs an action on the loop's thread at the request of any thread.
///
/// Requests are coalesced but never lost: after a `wake()` the action runs at least once, and it
/// sees everything that was written before. Lives until `close()`, and keeps the loop running until
/// then (`keepsLoopAlive`).
// Unchecked: other threads call `wake()` alone, which touches the C struct (made for that by libuv,
// and freed no earlier than this object) and the lock. All else belongs to the loop's thread.
package final class Wakeup: Handle, @unchecked Sendable {
  private var action: (() -> Void)?
  /// Guards uv_async_send, which must not be called once uv_close has been.
  private let acceptsRequests = Mutex(true)

  /// The action runs on the loop's thread and is released when the handle has closed.
  ///
  /// The corresponding C function is `uv_async_init`.
  package init(loop: EventLoop, _ action: @escaping () -> Void) {
    self.action = action
    // Fails only for want of the descriptor that uv_loop_init has opened for a handle of its own.
    try! super.init(loop: loop, type: UV_ASYNC, "uv_async_init") { loop, cell in
      uv_async_init(loop, cell.assumingMemoryBound(to: uv_async_t.self), wakeupReceived)
    }
  }

  /// Asks for the action. Any thread, any time; without effect after `close()`.
  ///
  /// The corresponding C function is `uv_async_send`.
  package func wake() {
    acceptsRequests.withLock { accepts in
      guard accepts else { return }
      require(uv_async_send(cell.assumingMemoryBound(to: uv_async_t.self)), "uv_async_send")
    }
  }

  override package func close() {
    acceptsRequests.withLock { $0 = false }
    super.close()
  }

  override func didClose() {
    action = nil
  }

  fileprivate func received() {
    action?()
  }
}

private func wakeupReceived(_ handle: UnsafeMutablePointer<uv_async_t>?) {
  Unmanaged<Wakeup>.fromOpaque(handle!.pointee.data)._withUnsafeGuaranteedRef { $0.received() }
}
