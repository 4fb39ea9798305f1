/// What a device does no more once it has acknowledged: its operations need nothing that a purge takes away.
///
/// Take the text "ab" of which b is deleted. Fugue hangs what is typed after a at b, because b follows a in the tree;
/// had another replica purged b by then, the character would have no place there. So new elements hang at living ones
/// only. A device acknowledges behind its own operations: what it writes later has seen all that was acknowledged, and
/// so names none of what had died by then.
///
/// A record that was deleted long ago could come back by an edit that is still on its way. So a device says with its
/// acknowledgement before which time, the horizon, a delete has to stand for it to leave the record alone from then on.
extension Fold {
  /// Whether a character was erased: what `Fugue.origin` passes over in a text.
  static func isDead(in text: Fugue) -> (Element) -> Bool { { !text.isVisible($0) } }

  /// Whether no record stands in a slot, or one that was deleted long ago: what `Fugue.origin` passes over in a list.
  ///
  /// - Parameter order: the register that holds the places of the list's kind.
  func isLeft(_ slot: Element, _ list: ListName, by order: Name) -> Bool {
    record(in: slot, list, by: order).map(isLongDeleted) ?? true
  }

  /// Whether a record was deleted before the horizon that was promised, or is in one that was, wherever it may stand.
  ///
  /// Every record that a purge can take with that horizon is one of these; a tombstone is none, and can be created anew.
  package func isLongDeleted(_ target: Target) -> Bool {
    guard promisedHorizon > 0, recordIndices[target] != nil else { return false }
    var seen: Set<Target> = [target]
    var next = [target]
    var isDeleted = false
    while let target = next.popLast() {
      guard let record = record(target) else {
        guard tombstones[target] != nil else { return false }
        isDeleted = true
        continue
      }
      if !record.isAlive, let delete = record.newestDelete {
        guard delete.mark.stamp.ms < promisedHorizon else { return false }
        isDeleted = true
        continue
      }
      let containers = containers(of: record)
      if containers.isEmpty { return false }
      next += containers.filter { seen.insert($0).inserted }
    }
    return isDeleted
  }

  /// Whether an action would change what was deleted long ago, put something into it, or bring it back.
  package func changesLongDeleted(_ action: Action) -> Bool {
    guard promisedHorizon > 0 else { return false }
    if isLongDeleted(action.target) { return true }
    if let into = action.into, isLongDeleted(into) { return true }
    if action.touches, let home = action.home, isLongDeleted(home) { return true }
    return action.body == .create && isTombstoneInUse(action.target)
  }

  /// Whether records that are left stand in a tombstone: whoever made that anew would bring them back. O(n).
  private func isTombstoneInUse(_ target: Target) -> Bool {
    tombstones[target] != nil && recordIndices[target] == nil
      && records.contains { containers(of: $0).contains(target) }
  }
}
