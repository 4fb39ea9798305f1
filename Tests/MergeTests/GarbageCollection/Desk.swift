@testable import Merge

/// Writes operations by hand.
struct Desk {
  static let phone = ReplicaID(device: Identifier(high: 1, low: 1), incarnation: 1)
  static let watch = ReplicaID(device: Identifier(high: 2, low: 2), incarnation: 2)

  let fold = Fold()

  /// Applies an operation.
  ///
  /// - Parameter seen: its context; everything that is here where nil.
  @discardableResult
  func write(
    _ replica: ReplicaID = phone, at ms: UInt64, seen: VersionVector? = nil, _ actions: Action...
  ) throws -> Dot {
    let dot = Dot(replica, fold.vector[replica] + 1)
    try fold.apply(
      Merge.Operation(
        dot: dot, stamp: Stamp(ms: ms, rank: 1, counter: 0, replica: replica),
        context: Context(seen ?? fold.vector, of: replica), wall: 0, actions: actions))
    return dot
  }

  func purge(_ horizon: UInt64) { fold.purge(frontier: fold.vector, horizon: horizon) }

  func value(_ target: Target, _ field: Name = "name") -> Datum? { fold.value(target, field) }
}

extension Action {
  static func set(_ target: Target, _ value: Name, home: Target? = nil) -> Action {
    Action(target, .write(field: "name", value: .string(value)), revives: true, home: home)
  }

  static func type(_ target: Target, _ text: Name, _ parent: ElementID? = nil) -> Action {
    Action(
      target, .insert(field: "text", at: Anchor(parent, .right), text: text), revives: true)
  }

  static func move(
    _ target: Target, after parent: ElementID? = nil, into: Target? = nil
  ) -> Action {
    Action(target, .move(field: "place", to: Anchor(parent, .right)), into: into)
  }
}
