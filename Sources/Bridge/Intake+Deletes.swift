import Merge

/// Deletes of a bridged device. They stand just above what it had seen, whenever they come: what it had
/// not seen always wins.
extension Intake {
  /// The device has deleted a record that is sent whole.
  func delete(_ target: Target) {
    guard var track = device[target] else { return }
    track.hadAgain(provenUpTo: device.proven)
    // What came before the delete is not known of a copy of which nothing is.
    let isDone = delete(one: target, from: track.base == .unknown ? nil : track.oldestPosition)
    track.delete(isInOrder: isInOrder)
    if !isDone { track.isOwed = true }
    device[target] = track
  }

  /// A list of the phone's lacks what was deleted there. Where that cannot be relied on, what is lacking
  /// is sent again.
  func deleteAbsent(_ listed: Set<Target>, madeAt date: Double) {
    for target in device.tracks.keys.sorted() where !listed.contains(target) {
      guard isHeld(device[target]!, at: date) else { continue }
      if device.session.deletesByAbsence {
        delete(target)
      } else {
        device.owe(target)
      }
    }
  }

  /// Whether the device certainly held a record before it made a list of all.
  private func isHeld(_ track: Track, at date: Double) -> Bool {
    guard case .held = track.base, track.received.map({ $0 <= date }) ?? true else { return false }
    return RecordDate.date(milliseconds: track.since) <= date
      && track.inFlight.allSatisfy { $0.record != nil && $0.seq > track.doubt }
  }

  /// Deletes a record, unless somebody has touched it unseen and a stamp above that would be needed.
  ///
  /// - Returns: whether it is gone.
  func delete(one target: Target, from position: UInt64?) -> Bool {
    // What is in a record that is hidden for now may come back with it.
    guard fold.isAlive(target), !isCollected(target) else { return true }
    let shown = vector(at: position)
    guard let actions = try? Editor(fold, schema, shown: shown).delete(target) else { return false }
    let delete = written(actions, shown, time: 0, wall: now)
    let start = max(position ?? 0, replica.base)
    for entry in replica.log.suffix(Int(replica.position - start)) {
      guard let operation = entry.operation?.operation, operation.dot.replica != author,
        operation.touches(target), operation.stamp < delete.operation.stamp
      else { continue }
      return false
    }
    append(delete)
    return true
  }
}

extension Operation {
  /// Whether it keeps a record against older deletes.
  fileprivate func touches(_ target: Target) -> Bool {
    actions.contains { action in
      action.touches && (action.target == target || action.home == target)
        || action.into == target && action.home != target
    }
  }
}
