package import Journal

/// The batch being filled: what has changed since the last one was taken, and who waits for it.
struct OpenBatch {
  let number: UInt64
  /// The segment's header and body so far.
  var header: [UInt8] = []
  var body: [UInt8] = []
  /// Where the payloads in the body end.
  var ends: [UInt32] = []

  // Rows to write, in the order in which they first changed.
  var devices: [Device] = []
  var incarnations: [(device: Device, index: Int)] = []
  var pairs: [Pair] = []
  var contexts: [(receiver: Device, sender: UInt16)] = []
  var files: [FileTransfer.Place] = []
  var removedRows: [Row.Key] = []
  var removedPairs: [UInt32] = []
  /// Pairs whose queue row is outdated.
  var outdated: [Pair] = []
  var removedSegments: [UInt64] = []
  /// Hubs are among what it changes.
  var hasHubRows = false

  var after = AfterCommit()

  init(number: UInt64) { self.number = number }

  /// Nothing to write, and nobody who waits.
  var isEmpty: Bool {
    header.isEmpty && devices.isEmpty && incarnations.isEmpty && pairs.isEmpty && contexts.isEmpty
      && files.isEmpty && removedRows.isEmpty && removedPairs.isEmpty && outdated.isEmpty
      && removedSegments.isEmpty
      && !hasHubRows && after.isEmpty
  }
}

extension OpenBatch {
  /// Makes room for as much as there was last time: batches of a busy server are alike, and arrays that
  /// grow are copied at each step.
  mutating func reserve(like last: OpenBatch) {
    guard last.body.count >= 4_096 else { return }
    body.reserveCapacity(min(last.body.count + last.body.count / 8, 4 << 20))
    ends.reserveCapacity(min(last.ends.count + last.ends.count / 8, 1 << 17))
    header.reserveCapacity(min(last.header.count + last.header.count / 8, 1 << 20))
    after.reserve(like: last.after)
  }
}

extension FileTransfer {
  /// A file and the pair that it belongs to.
  struct Place {
    var pair: Pair
    var file: FileTransfer
  }
}

/// A batch on its way to the disk.
struct CommittingBatch {
  let number: UInt64
  var after: AfterCommit
}

extension Relay {
  /// The batch that is due for the store; nil where there is nothing to commit.
  ///
  /// A batch may be taken while an earlier one is being written; they commit in order.
  package func takeBatch() -> Batch? {
    guard !open.isEmpty || isStoreRowDirty else { return nil }
    batchTimes.note(open.number, now: now)
    hubs?.exportChanges()
    let taken = open
    open = OpenBatch(number: taken.number + 1)
    open.reserve(like: taken)
    var rows = taken.removedRows.map { Row($0, nil) }
    if isStoreRowDirty {
      service.saved = servedMinutes
      rows.append(
        StoreRow.make(
          nextPair: nextPair, clock: options.hasManualClock ? now : 0, erasures: erasures, service))
    }
    isStoreRowDirty = false
    for pair in taken.pairs {
      (pair.usedInRow, pair.heldInRow) = (pair.used, pair.held)
      rows.append(PairRow.make(pair))
    }
    for device in taken.devices { rows.append(DeviceRow.make(device, epoch: epoch)) }
    for (device, index) in taken.incarnations { rows.append(IncarnationRow.make(device, index)) }
    for context in taken.contexts {
      rows.append(ContextRow.make(from: context.sender, to: context.receiver))
    }
    for place in taken.files where place.pair.files[place.file.transfer] === place.file {
      rows.append(FileRow.make(place))
    }
    if let hubs { rows += hubs.takeRows(taken.number) }
    rows += queueRows(taken)
    inFlight.append(CommittingBatch(number: taken.number, after: taken.after))
    var segment: Segment?
    if segments.tally(taken.number)?.live ?? 0 == 0 {
      // All that it held was cancelled before it was written.
      segments.forget(taken.number)
    } else {
      segment = Segment(header: taken.header, body: taken.body, ends: taken.ends)
      segments.keep(taken.number, taken.body, committed: committed)
    }
    return Batch(
      number: taken.number, removedPairs: taken.removedPairs, rows: rows, segment: segment,
      removedSegments: taken.removedSegments)
  }

