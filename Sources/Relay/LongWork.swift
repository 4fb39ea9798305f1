/// What takes longer than a turn may, and is done aside: on another thread, while nobody else touches what it works on.
///
/// ```
/// Effects.works ──► run, on any thread ──► Relay.done, on the relay's
/// ```
/// It is handed from one thread to the other, and never with both. So what it holds need not be safe for that.
package final class LongWork: @unchecked Sendable {
  private var body: (() -> () -> Void)?
  private var end: (() -> Void)?

  init(_ body: @escaping () -> () -> Void) { self.body = body }

  /// Does it, once. What it alone holds is freed on this thread, too.
  package func run() {
    end = body?()
    body = nil
  }

  func finish() {
    end?()
    end = nil
  }
}

extension Relay {
  /// Has the caller do something on another thread.
  ///
  /// - Parameter body: does it, and returns what is to be done on the relay's own thread then.
  package func aside(_ body: @escaping () -> () -> Void) {
    effects.works.append(LongWork(body))
  }

  /// What was to be done aside has been done.
  package func done(_ work: LongWork, now time: Int64) {
    setTime(time)
    work.finish()
    settle()
  }
}
