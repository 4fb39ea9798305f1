import EventLoop
import Testing

/// Runs `body` with a loop, which it fills and runs, and ends the loop: `uv_loop_close` must return
/// 0, which proves that no handle was left. Fails after `seconds`.
func withLoop(
  seconds: Int64 = 20, readBufferSize: Int = EventLoop.readBufferSize,
  sourceLocation: SourceLocation = #_sourceLocation, _ body: (EventLoop) throws -> Void
) throws {
  ignoreBrokenPipes()
  let loop = try EventLoop(readBufferSize: readBufferSize)
  var watchdog: Timer!
  watchdog = Timer(loop: loop) { [unowned loop] in
    Issue.record("not over after \(seconds) s", sourceLocation: sourceLocation)
    loop.stop()
    // The body may let it run again.
    watchdog.start(after: 1_000_000)
  }
  watchdog.keepsLoopAlive = false
  watchdog.start(after: seconds * 1_000_000)
  do {
    try body(loop)
    watchdog.close()
    try loop.close()
  } catch {
    // It still has open handles, and would trap if it were released.
    _ = Unmanaged.passRetained(loop)
    throw error
  }
}

/// Calls `action` once, on the loop's thread.
func after(_ milliseconds: Int64, on loop: EventLoop, _ action: @escaping () -> Void) {
  var timer: Timer?
  timer = Timer(loop: loop) {
    timer?.close()
    timer = nil
    action()
  }
  timer?.start(after: milliseconds * 1_000)
}
