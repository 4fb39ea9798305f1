import Glibc
import Relay
import Storage

/// The thread on which is done what takes longer than a turn of the loop may (`LongWork`), one after the other.
final class WorkThread: Sendable {
  private struct Exchange {
    var waiting: [LongWork] = []
    var done: [LongWork] = []
    var isRunning = false
    var isOver = false
  }

  private let exchange = Monitor(Exchange())
  private let onDone: @Sendable () -> Void

  /// - Parameter onDone: is called on the thread when something is done: `takeDone` has it then.
  init(onDone: @escaping @Sendable () -> Void) { self.onDone = onDone }

  /// Has something done. The first starts the thread.
  func submit(_ works: [LongWork]) {
    let isFirst = exchange.with { exchange in
      exchange.waiting += works
      defer { exchange.isRunning = true }
      return !exchange.isRunning
    }
    exchange.signal()
    if isFirst { start() }
  }

  func takeDone() -> [LongWork] {
    exchange.with { exchange in
      defer { exchange.done = [] }
      return exchange.done
    }
  }

  /// Nothing more is done, and nobody is told of what is under way.
  func stop() {
    exchange.with { exchange in
      exchange.isOver = true
      exchange.waiting = []
    }
    exchange.signal()
  }

  private func start() {
    let identifier = startThread(
      { argument in
        Unmanaged<WorkThread>.fromOpaque(argument!).takeRetainedValue().run()
        return nil
      }, Unmanaged.passRetained(self).toOpaque())
    pthread_detach(identifier)
  }

  private func run() {
    while true {
      let next = exchange.wait(until: nil) { exchange -> [LongWork]? in
        // Nothing is the end.
        if exchange.isOver { return [] }
        return exchange.waiting.isEmpty ? nil : [exchange.waiting.removeFirst()]
      }
      guard let work = next?.first else { return }
      work.run()
      exchange.with { exchange in
        guard !exchange.isOver else { return }
        exchange.done.append(work)
        onDone()
      }
    }
  }
}
