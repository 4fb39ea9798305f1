package import Journal

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
  /// - Parameter then: what is to be done on the relay's own thread with what came of it.
  package func aside<Result>(_ body: @escaping () -> Result, then: @escaping (Result) -> Void) {
    effects.works.append(
      LongWork {
        let result = body()
        return { then(result) }
      })
  }

  /// Goes through rows of a pair: at once where they are few, else aside.
  ///
  /// - Parameters:
  ///   - rows: nil where they could not be read.
  ///   - then: what is to be done on the relay's own thread with what came of it.
  package func read<Value>(
    _ rows: [Row]?, _ body: @escaping ([Row]) throws(JournalError) -> Value,
    then: @escaping (Result<Value, JournalError>) -> Void
  ) {
    guard let rows else {
      return then(.failure(JournalError(description: "the store cannot be read at present")))
    }
    let result = { Result { () throws(JournalError) in try body(rows) } }
    // Some hundred bytes are one thing or another.
    let isLong = rows.reduce(0) { $0 + ($1.value?.count ?? 0) } / 256 > limits.aside
    if isLong { aside(result, then: then) } else { then(result()) }
  }

  /// What was to be done aside has been done.
  package func done(_ work: LongWork, now time: Int64) {
    setTime(time)
    work.finish()
    settle()
  }
}
