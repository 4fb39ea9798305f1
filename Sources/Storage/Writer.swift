import Journal

/// What the writer thread does: append to the log, answer reads, bring the database up to the log, move the WAL, and
/// start over after failures.
///
/// Used by the writer thread alone.
final class Writer {
  /// The kinds of work fail and are retried each on its own: a page that cannot be read does not
  /// hold up the commits.
  enum Step: Int, CaseIterable {
    case commit, read, copy, checkpoint, tidy, snapshot

    var writesDatabase: Bool { self != .commit && self != .read }
  }

  let options: StoreOptions
  let shared: Monitor<Shared>
  private let onWake: @Sendable () -> Void
  let source: DatabaseSource
  /// nil after a failure, until somebody needs it.
  private var opened: Database?
  /// Whether all that `opened` shows is durable. Else it serves reads only.
  private var isDurable = true
  /// Submitted and not yet known to be on the disk, in order.
  var batches: [Batch] = []
  /// In the log, and not known to be in the database.
  var memTable: MemTable
  private var reads: [Shared.Read] = []
  var reading: ReadInProgress?
  /// By `Step.rawValue`.
  private var troubles: [Trouble?] = Step.allCases.map { _ in nil }
  private var committed: UInt64
  /// What was reported last.
  private var reported: StoreState
  /// An entry of the log in the making.
  private var entry: [UInt8] = []
  private var closing = false
  /// Somebody copies the database; when to look again, of `monotonicNanoseconds`.
  var heldUntil: UInt64?
  var space = SpaceKeeping()
  /// A snapshot of a shard's copy on its way to the others.
  var snapshot: SnapshotWriter?
  /// Failures that `close` still puts up with.
  private var triesLeft = Int.max

  init(
    source: DatabaseSource, database: Database, lastBatch: UInt64, options: StoreOptions,
    shared: Monitor<Shared>, onWake: @escaping @Sendable () -> Void
  ) {
    self.source = source
    self.opened = database
    self.committed = lastBatch
    memTable = MemTable(behind: lastBatch)
    reported = database.state
    self.options = options
    self.shared = shared
    self.onWake = onWake
  }

  /// The thread's body; returns after `close`.
  func run() {
    prepareReserve()
    prepareQuota()
    while takeWork() {
      if isDue(.commit) { attempt(.commit, commitGroup) }
      if isDue(.read), !closing { attempt(.read, answerReads) }
      for (step, body) in [
        (.copy, copy), (.checkpoint, checkpoint), (.tidy, tidy), (.snapshot, takeSnapshot),
      ] as [Housekeeping]
      where isDue(step) && !closing {
        if takeHold() { attempt(step, body) }
        source.hold?.giveBack()
      }
    }
    let done = batches.isEmpty && !tellIfGone()
    endSnapshot()
    if done { source.ownedLog?.release() }
    // It is no failure when that fails: the log then has it all.
    if done, (try? copy()) != nil, let database = try? writable() {
      database.closeToTheEnd()
      try? source.logFile?.empty()
    } else if let opened {
      source.close(opened)
    }
    shared.with { $0.allCommitted = done }
  }

  private typealias Housekeeping = (Step, () throws(StoreError) -> Void)

  // MARK: Waiting

  /// Waits until there is something to do.
  ///
  /// - Returns: false when all is done after `close`, or cannot be.
  private func takeWork() -> Bool {
    let wasClosing = closing
    let busy = Step.allCases.contains { troubles[$0.rawValue] == nil && hasWork($0) }
    var deadline = troubles.compactMap { $0?.nextTry }.min()
    if troubles[Step.commit.rawValue] == nil, let next = source.ownedLog?.nextDue {
      deadline = min(deadline ?? .max, next)
    }
    if troubles[Step.tidy.rawValue] == nil, let next = space.nextTidy {
      deadline = min(deadline ?? .max, next)
    }
    if let heldUntil { deadline = max(deadline ?? 0, heldUntil) }
    _ = shared.wait(until: busy ? 0 : deadline) { state -> Void? in
      let news = !state.batches.isEmpty || !state.reads.isEmpty || state.closing != closing
      batches.append(contentsOf: state.batches)
      state.batches.removeAll(keepingCapacity: true)
      reads.append(contentsOf: state.reads)
      state.reads.removeAll(keepingCapacity: true)
      closing = state.closing
      return news || busy || closing ? () : nil
    }
    if closing, !wasClosing { triesLeft = troubles[Step.commit.rawValue] == nil ? 2 : 1 }
    return !closing || (!batches.isEmpty && triesLeft > 0)
  }

