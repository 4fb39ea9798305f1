internal import Dispatch
internal import Synchronization

/// What a thread makes.
final class Later<Value: Sendable>: Sendable {
  private let made = Mutex<Value?>(nil)

  init(on queue: DispatchQueue, _ make: @escaping @Sendable () -> Value) {
    queue.async {
      let value = make()
      self.made.withLock { $0 = value }
    }
  }

  /// nil until it is there.
  var value: Value? { made.withLock { $0 } }
}
