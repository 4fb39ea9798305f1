/// How a write fared against another that it had not seen, or that had not seen it.
package struct Encounter: Hashable, Sendable {
  package var target: Target
  /// nil where it is about a delete.
  package var field: Name?
  package var hasWon: Bool
  /// The other's operation, and what it wrote.
  package var other: Dot
  package var value: Datum
}

extension Fold {
  /// What an operation that is here lost to, or won against: of each of its registers the present
  /// value, or the newest below it.
  package func encounters(of dot: Dot) -> [Encounter] {
    guard let position = replicas.position(of: dot) else { return [] }
    let operation = operations[Int(position)].operation
    var found: [Encounter] = []
    for action in operation.actions {
      guard let record = record(action.target) else { continue }
      switch action.body {
      case .write(let field, _), .move(let field, _):
        let register = record.registers.first { $0.name == field }
        if let encounter = register.flatMap({ self.encounter($0, operation, action.target) }) {
          found.append(encounter)
        }
      case .delete:
        if let lostTo = record.deletes.first(where: { $0.mark.dot == dot })?.lostTo {
          found.append(
            Encounter(
              target: action.target, field: nil, hasWon: false, other: lostTo.dot, value: .null))
        }
      default: break
      }
      var touched = action.touches ? [action.target] : []
      if action.touches, let home = action.home { touched.append(home) }
      if let into = action.into, into != action.home { touched.append(into) }
      for target in touched where !found.contains(where: { $0.target == target && $0.field == nil })
      {
        if let revived = revived(target, by: operation) { found.append(revived) }
      }
    }
    return found
  }

  /// The delete of a record, or of a container, that an operation has brought back.
  private func revived(_ target: Target, by operation: Operation) -> Encounter? {
    guard let delete = record(target)?.newestDelete, delete.mark.stamp < operation.stamp,
      !operation.follows(delete.mark.dot), delete.lostTo?.dot == operation.dot
    else { return nil }
    return Encounter(
      target: target, field: nil, hasWon: true, other: delete.mark.dot, value: .null)
  }

  private func encounter(
    _ register: Register, _ operation: Operation, _ target: Target
  ) -> Encounter? {
    guard let winner = register.writes.last else { return nil }
    let winning = operations[Int(winner.place.operation)]
    if winning.dot != operation.dot {
      guard winning.stamp > operation.stamp else { return nil }
      return Encounter(
        target: target, field: register.name, hasWon: false, other: winning.dot,
        value: value(at: winner.place))
    }
    let own = value(at: winner.place)
    for write in register.writes.dropLast().reversed() where write.isArchived {
      let other = operations[Int(write.place.operation)]
      guard !operation.follows(other.dot), other.dot != operation.dot,
        value(at: write.place) != own || isMove(write.place)
      else { continue }
      return Encounter(
        target: target, field: register.name, hasWon: true, other: other.dot,
        value: value(at: write.place))
    }
    return nil
  }
}
