import Bridge
import Journal
import Merge
import Relay
import Wire

/// From the hub to bridged devices: what they are to hold, in whole records.
///
/// It all goes through the user info lane, so that a delete and a full sync cannot overtake one
/// another; and with the batch of the change, so that a delivery and the track that knows of it are
/// durable together.
extension Hubs {
  /// One hub's many records do not keep those of others from theirs: each has a few.
  package func exportChanges() {
    var left = limits.comparisons
    let hubs = open.hubs
    open.unfinished = hubs.filter { hub in
      guard !hub.isLent else {
        hub.owesExport = true
        return false
      }
      guard !hub.bridges.isEmpty, !sendAllAside(hub) else { return false }
      let targets = hub.takeChangedRecords()
      for bridged in hub.bridges {
        bridged.markDue(targets, at: hub.replica.position)
        let receiver = hub.pair.devices[Int(bridged.device)]
        left -= Outgoing(
          bridged, position: hub.replica.position, now: nowMS, present: hub.wholeRecord,
          all: hub.wholeRecords,
          deliver: { self.deliver($0, hub.codec, bridged, receiver) },
          takeBack: { self.relay.takeBack($0, from: receiver) }
        ).send(atMost: max(left, min(16, limits.comparisons)))
        relay.settlePending(receiver)
      }
      return hub.bridges.contains { !$0.due.isEmpty }
    }
  }

  /// Puts together aside what a device is owed that is to be sent all of many records. The pair stands still meanwhile.
  ///
  /// It is done with a copy of what is known of the device. What came in between nevertheless, such as the end of a
  /// session, is no harm: it is done again then.
  ///
  /// - Returns: whether it is; then what else the hub is to send waits.
  func sendAllAside(_ hub: Hub) -> Bool {
    guard hub.weight > limits.aside,
      let bridged = hub.bridges.first(where: { $0.owed != .nothing })
    else { return false }
    let codec = hub.codec
    hub.owesExport = true
    let receiver = hub.pair.devices[Int(bridged.device)]
    let (copy, changes, seq) = (bridged.copy(), bridged.changes, receiver.nextUserInfo)
    let (position, now) = (hub.replica.position, nowMS)
    lend(hub.pair, for: nil, standsStill: true) {
      let targets = hub.takeChangedRecords()
      copy.markDue(targets, at: position)
      var payload: [UInt8] = []
      Outgoing(
        copy, position: position, now: now, present: hub.wholeRecord, all: hub.wholeRecords,
        deliver: { message in
          let date = RecordDate.date(milliseconds: now)
          payload = codec.payload(message, envelope: copy.envelope, now: date)
          return seq
        },
        takeBack: { _ in false }
      ).sendAll()
      copy.settle()
      return (targets, payload, BridgeRows.takeTracks(hub, copy))
    } then: { [self] (targets: Set<Target>, payload: [UInt8], rows: [Row]) in
      let isCurrent = bridged.changes == changes && receiver.nextUserInfo == seq
      for other in hub.bridges where !isCurrent || other !== bridged {
        other.markDue(targets, at: position)
      }
      guard isCurrent else { return }
      let old = bridged.adopt(copy)
      relay.aside {
        _ = old
      } then: {
      }
      hub.tracksInRows += rows
      _ = payload.withUnsafeBytes { relay.deliver($0, to: receiver) }
      relay.settlePending(receiver)
    }
    return true
  }

  private func deliver(
    _ message: Outgoing.Message, _ codec: any WholeRecordCodec, _ bridged: BridgedDevice,
    _ receiver: Device
  ) -> UInt64 {
    let now = RecordDate.date(milliseconds: nowMS)
    return codec.payload(message, envelope: bridged.envelope, now: now).withUnsafeBytes {
      relay.deliver($0, to: receiver)
    }
  }
}
