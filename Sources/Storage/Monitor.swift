import Glibc

/// A value that two threads share: a mutex and a condition around it.
///
/// `Synchronization.Mutex` has no condition to wait for, hence pthreads. Both objects live on the heap
/// because they may not move.
package final class Monitor<State>: @unchecked Sendable {
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  private var state: State

  package init(_ state: State) {
    self.state = state
    var attributes = pthread_condattr_t()
    var failure = pthread_condattr_init(&attributes)
    // A step of the wall clock must not stretch a delay.
    failure |= waitByMonotonicClock(&attributes)
    failure |= pthread_cond_init(condition, &attributes)
    failure |= pthread_mutex_init(mutex, nil)
    precondition(failure == 0, "no mutex: \(failure)")
    pthread_condattr_destroy(&attributes)
  }

  deinit {
    pthread_cond_destroy(condition)
    pthread_mutex_destroy(mutex)
    condition.deallocate()
    mutex.deallocate()
  }

  package func with<Result>(_ body: (inout State) -> Result) -> Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return body(&state)
  }

  /// Runs `body`, again after each `signal`, until it answers or the time has come.
  ///
  /// - Parameter deadline: of `monotonicNanoseconds`; nil waits for ever.
  /// - Returns: nil when `deadline` has passed first.
  package func wait<Result>(until deadline: UInt64?, _ body: (inout State) -> Result?) -> Result? {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    while true {
      if let result = body(&state) { return result }
      guard let deadline else {
        pthread_cond_wait(condition, mutex)
        continue
      }
      var time = timespec(
        tv_sec: Int(deadline / 1_000_000_000), tv_nsec: Int(deadline % 1_000_000_000))
      if pthread_cond_timedwait(condition, mutex, &time) == ETIMEDOUT { return body(&state) }
    }
  }

  package func signal() { pthread_cond_signal(condition) }
}

/// The clock of `Monitor.wait`.
package func monotonicNanoseconds() -> UInt64 {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}
