/// A step that has failed, and when it is tried again.
struct Trouble {
  private let delays: ClosedRange<UInt64>
  private var delay: UInt64
  /// Of `monotonicNanoseconds`.
  private(set) var nextTry: UInt64

  init(delays: ClosedRange<UInt64>) {
    self.delays = delays
    delay = delays.lowerBound
    nextTry = monotonicNanoseconds() + delay
  }

  /// Doubles the delay, up to the longest.
  mutating func again() {
    delay = min(delay * 2, delays.upperBound)
    nextTry = monotonicNanoseconds() + delay
  }
}
