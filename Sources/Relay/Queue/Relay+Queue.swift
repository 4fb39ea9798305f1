import Journal
import Wire

/// Queues of waiting deliveries: in, moved, out.
extension Relay {
  /// Appends a payload to the open segment and an item for it to a receiver's lane.
  ///
  /// The item gets its number here, in the batch that accepts it.
  @discardableResult
  func enqueue(
    _ payload: UnsafeRawBufferPointer, to receiver: Device, lane: LaneName,
    target: LaneName? = nil, transfer: TransferKey, re: String, flags: Item.Flags = [],
    code: UInt16 = 0
  ) -> Item {
    let reference = append(payload)
    return enqueue(
      reference, to: receiver, lane: lane, target: target, transfer: transfer, re: re,
      flags: flags, code: code)
  }

  /// The same for a payload that lies in a segment already.
  @discardableResult
  func enqueue(
    _ reference: Reference, to receiver: Device, lane: LaneName, target: LaneName? = nil,
    transfer: TransferKey, re: String, flags: Item.Flags = [], code: UInt16 = 0
  ) -> Item {
    receiver.order += 1
    let seq = receiver[lane].next
    receiver[lane].next += 1
    var item = Item(
      seq: seq, order: receiver.order, transfer: transfer, reference: reference,
      home: open.number, batch: open.number, flags: flags, code: code,
      target: target ?? lane)
    // Only where all before it is offered: the commit that says so for those has yet to come.
    if canReceive(receiver), lane != .parked, receiver[lane].offered + 1 == seq {
      item.flags.insert(.offered)
      receiver[lane].offered = seq
    }
    receiver[lane].append(item, re: re)
    counts.accepted.add(lane)
    counts.waiting.add(lane)
    if lane != .context {
      hold(item)
      SegmentHeader.append(
        item, lane: lane, re: re, receiver: receiver.index, of: receiver.pair.number,
        to: &open.header)
    }
    changed(receiver)
    pumpAfterCommit(receiver)
    return item
  }

  /// Appends bytes to the open segment's body.
  func append(_ payload: UnsafeRawBufferPointer) -> Reference {
    let offset = open.body.count
    open.body.append(bytes: payload)
    open.ends.append(UInt32(truncatingIfNeeded: open.body.count))
    segments.size(open.number, payload.count)
    return Reference(
      segment: open.number, offset: UInt32(offset), length: UInt32(payload.count))
  }

  /// Counts an item among what its segments are needed for.
  func hold(_ item: Item) {
    hold(item.reference)
    if item.home != item.reference.segment { segments.add(item.home, bytes: 0) }
  }

  func hold(_ reference: Reference) {
    segments.add(reference.segment, bytes: Int(reference.length))
  }

  /// The item needs its segments no longer.
  func release(_ item: Item) {
    release(item.reference)
    if item.home != item.reference.segment {
      release(Reference(segment: item.home, offset: 0, length: 0))
    }
  }

  func release(_ reference: Reference) {
    if segments.remove(reference.segment, bytes: Int(reference.length)) {
      segmentEmptied(reference.segment)
    }
  }

  private func segmentEmptied(_ segment: UInt64) {
    // The open segment's own fate is decided when its batch is taken.
    guard segment != open.number else { return }
    segments.forget(segment)
    open.removedSegments.append(segment)
  }

  /// Takes an item out of its lane before its turn; it becomes a hole. Returns it.
  func remove(_ seq: UInt64, from lane: LaneName, of receiver: Device) -> Item? {
    guard let index = receiver[lane].index(of: seq) else { return nil }
    let item = receiver[lane].remove(at: index)
    counts.waiting.add(lane, -1)
    if seq > receiver[lane].highestHandedOut {
      receiver[lane].noteRemoval(seq, in: open.number, committed: committed)
      pumpAfterCommit(receiver)
    }
    if lane != .context { release(item) }
    changed(receiver)
    return item
  }

  /// Moves a waiting item to another lane with a number of its own there, in the open batch.
  func move(
    _ seq: UInt64, from lane: LaneName, of source: Device, to target: LaneName,
    of receiver: Device
  ) {
    guard let index = source[lane].index(of: seq) else { return }
    let old = source[lane].items[index]
    var flags = old.flags.intersection(.currentComplication)
    if target != .complication { flags = [] }
    let re = source[lane].identifier(seq)
    // Held anew before the old hold goes, so that its segment is not forgotten between.
    let item = enqueue(
      old.reference, to: receiver, lane: target, transfer: old.transfer, re: re, flags: flags)
    _ = remove(seq, from: lane, of: source)
    if target == .file, let file = file(old.transfer, receiver.pair) {
      file.seq = item.seq
      changed(file, of: receiver.pair)
    }
    let sender = receiver.pair.devices[Int(old.transfer.sender)]
    sender.incarnations[Int(old.transfer.incarnation)][old.transfer.isNumbered]
      .move(old.transfer.number, to: target, receiver: receiver.index, seq: item.seq)
  }

  /// Whether a device's app can be handed something now, pressure and holds apart.
  func canReceive(_ device: Device) -> Bool {
    guard device.connection != nil, device.activation != .notActivated else { return false }
    return device.appState.isRunning && !device.pair.isParked(device)
  }

  /// Whether a receiver's queue takes `bytes` more.
  func checkRoom(_ receiver: Device, _ bytes: Int) throws(WireError) {
    var count = 0
    var held = receiver.fileBytes
    for index in 0..<receiver.lanes.count {
      count += receiver.lanes[index].count
      held += receiver.lanes[index].bytes
    }
    guard count < limits.queueItems, held + bytes <= limits.queueBytes else {
      throw WireError(
        limit: count < limits.queueItems ? "queueBytes" : "queueItems",
        "\(count) transfers with \(held) bytes wait for \(receiver.name), and that is all that the server keeps",
        "let it acknowledge some, or cancel some")
    }
    try checkQuota(ofBytes: bytes, receiver.pair)
  }
}
