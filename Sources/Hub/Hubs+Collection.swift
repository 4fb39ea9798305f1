import Bridge
import Merge
package import Relay
import Wire

/// Collecting what is stable: the hub asks all devices to seal a position of its log, and when all
/// have, puts a purge into the log.
///
/// ```
/// log long enough ──► sync.frontier P ──► every device: sealed ≥ P ──► purge in the log
/// ```
/// A device that has been away for 90 days does not count; when it returns it gets a snapshot and
/// may write only as a new incarnation.
extension Hubs {
  /// Looks whether a hub's log is to be collected, or a seal is complete.
  func collect(_ hub: Hub) {
    let isAnnounced = hub.frontier > hub.replica.base
    // A purge goes through all records; so the more there are, the more it takes away.
    let least = max(limits.syncLog, hub.replica.fold.recordCount / 4)
    let wanted = isAnnounced ? hub.frontier : hub.replica.base + UInt64(least)
    guard hub.committed >= wanted, !isAnnounced || isSealed(hub), hub.isLookDue() else { return }
    let position = readByAll(hub)
    guard position >= wanted else { return }
    if isAnnounced {
      if hub.weight <= limits.aside { return purge(hub) }
      hub.awaitsPurge = true
      return changed(hub)
    }
    hub.frontier = position
    hub.horizon = nowMS > Limits.archiveRetention ? nowMS - Limits.archiveRetention : 0
    changed(hub)
    let seal = hub.seal!
    hub.replica.fold.announce(frontier: seal.frontier, horizon: seal.horizon)
    for device in hub.pair.devices where device.sync?.hub === hub && device.sync?.replica != nil {
      tellFrontier(device, hub)
    }
    collect(hub)
  }

  /// Has a device seal what was announced, where something is.
  func tellFrontier(_ device: Device, _ hub: Hub) {
    guard let seal = hub.seal else { return }
    relay.tellAfterCommit(device) { output in
      output.append("{\"type\":\"sync.frontier\"")
      Self.append(hub, at: hub.frontier, &output)
      Self.append(seal, &output)
      output.append("}")
    }
  }

  static func append(_ purge: Replica.Purge, _ output: inout [UInt8]) {
    output.append(",\"frontier\":")
    output += purge.frontier.datum.canonical
    output.append(",\"horizon\":")
    output.append(decimal: purge.horizon)
  }

  /// Whether something was heard within 90 days, and counts.
  private func isActive(_ heard: UInt64) -> Bool {
    heard > 0 && heard + Limits.silentDevice >= nowMS
  }

  /// Whether a device has the hub open now: however long it says nothing, it is sent everything, and
  /// in order.
  private func isPresent(_ member: Hub.Member, _ hub: Hub, writesItself: Bool) -> Bool {
    guard let session = hub.pair.devices[Int(member.device)].sync, session.hub === hub else {
      return false
    }
    return !session.isRetired && (session.replica != nil) == writesItself
  }

  package func leave(_ device: Device) {
    noteLeaving(device)
    device.sync = nil
    endBridge(device)
  }

  /// A device goes: from now on its silence counts. To the day, so that few disconnects are written
  /// down.
  private func noteLeaving(_ device: Device) {
    let day: UInt64 = 86_400_000
    if let session = device.sync, !session.isRetired {
      let member = session.hub.member(device)
      let path: WritableKeyPath<Hub.Member, UInt64> =
        session.replica != nil ? \.replicaHeard : \.editorHeard
      let heard = session.hub.members[member][keyPath: path]
      if heard > 0, heard + day < nowMS {
        session.hub.members[member][keyPath: path] = nowMS
        changed(session.hub)
      }
    }
    if let hub = device.bridge, let bridged = hub.bridge(device), bridged.heard + day < nowMS {
      bridged.heard = nowMS
      changed(hub)
    }
  }

  /// The position that every device has read and will have seen in whatever it writes later.
  private func readByAll(_ hub: Hub) -> UInt64 {
    var read = hub.committed
    // What whole-record devices may yet write has seen the starts of their windows.
    for bridged in hub.bridges
    where isActive(bridged.heard) || hub.pair.devices[Int(bridged.device)].bridge === hub {
      if let oldest = bridged.oldestPosition { read = min(read, oldest) }
    }
    return hub.members.reduce(read) { position, member in
      var position = position
      if isActive(member.replicaHeard) || isPresent(member, hub, writesItself: true) {
        position = min(position, member.acknowledged)
      }
      if isActive(member.editorHeard)
        || member.editorHeard > 0 && isPresent(member, hub, writesItself: false)
      {
        position = min(position, member.shown)
      }
      return position
    }
  }

  /// Whether every device that keeps operations itself has sealed what was announced. Who edits here
  /// seals by itself: the hub mints for it.
  private func isSealed(_ hub: Hub) -> Bool {
    hub.members.allSatisfy { member in
      member.sealed >= hub.frontier
        || !isActive(member.replicaHeard) && !isPresent(member, hub, writesItself: true)
    }
  }

  private func purge(_ hub: Hub) {
    hub.replica.purge(hub.seal!)
    hub.replica.forgetLog(through: hub.frontier)
    purged(hub, hub.replica.snapshot())
  }

  /// The same aside. All of the log is in rows, and nobody writes until it is done.
  func purgeAside(_ hub: Hub) {
    guard !hub.isLent, let seal = hub.seal else { return }
    hub.awaitsPurge = false
    hub.isPurging = true
    let (replica, frontier) = (hub.replica, hub.frontier)
    lend(hub.pair, for: nil) {
      replica.purge(seal)
      replica.forgetLog(through: frontier)
      return replica.snapshot()
    } then: { [self] pieces in
      hub.isPurging = false
      purged(hub, pieces)
    }
  }

  private func purged(_ hub: Hub, _ snapshot: [[UInt8]]) {
    // Who has acknowledged that far holds it, though it may not have been sent again since.
    for device in hub.pair.devices where device.sync?.hub === hub {
      device.sync!.cursor = max(device.sync!.cursor, hub.replica.base)
    }
    hub.snapshot = (hub.replica.position, snapshot)
    changed(hub)
    relay.log(
      "event=collected pair=\(hub.pair.number) schema=\(hub.schema.name) through=\(hub.frontier)")
  }
}

extension Hub {
  /// What was announced and is yet to be purged.
  var seal: Replica.Purge? {
    guard frontier > replica.base else { return nil }
    return replica.vector(at: frontier).map { Replica.Purge(frontier: $0, horizon: horizon) }
  }

  /// The oldest position that an edit may still begin at: older ones are about to be collected, or
  /// are no longer known.
  var oldest: UInt64 { max(replica.base, frontier) }
}
