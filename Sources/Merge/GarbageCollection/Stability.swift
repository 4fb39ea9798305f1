/// What need not be kept any longer: the rules of garbage collection.
///
/// An operation is causally stable when everything that is still to come has seen it (Baquero,
/// Almeida and Shoker, "Pure Operation-Based Replicated Data Types", arXiv 1710.04469, section
/// 4.2). `frontier` is a set of stable operations. What comes later follows all of them, so
/// - nothing that comes later is concurrent with a stable write, or stands below one: a stable
///   write that has lost to a stable one can neither win again nor be put into the archive;
/// - a record whose last delete is stable comes back only by an operation that has seen the
///   delete. Devices write none once they have promised to, see `Fold.isLongDeleted`.
///
/// Every rule here looks at stable operations alone, at what is above them in the fold only where
/// it keeps something. So a device that has operations of its own, written after it had acknowledged,
/// drops exactly what the hub drops that does not have them yet, and purging commutes with them.
///
/// The operations of a device that was away for too long are issued anew and have not seen the
/// frontier. What they would have been concurrent with may be gone: they find what they would
/// find after a snapshot, on every replica the same.
struct Stability {
  let frontier: VersionVector
  /// What was archived or deleted before it is not offered to anybody any more, in milliseconds
  /// since 1970.
  let horizon: UInt64

  func contains(_ dot: Dot) -> Bool { frontier.contains(dot) }

  /// Whether a feed still has to show something of this age.
  func isRecent(_ stamp: Stamp) -> Bool { stamp.ms >= horizon }
}

extension Register {
  /// Which writes may go: the stable ones below the highest stable one, without those that the
  /// feed has to show.
  ///
  /// The highest stable write stays even where a later one has replaced it, as an editor may still
  /// ask for the value at any version from the frontier on.
  func droppable(_ stability: Stability, _ operations: [Replica.Written]) -> [Bool]? {
    func isStable(_ write: Write) -> Bool {
      stability.contains(operations[Int(write.place.operation)].dot)
    }
    guard writes.count > 1, let highest = writes.lastIndex(where: isStable), highest > 0 else {
      return nil
    }
    return writes.indices.map { index in
      let write = writes[index]
      return index < highest && isStable(write)
        && !(write.isArchived
          && stability.isRecent(operations[Int(write.place.operation)].stamp))
    }
  }

  /// Drops writes and returns them.
  mutating func drop(_ isDropped: [Bool]) -> [Write] {
    let dropped = zip(writes, isDropped).filter(\.1).map(\.0)
    guard !dropped.isEmpty else { return [] }
    writes = zip(writes, isDropped).filter { !$0.1 }.map(\.0)
    hasArchive = writes.contains(where: \.isArchived)
    return dropped
  }
}

extension Record {
  /// Drops stable deletes but for the last one, and those that the feed has to show; the last one
  /// leaves the feed once it is old.
  mutating func dropDeletes(_ stability: Stability) {
    guard let last = deletes.filter({ stability.contains($0.mark.dot) }).max(by: Delete.precedes)
    else { return }
    deletes.removeAll { delete in
      stability.contains(delete.mark.dot) && Delete.precedes(delete, last)
        && !(delete.lostTo != nil && stability.isRecent(delete.mark.stamp))
    }
    for index in deletes.indices
    where stability.contains(deletes[index].mark.dot)
      && !stability.isRecent(deletes[index].mark.stamp)
    {
      deletes[index].lostTo = nil
    }
  }

  /// Whether nothing of it is anything that a feed has to show, or came after the frontier. What was lately done to
  /// something in it counts too: that must not outlast it.
  func isSettled(_ stability: Stability, _ operations: [Replica.Written]) -> Bool {
    stability.frontier.contains(changes.vector)
      && !(newestTouch.map { stability.isRecent($0.stamp) } ?? false)
      && !deletes.contains { stability.isRecent($0.mark.stamp) }
      && registers.allSatisfy { register in
        !register.hasArchive
          || !register.writes.contains {
            $0.isArchived && stability.isRecent(operations[Int($0.place.operation)].stamp)
          }
      }
  }
}

extension Record.Delete {
  static func precedes(_ left: Self, _ right: Self) -> Bool {
    left.mark.stamp != right.mark.stamp
      ? left.mark.stamp < right.mark.stamp : left.place.index < right.place.index
  }
}
