import Bridge
import Merge
import Wire

/// From the hub to bridged devices: what they are to hold, in whole records.
///
/// It all goes through the user info lane, so that a delete and a full sync cannot overtake one
/// another; and with the batch of the change, so that a delivery and the track that knows of it are
/// durable together.
extension Relay {
  /// Puts into the open batch what its changes mean to bridged devices.
  /// One hub's many records do not keep those of others from theirs: each has a few.
  ///
  /// - Returns: the hubs with more to compare than one batch may: they go on in the next.
  func exportChanges() -> [Hub] {
    var left = limits.comparisons
    let hubs = open.hubs
    return hubs.filter { hub in
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
          takeBack: { seq in
            seq > receiver[.userInfo].highestHandedOut
              && receiver[.userInfo].holes.ranges.count < self.limits.holes
              && self.remove(seq, from: .userInfo, of: receiver) != nil
          }
        ).send(atMost: max(left, min(16, limits.comparisons)))
        settlePending(receiver)
      }
      return hub.bridges.contains { !$0.due.isEmpty }
    }
  }

  private func deliver(
    _ message: Outgoing.Message, _ codec: any WholeRecordCodec, _ bridged: BridgedDevice,
    _ receiver: Device
  ) -> UInt64 {
    let now = RecordDate.date(milliseconds: nowMS)
    return codec.payload(message, envelope: bridged.envelope, now: now).withUnsafeBytes { bytes in
      enqueue(bytes, to: receiver, lane: .userInfo, transfer: .hub, re: "").seq
    }
  }
}

extension TransferKey {
  /// That of deliveries which no device sent.
  static let hub = TransferKey(sender: .max, incarnation: 0, isNumbered: false, number: 0)

  var isHub: Bool { sender == .max }
}
