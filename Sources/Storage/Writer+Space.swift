/// What the writer knows of the room on the disk.
struct SpaceKeeping {
  /// The disk is full, and the reserve in use.
  var isFull = false
  /// Most of the database's pages hold nothing.
  var isWasteful = false
  /// When to look what can be given back, of `monotonicNanoseconds`; nil for not at all.
  var nextTidy: UInt64?
  var lastCommit: UInt64 = 0
  /// Pages have left the database, and its file is as long as before.
  var hasShrunk = false
}

/// Giving space back: pages that hold nothing, a long WAL, and the reserve's room.
///
/// A piece at a time, when nothing has been committed for a while. Where the disk is full or the database
/// mostly empty it does not wait for that, and does a piece each `tidyDelay`.
extension Writer {
  /// How long the WAL may become: what the reserve can move.
  var longestWAL: Int { bounded(options.busyCheckpointBytes, \.longestWAL) }

  /// How long the log may become.
  var longestLog: Int { bounded(options.logBytes, \.longestLog) }

  /// Bytes that may be missing in the database.
  var mostInMemory: Int { bounded(options.memTableBytes, \.mostInMemory) }

  private func bounded(_ bytes: Int, _ share: KeyPath<Reserve, Int>) -> Int {
    guard let reserve = source.reserve, reserve.wanted > 0 else { return bytes }
    return min(bytes, reserve[keyPath: share])
  }

  /// At the start. A disk that has less room than the reserve takes is full.
  func prepareReserve() {
    guard let reserve = source.reserve, !reserve.fill(sparing: 0) else { return }
    diskIsFull(
      StoreError(
        .full, function: "posix_fallocate", path: reserve.path,
        "the disk has less than \(reserve.wanted >> 10) KiB left, make room"))
  }

  /// A part of the reserve has been given up, or could not be had.
  func diskIsFull(_ error: StoreError) {
    space.nextTidy = space.nextTidy ?? monotonicNanoseconds() + options.tidyDelay
    guard !space.isFull else { return }
    space.isFull = true
    tell(.full(error))
  }

  /// Something was committed: looks what can be given back once all is quiet.
  func awaitTidying() {
    guard source.canReopen else { return }
    space.lastCommit = monotonicNanoseconds()
    if space.nextTidy == nil || !(space.isFull || space.isWasteful) {
      space.nextTidy = space.lastCommit + options.tidyDelay
    }
  }

  var isTidyDue: Bool {
    guard batches.isEmpty, let next = space.nextTidy else { return false }
    return monotonicNanoseconds() >= next
  }

  /// A busy server gives back what it does not need where that is more than half.
  func lookForWaste(_ database: Database) throws(StoreError) {
    let (free, all) = try database.space()
    space.isWasteful = free > all / 2 && free > options.busyCheckpointBytes
  }

  func tidy() throws(StoreError) {
    try copy()
    try source.logFile?.shorten(to: options.idleWALBytes)
    let database = try writable()
    space.nextTidy = nil
    if space.isFull { try moveWAL(database) }
    let (free, all) = try database.space()
    // Something is left for the next ones, unless all is needed.
    let kept = space.isFull ? 0 : max(options.idleWALBytes, all / 8)
    // A piece is written to the WAL before it is gone from the database.
    let pages = min(options.tidyPages, max(1, longestWAL / 4 / database.pageSize))
    if free > kept, try database.shrink(pages: pages) {
      space.hasShrunk = true
      try source.open?.measure()
      if space.isFull { try moveWAL(database) }
      tidyAgain()
    } else {
      space.isWasteful = false
      if space.hasShrunk || (source.open?.walBytes ?? 0) > options.idleWALBytes {
        try moveWAL(database)
      }
    }
    guard let reserve = source.reserve, space.isFull || !reserve.isWhole else { return }
    // As much again has to be free, so that the next WAL does not find the disk full at once.
    if reserve.fill(sparing: space.isFull ? reserve.wanted : 0) {
      if space.isFull { tell(.hasRoom) }
      space.isFull = false
    } else {
      tidyAgain()
    }
  }

  private func moveWAL(_ database: Database) throws(StoreError) {
    try database.shortenWAL(
      to: min(options.idleWALBytes, longestWAL), then: options.busyCheckpointBytes)
    space.hasShrunk = false
    try source.open?.measure()
  }

  /// There is more to do: at once where nobody is hindered.
  private func tidyAgain() {
    let now = monotonicNanoseconds()
    let isQuiet = now >= space.lastCommit + options.tidyDelay
    space.nextTidy = isQuiet && !space.isFull ? now : now + options.tidyDelay
  }
}
