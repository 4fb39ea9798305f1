internal import CUV

/// Runs an action once, a while after it was started.
///
/// Belongs to the loop's thread; lives until `close()`.
package final class Timer: Handle {
  private var action: (() -> Void)?

  /// A timer that does not run yet. Its action is released when the timer has closed.
  ///
  /// The corresponding C function is `uv_timer_init`.
  package init(loop: EventLoop, _ action: @escaping () -> Void) {
    self.action = action
    // uv_timer_init only fills in the struct and always returns 0.
    try! super.init(loop: loop, type: UV_TIMER, "uv_timer_init") { loop, cell in
      uv_timer_init(loop, cell.assumingMemoryBound(to: uv_timer_t.self))
    }
  }

  /// Whether the action is still to come.
  package var isRunning: Bool { uv_is_active(raw) != 0 }

  /// Calls the action once, `microseconds` or up to a millisecond more from now, never earlier.
  /// A timer that runs already is moved.
  ///
  /// The corresponding C function is `uv_timer_start`.
  package func start(after microseconds: Int64) {
    precondition(isOpen, "Timer.start(after:) after close()")
    // libuv counts whole milliseconds from the start of the turn, which may be long past. So the
    // deadline is computed on the real clock, rounded up, and taken relative to the turn's time.
    // The clamp, 146,000 years, leaves room for the sum.
    let wait = min(max(0, microseconds), .max / 2)
    let deadline = UInt64(loop.now + wait + 999) / 1_000
    let turn = uv_now(loop.pointer)
    require(
      uv_timer_start(timer, timerFired, deadline > turn ? deadline - turn : 0, 0), "uv_timer_start")
  }

  /// Keeps the action from being called. May be started again.
  ///
  /// The corresponding C function is `uv_timer_stop`.
  package func stop() {
    require(uv_timer_stop(timer), "uv_timer_stop")
  }

  override func didClose() {
    action = nil
  }

  fileprivate func fired() {
    action?()
  }

  private var timer: UnsafeMutablePointer<uv_timer_t> {
    cell.assumingMemoryBound(to: uv_timer_t.self)
  }
}

private func timerFired(_ handle: UnsafeMutablePointer<uv_timer_t>?) {
  Unmanaged<Timer>.fromOpaque(handle!.pointee.data)._withUnsafeGuaranteedRef { $0.fired() }
}