  private func hasWork(_ step: Step) -> Bool {
    switch step {
    case .commit: !batches.isEmpty || isLogDue
    case .read: hasReads
    case .copy: !isHeld && wantsCopy
    case .checkpoint: !isHeld && wantsCheckpoint
    case .tidy: !isHeld && isTidyDue
    case .snapshot: wantsSnapshot
    }
  }

  /// Whether a step is to be taken now. One that has failed is tried again even when its work was done
  /// on the way, by reopening: that is what ends its trouble. Closing does not wait.
  private func isDue(_ step: Step) -> Bool {
    guard let trouble = troubles[step.rawValue] else { return hasWork(step) }
    if step.writesDatabase, isHeld { return false }
    return closing || monotonicNanoseconds() >= trouble.nextTry
  }

  private var isLogDue: Bool {
    source.ownedLog?.nextDue.map { $0 <= monotonicNanoseconds() } ?? false
  }

  private var hasReads: Bool { reading != nil || !reads.isEmpty }

  /// A long WAL is moved at once, a shorter one when nothing waits.
  private var wantsCheckpoint: Bool {
    guard let opened, isDurable else { return false }
    let bytes = opened.walBytes
    return bytes >= longestWAL
      || (bytes >= min(options.idleCheckpointBytes, longestWAL / 2) && batches.isEmpty)
  }

  // MARK: Failures

  /// Runs a step; when it fails, closes the database and sets the time of the next try.
  private func attempt(_ step: Step, _ body: () throws(StoreError) -> Void) {
    do {
      try body()
      guard troubles[step.rawValue] != nil else { return }
      troubles[step.rawValue] = nil
      if !troubles.contains(where: { $0 != nil }) { tell(.recovered) }
    } catch {
      let cause = giveUp(step, after: error)
      if cause.kind == .full, source.reserve?.giveUp() == true { return diskIsFull(cause) }
      if closing { triesLeft -= 1 }
      if troubles[step.rawValue]?.again(cause.kind) == true { return }
      troubles[step.rawValue] = Trouble(cause.kind, delays: options.retryDelays)
      let next = batches.last.map { $0.number + 1 } ?? committed + 1
      tell(.failing(cause, firstUncommitted: step == .commit ? committed + 1 : next))
    }
  }

  /// Closes the database after a failure, to open it anew. Not where its files have gone: what is open is
  /// then all that there is, and serves reads until they are back.
  ///
  /// - Returns: what is to be told.
  private func giveUp(_ step: Step, after error: StoreError) -> StoreError {
    guard source.canReopen, let opened else { return error }
    endSnapshot()
    // The log is another file.
    if step == .commit { return nameTrouble() ?? error }
    do throws(StoreError) {
      if error.kind == .gone { throw error }
      // A read leaves the lengths alone, so that another one is not SQLite's.
      if step == .read { try source.open?.check() } else { try source.open?.checkNames() }
      source.close(opened)
      self.opened = nil
      return error
    } catch {
      isDurable = false
      return error
    }
  }

  private func nameTrouble() -> StoreError? {
    do throws(StoreError) {
      try source.open?.checkNames()
      return nil
    } catch {
      return error
    }
  }

  /// - Returns: whether the store's files have gone, at the end.
  private func tellIfGone() -> Bool {
    do throws(StoreError) {
      try source.open?.check()
      return false
    } catch {
      let isTold = troubles.contains { $0?.kind == .gone }
      if !isTold { tell(.failing(error, firstUncommitted: committed + 1)) }
      return true
    }
  }

  /// The open database for writing; reopens it after a failure and finds out what is committed.
  func writable() throws(StoreError) -> Database {
    try source.open?.check()
    if let opened, isDurable { return opened }
    endSnapshot()
    if let opened { source.close(opened) }
    opened = nil
    let database = try source.reopen(durably: true)
    guard database.state.lastBatch >= memTable.base else {
      source.close(database)
      throw StoreError(
        .gone, function: "reopen", path: database.connection.path,
        "the store lacks batch \(memTable.base), which it had: its WAL was removed or cut while the "
          + "server ran; stop the server and restore the store from a backup")
    }
    // A WAL that has no room to grow starts over once what it holds is in the database.
    try? database.checkpoint()
    // Which may have cut the database's end off, where pages had left it, also where a sync failed then.
    try source.open?.measure()
    opened = database
    isDurable = true
    return database
  }

