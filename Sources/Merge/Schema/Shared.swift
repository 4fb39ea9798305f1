/// A value that is handed around as one reference, and copied when it is changed.
///
/// Actions and parts of a schema have many members with references of their own; each look-up would count all of
/// them.
struct Shared<Value: Equatable & Sendable>: Equatable, Sendable {
  private final class Box: Sendable {
    let value: Value

    init(_ value: Value) { self.value = value }
  }

  private var box: Box

  init(_ value: Value) { box = Box(value) }

  var value: Value {
    _read { yield box.value }
    _modify {
      var changed = box.value
      yield &changed
      box = Box(changed)
    }
  }

  static func == (left: Self, right: Self) -> Bool {
    left.box === right.box || left.value == right.value
  }
}

extension Shared: Hashable where Value: Hashable {
  func hash(into hasher: inout Hasher) { value.hash(into: &hasher) }
}

extension Shared: CustomStringConvertible {
  var description: String { "\(value)" }
}
