/// A reference that is not counted, since somebody else keeps the object as long as it is set.
///
/// A count is an atomic instruction, 5 to 7 ns each way: four of them were a sixth of what a message costs, thirty a
/// quarter of a transfer. Swift counts whatever a variable is loaded for and handed on, also where it is
/// `unowned(unsafe)`; not so a constant, and not what `use` hands on.
///
/// ```
/// @Uncounted var device: Device?
/// connection.device        // as any reference
/// connection.$device?.use { device in … }
/// ```
@propertyWrapper package struct Uncounted<Object: AnyObject> {
  package private(set) var projectedValue: Unmanaged<Object>?

  package init(wrappedValue: Object?) { self.wrappedValue = wrappedValue }

  package var wrappedValue: Object? {
    get { projectedValue?.takeUnretainedValue() }
    set { projectedValue = newValue.map(Unmanaged.passUnretained) }
  }
}

extension Optional {
  /// Whether it is this object.
  @inline(__always)
  func refers<Object>(to object: Object) -> Bool where Wrapped == Unmanaged<Object> {
    self?.toOpaque() == Unmanaged.passUnretained(object).toOpaque()
  }
}

extension Unmanaged {
  /// Hands the object to `body` without a count.
  @inline(__always)
  func use<Value, Failure: Error>(
    _ body: (Instance) throws(Failure) -> Value
  ) throws(Failure) -> Value {
    var failure: Failure?
    let value: Value? = _withUnsafeGuaranteedRef { object in
      do throws(Failure) {
        return try body(object)
      } catch {
        failure = error
        return nil
      }
    }
    if let value { return value }
    throw failure!
  }
}
