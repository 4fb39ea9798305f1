import Journal
import Wire

/// From what the store held back to what was in memory.
extension Relay {
  func restore(_ contents: Contents) throws(JournalError) {
    for row in contents.rows where row.key.table == .pair { try restorePair(row) }
    for row in contents.rows where row.key.table == .device { try restoreDevice(row) }
    for row in contents.rows where row.key.table == .pair && row.key.pair > 0 {
      try restoreActiveWatch(row)
    }
    for row in contents.rows where row.key.table == .file { try restoreFile(row) }
    for segment in contents.segments { try restore(segment) }
    for row in contents.rows where row.key.table == .context { try restoreContext(row) }
    finishRestore(contents.segments)
  }

  private func read<Result>(
    _ row: Row, _ body: (inout ByteReader) throws(JournalError) -> Result
  ) throws(JournalError) -> Result {
    let result: Swift.Result<Result, JournalError> = (row.value ?? []).withUnsafeBytes { bytes in
      do throws(JournalError) {
        var reader = ByteReader(bytes)
        let version = try reader.number()
        guard version == UInt64(RowForm.version) else {
          throw JournalError(
            description: "a \(row.key.table) row has form \(version); this server knows form "
              + "\(RowForm.version)")
        }
        return .success(try body(&reader))
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }

  private func restorePair(_ row: Row) throws(JournalError) {
    try read(row) { (reader) throws(JournalError) in
      if row.key.pair == 0 {
        nextPair = max(nextPair, try reader.integer())
        let clock: Int64 = try reader.integer()
        if options.hasManualClock, clock > now { now = clock }
        return
      }
      let pair = Pair(number: row.key.pair, app: try reader.text(), name: try reader.text())
      _ = try reader.number()
      pair.nextFile = try reader.integer()
      let knobs = try reader.blob()
      let isUnderstood = knobs.withUnsafeBytes { bytes in
        do throws(WireError) {
          var envelope = Envelope()
          try envelope.scan(bytes)
          try pair.knobs.set(from: Fields(envelope, bytes))
          return true
        } catch {
          return false
        }
      }
      guard isUnderstood else {
        throw JournalError(description: "the knobs of pair \(pair.name) cannot be understood")
      }
      pairs[PairName(app: pair.app, name: pair.name)] = pair
      pairsByNumber[pair.number] = pair
      nextPair = max(nextPair, pair.number + 1)
    }
  }

  private func pair(_ row: Row) throws(JournalError) -> Pair {
    guard let pair = pairsByNumber[row.key.pair] else {
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

  private func restoreDevice(_ row: Row) throws(JournalError) {
    let pair = try pair(row)
    guard row.key.item == UInt32(pair.devices.count) else {
      throw JournalError(description: "pair \(pair.name) lacks a device row")
    }
    let device = try read(row) { (reader) throws(JournalError) in
      let name = try reader.text()
      let device = Device(
        pair: pair, index: UInt16(row.key.item), name: name,
        role: try reader.flag() ? .phone : .watch)
      device.hasJoined = try reader.flag()
      device.state.bits = try reader.number()
      device.order = try reader.number()
      device.complicationDay = try reader.integer()
      device.complicationsUsed = try reader.integer()
      try restoreLanes(device, &reader)
      try restoreIncarnations(device, &reader)
      return device
    }
    pair.add(device)
  }

  private func restoreLanes(_ device: Device, _ reader: inout ByteReader) throws(JournalError) {
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

  private func restoreIncarnations(_ device: Device, _ reader: inout ByteReader)
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

  private func restoreActiveWatch(_ row: Row) throws(JournalError) {
    let pair = try pair(row)
    let index: UInt16 = try read(row) { (reader) throws(JournalError) in
      _ = try reader.text()
      _ = try reader.text()
      return try reader.integer()
    }
    if index > 0 { pair.activeWatch = try device(index - 1, of: pair) }
    pair.toldWatchState = WatchState(pair)
  }

  private func restoreFile(_ row: Row) throws(JournalError) {
    let pair = try pair(row)
    let file = try read(row) { (reader) throws(JournalError) in
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
    filesByNumber[FileName(pair: pair.number, file: file.number)] = file
    if file.seq == 0 {
      watchUpload(file, pair)
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

  private func restore(_ segment: StoredSegment) throws(JournalError) {
    segments.size(segment.number, segment.bodyLength)
    try SegmentHeader.read(segment.header, segment: segment.number) {
      (record) throws(JournalError) in
      switch record {
      case .item(let pairNumber, let receiver, let lane, let item):
        guard let pair = pairsByNumber[pairNumber] else { throw ByteReader.torn }
        try restore(item, lane, try device(receiver, of: pair))
      case .chunk(let pair, let number, let chunk):
        guard let file = filesByNumber[FileName(pair: pair, file: number)],
          chunk.offset + Int(chunk.reference.length) <= file.received
        else { return }
        if let old = file.restore(chunk) {
          _ = segments.remove(old.reference.segment, bytes: Int(old.reference.length))
        }
        segments.add(segment.number, bytes: Int(chunk.reference.length))
      }
    }
  }

  /// Puts an item back into its lane, unless it is done with.
  private func restore(_ item: Item, _ name: LaneName, _ receiver: Device) throws(JournalError) {
    guard item.seq > receiver[name].acknowledged, !receiver[name].holes.contains(item.seq) else {
      return
    }
    try checkIncarnation(item.transfer, try device(item.transfer.sender, of: receiver.pair))
    receiver[name].append(item)
    hold(item)
  }

  /// Brings a pair's lanes and outboxes into order, once all records are read: work that is done
  /// once, and not for each record.
  private func finishRestore(_ pair: Pair) {
    for receiver in pair.devices {
      for name in LaneName.allCases {
        for item in receiver[name].sortRestored() { drop(item) }
        guard name != .outcome, name != .context else { continue }
        for index in 0..<receiver[name].items.count {
          let item = receiver[name].items[index]
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

  /// Takes an item's old record out of its segments' tallies. A segment in which nothing is live
  /// stays known until all are read, for a later header may refer to it.
  private func drop(_ item: Item) {
    _ = segments.remove(item.reference.segment, bytes: Int(item.reference.length))
    if item.home != item.reference.segment { _ = segments.remove(item.home, bytes: 0) }
  }

  private func restoreContext(_ row: Row) throws(JournalError) {
    let pair = try pair(row)
    let receiver = try device(UInt16(row.key.item >> 16), of: pair)
    let sender = UInt16(row.key.item & 0xFFFF)
    _ = try device(sender, of: pair)
    var order: UInt64 = 0
    var slot = try read(row) { (reader) throws(JournalError) in
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
      // What was said to be possibly handed out counts as handed out.
      if slot.seq <= receiver[.context].offered {
        slot.handedOut = slot.current
        slot.isAcknowledged = false
      }
      let transfer = TransferKey(sender: sender, incarnation: 0, isNumbered: false, number: 0)
      receiver[.context].append(
        Item(
          seq: slot.seq, order: order, transfer: transfer,
          reference: Reference(segment: 0, offset: 0, length: 0), home: 0, batch: committed,
          re: "", flags: [], target: .context))
    }
    receiver.contexts[sender] = slot
  }

  private func finishRestore(_ stored: [StoredSegment]) {
    filesByNumber = [:]
    for pair in pairsByNumber.values { finishRestore(pair) }
    // What the last run did not come to remove.
    for segment in stored where segments.tallies[segment.number]?.live ?? 0 == 0 {
      segments.forget(segment.number)
      open.removedSegments.append(segment.number)
    }
    segments.findSparse(stored.map(\.number))
  }
}

/// A file by its row, while records refer to it so.
struct FileName: Hashable {
  var pair: UInt32
  var file: UInt32
}

extension FileTransfer {
  /// Puts a chunk back in its place; one that was copied forward replaces its old record, which
  /// is returned.
  func restore(_ chunk: Chunk) -> Chunk? {
    let index = chunkIndex(endingAfter: chunk.offset)
    if index < chunks.count, chunks[index].offset == chunk.offset {
      let old = chunks[index]
      chunks[index] = chunk
      return old
    }
    chunks.insert(chunk, at: index)
    return nil
  }
}
