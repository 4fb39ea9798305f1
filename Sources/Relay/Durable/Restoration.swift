import Journal
import Wire

/// Pairs in the making: from their rows, and from the records of what waits in them, back to what
/// was in memory. Nothing else is touched, so that what cannot be understood leaves no trace.
struct Restoration {
  private(set) var pairs: [UInt32: Pair] = [:]
  /// Files by their rows, while records refer to them so.
  private var files: [FileName: FileTransfer] = [:]
  /// The last batch committed: it covers all that is restored.
  let committed: UInt64
  /// The present run's.
  let epoch: UInt64
  let lossEpoch: UInt64

  private struct FileName: Hashable {
    var pair: UInt32
    var file: UInt32
  }

  init(_ relay: Relay) {
    committed = relay.committed
    epoch = relay.epoch
    lossEpoch = relay.lossEpoch
  }

  // MARK: Rows

  /// Adds all rows of a pair, or of several, in any order.
  mutating func add(_ rows: some Sequence<Row>) throws(JournalError) {
    for row in rows where row.key.table == .pair { try addPair(row) }
    for row in rows where row.key.table == .device { try addDevice(row) }
    for row in rows where row.key.table == .pair { try addActiveWatch(row) }
    for row in rows where row.key.table == .file { try addFile(row) }
    for row in rows where row.key.table == .queue { try addQueue(row) }
    for row in rows where row.key.table == .context { try addContext(row) }
  }

  private mutating func addPair(_ row: Row) throws(JournalError) {
    let pair = try PairRow.read(row).pair
    pairs[pair.number] = pair
  }

  private func pair(_ row: Row) throws(JournalError) -> Pair {
    guard let pair = pairs[row.key.pair] else {
      throw JournalError(description: "a \(row.key.table) row belongs to no pair")
    }
    return pair
  }

  private func device(_ index: UInt16, of pair: Pair) throws(JournalError) -> Device {
    guard Int(index) < pair.devices.count else {
      throw JournalError(description: "pair \(pair.name) lacks a device that it refers to")
    }
    return pair.devices[Int(index)]
  }

  private func addDevice(_ row: Row) throws(JournalError) {
    let pair = try pair(row)
    if IncarnationRow.isIncarnation(row.key) {
      try IncarnationRow.read(row, into: try device(IncarnationRow.device(row.key), of: pair))
      return
    }
    guard row.key.item == UInt32(pair.devices.count) else {
      throw JournalError(description: "pair \(pair.name) lacks a device row")
    }
    pair.add(try DeviceRow.read(row, of: pair, lossEpoch: lossEpoch))
  }

  private func addActiveWatch(_ row: Row) throws(JournalError) {
    let pair = try pair(row)
    let index = try PairRow.read(row).activeWatch
    if index > 0 { pair.activeWatch = try device(index - 1, of: pair) }
    pair.toldWatchState = WatchState(pair)
  }

  private mutating func addFile(_ row: Row) throws(JournalError) {
    let pair = try pair(row)
    let file = try FileRow.read(row)
    pair.files[file.transfer] = file
    try device(file.receiver, of: pair).fileBytes += file.size
    pair.nextFile = max(pair.nextFile, file.number + 1)
    files[FileName(pair: pair.number, file: file.number)] = file
    if file.seq == 0 {
      let sender = try device(file.transfer.sender, of: pair)
      try checkIncarnation(file.transfer, sender)
      sender.incarnations[Int(file.transfer.incarnation)][file.transfer.isNumbered].append(
        Outbox.Entry(
          number: file.transfer.number, receiver: file.receiver, lane: .file, seq: 0))
    }
  }

  private func checkIncarnation(_ transfer: TransferKey, _ sender: Device) throws(JournalError) {
    guard Int(transfer.incarnation) < sender.incarnations.count else {
      throw JournalError(description: "device \(sender.name) lacks an incarnation")
    }
  }

