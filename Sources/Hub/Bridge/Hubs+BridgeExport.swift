import Bridge
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
      guard !hub.bridges.isEmpty, let shape = hub.shape, let codec = codec(of: hub.schema.name)
      else { return false }
      let touched = hub.watch.next(shape, hub.replica, hub.schema)
      for bridged in hub.bridges {
        bridged.touch(touched, at: hub.replica.position)
        let receiver = hub.pair.devices[Int(bridged.device)]
        left -= Outgoing(
          bridged, position: hub.replica.position, now: nowMS, present: hub.wholeRecord,
          all: hub.wholeRecords,
          deliver: { self.deliver($0, codec, bridged, receiver) },
          takeBack: { self.relay.takeBack($0, from: receiver) }
        ).send(atMost: max(left, min(16, limits.comparisons)))
        relay.settlePending(receiver)
      }
      return hub.bridges.contains { !$0.due.isEmpty }
    }
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
