import Merge
import Wire

/// Collecting what is stable: the hub asks all devices to seal a position of its log, and when all
/// have, puts a purge into the log.
///
/// ```
/// log long enough ──► sync.frontier P ──► every device: sealed ≥ P ──► purge in the log
/// ```
/// A device that has been silent for 90 days does not count; when it returns it gets a snapshot and
/// may write only as a new incarnation.
extension Relay {
  /// Looks whether a hub's log is to be collected, or a seal is complete.
  func collect(_ hub: Hub) {
    let position = readByAll(hub)
    if hub.frontier > hub.replica.base {
      if active(hub).allSatisfy({ hub.hasSealed($0, hub.frontier) }), position >= hub.frontier {
        purge(hub)
      }
      return
    }
    guard position >= hub.replica.base + UInt64(limits.syncLog) else { return }
    hub.frontier = position
    changed(hub)
    let vector = hub.replica.vector(at: position)!
    for device in hub.pair.devices where device.sync?.hub === hub && device.sync?.replica != nil {
      tellAfterCommit(device) { output in
        output.append("{\"type\":\"sync.frontier\"")
        Self.append(hub, at: position, &output)
        output.append(",\"vector\":")
        output += vector.datum.canonical
        output.append("}")
      }
    }
    collect(hub)
  }

  /// Members that count: heard of within 90 days.
  private func active(_ hub: Hub) -> [Hub.Member] {
    hub.members.filter { $0.lastHeard + Limits.silentDevice >= nowMS }
  }

  /// The position that every device has read and will have seen in whatever it writes later.
  private func readByAll(_ hub: Hub) -> UInt64 {
    active(hub).map { $0.isReplica ? $0.acknowledged : $0.shown }
      .reduce(hub.committed, min)
  }

  private func purge(_ hub: Hub) {
    let frontier = hub.replica.vector(at: hub.frontier)!
    let horizon = nowMS > Limits.archiveRetention ? nowMS - Limits.archiveRetention : 0
    hub.replica.purge(Replica.Purge(frontier: frontier, horizon: horizon))
    hub.replica.forgetLog(through: hub.frontier)
    // Who has acknowledged that far holds it, though it may not have been sent again since.
    for device in hub.pair.devices where device.sync?.hub === hub {
      device.sync!.cursor = max(device.sync!.cursor, hub.replica.base)
    }
    hub.needsSnapshot = true
    changed(hub)
    log(
      "event=collected pair=\(hub.pair.number) schema=\(hub.schema.name) through=\(hub.frontier)")
  }
}

extension Hub {
  /// Who edits here seals by itself: the hub mints for it.
  func hasSealed(_ member: Member, _ position: UInt64) -> Bool {
    !member.isReplica || member.sealed >= position
  }
}
