import AppModels
import Merge

/// Deletes of a bridged device. They stand just above what it had seen, whenever they come: what it
/// had not seen always wins.
extension BridgeIntake {
  /// - Parameter held: the copy that some devices send with the delete.
  func delete(_ id: Identifier, held: TimerDTO?) {
    guard var window = bridged[id] else { return }
    if let held { window.advance(showing: held) }
    // A device that was told of it has it to delete, whatever it held before.
    var position = window.start.position
    if window.start.state == .unknown {
      position = window.entries.last { bridged.hasProcessed($0) }?.position
    }
    delete(.timer(id), seenThrough: position)
    window.delete { !bridged.hasProcessed($0) }
    // One on its way that the device would have refused brings it back there; and of those that it may
    // have processed it is not known whether it had when it deleted.
    if window.lastDelivery > bridged.proven || window.entries.count > 1 {
      bridged.isOwed.insert(id)
    }
    bridged[id] = window
  }

  /// A full sync of the phone's lacks what was deleted there. Where that cannot be relied on, what is
  /// lacking is sent again.
  func deleteAbsent(_ sync: TimerSyncPayload) {
    let present = Set(sync.timers.map(\.id))
    for (id, record) in bridged.records.sorted(by: { $0.key < $1.key })
    where !present.contains(id) && isHeld(record.window, at: sync.syncTimestamp) {
      if bridged.session.deletesByAbsence {
        delete(id, held: nil)
      } else {
        bridged.isOwed.insert(id)
      }
    }
  }

  /// Whether the device certainly held a timer before it made a full sync.
  private func isHeld(_ window: RecordWindow, at time: Double) -> Bool {
    guard window.entries.dropFirst().allSatisfy({ $0.state.timer != nil }) else { return false }
    if let received = window.received, received > time { return false }
    switch window.start.state {
    case .timer: return PayloadDate.date(milliseconds: window.start.sentAt) <= time
    case .unknown:
      return window.entries.dropFirst().contains {
        bridged.hasProcessed($0) && PayloadDate.date(milliseconds: $0.sentAt) <= time
      }
    case .absent: return false
    }
  }

  /// Deletes a record, unless somebody has touched it unseen and a stamp above that would be needed.
  func delete(_ target: Target, seenThrough position: UInt64?) {
    // A to-do of a timer that is hidden for now may come back with it.
    guard fold.isAlive(target), !isGone(target) else { return }
    let shown = hub.vector(at: position)
    let editor = Editor(fold, hub.schema, shown: shown)
    guard let actions = try? editor.delete(target) else { return }
    let delete = written(actions, shown, time: 0)
    let start = max(position ?? 0, hub.replica.base)
    for entry in hub.replica.log.suffix(Int(hub.replica.position - start)) {
      guard let operation = entry.operation?.operation, operation.dot.replica != author,
        operation.touches(target), operation.stamp < delete.operation.stamp
      else { continue }
      if target.kind == "timer", let id = Identifier(target.record.utf8) {
        bridged.isOwed.insert(id)
      }
      return
    }
    try? relay.take(delete, hub)
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