  /// Whether a batch is waiting to be taken.
  package var hasBatch: Bool { !open.isEmpty || isStoreRowDirty }

  /// Everything up to `number` is synced: now it may be told and handed out.
  func finishBatches(through number: UInt64) {
    while let batch = inFlight.first, batch.number <= number {
      inFlight.removeFirst()
      committed = batch.number
      let before = uncommittedTotal
      for input in batch.after.inputs {
        input.connection.uncommitted -= input.bytes
        uncommittedTotal -= input.bytes
        unblock(input.connection)
      }
      // Others may wait for what is common to all.
      if before >= Work.commit && uncommittedTotal < Work.commit
        || before >= limits.uncommittedTotal && uncommittedTotal < limits.uncommittedTotal
      {
        unblockAll()
      }
      bring(batch.after.answers)
      for pair in batch.after.news { tellNews(pair) }
      for finished in batch.after.finished { finished.sender.use { tell(finished, $0) } }
      for progress in batch.after.progress {
        tellProgress(progress.pair, progress.file, progress.offset)
      }
      for connection in batch.after.arrivals { endAwaiting(connection) }
      for activation in batch.after.activations
      where activation.device.session == activation.session {
        completeActivation(activation.device)
      }
      for device in batch.after.pumped { pump(device) }
      hubs?.committed(batch.number)
      let entries = batch.after.answers.entries
      for index in entries.indices where entries[index].isOwed {
        entries[index].receiver.use { finishIfEnded($0) }
      }
      for pair in batch.after.evicted { finishEviction(pair, batch.number) }
    }
    evictIdle()
    compactIfDue()
  }

  /// Has the shell look at a connection whose last owed answer may have gone out.
  @inline(__always)
  func finishIfEnded(_ connection: Connection) {
    if connection.isEnded { scheduleOutput(connection) }
  }

  // MARK: What changed

  /// Something of a pair changes in the open batch, or is to be done after it.
  func touched(_ pair: Pair) {
    pair.lastBatch = open.number
    if pair.evictionBatch < open.number { pair.evictionBatch = 0 }
    guard pair.hasQueueRow else { return }
    pair.hasQueueRow = false
    open.outdated.append(pair)
  }

  func changed(_ device: Device) {
    guard device.dirtyBatch != open.number else { return }
    device.dirtyBatch = open.number
    device.changedBatch = open.number
    touched(device.pair)
    open.devices.append(device)
  }

  /// What is counted for one incarnation of a device changes.
  func changed(_ device: Device, incarnation index: Int) {
    guard device.incarnations[index].dirtyBatch != open.number else { return }
    device.incarnations[index].dirtyBatch = open.number
    device.changedBatch = open.number
    touched(device.pair)
    open.incarnations.append((device, index))
  }

  func changed(_ pair: Pair) {
    touched(pair)
    guard pair.dirtyBatch != open.number else { return }
    pair.dirtyBatch = open.number
    open.pairs.append(pair)
  }

  func changedContext(from sender: UInt16, to receiver: Device) {
    touched(receiver.pair)
    guard !open.contexts.contains(where: { $0.receiver === receiver && $0.sender == sender })
    else { return }
    open.contexts.append((receiver, sender))
  }

  func changed(_ file: FileTransfer, of pair: Pair) {
    touched(pair)
    guard !open.files.contains(where: { $0.file === file }) else { return }
    open.files.append(FileTransfer.Place(pair: pair, file: file))
  }

  /// Pumps a receiver after the open batch is committed.
  func pumpAfterCommit(_ device: Device) {
    device.pair.lastBatch = open.number
    guard device.pumpBatch != open.number else { return }
    device.pumpBatch = open.number
    open.after.pumped.append(device)
  }
}
