import Journal

/// The start: from what the store held to what is kept in memory.
extension Relay {
  /// Indexes all pairs by name. Those that were evicted stay so; only what their segments are needed
  /// for is counted. The others, which were in use when the last run was killed, come back whole.
  func restore(_ contents: Contents) throws(JournalError) {
    var evicted: Set<UInt32> = []
    var blank: Set<UInt32> = []
    var unused: [KnownPair] = []
    for row in contents.rows where row.key.table == .queue {
      evicted.insert(row.key.pair)
      if try QueueRow.isOfBlankPair(row) { blank.insert(row.key.pair) }
    }
    for row in contents.rows where row.key.table == .pair {
      guard row.key.pair > 0 else {
        try restoreStore(row)
        continue
      }
      let known = try PairRow.known(row)
      index(known)
      if blank.contains(known.number) { blankPairs.add(known.number, known) }
      if options.forgetAfter != nil, evicted.contains(known.number) { unused.append(known) }
    }
    beginService(unused)
    var restoration = Restoration(self)
    try restoration.add(
      contents.rows.lazy.filter { $0.key.pair > 0 && !evicted.contains($0.key.pair) })
    for segment in contents.segments {
      segments.size(segment.number, segment.bodyLength)
      try SegmentHeader.read(segment.header, segment: segment.number) {
        (record) throws(JournalError) in
        // Of a pair that is not here it was before that was erased: no row of a pair is missing, the store has
        // looked.
        guard !evicted.contains(record.pair), restoration.pairs[record.pair] != nil else { return }
        try restoration.put(record)
      }
    }
    restoration.finish()
    for row in contents.rows where row.key.table == .queue { try count(row) }
    for (_, pair) in restoration.pairs.sorted(by: { $0.key < $1.key }) {
      pair.mayHaveMissedEnds()
      noteLastUse(pair)
      count(pair)
      hold(pair)
      pairs[pair.number] = pair
      countWaiting(of: pair, isComing: true)
      watchUploads(pair)
      becameIdle(pair)
    }
    removeDeadSegments(contents.segments)
  }

  private func restoreStore(_ row: Row) throws(JournalError) {
    let store = try StoreRow.read(row)
    nextPair = max(nextPair, store.nextPair)
    erasures = store.erasures
    service = store.service
    if options.hasManualClock, store.clock > now { now = store.clock }
  }

  private func index(_ pair: KnownPair) {
    numbers[pair.name] = pair.number
    makers.add(pair.maker)
    makerBytes.add(pair.maker, pair.held)
    nextPair = max(nextPair, pair.number + 1)
  }

  /// Counts what an evicted pair needs of its segments, and minds its deadline.
  private func count(_ row: Row) throws(JournalError) {
    let deadline = try QueueRow.read(row, epoch: epoch) { (record) throws(JournalError) in
      switch record {
      case .item(_, _, _, let item, _): hold(item)
      case .chunk(_, _, let chunk): hold(chunk.reference)
      }
    }
    if let deadline { watchUploads(of: row.key.pair, at: deadline) }
  }

  private func hold(_ pair: Pair) {
    for device in pair.devices {
      for name in LaneName.allCases where name != .context {
        let items = device[name].items
        for index in 0..<items.count { hold(items[index]) }
      }
    }
    for file in pair.files.values {
      for chunk in file.chunks { hold(chunk.reference) }
    }
  }

  /// What the last run did not come to remove.
  private func removeDeadSegments(_ stored: [StoredSegment]) {
    for segment in stored where segments.tally(segment.number)?.live ?? 0 == 0 {
      segments.forget(segment.number)
      open.removedSegments.append(segment.number)
    }
    segments.findSparse(stored.map(\.number))
  }
}
