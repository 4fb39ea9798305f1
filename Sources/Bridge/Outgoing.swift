package import Merge

/// From the hub to a bridged device: what it is to hold, found by comparing the hub's records with what it
/// will hold once it has processed what is in flight.
package struct Outgoing {
  package enum Message {
    case all([WholeRecord])
    case created(WholeRecord)
    case updated(WholeRecord)
    case deleted(Target)
  }

  let device: BridgedDevice
  /// What the hub shows: of one record, and of all.
  let present: (Target) -> WholeRecord?
  let all: () -> [WholeRecord]
  let position: UInt64
  /// Milliseconds since 1970.
  let now: UInt64
  /// Hands a message to the lane. Returns its number.
  let deliver: (Message) -> UInt64
  /// Takes a delivery back that nobody has been given. Returns whether it did.
  let takeBack: (UInt64) -> Bool

  package init(
    _ device: BridgedDevice, position: UInt64, now: UInt64,
    present: @escaping (Target) -> WholeRecord?, all: @escaping () -> [WholeRecord],
    deliver: @escaping (Message) -> UInt64, takeBack: @escaping (UInt64) -> Bool
  ) {
    self.device = device
    self.present = present
    self.all = all
    self.position = position
    self.now = now
    self.deliver = deliver
    self.takeBack = takeBack
  }

  /// - Parameter limit: how many records are compared at most; the rest stays due.
  /// - Returns: how many were.
  package func send(atMost limit: Int) -> Int {
    if device.owed == .nothing { device.settle() } else { sendAll() }
    let due = device.nextDue(atMost: limit)
    let records = due.compactMap(present)
    for target in Set(due).subtracting(records.map(\.target)).sorted() { sendDelete(target) }
    for record in records.sorted(by: WholeRecord.isBefore) { send(record) }
    return due.count
  }

  /// Everything, whatever the device is taken to hold; but for what it has too many of unread.
  package func sendAll() {
    device.forgetLost()
    device.settle()
    device.owed = .nothing
    var sent: [(record: WholeRecord, track: Track)] = []
    for record in all().sorted(by: WholeRecord.isBefore) {
      var track = device[record.target] ?? Track(.unknown)
      track.makeRoom(processed: device.processed)
      if track.hasRoom {
        sent.append((dated(record, track), track))
      } else {
        track.isOwed = true
        device[record.target] = track
      }
    }
    let seq = deliver(.all(sent.map(\.record)))
    for (record, var track) in sent {
      track.send(delivery(of: record, seq, isAlone: false))
      // A phone that dated what it did later answers a single copy which it refuses, and not a list.
      if track.undated == nil, !track.acted.isEmpty { track.beInDoubt() }
      device.put(track, for: record.target)
      // So it is not compared once more.
      if !track.isOwed, track.expects(record) { device.compared(record.target, .over) }
    }
  }

  private func send(_ record: WholeRecord) {
    // What comes into being after the device has been told everything, it cannot have.
    var track = device[record.target] ?? Track(.absent)
    let agrees = track.agrees(with: record)
    guard track.isOwed || !track.expects(record) else {
      return device.compared(record.target, agrees ? .agrees : .over)
    }
    if agrees { track.agree(at: position) }
    let hasRoom = prepare(&track)
    device[record.target] = track
    defer { device.compared(record.target, hasRoom ? .over : .isBlocked) }
    guard hasRoom else { return }
    let dated = dated(record, track)
    let seq = deliver(track.expected == .absent ? .created(dated) : .updated(dated))
    note(record.target, dated, seq, isAlone: true)
  }

  private func sendDelete(_ target: Target) {
    var hasRoom = true
    defer { device.compared(target, hasRoom ? .over : .isBlocked) }
    guard var track = device[target], track.isOwed || track.expected != .absent else { return }
    hasRoom = prepare(&track)
    guard hasRoom else { return }
    device[target] = track
    note(target, nil, deliver(.deleted(target)), isAlone: true)
  }

  /// Makes room for a delivery, in the place of the last one where that still waits.
  ///
  /// - Returns: whether there is; else it is sent as soon as the device has read some.
  private func prepare(_ track: inout Track) -> Bool {
    if let last = track.inFlight.last, last.isAlone, takeBack(last.seq) {
      track.inFlight.removeLast()
      return true
    }
    track.makeRoom(processed: device.processed)
    return track.hasRoom
  }

  private func note(_ target: Target, _ record: WholeRecord?, _ seq: UInt64, isAlone: Bool) {
    var track = device[target]!
    track.send(delivery(of: record, seq, isAlone: isAlone))
    device.put(track, for: target)
  }

  private func delivery(of record: WholeRecord?, _ seq: UInt64, isAlone: Bool) -> Track.Delivery {
    Track.Delivery(record: record, position: position, seq: seq, sentAt: now, isAlone: isAlone)
  }

  /// The record as it is sent: with dates above all that the device may hold, or its own last-write-wins
  /// would not let it in.
  func dated(_ record: WholeRecord, _ track: Track) -> WholeRecord {
    var record = record
    let copies = track.starts(before: nil).map(\.record)
    record.updatedAt = RecordDate.sent(
      record.updatedAt, above: copies.map(\.updatedAt) + [track.floor])
    var held: WholeRecord?
    if case .held(let expected, _) = track.expected { held = expected }
    record.dateChildren { child in
      if let same = held?.child(child.target), same.values == child.values,
        same.place == child.place
      {
        return same.updatedAt
      }
      return RecordDate.sent(
        child.updatedAt, above: copies.compactMap { $0.child(child.target)?.updatedAt })
    }
    return record
  }
}
