import AppModels
import Merge
import Wire

/// From the hub to bridged devices: what they are to hold, in whole records.
///
/// It all goes through the user info lane, so that a delete and a full sync cannot overtake one
/// another; and with the batch of the change, so that a delivery and the window that knows of it are
/// durable together.
extension Relay {
  /// Puts into the open batch what its changes mean to bridged devices.
  func exportChanges() {
    for hub in open.hubs where !hub.bridges.isEmpty {
      let timers = hub.timers()
      for bridged in hub.bridges { export(timers, hub, bridged) }
    }
  }

  private func export(
    _ timers: [Identifier: TimerDTO], _ hub: Hub, _ bridged: BridgedDevice
  ) {
    let receiver = hub.pair.devices[Int(bridged.device)]
    let owed = bridged.isOwed
    bridged.isOwed = []
    let order = timers.values.sorted { ($0.sortOrder ?? 0, $0.id) < ($1.sortOrder ?? 0, $1.id) }
    if bridged.isOwedFullSync {
      bridged.isOwedFullSync = false
      exportAll(order, hub, bridged, receiver)
    }
    let gone = bridged.records.keys.filter { timers[$0] == nil }.sorted()
    for id in gone { exportDelete(id, hub, bridged, receiver, isOwed: owed.contains(id)) }
    for timer in order {
      export(timer, hub, bridged, receiver, isOwed: owed.contains(timer.id))
    }
  }

  /// Everything, whatever the device is taken to hold.
  private func exportAll(
    _ timers: [TimerDTO], _ hub: Hub, _ bridged: BridgedDevice, _ receiver: Device
  ) {
    let sent = timers.map { $0.exported(bridged[$0.id] ?? RecordWindow(.unknown)) }
    let message = TodoTimersMessage.fullSync(
      TimerSyncPayload(timers: sent, syncTimestamp: PayloadDate.date(milliseconds: nowMS)))
    let seq = deliver(message, bridged, receiver)
    for timer in sent {
      var window = bridged[timer.id] ?? RecordWindow(.unknown)
      window.advance { bridged.hasProcessed($0) }
      window.add(
        RecordWindow.Entry(
          state: .timer(timer), position: hub.replica.position, seq: seq, sentAt: nowMS))
      bridged[timer.id] = window
    }
  }

  private func export(
    _ timer: TimerDTO, _ hub: Hub, _ bridged: BridgedDevice, _ receiver: Device, isOwed: Bool
  ) {
    // What comes into being after the device has been told everything, it cannot have.
    var window = bridged[timer.id] ?? RecordWindow(.absent)
    defer { bridged[timer.id] = window }
    window.advance { bridged.hasProcessed($0) }
    if let own = window.start.state.timer, own.showsSame(as: timer) {
      window.agree(at: hub.replica.position)
    }
    func isKnown() -> Bool { window.expected.timer?.showsSame(as: timer) ?? false }
    guard isOwed || !isKnown() else { return }
    takeBack(&window, receiver)
    guard isOwed || !isKnown() else { return }
    let isNew = window.expected == .absent
    let exported = timer.exported(window)
    let update = TimerUpdateMessage(isNew ? .created : .updated, exported)
    let seq = deliver(.timerUpdate(update), bridged, receiver)
    window.add(
      RecordWindow.Entry(
        state: .timer(exported), position: hub.replica.position, seq: seq, sentAt: nowMS,
        isAlone: true))
  }

  private func exportDelete(
    _ id: Identifier, _ hub: Hub, _ bridged: BridgedDevice, _ receiver: Device, isOwed: Bool
  ) {
    guard var window = bridged[id] else { return }
    defer { bridged[id] = window }
    window.advance { bridged.hasProcessed($0) }
    guard isOwed || window.expected.timer != nil else { return }
    takeBack(&window, receiver)
    guard isOwed || window.expected.timer != nil else { return }
    let seq = deliver(.timerUpdate(TimerUpdateMessage(deleted: id)), bridged, receiver)
    window.add(
      RecordWindow.Entry(
        state: .absent, position: hub.replica.position, seq: seq, sentAt: nowMS, isAlone: true))
  }

  /// Takes a window's last delivery back where it still waits: a newer one is about to follow it.
  private func takeBack(_ window: inout RecordWindow, _ receiver: Device) {
    guard window.entries.count > 1, let last = window.entries.last, last.isAlone,
      last.seq > receiver[.userInfo].highestHandedOut,
      receiver[.userInfo].holes.ranges.count < limits.holes,
      remove(last.seq, from: .userInfo, of: receiver) != nil
    else { return }
    window.takeBack()
  }

  private func deliver(
    _ message: TodoTimersMessage, _ bridged: BridgedDevice, _ receiver: Device
  ) -> UInt64 {
    bridged.envelope.dictionary(message).withUnsafeBytes { bytes in
      enqueue(bytes, to: receiver, lane: .userInfo, transfer: .hub, re: "").seq
    }
  }
}

extension TransferKey {
  /// That of deliveries which no device sent.
  static let hub = TransferKey(sender: .max, incarnation: 0, isNumbered: false, number: 0)

  var isHub: Bool { sender == .max }
}

extension TimerDTO {
  /// The timer as it is sent: with dates above all that the device may hold, or its own
  /// last-write-wins would not let it in.
  func exported(_ window: RecordWindow) -> TimerDTO {
    var timer = self
    let seen = [window.received, window.sent].compactMap { $0 } + window.timers.map(\.updatedAt)
    timer.updatedAt = PayloadDate.sent(updatedAt, above: seen)
    let expected = window.expected.timer
    for (index, todo) in todoItems.enumerated() {
      if let same = expected?.todo(todo.id), same.showsSame(as: todo),
        same.sortOrder == todo.sortOrder
      {
        timer.todoItems[index].updatedAt = same.updatedAt
        continue
      }
      let seen = window.timers.compactMap { $0.todo(todo.id)?.updatedAt }
      timer.todoItems[index].updatedAt = PayloadDate.sent(todo.updatedAt, above: seen)
    }
    return timer
  }
}
