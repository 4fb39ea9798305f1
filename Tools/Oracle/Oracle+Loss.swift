package import Merge

/// The unit of what must not get lost.
package enum Effect: Hashable, Sendable {
  /// A write, move, create, delete or restore: an action of an operation, by its place there.
  case action(Dot, Int)
  case inserted(ElementID)
  case erased(ElementID, by: Dot)
}

/// What became of an effect; of those that hold the first.
package enum Fate: String, CaseIterable, Sendable {
  /// It shows: the value of a register of a visible record, a visible record created or restored, a
  /// hidden one deleted, a character inserted, one gone.
  case shown
  /// It lost to what it had not seen, and the feed has it.
  case listed
  /// Who had seen it wrote over it, deleted, restored or re-created.
  case superseded
  /// Its record is hidden, and restoring that and what it stands in would show it.
  case restorable
  /// It waits among the recovered items or the dead letters.
  case recovered
  /// It was purged, as published.
  case purged
  /// None of these: a fault.
  case lost
}

extension Oracle {
  /// The effects of an operation.
  package static func effects(of operation: Operation) -> [Effect] {
    entries(of: operation).flatMap { entry -> [Effect] in
      switch entry.action.body {
      case .create, .delete, .restore, .write, .move: [.action(entry.dot, entry.index)]
      case .insert:
        (0..<UInt32(entry.action.insertedElements)).map {
          .inserted(ElementID(entry.dot, entry.firstElement + $0))
        }
      case .erase(_, let runs):
        runs.flatMap { run in
          (0..<run.count).map {
            .erased(ElementID(run.first.dot, run.first.index + $0), by: entry.dot)
          }
        }
      case .unknown: []
      }
    }
  }

  /// What became of an effect.
  ///
  /// - Parameter elsewhere: where else it is, as far as the caller knows: recovered or purged.
  package func classify(
    _ effect: Effect, _ schema: Schema, elsewhere: (Effect) -> Fate? = { _ in nil }
  ) -> Fate {
    var restored: [Target: Oracle] = [:]
    return fate(effect, schema, &restored) ?? elsewhere(effect) ?? .lost
  }

  /// The effects of an operation that are nowhere.
  ///
  /// - Parameter restored: by hidden record, the oracle of what there is with the record restored;
  ///   kept for the next operation.
  package func lost(
    of operation: Operation, _ schema: Schema, _ restored: inout [Target: Oracle]
  ) -> [Effect] {
    Self.effects(of: operation).filter { fate($0, schema, &restored) == nil }
  }

  private func fate(
    _ effect: Effect, _ schema: Schema, _ restored: inout [Target: Oracle]
  ) -> Fate? {
    guard let entry = origin(of: effect) else { return nil }
    if isShown(effect, entry, schema) { return .shown }
    if isListed(entry) { return .listed }
    if isSuperseded(effect, entry) { return .superseded }
    if isRestorable(effect, entry, schema, &restored) { return .restorable }
    return nil
  }

  private func origin(of effect: Effect) -> Entry? {
    switch effect {
    case .action(let dot, let index):
      entries.first { $0.dot == dot && $0.index == index }
    case .inserted(let id):
      entries.first {
        guard case .insert = $0.action.body else { return false }
        let end = $0.firstElement + UInt32($0.action.insertedElements)
        return $0.dot == id.dot && $0.firstElement <= id.index && id.index < end
      }
    case .erased(let id, let dot):
      entries.first {
        guard case .erase(_, let runs) = $0.action.body else { return false }
        return $0.dot == dot && runs.contains { $0.contains(id) }
      }
    }
  }

  private func isShown(_ effect: Effect, _ entry: Entry, _ schema: Schema) -> Bool {
    let target = entry.action.target
    switch entry.action.body {
    case .create, .restore: return isVisible(target, schema)
    case .delete: return !isVisible(target, schema)
    case .write(let field, _), .move(let field, _):
      guard let winner = winner(target, field), isVisible(target, schema) else { return false }
      return winner.dot == entry.dot && winner.index == entry.index
    case .insert(let field, _, _):
      guard case .inserted(let id) = effect else { return false }
      return isVisible(target, schema) && !erased(target, field).contains(id)
    case .erase: return true
    case .unknown: return false
    }
  }

  private func isListed(_ entry: Entry) -> Bool {
    if entry.action.body == .delete { return victor(over: entry) != nil }
    guard let register = entry.action.register else { return false }
    return isArchived(entry, register)
  }

  private func isSuperseded(_ effect: Effect, _ entry: Entry) -> Bool {
    let target = entry.action.target
    if entry.action.body == .delete {
      return touches(target).contains { $0.follows(entry) }
    }
    return entries(of: target).contains { later in
      // A later action of the same operation knows of an earlier one.
      guard later.follows(entry) || later.dot == entry.dot && later.index > entry.index else {
        return false
      }
      switch later.action.body {
      case .delete: return true
      case .create, .restore: return entry.action.body == .create || entry.action.body == .restore
      case .write, .move:
        return entry.action.register != nil && later.action.register == entry.action.register
      case .erase(_, let runs):
        guard case .inserted(let id) = effect else { return false }
        return runs.contains { $0.contains(id) }
      case .insert, .unknown: return false
      }
    }
  }

  /// Whether the effect shows once its record, and all that this stands in, is restored by one who
  /// has seen everything.
  private func isRestorable(
    _ effect: Effect, _ entry: Entry, _ schema: Schema, _ restored: inout [Target: Oracle]
  ) -> Bool {
    guard !isVisible(entry.action.target, schema), let last = operations.map(\.stamp).max() else {
      return false
    }
    if let known = restored[entry.action.target] { return known.isShown(effect, entry, schema) }
    var actions: [Action] = []
    var next: Target? = entry.action.target
    while let target = next, !actions.contains(where: { $0.target == target }) {
      next = container(target, schema)
      actions.append(Action(target, .restore, home: next))
    }
    var stamp = last
    stamp.ms += 1
    let everything = VersionVector(operations.map { .init($0.dot.replica, $0.dot.seq) })
    let restore = Operation(
      dot: Dot(stamp.replica, UInt64.max), stamp: stamp,
      context: Context(everything, of: stamp.replica), wall: 0, actions: actions)
    let oracle = Oracle(operations + [restore])
    restored[entry.action.target] = oracle
    return oracle.isShown(effect, entry, schema)
  }
}

extension ElementRun {
  func contains(_ id: ElementID) -> Bool {
    id.dot == first.dot && first.index <= id.index && id.index - first.index < count
  }
}