  /// Of an evicted pair: what was handed out, and the records of what waits.
  private mutating func addQueue(_ row: Row) throws(JournalError) {
    let pair = try pair(row)
    try QueueRow.read(row, epoch: epoch) { (deviceIndex, lane, handedOut) throws(JournalError) in
      let device = try device(deviceIndex, of: pair)
      device[lane].highestHandedOut = handedOut
    } records: { (record) throws(JournalError) in
      try put(record)
    }
    pair.hasQueueRow = true
    if try QueueRow.isOfBlankPair(row) { pair.records = .none }
  }

  private func addContext(_ row: Row) throws(JournalError) {
    let pair = try pair(row)
    let receiver = try device(UInt16(row.key.item >> 16), of: pair)
    let sender = UInt16(row.key.item & 0xFFFF)
    _ = try device(sender, of: pair)
    let (stored, order) = try ContextRow.read(row)
    var slot = stored
    if slot.seq > 0 {
      guard slot.seq > receiver[.context].acknowledged else {
        slot.seq = 0
        receiver.contexts[sender] = slot
        return
      }
      if slot.seq <= receiver[.context].highestHandedOut {
        slot.handedOut = slot.current
        slot.isAcknowledged = false
      }
      let transfer = TransferKey(sender: sender, incarnation: 0, isNumbered: false, number: 0)
      receiver[.context].append(
        Item(
          seq: slot.seq, order: order, transfer: transfer,
          reference: Reference(segment: 0, offset: 0, length: 0), home: 0, batch: committed,
          flags: [], target: .context))
    }
    receiver.contexts[sender] = slot
  }

  // MARK: Records

  /// Takes in what a record says, unless it is done with. Records come by segment, rising.
  mutating func put(_ record: SegmentHeader.Record) throws(JournalError) {
    switch record {
    case .item(let number, let receiver, let lane, let item, let re):
      guard let pair = pairs[number] else { throw ByteReader.torn }
      try put(item, re, lane, try device(receiver, of: pair))
    case .chunk(let pair, let number, let chunk):
      guard let file = files[FileName(pair: pair, file: number)],
        chunk.offset + Int(chunk.reference.length) <= file.received
      else { return }
      file.restore(chunk)
    }
  }

  /// Puts an item back into its lane.
  private func put(
    _ item: Item, _ re: String, _ name: LaneName, _ receiver: Device
  ) throws(JournalError) {
    guard item.seq > receiver[name].acknowledged, !receiver[name].holes.contains(item.seq) else {
      return
    }
    if !item.transfer.isHub {
      try checkIncarnation(item.transfer, try device(item.transfer.sender, of: receiver.pair))
    }
    receiver[name].append(item, re: re)
  }

  /// Brings the pairs' lanes and outboxes into order, once all records are read: work that is done
  /// once, and not for each record.
  func finish() {
    for pair in pairs.values { finish(pair) }
  }

  private func finish(_ pair: Pair) {
    for receiver in pair.devices {
      for name in LaneName.allCases {
        receiver[name].sortRestored()
        guard name != .outcome, name != .context else { continue }
        for index in 0..<receiver[name].items.count {
          let item = receiver[name].items[index]
          if item.transfer.isHub { continue }
          let sender = pair.devices[Int(item.transfer.sender)]
          sender.incarnations[Int(item.transfer.incarnation)][item.transfer.isNumbered].append(
            Outbox.Entry(
              number: item.transfer.number, receiver: receiver.index, lane: name, seq: item.seq))
        }
      }
    }
    for device in pair.devices {
      for index in device.incarnations.indices {
        device.incarnations[index].numbered.sortRestored()
        device.incarnations[index].counted.sortRestored()
      }
    }
  }
}

extension FileTransfer {
  /// Puts a chunk back in its place; one that was copied forward replaces its old record.
  fileprivate func restore(_ chunk: Chunk) {
    let index = chunkIndex(endingAfter: chunk.offset)
    if index < chunks.count, chunks[index].offset == chunk.offset {
      chunks[index] = chunk
    } else {
      chunks.insert(chunk, at: index)
    }
  }
}
