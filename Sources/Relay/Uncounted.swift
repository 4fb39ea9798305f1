/// A reference that is not counted: whoever keeps it sees to it that the object lives.
///
/// `unowned(unsafe)` says the same, but counts at each use, which was a quarter of all counting.
struct Uncounted<Object: AnyObject> {
  private let holder: Unmanaged<Object>

  init(_ object: Object) { holder = .passUnretained(object) }

  @inline(__always)
  var object: Object { holder._withUnsafeGuaranteedRef { $0 } }
}
