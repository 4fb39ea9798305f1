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
    let step = isAnnounced ? Hub.Collection.purge : .announcement(position)
    guard hub.weight <= limits.aside else {
      hub.awaited = step
      return changed(hub)
    }
    begin(step, of: hub)()
    end(step, of: hub)
  }

  /// All of the hub's log is in rows: what waits for that is done aside.
  func collectAside(_ hub: Hub) {
    guard let step = hub.awaited, !hub.isLent else { return }
    hub.awaited = nil
    // An opening may have taken a seal back meanwhile.
    if case .purge = step, !isSealed(hub) { return }
    hub.isCollecting = true
    let body = begin(step, of: hub)
    lend(hub.pair, for: nil, body) { [self] _ in
      hub.isCollecting = false
      end(step, of: hub)
    }
  }

  /// Begins a step of collection.
  ///
  /// - Returns: what goes through all records for it, on any thread; then comes `end`.
  private func begin(_ step: Hub.Collection, of hub: Hub) -> () -> Void {
    let replica = hub.replica
    switch step {
    case .announcement(let position):
      hub.frontier = position
      hub.horizon = nowMS > Limits.archiveRetention ? nowMS - Limits.archiveRetention : 0
      let seal = hub.seal!
      return { replica.fold.announce(frontier: seal.frontier, horizon: seal.horizon) }
    case .purge:
      let (seal, frontier, schema) = (hub.seal!, hub.frontier, hub.schema)
      let isLong = hub.weight > limits.aside
      return { [hub] in
        replica.purge(seal)
        replica.forgetLog(through: frontier)
        if isLong { replica.fold.makeOrders(schema) }
        hub.snapshot = (replica.position, HubRow.values(snapshotOf: replica))
      }
    }
  }

  /// What follows a step, on the relay's thread.
  private func end(_ step: Hub.Collection, of hub: Hub) {
    changed(hub)
    switch step {
    case .announcement:
      for device in hub.pair.devices where device.sync?.hub === hub && device.sync?.replica != nil {
        tellFrontier(device, hub)
      }
      collect(hub)
    case .purge:
      // Who has acknowledged that far holds it, though it may not have been sent again since.
      for device in hub.pair.devices where device.sync?.hub === hub {
        device.sync!.cursor = max(device.sync!.cursor, hub.replica.base)
      }
      relay.log(
        "event=collected pair=\(hub.pair.number) schema=\(hub.schema.name) through=\(hub.frontier)")
    }
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
