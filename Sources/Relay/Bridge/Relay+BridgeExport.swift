import AppModels
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
      let records = hub.wholeRecords()
      for bridged in hub.bridges {
        let receiver = hub.pair.devices[Int(bridged.device)]
        Outgoing(
          bridged, records, position: hub.replica.position, now: nowMS,
          deliver: { self.deliver($0, bridged, receiver) },
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
    _ message: Outgoing.Message, _ bridged: BridgedDevice, _ receiver: Device
  ) -> UInt64 {
    let message: TodoTimersMessage =
      switch message {
      case .all(let records):
        .fullSync(
          TimerSyncPayload(
            timers: records.map { TimerDTO($0) },
            syncTimestamp: RecordDate.date(milliseconds: nowMS)))
      case .created(let record): .timerUpdate(TimerUpdateMessage(.created, TimerDTO(record)))
      case .updated(let record): .timerUpdate(TimerUpdateMessage(.updated, TimerDTO(record)))
      case .deleted(let target):
        .timerUpdate(TimerUpdateMessage(deleted: Identifier(target.record.utf8)!))
      }
    return TodoTimersEnvelope(bits: bridged.envelope).dictionary(message).withUnsafeBytes { bytes in
      enqueue(bytes, to: receiver, lane: .userInfo, transfer: .hub, re: "").seq
    }
  }
}

extension TodoTimersEnvelope {
  /// As a bridged device's row has it: the style, and the form times four.
  init(bits: UInt64) {
    self.init(
      Style(rawValue: UInt8(bits & 3)) ?? .typed, Form(rawValue: UInt8(bits >> 2 & 3)) ?? .data)
  }

  var bits: UInt64 { UInt64(style.rawValue) | UInt64(form.rawValue) << 2 }
}

extension TransferKey {
  /// That of deliveries which no device sent.
  static let hub = TransferKey(sender: .max, incarnation: 0, isNumbered: false, number: 0)

  var isHub: Bool { sender == .max }
}
