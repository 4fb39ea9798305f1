internal import CUV
internal import Glibc

/// Runs an action on the loop's thread when the process receives a signal.
///
/// While one is open the signal's default effect does not happen, and the loop keeps running
/// (`keepsLoopAlive`). Signals of one number that arrive close together may be told once.
/// Belongs to the loop's thread; lives until `close()`.
package final class Signal: Handle {
  private var action: (() -> Void)?

  /// Begins to listen. The action is released when the handle has closed.
  ///
  /// The corresponding C functions are `uv_signal_init` and `uv_signal_start`.
  /// - Parameter number: Such as `SIGTERM`; traps for one that cannot be caught.
  package init(loop: EventLoop, number: Int32, _ action: @escaping () -> Void) {
    self.action = action
    // Fails only for want of the pipe that the loop has opened at its start.
    try! super.init(loop: loop, type: UV_SIGNAL, "uv_signal_init") { loop, cell in
      uv_signal_init(loop, cell.assumingMemoryBound(to: uv_signal_t.self))
    }
    let handle = cell.assumingMemoryBound(to: uv_signal_t.self)
    require(uv_signal_start(handle, signalReceived, number), "uv_signal_start")
  }

  override func didClose() {
    action = nil
  }

  fileprivate func received() {
    action?()
  }
}

/// Has writes to a connection that the peer has closed fail with `EPIPE` instead of ending the
/// process by SIGPIPE. Once, at the start of the program.
package func ignoreBrokenPipes() {
  // signal() fails only for a number that does not exist.
  _ = signal(SIGPIPE, SIG_IGN)
}

/// Has the process go on when its terminal is gone, until a `Signal` says what else is to be done then.
/// Once, at the start of the program.
package func ignoreHangUps() {
  _ = signal(SIGHUP, SIG_IGN)
}

private func signalReceived(_ handle: UnsafeMutablePointer<uv_signal_t>?, _ number: Int32) {
  Unmanaged<Signal>.fromOpaque(handle!.pointee.data)._withUnsafeGuaranteedRef { $0.received() }
}
