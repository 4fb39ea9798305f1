internal import CUV

/// A libuv loop: one thread that waits for sockets, timers, signals and wake-ups.
///
/// One turn of the loop, and where the turn handler is called:
///
///     ┌─▶ timers ─▶ deferred callbacks ─▶ turnEnded ─▶ poll: accept, read,  ─▶ turnEnded ─▶ close ─┐
///     │                                                write, wake, signal                callbacks│
///     └────────────────────────────────────────────────────────────────────────────────────────────┘
///
/// A loop and everything on it belong to one thread; only `Wakeup` may be used from others. The
/// owner closes every handle, lets the loop run until their close callbacks have been called, and
/// then closes the loop, before it lets go of it.
package final class EventLoop {
  /// 64 KiB: some hundred lines from a busy connection in one call, and what a connection may make its
  /// owner hold for it in a turn.
  package static let readBufferSize = 64 * 1024
  /// After how many full buffers a connection has had its share of a turn and the others have
  /// theirs. libuv alone would go on for 32.
  package static let readBuffersPerTurn = 1

  /// Hears when a turn's callbacks are over. The loop does not keep it alive.
  package weak var turnHandler: (any TurnHandler)?

  let pointer: UnsafeMutablePointer<uv_loop_t>
  /// Lent to each connection while it reads; nothing in it outlives the callback.
  let readBuffer: UnsafeMutableRawBufferPointer
  /// Bytes after which a connection reads no more in a turn.
  let readLimitPerTurn: Int
  /// Rises by one with each poll.
  private(set) var turn: UInt64 = 0
  /// Whether there is more to do at once: then polling looks and does not wait.
  ///
  /// The corresponding C functions are `uv_idle_start` and `uv_idle_stop`.
  package var isBusy = false {
    didSet { if isBusy != oldValue { idler?.isActive = isBusy } }
  }

  private var idler: Idler?
  /// Handles of the loop's own.
  private var hooks: [Handle] = []
  private var isRunning = false
  private var isClosed = false

  /// Opens everything that the loop needs, so that timers, wake-ups and signals need no descriptor
  /// later and cannot fail for lack of one.
  ///
  /// The corresponding C function is `uv_loop_init`.
  /// - Parameter readBufferSize: The most bytes that one `didRead` brings.
  /// - Throws: `EMFILE`, `ENFILE`, `ENOMEM`.
  package init(readBufferSize: Int = EventLoop.readBufferSize) throws(UVError) {
    precondition(readBufferSize > 0, "EventLoop.init without a read buffer")
    let pointer = UnsafeMutablePointer<uv_loop_t>.allocate(capacity: 1)
    do throws(UVError) {
      try check(uv_loop_init(pointer), "uv_loop_init")
    } catch {
      pointer.deallocate()
      throw error
    }
    self.pointer = pointer
    readBuffer = .allocate(byteCount: readBufferSize, alignment: 64)
    readLimitPerTurn = readBufferSize * Self.readBuffersPerTurn
    pointer.pointee.data = Unmanaged.passUnretained(self).toOpaque()
    do throws(UVError) {
      try check(watchline_count_idle_time(pointer), "uv_loop_configure")
      let idler = try Idler(loop: self)
      self.idler = idler
      hooks.append(idler)
      hooks.append(try TurnHook(loop: self, .beforePolling))
      hooks.append(try TurnHook(loop: self, .afterPolling))
      // The first signal handle of a loop opens the pipe that all of them share.
      hooks.append(
        try Handle(loop: self, type: UV_SIGNAL, "uv_signal_init") { loop, cell in
          uv_signal_init(loop, cell.assumingMemoryBound(to: uv_signal_t.self))
        })
    } catch {
      try close()
      throw error
    }
  }

  deinit {
    precondition(isClosed, "an event loop was released before close()")
    readBuffer.deallocate()
    pointer.deallocate()
  }

  /// Microseconds on a clock that never jumps or runs backwards; its zero means nothing.
  ///
  /// The corresponding C function is `uv_hrtime`. Any thread.
  package var now: Int64 { Int64(uv_hrtime() / 1_000) }

  /// Nanoseconds in which the loop has waited for something to do, since it was opened.
  ///
  /// The corresponding C function is `uv_metrics_idle_time`.
  package var idleTime: UInt64 { uv_metrics_idle_time(pointer) }

  /// Runs callbacks on this thread until no active handle is left or `stop()` is called.
  ///
  /// May be called again after either. The corresponding C function is `uv_run`.
  package func run() throws(UVError) {
    precondition(!isRunning && !isClosed, "EventLoop.run() while running or closed")
    isRunning = true
    defer { isRunning = false }
    // Its result says whether handles are left, which is not an error: close() will tell.
    _ = uv_run(pointer, UV_RUN_DEFAULT)
  }

  /// Makes `run()` return after this turn. Nothing is closed.
  ///
  /// The corresponding C function is `uv_stop`.
  package func stop() {
    uv_stop(pointer)
  }

  /// Closes the loop's own handles, the ones that call the turn handler. Again has no effect.
  package func shutDownHooks() {
    for hook in hooks { hook.close() }
    hooks = []
    idler = nil
  }

  /// Ends the loop, not from within one of its callbacks. Again has no effect.
  ///
  /// It closes the loop's own handles and calls the close callbacks that are due, and no one else's
  /// handles. The corresponding C function is `uv_loop_close`.
  /// - Throws: `EBUSY` while a handle is open; the loop may then run on and be closed again.
  package func close() throws(UVError) {
    if isClosed { return }
    precondition(!isRunning, "EventLoop.close() while running")
    shutDownHooks()
    _ = uv_run(pointer, UV_RUN_NOWAIT)
    try check(uv_loop_close(pointer), "uv_loop_close")
    isClosed = true
  }

  func pollingBegins() {
    turnHandler?.turnEnded(hasPolled: false)
  }

  func pollingEnded() {
    turn &+= 1
    turnHandler?.turnEnded(hasPolled: true)
  }

  /// The loop that a C struct belongs to, without a retain; valid until it is closed.
  static func owner(of pointer: UnsafeMutablePointer<uv_loop_t>) -> Unmanaged<EventLoop> {
    .fromOpaque(pointer.pointee.data)
  }
}
