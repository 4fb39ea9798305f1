import Bridge
import Merge
package import Relay
import Wire

/// Collecting what is stable: the hub puts a purge into its log up to the position that every device has acknowledged.
///
/// ```
/// log long enough, every device: acknowledged ≥ P ──► purge of what was stable at P, in the log
/// ```
/// Once a day it is looked whether records can go, too.
///
/// A device that has been away for 90 days does not count; when it returns it gets a snapshot and
/// may write only as a new incarnation.
extension Hubs {
  /// Looks whether a hub's log is to be collected.
  func collect(_ hub: Hub) {
    guard let end = collectable(hub, isDue: hub.isLookDue) else { return }
    guard hub.weight <= limits.aside else {
      hub.awaitsCollection = true
      return changed(hub)
    }
    ended(hub, end, purge(hub, end)())
  }

  /// All of the hub's log is in rows: what waits for that is done aside.
  func collectAside(_ hub: Hub) {
    guard hub.awaitsCollection, !hub.isLent else { return }
    hub.awaitsCollection = false
    // A device may have opened since that holds less than it had acknowledged.
    guard let end = collectable(hub, isDue: { true }) else { return }
    hub.isCollecting = true
    lend(hub.pair, for: nil, purge(hub, end)) { [self] hasPurged in
      hub.isCollecting = false
      ended(hub, end, hasPurged)
    }
  }

  /// Up to where a hub's log can be collected; nil where that is not worth it.
  ///
  /// - Parameter isDue: whether all devices are to be looked at for it.
  private func collectable(_ hub: Hub, isDue: () -> Bool) -> Acknowledged? {
    // A purge goes through all records; so the more there are, the more it takes away.
    let least = max(limits.syncLog, hub.replica.fold.recordCount / 4)
    let wanted = hub.replica.base + UInt64(least)
    let next = hub.looked + Self.day
    guard hub.committed >= wanted || nowMS >= next + Limits.archiveRetention, isDue() else {
      return nil
    }
    var end = acknowledgedByAll(hub)
    if end.position >= wanted { return end }
    // What was deleted long ago cannot be made anew until it is collected, however short the log is.
    guard end.horizon >= next, end.position >= hub.replica.base else { return nil }
    end.isForRecords = true
    return end
  }

  /// In milliseconds.
  private static let day: UInt64 = 86_400_000

  /// What goes through all records, on any thread, and returns whether it has purged; then comes `ended`.
  private func purge(_ hub: Hub, _ end: Acknowledged) -> () -> Bool {
    let (replica, schema) = (hub.replica, hub.schema)
    let purge = Replica.Purge(frontier: replica.vector(at: end.position)!, horizon: end.horizon)
    let isLong = hub.weight > limits.aside
    return { [hub] in
      if end.isForRecords,
        !replica.fold.canCollectRecords(frontier: purge.frontier, horizon: purge.horizon)
      {
        return false
      }
      replica.purge(purge)
      replica.forgetLog(through: end.position)
      if isLong { replica.fold.makeOrders(schema) }
      hub.snapshot = (replica.position, HubRow.values(snapshotOf: replica))
      return true
    }
  }

  /// What follows, on the relay's thread.
  private func ended(_ hub: Hub, _ end: Acknowledged, _ hasPurged: Bool) {
    if end.isForRecords { hub.looked = end.horizon }
    guard hasPurged else { return }
    changed(hub)
    // Who has acknowledged that far holds it, though it may not have been sent again since.
    for device in hub.pair.devices where device.sync?.hub === hub {
      device.sync!.cursor = max(device.sync!.cursor, hub.replica.base)
    }
    relay.log(
      "event=collected pair=\(hub.pair.number) schema=\(hub.schema.name) through=\(hub.replica.base)"
    )
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
    if let session = device.sync, !session.isRetired {
      let member = session.hub.member(device)
      let path: WritableKeyPath<Hub.Member, UInt64> =
        session.replica != nil ? \.replicaHeard : \.editorHeard
      let heard = session.hub.members[member][keyPath: path]
      if heard > 0, heard + Self.day < nowMS {
        session.hub.members[member][keyPath: path] = nowMS
        changed(session.hub)
      }
    }
    if let hub = device.bridge, let bridged = hub.bridge(device), bridged.heard + Self.day < nowMS {
      bridged.heard = nowMS
      changed(hub)
    }
  }

  /// What every device has acknowledged.
  private struct Acknowledged {
    /// Each has read up to here, and will have seen that in whatever it writes later.
    var position: UInt64
    /// Each leaves alone what was deleted before, in milliseconds since 1970.
    var horizon: UInt64
    /// Whether it is worth it only where records go.
    var isForRecords = false
  }

  private func acknowledgedByAll(_ hub: Hub) -> Acknowledged {
    var all = Acknowledged(
      position: hub.committed,
      horizon: nowMS > Limits.archiveRetention ? nowMS - Limits.archiveRetention : 0)
    // What whole-record devices may yet write has seen the starts of their windows.
    for bridged in hub.bridges
    where isActive(bridged.heard) || hub.pair.devices[Int(bridged.device)].bridge === hub {
      if let oldest = bridged.oldestPosition { all.position = min(all.position, oldest) }
    }
    for member in hub.members {
      if isActive(member.replicaHeard) || isPresent(member, hub, writesItself: true) {
        all.position = min(all.position, member.acknowledged)
        all.horizon = min(all.horizon, member.horizon)
      }
      if isActive(member.editorHeard)
        || member.editorHeard > 0 && isPresent(member, hub, writesItself: false)
      {
        all.position = min(all.position, member.shown)
      }
    }
    return all
  }
}
