/// An action that found what it was about purged when it came: kept for a person to look at.
package struct RecoveredItem: Hashable, Sendable {
  package var target: Target
  package var action: Action
  /// The operation, and which of its actions.
  package var dot: Dot
  package var actionIndex: UInt32
  package var stamp: Stamp
  package var wall: Int64
}

extension Fold {
  /// What came too late, by stamp.
  package func recoveredItems() -> [RecoveredItem] {
    recovered.map { place in
      let operation = operations[Int(place.operation)].operation
      let action = action(place)
      return RecoveredItem(
        target: action.target, action: action, dot: operation.dot, actionIndex: place.index,
        stamp: operation.stamp, wall: operation.wall)
    }
    .sorted {
      $0.stamp != $1.stamp ? $0.stamp < $1.stamp : $0.actionIndex < $1.actionIndex
    }
  }
}