  /// The open database for reading what is known to be committed. Syncs may fail for long; reads need
  /// none.
  func readable() throws(StoreError) -> Database {
    if let opened { return opened }
    let database = try source.reopen(durably: false)
    opened = database
    isDurable = false
    return database
  }

  // MARK: Work

  /// Commits the batches that wait, or as many as an entry may hold.
  private func commitGroup() throws(StoreError) {
    guard !batches.isEmpty else {
      try source.ownedLog?.keepUp()
      noteSizes()
      return
    }
    try source.open?.check(logBytes: source.logFile?.byteCount ?? 0)
    // It has gone on where an entry was written, and the files' names were in doubt then.
    if source.log.last == committed { try append() }
    // Nothing is told that went into a file without a name.
    try source.open?.check(logBytes: source.logFile?.byteCount ?? 0)
    settle(through: source.log.last)
    awaitTidying()
  }

  private func append() throws(StoreError) {
    // After a failure one by one: on a full disk the first may have room where all have not.
    let limit =
      troubles[Step.commit.rawValue] == nil && space.diskError == nil ? options.groupBytes : 0
    var bytes = 0
    let end =
      batches.firstIndex { batch in
        let isFull = bytes > limit
        bytes += max(1, batch.byteCount)
        return isFull
      } ?? batches.count
    guard end > 0 else { return }
    entry.removeAll(keepingCapacity: true)
    BatchCoding.append(batches[..<end], to: &entry)
    try source.log.append(entry, sequence: batches[end - 1].number, behind: committed)
  }

  /// Reports what is on the disk.
  private func settle(through number: UInt64) {
    guard number > committed else { return }
    committed = number
    reported.lastBatch = number
    source.noteReported(reported)
    let end = batches.firstIndex { $0.number > number } ?? batches.count
    for batch in batches[..<end] { memTable.apply(batch) }
    batches.removeSubrange(..<end)
    noteSizes()
    tell(.committed(through: number))
  }

  func noteSizes() {
    // A log that several servers share is no part of the store.
    let log = source.ownedLog == nil ? source.log.byteCount : 0
    let sizes = StoreSizes(
      log: source.log.byteCount, memTable: memTable.byteCount,
      database: source.open?.databaseBytes ?? space.pages, free: space.free,
      used: log + databaseBytes, quota: space.quota,
      entry: source.ownedLog?.entry ?? 0)
    shared.with { $0.sizes = sizes }
    checkQuota(sizes.used)
  }

  private func checkpoint() throws(StoreError) {
    let database = try writable()
    try database.checkpoint()
    source.syncMark()
    try source.open?.measure()
    try lookForWaste(database)
  }

  /// Answers one read, or a piece of it.
  private func answerReads() throws(StoreError) {
    var budget = options.readBytes
    while hasReads, budget > 0 {
      var read = reading ?? ReadInProgress(reads.removeFirst())
      reading = read
      let event: Store.Event?
      do {
        event = try advance(&read, budget: &budget)
      } catch {
        guard error.kind == .corrupt else {
          // Somebody waits for a pair who can be told.
          if case .pair(let pair) = read.request {
            reading = nil
            tell(.pair(pair, nil))
          }
          throw error
        }
        reading = nil
        tellDamage(error, read)
        continue
      }
      reading = event == nil ? read : nil
      if let event { tell(event) }
    }
  }

  /// What is damaged stays so: it is told, and not read again. What lies before it is good.
  private func tellDamage(_ error: StoreError, _ read: ReadInProgress) {
    if case .references(let token, let references) = read.request, references.count > 1 {
      // Whoever asks again asks for one, and is told then.
      return tell(.read(token: token, read.next > 0 ? read.results : nil))
    }
    tell(.damaged(error))
    switch read.request {
    case .references(let token, _): tell(.read(token: token, nil))
    case .segment(let token, _): tell(.segment(token: token, nil))
    case .pair(let pair): tell(.pair(pair, nil))
    }
  }

  func tell(_ event: Store.Event) {
    let wasEmpty = shared.with { state in
      let wasEmpty = state.events.isEmpty
      if case .committed = event, case .committed = state.events.last {
        state.events[state.events.count - 1] = event
      } else {
        state.events.append(event)
      }
      return wasEmpty
    }
    if wasEmpty { onWake() }
  }
}

extension Batch {
  /// About what it takes in a transaction.
  fileprivate var byteCount: Int {
    (segment.map { $0.header.count + $0.body.count } ?? 0)
      + (removedSegments.count + removedPairs.count) * 16
      + rows.reduce(0) { $0 + 64 + ($1.value?.count ?? 0) }
  }
}
