/// A write that lost to one that it had not seen, and is kept: one entry of the feed.
package struct FeedEntry: Hashable, Sendable {
  package var target: Target
  /// nil for a delete that lost.
  package var field: Name?
  /// The operation that lost, and which of its actions.
  package var dot: Dot
  package var actionIndex: UInt32
  package var stamp: Stamp
  package var wall: Int64
  /// What was written; an object with `list` for a move, null for a delete.
  package var value: Datum
  /// Who wrote what the register holds now; for a delete, what brought the record back.
  package var lostTo: Dot
}

extension Fold {
  /// Everything that lost to what it had not seen, by stamp: of each register the archive without
  /// what equals the present value and without drafts, those that a later entry had seen; and the
  /// deletes that lost to a touch.
  ///
  /// A function of the set of operations alone.
  package func feed() -> [FeedEntry] {
    var entries: [FeedEntry] = []
    for record in records {
      for register in record.registers where register.hasArchive {
        appendFeed(of: register, record.target, to: &entries)
      }
      for delete in record.deletes {
        guard let lostTo = delete.lostTo else { continue }
        entries.append(entry(delete.place, record.target, nil, .null, lostTo.dot))
      }
    }
    entries.sort {
      $0.stamp != $1.stamp ? $0.stamp < $1.stamp : $0.actionIndex < $1.actionIndex
    }
    return entries
  }

  /// How many writes of a register lost to concurrent ones; drafts and equal values included.
  package func archiveCount(_ target: Target, _ register: Name) -> Int {
    record(target)?.registers.first { $0.name == register }?.writes.count { $0.isArchived } ?? 0
  }

  private func appendFeed(
    of register: Register, _ target: Target, to entries: inout [FeedEntry]
  ) {
    let archived = register.writes.filter(\.isArchived)
    let winner = register.writes.last!
    let winningValue = value(at: winner.place)
    let winningDot = operations[Int(winner.place.operation)].dot
    for (index, write) in archived.enumerated() {
      let dot = operations[Int(write.place.operation)].dot
      // Those that have seen it stand above it.
      let isDraft = archived[(index + 1)...].contains {
        operations[Int($0.place.operation)].follows(dot)
      }
      if isDraft { continue }
      let value = value(at: write.place)
      if value == winningValue, !isMove(write.place) { continue }
      entries.append(entry(write.place, target, register.name, value, winningDot))
    }
  }

  func isMove(_ place: Record.Place) -> Bool {
    if case .move = action(place).body { return true }
    return false
  }

  func value(at place: Record.Place) -> Datum {
    let action = action(place)
    if case .write(_, let value) = action.body { return value }
    return .object([Datum.Member("list", action.into?.datum ?? .null)])
  }

  private func entry(
    _ place: Record.Place, _ target: Target, _ field: Name?, _ value: Datum, _ lostTo: Dot
  ) -> FeedEntry {
    let operation = operations[Int(place.operation)].operation
    return FeedEntry(
      target: target, field: field, dot: operation.dot, actionIndex: place.index,
      stamp: operation.stamp, wall: operation.wall, value: value, lostTo: lostTo)
  }
}
