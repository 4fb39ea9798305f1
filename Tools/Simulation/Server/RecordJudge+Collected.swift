import Merge
import Oracle

/// What is left of records that were collected, where one of their name was made anew.
extension RecordJudge {
  /// What had been said of records that were collected and then made anew: it went with the record
  /// (PROTOCOL.md clause 12.9).
  ///
  /// - Returns: with it those of them that had kept what the record stood in alive, which is there still.
  static func purged(
    _ operations: [Operation], _ tombstones: [Target: Mark], _ apart: Set<Effect>
  ) -> (all: Set<Effect>, touches: Set<Effect>) {
    var anew: Set<Target> = []
    for operation in operations {
      for (index, action) in operation.actions.enumerated() where action.body == .create {
        if let tombstone = tombstones[action.target], tombstone.stamp < operation.stamp,
          !apart.contains(.action(operation.dot, index))
        {
          anew.insert(action.target)
        }
      }
    }
    guard !anew.isEmpty else { return ([], []) }
    // What was in it went with it, too. What else was collected stays as it was done.
    var gone = anew
    var count = 0
    while count < gone.count {
      count = gone.count
      for action in operations.lazy.flatMap(\.actions) where tombstones[action.target] != nil {
        let containers = [action.home, action.into, action.via]
        if containers.contains(where: { $0.map(gone.contains) ?? false }) {
          gone.insert(action.target)
        }
      }
    }
    var purged: Set<Effect> = []
    var touches: Set<Effect> = []
    for operation in operations {
      for (index, action) in operation.actions.enumerated() where gone.contains(action.target) {
        guard let tombstone = tombstones[action.target], operation.stamp <= tombstone.stamp else {
          continue
        }
        purged.insert(.action(operation.dot, index))
        guard action.isTouch, let home = action.home, !gone.contains(home) else { continue }
        touches.insert(.action(operation.dot, index))
      }
    }
    return (purged, touches)
  }

  static func withoutMoves(
    _ effects: Set<Effect>, _ operations: [Operation]
  ) -> Set<Effect> {
    guard !effects.isEmpty else { return [] }
    var rest = effects
    for operation in operations {
      for (index, action) in operation.actions.enumerated() {
        if case .move = action.body { rest.remove(.action(operation.dot, index)) }
      }
    }
    return rest
  }
}
