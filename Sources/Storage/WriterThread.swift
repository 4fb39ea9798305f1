package import Glibc

/// The store's own thread. libuv's pool has no order and four threads for everybody.
final class WriterThread: Sendable {
  private let identifier: pthread_t
  private let joined = Monitor(false)

  /// - Parameter writer: belongs to the thread from now on.
  init(_ writer: sending Writer) {
    identifier = startThread(
      { argument in
        guard let argument else { return nil }
        nameThread("store")
        Unmanaged<Writer>.fromOpaque(argument).takeRetainedValue().run()
        return nil
      }, Unmanaged.passRetained(writer).toOpaque())
  }

  func join() {
    joined.with { joined in
      guard !joined else { return }
      pthread_join(identifier, nil)
      joined = true
    }
  }
}

/// Starts a thread that gets no signals: those are for the thread that runs the loop, and a new thread
/// inherits the mask of the one that starts it.
///
/// The corresponding C function is `pthread_create`.
/// - Parameter argument: what `body` is given.
package func startThread(
  _ body: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer?,
  _ argument: UnsafeMutableRawPointer
) -> pthread_t {
  var identifier = pthread_t()
  let failure = withoutSignals { pthread_create(&identifier, nil, body, argument) }
  precondition(failure == 0, "no thread: \(failure)")
  return identifier
}

/// Runs a body in which this thread gets no signals, nor any thread that is started meanwhile.
package func withoutSignals<Result>(_ body: () -> Result) -> Result {
  var all = sigset_t()
  var before = sigset_t()
  sigfillset(&all)
  pthread_sigmask(SIG_SETMASK, &all, &before)
  defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
  return body()
}
