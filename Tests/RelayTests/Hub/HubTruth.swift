import Device
import Merge
import RelaySupport
import SyncSupport

/// What must show, worked out from a set of operations without the merge engine: for each record
/// and register the causally maximal writes, for each text the characters that nobody deleted.
struct HubTruth {
  private let operations: [Operation]
  private var writes: [Place: [Int]] = [:]
  private var inserted: [Place: [ElementID: Unicode.Scalar]] = [:]
  private var erased: [Place: Set<ElementID>] = [:]
  private var created: Set<Target> = []
  private var touched: [Target: Stamp] = [:]
  private var deleted: [Target: Stamp] = [:]

  private struct Place: Hashable {
    var target: Target
    var field: Name
  }

  /// - Parameter operations: in causal order.
  init(_ operations: [Operation]) {
    self.operations = operations
    for (index, operation) in operations.enumerated() {
      var element: UInt32 = 0
      for action in operation.actions {
        add(action, operation, index, &element)
      }
    }
  }

  private mutating func add(
    _ action: Action, _ operation: Operation, _ index: Int, _ element: inout UInt32
  ) {
    let target = action.target
    func raise(_ stamps: inout [Target: Stamp], _ target: Target) {
      stamps[target] = stamps[target].map { max($0, operation.stamp) } ?? operation.stamp
    }
    switch action.body {
    case .create: created.insert(target)
    case .delete: raise(&deleted, target)
    case .restore, .unknown: break
    case .write(let field, _), .move(let field, _):
      writes[Place(target: target, field: field), default: []].append(index)
      element += UInt32(action.elements)
    case .insert(let field, _, let text):
      for scalar in text.text.unicodeScalars {
        let id = ElementID(operation.dot, element)
        inserted[Place(target: target, field: field), default: [:]][id] = scalar
        element += 1
      }
    case .erase(let field, let runs):
      for run in runs {
        for offset in 0..<run.count {
          let id = ElementID(run.first.dot, run.first.index + offset)
          erased[Place(target: target, field: field), default: []].insert(id)
        }
      }
    }
    if action.touches {
      raise(&touched, target)
      if let home = action.home { raise(&touched, home) }
    }
    if let into = action.into, into != action.home { raise(&touched, into) }
  }

  /// - Throws: what is wrong with the view and feed of a fold of the same operations.
  func check(_ fold: Fold, _ schema: Schema) throws {
    let feed = fold.feed()
    for (place, indices) in writes {
      try check(place, indices.map { operations[$0] }, fold, feed)
    }
    for (place, characters) in inserted {
      let gone = erased[place] ?? []
      let left = characters.filter { !gone.contains($0.key) }.map(\.value).sorted()
      let shown = fold.text(of: place.target, place.field).unicodeScalars.sorted()
      guard left == shown else {
        throw SyncFault("\(place): \(shown.count) characters, not \(left.count)")
      }
    }
    for target in created { try checkLife(target, fold, schema, feed) }
  }

  private func check(
    _ place: Place, _ writes: [Operation], _ fold: Fold, _ feed: [FeedEntry]
  ) throws {
    let maximal = writes.filter { write in
      !writes.contains { $0.dot != write.dot && $0.follows(write.dot) }
    }
    guard let winner = maximal.max(by: { $0.stamp < $1.stamp }) else { return }
    let value = Self.value(winner, place)
    let all = fold.vector
    if let value, fold.value(place.target, place.field, within: all) != value {
      throw SyncFault("\(place) is not what \(winner.dot) wrote")
    }
    for loser in maximal where loser.dot != winner.dot {
      if let value, Self.value(loser, place) == value { continue }
      let isKept = feed.contains {
        $0.dot == loser.dot && $0.target == place.target && $0.field == place.field
          && $0.lostTo == winner.dot
      }
      guard isKept else { throw SyncFault("\(loser.dot) lost \(place) and is not in the feed") }
    }
  }

  /// What the last action of an operation on the register writes; nil for a move.
  private static func value(_ operation: Operation, _ place: Place) -> Datum? {
    for action in operation.actions.reversed() where action.target == place.target {
      if case .write(place.field, let value) = action.body { return value }
    }
    return nil
  }

  private func checkLife(
    _ target: Target, _ fold: Fold, _ schema: Schema, _ feed: [FeedEntry]
  ) throws {
    var isAlive = deleted[target].map { touched[target]! > $0 } ?? true
    if let container = fold.container(of: target, schema) {
      isAlive = isAlive && fold.isVisible(container, schema)
    }
    guard fold.isVisible(target, schema) == isAlive else {
      throw SyncFault("\(target) is \(isAlive ? "hidden" : "visible")")
    }
    // A delete that lost is told, too.
    guard let delete = deleted[target], let touch = touched[target], touch > delete else { return }
    for operation in operations where operation.stamp == delete {
      let saw = operations.contains { $0.stamp == touch && $0.follows(operation.dot) }
      if !saw, !feed.contains(where: { $0.dot == operation.dot && $0.field == nil }) {
        throw SyncFault("the delete \(operation.dot) of \(target) lost and is not in the feed")
      }
    }
  }
}
