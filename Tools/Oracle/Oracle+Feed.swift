package import Merge

/// Something that lost to what its writer had not seen, for people to look at and take back.
package struct OracleFeedEntry: Hashable, Sendable {
  package var target: Target
  /// The register written; nil for a delete.
  package var field: Name?
  package var dot: Dot
  package var actionIndex: Int
  package var stamp: Stamp
  package var wall: Int64
  /// What was written: of a move, the list; null for a delete.
  package var value: Datum
  /// Of a write, who wrote what the register holds now; of a delete, the newest of what it lost to.
  package var lostTo: Dot

  package init(
    target: Target, field: Name?, dot: Dot, actionIndex: Int, stamp: Stamp, wall: Int64,
    value: Datum, lostTo: Dot
  ) {
    self.target = target
    self.field = field
    self.dot = dot
    self.actionIndex = actionIndex
    self.stamp = stamp
    self.wall = wall
    self.value = value
    self.lostTo = lostTo
  }

  init(_ entry: Oracle.Entry, lostTo: Dot) {
    self.init(
      target: entry.action.target, field: entry.action.register, dot: entry.dot,
      actionIndex: entry.index, stamp: entry.stamp, wall: entry.operation.wall,
      value: entry.action.written ?? .null, lostTo: lostTo)
  }
}

extension Oracle {
  /// Every write and delete that lost unseen, by stamp. It covers all registers, in the schema or
  /// not.
  package func feed() -> [OracleFeedEntry] {
    let lost = entries.compactMap { entry -> (entry: Entry, to: Dot)? in
      if let register = entry.action.register { return lostWrite(entry, register) }
      if entry.action.body == .delete {
        return victor(over: entry).map { (entry, $0.dot) }
      }
      return nil
    }
    return lost.sorted { $0.entry < $1.entry }.map { OracleFeedEntry($0.entry, lostTo: $0.to) }
  }

  /// An archived write, unless the register holds the same bytes again, or the write was only a
  /// draft of a later one that is archived too.
  private func lostWrite(_ entry: Entry, _ register: Name) -> (entry: Entry, to: Dot)? {
    guard isArchived(entry, register), let winner = winner(entry.action.target, register),
      !entry.action.writesSame(as: winner.action),
      !archive(entry.action.target, register).contains(where: { $0.follows(entry) })
    else { return nil }
    return (entry, winner.dot)
  }

  /// The newest of what keeps a record although it was deleted: later, and written without having
  /// seen the delete.
  func victor(over delete: Entry) -> Entry? {
    touches(delete.action.target)
      .filter { $0.isConcurrent(with: delete) && delete.stamp.isBelow($0.stamp) }
      .max(by: <)
  }
}
