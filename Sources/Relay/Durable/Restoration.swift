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

  private struct FileName: Hashable {
    var pair: UInt32
    var file: UInt32
  }

  init(_ relay: Relay) {
    committed = relay.committed
    epoch = relay.epoch
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

  /// The app and the name in a pair's row.
  static func name(_ row: Row) throws(JournalError) -> Relay.PairName {
    try row.read { (reader) throws(JournalError) in
      Relay.PairName(app: try reader.text(), name: try reader.text())
    }
  }

  private mutating func addPair(_ row: Row) throws(JournalError) {
    let pair = try row.read { (reader) throws(JournalError) in
      let pair = Pair(number: row.key.pair, app: try reader.text(), name: try reader.text())
      _ = try reader.number()
      pair.nextFile = try reader.integer()
      let knobs = try reader.blob()
      let isUnderstood = knobs.withUnsafeBytes { bytes in
        do throws(WireError) {
          var envelope = Envelope()
          try envelope.scan(bytes)
          try envelope.withFields(of: bytes) { (fields) throws(WireError) in
            try pair.knobs.set(from: fields)
          }
          return true
        } catch {
          return false
        }
      }
      guard isUnderstood else {
        throw JournalError(description: "the knobs of pair \(pair.name) cannot be understood")
      }
      return pair
    }
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
    guard row.key.item == UInt32(pair.devices.count) else {
      throw JournalError(description: "pair \(pair.name) lacks a device row")
    }
    let device = try row.read { (reader) throws(JournalError) in
      let name = try reader.text()
      let device = Device(
        pair: pair, index: UInt16(row.key.item), name: name,
        role: try reader.flag() ? .phone : .watch)
      device.hasJoined = try reader.flag()
      device.state.bits = try reader.number()
      device.order = try reader.number()
      device.complicationDay = try reader.integer()
      device.complicationsUsed = try reader.integer()
      try Self.readLanes(device, &reader)
      try Self.readIncarnations(device, &reader)
      return device
    }
    pair.add(device)
  }

  private static func readLanes(_ device: Device, _ reader: inout ByteReader) throws(JournalError) {
    let count = try reader.number()
    guard count == LaneName.allCases.count else {
      throw JournalError(description: "device \(device.name) has \(count) lanes")
    }
    for name in LaneName.allCases {
      var lane = Lane()
      lane.next = try reader.number()
      lane.acknowledged = try reader.number()
      lane.offered = try reader.number()
      lane.highestHandedOut = max(lane.offered, lane.acknowledged)
      var ranges: [ClosedRange<UInt64>] = []
      var last = lane.acknowledged
      for _ in 0..<(try reader.number()) {
        let lower = last + (try reader.number())
        let upper = lower + (try reader.number())
        ranges.append(lower...upper)
        last = upper
      }
      lane.holes = Holes(ranges: ranges)
      device[name] = lane
    }
  }

  private static func readIncarnations(_ device: Device, _ reader: inout ByteReader)
    throws(JournalError)
  {
    for index in 0..<(try reader.number()) {
      var incarnation = Incarnation(name: try reader.text())
      incarnation.lastNumber = try reader.number()
      incarnation.lastCount = try reader.number()
      let forgotten = try reader.number()
      if forgotten > 0 { device.forgottenFailures[UInt16(index)] = forgotten }
      device.incarnations.append(incarnation)
    }
    for _ in 0..<(try reader.number()) {
      let transfer = TransferKey(
        sender: device.index, incarnation: try reader.integer(), isNumbered: true,
        number: try reader.number())
      device.failures.append((transfer, try reader.integer()))
    }
  }

  private func addActiveWatch(_ row: Row) throws(JournalError) {
    let pair = try pair(row)
    let index: UInt16 = try row.read { (reader) throws(JournalError) in
      _ = try reader.text()
      _ = try reader.text()
      return try reader.integer()
    }
    if index > 0 { pair.activeWatch = try device(index - 1, of: pair) }
    pair.toldWatchState = WatchState(pair)
  }

  private mutating func addFile(_ row: Row) throws(JournalError) {
    let pair = try pair(row)
    let file = try row.read { (reader) throws(JournalError) in
      let transfer = TransferKey(
        sender: try reader.integer(), incarnation: try reader.integer(),
        isNumbered: try reader.flag(), number: try reader.number())
      let receiver: UInt16 = try reader.integer()
      let name = try reader.text()
      let size: Int = try reader.integer()
      let digest = try reader.text()
      let metadata = try reader.flag() ? try reader.blob() : nil
      let file = FileTransfer(
        number: row.key.item, transfer: transfer, receiver: receiver, name: name, size: size,
        digest: digest, metadata: metadata, re: try reader.text(), now: 0)
      file.received = try reader.integer()
      file.synced = file.received
      guard let hash = SHA256(saved: try reader.blob()) else { throw ByteReader.torn }
      file.hash = hash
      file.lastHeard = try reader.integer()
      file.seq = try reader.number()
      return file
    }
    pair.files[file.transfer] = file
    try device(file.receiver, of: pair).fileBytes += file.received
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
  }

  private func addContext(_ row: Row) throws(JournalError) {
    let pair = try pair(row)
    let receiver = try device(UInt16(row.key.item >> 16), of: pair)
    let sender = UInt16(row.key.item & 0xFFFF)
    _ = try device(sender, of: pair)
    var order: UInt64 = 0
    var slot = try row.read { (reader) throws(JournalError) in
      let seq = try reader.number()
      let isAcknowledged = try reader.flag()
      var slot = ContextSlot(current: try reader.blob(), seq: seq, isAcknowledged: isAcknowledged)
      switch try reader.number() {
      case 1: slot.handedOut = slot.current
      case 2: slot.handedOut = try reader.blob()
      default: break
      }
      order = try reader.number()
      return slot
    }
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
