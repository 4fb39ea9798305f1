import Journal

/// Bringing the database up to the log, when something fills up or nothing else is to be done.
extension Writer {
  /// While nothing fills up, what is in the log only may come to nothing: the later, the less is left of it. A log
  /// that cannot grow starts over.
  var wantsCopy: Bool {
    guard !memTable.isEmpty else { return false }
    return memTable.byteCount >= mostInMemory || source.log.byteCount >= longestLog
      || source.logFile?.cannotGrow == true
  }

  /// Brings the database up to the log, which may start over then.
  ///
  /// Where `put` throws nothing of it is in the database: what a commit that failed has left in the WAL is made
  /// invalid before that is used again. So what the table has is what the database lacks, at all times.
  func copy() throws(StoreError) {
    guard !memTable.isEmpty else { return }
    let database = try writable()
    try database.put(memTable, position: source.ownedLog?.position)
    memTable = MemTable(behind: database.state.lastBatch)
    // Nothing goes from the log that went into a file without a name.
    try source.open?.check(walBytes: database.walFileBytes)
    try source.open?.measure()
    source.log.trim(through: memTable.base)
    try notePages(of: database)
    noteSizes()
  }

  // MARK: Somebody else copies it

  /// Whether the database may be written to: not while somebody copies it. What is only in the log is in memory too,
  /// and may become four times as much as else; then it is written all the same.
  func takeHold() -> Bool {
    guard let hold = source.hold, !hold.acquire() else { return true }
    guard memTable.byteCount < 4 * mostInMemory, source.log.byteCount < 4 * longestLog else {
      return true
    }
    heldUntil = monotonicNanoseconds() + Self.holdDelay
    return false
  }

  /// Nanoseconds between two looks whether the database may be written to again.
  private static let holdDelay: UInt64 = 20_000_000

  /// Whether somebody was copying the database a moment ago.
  var isHeld: Bool {
    guard let until = heldUntil else { return false }
    if monotonicNanoseconds() < until { return true }
    heldUntil = nil
    return false
  }
}
