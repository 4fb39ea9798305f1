/// A step that has failed, and when it is tried again.
struct Trouble {
  let kind: StoreError.Kind
  private let delays: ClosedRange<UInt64>
  private var delay: UInt64
  /// Of `monotonicNanoseconds`.
  private(set) var nextTry: UInt64

  init(_ kind: StoreError.Kind, delays: ClosedRange<UInt64>) {
    self.kind = kind
    self.delays = delays
    delay = delays.lowerBound
    nextTry = monotonicNanoseconds() + delay
  }

  /// Doubles the delay, up to the longest.
  ///
  /// - Returns: whether it is the same trouble as before; if not, there is news to tell.
  mutating func again(_ kind: StoreError.Kind) -> Bool {
    guard kind == self.kind else { return false }
    delay = min(delay * 2, delays.upperBound)
    nextTry = monotonicNanoseconds() + delay
    return true
  }
}
