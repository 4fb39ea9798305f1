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
  func exportChanges() {
    for hub in open.hubs where !hub.bridges.isEmpty {
      guard let codec = codec(of: hub.schema.name) else { continue }
      let records = hub.wholeRecords()
      for bridged in hub.bridges {
        let receiver = hub.pair.devices[Int(bridged.device)]
        Outgoing(
          bridged, records, position: hub.replica.position, now: nowMS,
          deliver: { self.deliver($0, codec, bridged, receiver) },
          takeBack: { seq in
            seq > receiver[.userInfo].highestHandedOut
              && receiver[.userInfo].holes.ranges.count < self.limits.holes
              && self.remove(seq, from: .userInfo, of: receiver) != nil
          }
        ).send()
        settlePending(receiver)
      }
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
