package import Merge

/// What a device holds of one record, as far as that is certain, and what is on its way to it.
///
/// A device keeps the later of two copies, by their dates. What is sent is dated above all that it can
/// have, and what it makes is dated above what it was made upon. So a copy that is dated below a
/// delivery was not made upon that.
package struct Track: Equatable {
  package enum Base: Equatable {
    /// It may have a copy from before it came here.
    case unknown
    case absent
    /// - Parameter at: the position of the log that its person has seen of it.
    case held(WholeRecord, at: UInt64)
  }

  package struct Delivery: Equatable {
    /// nil for a delete.
    package var record: WholeRecord?
    /// The position of the log that it shows.
    package var position: UInt64
    /// Its number in the device's lane.
    package var seq: UInt64
    /// When it was sent, in milliseconds since 1970.
    package var sentAt: UInt64
    /// Whether it carries nothing else, so that a newer one may replace it.
    package var isAlone: Bool

    package init(
      record: WholeRecord?, position: UInt64, seq: UInt64, sentAt: UInt64, isAlone: Bool
    ) {
      self.record = record
      self.position = position
      self.seq = seq
      self.sentAt = sentAt
      self.isAlone = isAlone
    }
  }

  /// Most deliveries in flight.
  package static let limit = 16

  package var base: Base
  /// The newest position of the log that the base may have been made upon; at least its own.
  package var reached: UInt64 = 0
  /// When the base was sent, in milliseconds since 1970; 0 for the device's own copy.
  package var since: UInt64 = 0
  /// Sent and not settled, oldest first.
  package var inFlight: [Delivery] = []
  /// `updatedAt` of the newest copy that came of the device.
  package var received: Double?
  /// A digest of that copy; 0 for none.
  package var digest: UInt64 = 0
  /// The device has deleted the record since, in its lane of transfers. What comes next in that lane was made after the
  /// delete, however it is dated: upon what was on its way.
  package var isAnew = false
  /// Deliveries that have made room, and that the device may hold; nil for none.
  package var madeRoom: Room?
  /// The latest date that it was sent, sent itself, or can have.
  package var floor = 0.0
  /// What it did without a date since its last copy; of a copy after which the base is still unknown, its texts too.
  package var acted: [WholeRecord.Field: Datum] = [:]
  /// Of deliveries up to this number it is not known whether the device took them in: only a later one
  /// settles what it holds. 0 where there is no doubt.
  package var doubt: UInt64 = 0
  /// It is to be sent the present state, whatever it is taken to hold.
  package var isOwed = false
  /// The latest date that a watch's last action can have, where that was undated; nil where it was dated.
  ///
  /// A watch does not tell what it refuses. So nothing is concluded until it sends a date.
  package var undated: Double?

  package init(_ base: Base) { self.base = base }

  /// Nothing of the record ever came of the device, and it is not known to have taken anything in.
  package var isUntouched: Bool { received == nil && reached == 0 }

  package var held: WholeRecord? {
    guard case .held(let record, _) = base else { return nil }
    return record
  }

  // MARK: What the device may hold

  /// A copy that the device may have started from.
  package struct Start: Equatable {
    package var record: WholeRecord
    package var position: UInt64
  }

  /// The copies upon which the device may have made one of a date, oldest first.
  ///
  /// - Parameters:
  ///   - date: nil for what has none.
  ///   - seq: of the first delivery that it had not read; nil where that is not known.
  package func starts(before date: Double?, sentBefore seq: UInt64? = nil) -> [Start] {
    var starts: [Start] = []
    var least: Double?
    if case .held(let record, let position) = base {
      starts.append(Start(record: record, position: position))
      least = record.updatedAt
    }
    for delivery in inFlight where delivery.seq < seq ?? .max {
      guard let record = delivery.record else {
        least = nil
        continue
      }
      let mayBeTaken = least.map { record.updatedAt > $0 } ?? true
      guard mayBeTaken, date.map({ record.updatedAt < $0 }) ?? true else { continue }
      starts.append(Start(record: record, position: delivery.position))
    }
    return starts
  }

  /// Whether the device may have had a record's number from what it was sent up to a delivery. Where nothing ever came of
  /// the device about a record, it did not have it before it was sent that, and has not deleted it since.
  ///
  /// - Parameter place: of the record in a list of all that the device had; nil where the list lacks it.
  func agrees(with place: Int64??, after seq: UInt64) -> Bool {
    let read = starts(before: nil, sentBefore: seq + 1)
    let isCertain = base == .absent && isUntouched && doubt == 0
    guard let place else {
      let isDeleted = inFlight.last { $0.seq <= seq }.map { $0.record == nil } ?? false
      return !isCertain || read.isEmpty || isDeleted
    }
    guard let record = read.last?.record else {
      return !isCertain || starts(before: nil).isEmpty
    }
    return place == nil || place == record.place
  }

  /// The copies upon which the device may have made another: what it contains it has of the first that has
  /// it, or of a later one.
  package func starts(of copy: WholeRecord) -> [Start] {
    let starts = starts(before: copy.updatedAt)
    let first = copy.children.compactMap { child in
      starts.firstIndex { $0.record.child(child.target) != nil }
    }.max()
    // Of a copy from before it came here nothing is known.
    return base == .unknown ? starts : Array(starts[(first ?? 0)...])
  }

  /// The position that what the device does may begin at; nil where it may have seen nothing.
  package var oldestPosition: UInt64? {
    if case .held(_, let position) = base { return position }
    return inFlight.first { $0.record != nil }?.position
  }

  /// The position of a delete that the device knows of, as it has no copy any more; nil where it may never have had one.
  var deletedAt: UInt64? {
    switch base {
    case .unknown: nil
    case .absent: isUntouched ? nil : reached
    case .held: inFlight.first { $0.record == nil }?.position
    }
  }

  /// The newest position that a copy made upon the last of these may have been made upon.
  package func newestPosition(of starts: [Start]) -> UInt64 {
    max(reached, starts.last?.position ?? 0)
  }

  /// What the device will hold once it has processed all that it was sent.
  package var expected: Base {
    var state = base
    for delivery in inFlight {
      guard let record = delivery.record else {
        state = .absent
        continue
      }
      let own =
        switch state {
        case .held(let held, _): max(held.updatedAt, newest)
        case .unknown: newest
        case .absent: -1.0
        }
      if record.updatedAt > own {
        state = .held(record, at: delivery.position)
      } else if record.updatedAt == own {
        state = .unknown
      }
    }
    return state
  }

  /// The newest date that the device is known to have given its copy, or can have; below all dates for none.
  private var newest: Double { max(isAnew ? -1 : received ?? -1, undated ?? -1) }

  package func expects(_ record: WholeRecord) -> Bool {
    guard case .held(let held, _) = expected else { return false }
    return held.showsSame(as: record)
  }

  // MARK: What is sent

  /// Notes what is sent.
  package mutating func send(_ delivery: Delivery) {
    isOwed = false
    if let record = delivery.record { floor = max(floor, record.updatedAt) }
    inFlight.append(delivery)
  }

  /// A delivery did not reach the device.
  package mutating func drop(_ seq: UInt64) {
    let count = inFlight.count
    inFlight.removeAll { $0.seq == seq }
    if inFlight.count < count { isOwed = true }
  }

  // MARK: What is proven

  /// The base moves on to what the device certainly holds.
  ///
  /// - Parameter isProven: whether the device had processed a delivery, and had sent by then whatever it
  ///   did before.
  package mutating func acknowledge(_ isProven: (Delivery) -> Bool) {
    if let last = inFlight.indices.last(where: { isProven(inFlight[$0]) && isCertain($0) }) {
      settle(last)
    }
    // What was refused will not come again. What follows a delete was not refused.
    guard undated == nil, let held, inFlight.allSatisfy({ $0.record != nil }) else { return }
    let doubt = doubt
    inFlight.removeAll { delivery in
      delivery.seq > doubt && delivery.record!.updatedAt < held.updatedAt && isProven(delivery)
    }
  }

  private mutating func settle(_ index: Int) {
    let delivery = inFlight[index]
    base = delivery.record.map { .held($0, at: delivery.position) } ?? .absent
    reached = delivery.position
    since = delivery.sentAt
    if let room = madeRoom, room.seq < delivery.seq { madeRoom = nil }
    acted = [:]
    inFlight.removeFirst(index + 1)
  }

  /// Whether a device that has processed a delivery certainly took it in.
  private func isCertain(_ index: Int) -> Bool {
    let delivery = inFlight[index]
    guard delivery.seq > doubt else { return false }
    guard let record = delivery.record else { return true }
    return undated == nil && record.updatedAt > max(held?.updatedAt ?? -1, newest)
  }

  /// The device shows that it took a delivery in: it has sent that back.
  ///
  /// - Returns: whether it has.
  package mutating func prove(_ copy: WholeRecord) -> Bool {
    guard
      let index = inFlight.lastIndex(where: {
        $0.record?.updatedAt == copy.updatedAt && $0.record?.showsSame(as: copy) == true
      })
    else { return false }
    settle(index)
    undated = nil
    return true
  }

  /// Whether the device certainly holds what a record shows.
  package func agrees(with record: WholeRecord) -> Bool {
    held?.showsSame(as: record) == true && inFlight.allSatisfy { $0.record != nil }
      && starts(before: nil).count == 1
  }

  /// The base is just what the hub shows at a position.
  ///
  /// - Precondition: it agrees with that.
  package mutating func agree(at position: UInt64) { base = .held(held!, at: position) }

  // MARK: What comes in

  /// Whether a copy is older than the newest that came, or that one again.
  ///
  /// - Parameter isInOrder: it came in the device's lane of transfers.
  package func isLate(_ copy: WholeRecord, isInOrder: Bool = false) -> Bool {
    guard let received, !(isInOrder && isAnew) else { return false }
    return copy.updatedAt < received
      || copy.updatedAt == received && Self.digest(copy) == digest
  }

  /// The device held a copy when it sent it.
  ///
  /// - Parameters:
  ///   - position: what its person had seen.
  ///   - newest: what they may have seen.
  ///   - isInOrder: it came in the device's lane of transfers.
  package mutating func receive(
    _ copy: WholeRecord, at position: UInt64, newest: UInt64, isInOrder: Bool = false
  ) {
    var copy = copy
    note(copy, isInOrder: isInOrder)
    reached = newest
    copy.place = copy.place ?? held?.place
    base = .held(copy, at: position)
    since = 0
    acted = [:]
    undated = nil
    // What is dated below the copy was taken before it was made, or is refused; what is dated above is taken.
    // But whether it met a delete before it made the copy is not known.
    doubt = 0
    if inFlight.contains(where: { $0.record == nil }) { beInDoubt() }
  }

  /// A copy came, whatever becomes of it.
  package mutating func note(_ copy: WholeRecord, isInOrder: Bool) {
    floor = max(floor, copy.updatedAt)
    if !isInOrder { isAnew = false }
    // The newest of before its delete stays known: another lane may bring that once more.
    if let received, copy.updatedAt < received || isAnew && copy.updatedAt == received { return }
    received = copy.updatedAt
    digest = Self.digest(copy)
  }

  /// The device has deleted what it was taken to have deleted before. So what it has processed brought the record back,
  /// whatever was in doubt. Who acted on it without a date may have refused all that came behind the first.
  package mutating func hadAgain(provenUpTo proven: UInt64) {
    guard base == .absent, let last = inFlight.lastIndex(where: { $0.seq <= proven }),
      inFlight[last].record != nil
    else { return }
    let first = inFlight[..<last].lastIndex { $0.record == nil }.map { $0 + 1 } ?? 0
    settle(undated == nil ? last : first)
  }

  /// The device has deleted the record. Of one of which nothing is known it may have got a copy since.
  ///
  /// - Parameter isInOrder: it said so in its lane of transfers.
  package mutating func delete(isInOrder: Bool = false) {
    if isInOrder { isAnew = true }
    // What is made after that was made upon no more than this.
    reached = oldestPosition ?? reached
    if base != .unknown { base = .absent }
    undated = nil
    acted = [:]
    // What was on its way may have come before, or come now and bring it back.
    if !inFlight.isEmpty { beInDoubt() }
  }

  /// The device has changed a field without a date.
  ///
  /// - Parameters:
  ///   - latest: the latest date that its copy can have.
  ///   - isPhone: phones answer what they refuse.
  package mutating func act(
    _ field: WholeRecord.Field, _ value: Datum, latest: Double, isPhone: Bool
  ) {
    acted[field] = value
    mayHaveDated(latest, isPhone: isPhone)
    if case .held(var record, let position) = base {
      record.set(field, value)
      base = .held(record, at: position)
    }
    if !inFlight.isEmpty { beInDoubt() }
  }

  /// The device has given its copy a date that it does not tell, at most `latest`. Phones answer what they refuse.
  package mutating func mayHaveDated(_ latest: Double, isPhone: Bool) {
    if !isPhone { undated = max(undated ?? latest, latest) }
    floor = max(floor, latest)
  }

  /// A session begins. A watch whose clock is further ahead than was assumed refuses what it is sent after an
  /// undated action: that is sent once more.
  ///
  /// - Parameter margin: by how much its dates go beyond the latest that was assumed, in seconds.
  package mutating func resendUndated(margin: Double) {
    guard let undated, let last = inFlight.last?.record, last.updatedAt < undated + margin else {
      return
    }
    floor = max(floor, undated + margin)
    beInDoubt()
  }

  /// It is not known which of the deliveries in flight the device took in. It is sent the present state,
  /// dated above all of them: that settles it.
  package mutating func beInDoubt() {
    doubt = max(doubt, inFlight.last?.seq ?? 0)
    isOwed = true
  }

  /// What the device holds may be lost or from before. What it held, and what it had acknowledged, may be there
  /// nevertheless, and it shows so by sending it back. Somebody who was told of a delete is still taken to know of it.
  package mutating func forget(processed: UInt64) {
    let last = inFlight.last { $0.seq <= processed }?.seq ?? 0
    if case .held(let record, let position) = base {
      inFlight.insert(
        Delivery(record: record, position: position, seq: 0, sentAt: since, isAlone: false), at: 0)
    }
    if base != .absent || !inFlight.isEmpty { base = .unknown }
    // What it has not acknowledged comes again, also where it was proven and deleted there.
    if base == .absent { isOwed = true }
    // All that it is yet to be sent has room.
    let acknowledged = inFlight.count { $0.seq <= processed }
    inFlight.removeFirst(max(0, min(acknowledged, inFlight.count - Self.limit / 2)))
    received = nil
    digest = 0
    isAnew = false
    madeRoom = nil
    acted = [:]
    doubt = last
    undated = nil
  }

  private static func digest(_ copy: WholeRecord) -> UInt64 {
    Identifier(digestOf: String(decoding: copy.canonical, as: UTF8.self)).high
  }
}
