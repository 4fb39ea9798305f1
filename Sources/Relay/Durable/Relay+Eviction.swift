import Journal

/// Out of memory: pairs to which nobody is connected.
///
/// ```
///            idle for long enough                  its commit
/// in memory ─────────────────────► being evicted ─────────────► an entry of `numbers`
///     ▲  ▲      queue row              │                                 │
///     │  └─────────────────────────────┘                                 │
///     │        activation, or a change                                   │
///     └──────────────────────────────────────────────────────────────────┘
///              read back for an activation, a deadline, or compaction
/// ```
/// A queue row holds as long as nothing of its pair changes: the first change takes it away in its
/// own commit. So a pair that comes back and goes again as it was is written once.
extension Relay {
  /// Nobody is connected to a pair that is in memory.
  func becameIdle(_ pair: Pair) {
    pair.idleSince = now
    guard !pair.isListedIdle else { return }
    list(pair, since: now)
    awaitEviction()
  }

  private func list(_ pair: Pair, since time: Int64) {
    pair.isListedIdle = true
    idle.append((pair, time))
  }

  private func awaitEviction() {
    guard !isEvictionAwaited, let first = idle.first, first.since + Limits.idleGrace > now else {
      return
    }
    isEvictionAwaited = true
    deadlines.add(.pairIdle, at: first.since + Limits.idleGrace)
  }

  /// Evicts pairs that have been idle for long enough, a bounded piece of work at a time: the next
  /// one follows the commit of this one. A server that stops evicts all at once, to start soon.
  func evictIdle() {
    // What is written down on eviction is worth nothing to a full disk.
    guard storeFailure == nil, !isDiskFull, open.after.evicted.isEmpty,
      !inFlight.contains(where: { !$0.after.evicted.isEmpty })
    else {
      return
    }
    var budget = Limits.evictedAtOnce
    var left = idle.count
    while budget > 0, left > 0, let first = idle.first,
      isStopping || first.since + Limits.idleGrace <= now
    {
      left -= 1
      let pair = idle.removeFirst().pair
      pair.isListedIdle = false
      guard pairs[pair.number] === pair, !pair.isConnected else { continue }
      let isDue = isStopping || pair.idleSince + Limits.idleGrace <= now
      if isDue, isQuiet(pair) {
        budget -= pair.size
        evict(pair)
      } else {
        // What is in flight is followed by another look.
        list(pair, since: isDue ? first.since : pair.idleSince)
      }
    }
    awaitEviction()
  }

  /// Nothing of a pair is uncommitted, and nobody has one of its devices in hand.
  private func isQuiet(_ pair: Pair) -> Bool {
    pair.lastBatch <= committed && pair.records.here?.isLent != true
      && !pair.devices.contains(where: \.isFetching)
  }

  /// Has a pair leave the memory: at once where the store has all of it, else with the open batch. Where very much waits
  /// in it, its row is put together aside before.
  func evict(_ pair: Pair) {
    guard !pair.hasQueueRow, !isStopping, pair.size / Self.itemsOfARecord > limits.aside else {
      return evict(pair, nil)
    }
    let last = pair.lastBatch
    let content = waiting(in: pair)
    aside {
      QueueRow.make(content)
    } then: { [self] row in
      guard pairs[pair.number] === pair, !pair.isConnected, !pair.isListedIdle else { return }
      guard pair.lastBatch == last, isQuiet(pair) else { return becameIdle(pair) }
      evict(pair, row)
    }
  }

  private func waiting(in pair: Pair) -> QueueRow.Content {
    QueueRow.Content(pair, deadline: uploadDeadline(pair), epoch: epoch)
  }

  /// Items that take as long as a record does.
  private static let itemsOfARecord = 64

  /// - Parameter row: what waits in it; nil where that has yet to be put together.
  private func evict(_ pair: Pair, _ row: Row?) {
    keepMissedEnds(pair)
    saveUse(pair)
    saveCount(pair)
    if pair.hasQueueRow { return forget(pair) }
    pair.evictionBatch = open.number
    pair.queueRow = row
    open.after.evicted.append(pair)
  }

  private func forget(_ pair: Pair) {
    precondition(!pair.isConnected, "pair \(pair.name) is evicted while somebody is connected")
    pairs[pair.number] = nil
    hubs?.letGo(pair)
    countWaiting(of: pair, isComing: false)
    evictedSize += pair.size
    if pair.isBlank { blankPairs.add(pair.number, pair.known) }
    awaitExpiry(pair)
    let deadline = uploadDeadline(pair)
    pair.dissolve()
    guard deadline != uploadDeadlines[pair.number] else { return }
    uploadDeadlines[pair.number] = nil
    if let deadline { watchUploads(of: pair.number, at: deadline) }
  }

  /// The queue rows of a batch. Until now all changes of a pair that is being evicted are in.
  func queueRows(_ batch: OpenBatch) -> [Row] {
    var rows: [Row] = []
    for pair in batch.outdated where pair.evictionBatch != batch.number {
      rows.append(Row(QueueRow.key(pair.number), nil))
    }
    for pair in batch.after.evicted {
      let row = pair.queueRow
      pair.queueRow = nil
      guard pair.evictionBatch == batch.number else { continue }
      rows.append(row ?? QueueRow.make(waiting(in: pair)))
      pair.hasQueueRow = true
      pair.lastBatch = batch.number
    }
    return rows
  }

  /// A batch that was to evict a pair is committed. Where the pair has changed or is in use again,
  /// it stays.
  func finishEviction(_ pair: Pair, _ batch: UInt64) {
    guard !pair.isErased else { return }
    if pair.evictionBatch == batch { return forget(pair) }
    if !pair.isConnected, !pair.isListedIdle { becameIdle(pair) }
  }
}

extension Pair {
  /// About how much there is to write down of it, in transfers.
  fileprivate var size: Int {
    1 + devices.reduce(0) { $1.lanes.reduce($0) { $0 + $1.count } }
      + files.values.reduce(0) { $0 + $1.chunks.count }
      + (records.here?.entries ?? 0)
  }
}
