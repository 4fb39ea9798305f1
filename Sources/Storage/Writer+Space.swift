/// What the writer knows of the room on the disk.
struct SpaceKeeping {
  /// The disk is full, and the reserve in use.
  var diskError: StoreError?
  /// The store is as large as it may become.
  var quotaError: StoreError?
  /// Most of the database's pages hold nothing.
  var isWasteful = false
  /// When to look what can be given back, of `monotonicNanoseconds`; nil for not at all.
  var nextTidy: UInt64?
  var lastCommit: UInt64 = 0
  /// Pages have left the database, and its file is as long as before.
  var hasShrunk = false
  /// Bytes of the database's pages, and of those that hold nothing, when it was written to last.
  var pages = 0
  var free = 0
  /// Bytes that the store may take.
  var quota = Int.max
  /// Bytes that it took when it was opened.
  var own = 0

  /// Why nothing new is to be added; nil where there is room.
  var error: StoreError? { diskError ?? quotaError }
}

/// Giving space back: pages that hold nothing, a long WAL, and the reserve's room.
///
/// A piece at a time, when nothing has been committed for a while. Where there is no room, or the database is
/// mostly empty, it does not wait for that, and does a piece each `tidyDelay`.
extension Writer {
  /// How long the WAL may become: what the reserve can move, and an eighth of what the store may take.
  var longestWAL: Int { min(bounded(options.busyCheckpointBytes, \.longestWAL), space.quota / 8) }

  /// How long the log may become.
  var longestLog: Int { min(bounded(options.logBytes, \.longestLog), space.quota / 8) }

  /// Bytes that may be missing in the database.
  var mostInMemory: Int { min(bounded(options.memTableBytes, \.mostInMemory), space.quota / 16) }

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
    guard space.diskError == nil else { return }
    setRoom { $0.diskError = error }
  }

  /// Tells where there is room again, or none for another reason.
  private func setRoom(_ change: (inout SpaceKeeping) -> Void) {
    let before = space.error
    change(&space)
    guard space.error?.kind != before?.kind else { return }
    tell(space.error.map { .full($0) } ?? .hasRoom)
  }

  // MARK: The quota

  /// At the start, when nobody is served yet.
  func prepareQuota() {
    // Where it cannot be looked at now, it is when it is written to.
    if let database = try? readable() { try? notePages(of: database) }
    space.own = databaseBytes
    if case .bytes(let bytes) = options.quota { space.quota = bytes }
    followDisk()
    noteSizes()
  }

  /// Has the quota grow where others have made room on the disk. What the store itself takes of it changes nothing.
  private func followDisk() {
    guard case .disk(let shares) = options.quota, let files = source.files,
      let free = options.freeBytes(files.directory)
    else { return }
    let grown = databaseBytes - space.own
    let quota = space.own + (free + max(0, grown)) / 10 * 9 / shares
    space.quota = space.quota == .max ? quota : max(space.quota, quota)
  }

  /// What the database uses, and its WAL.
  var databaseBytes: Int { space.pages - space.free + (source.open?.walBytes ?? 0) }

  func notePages(of database: Database) throws(StoreError) {
    (space.free, space.pages) = try database.space()
  }

  /// What is under way when it is used up is accepted. There is room when an eighth of it is free: what the log may
  /// take, which has started over by then.
  func checkQuota(_ used: Int) {
    if space.quotaError == nil, used > space.quota {
      space.nextTidy = space.nextTidy ?? monotonicNanoseconds() + options.tidyDelay
      setRoom {
        $0.quotaError = StoreError(
          .quota, function: "quota", path: source.files?.directory ?? Database.memoryPath,
          "the store has \(used) bytes, as many as it may")
      }
    } else if space.quotaError != nil, used <= space.quota / 8 * 7 {
      setRoom { $0.quotaError = nil }
    }
  }

  // MARK: Tidying

  /// Something was committed: looks what can be given back once all is quiet.
  func awaitTidying() {
    guard source.canReopen || space.quotaError != nil else { return }
    space.lastCommit = monotonicNanoseconds()
    if space.nextTidy == nil || !(space.error != nil || space.isWasteful) {
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
    if source.canReopen { try giveBack(database) }
    try notePages(of: database)
    followDisk()
    noteSizes()
    refillReserve()
    // Others may make room while nothing is committed.
    if space.quotaError != nil { tidyAgain() }
  }

  private func giveBack(_ database: Database) throws(StoreError) {
    let isFull = space.diskError != nil
    if isFull { try moveWAL(database) }
    let (free, all) = try database.space()
    // Something is left for the next ones, unless all is needed.
    let kept = isFull ? 0 : max(options.idleWALBytes, all / 8)
    // A piece is written to the WAL before it is gone from the database.
    let pages = min(options.tidyPages, max(1, longestWAL / 4 / database.pageSize))
    if free > kept, try database.shrink(pages: pages) {
      space.hasShrunk = true
      try source.open?.measure()
      if isFull { try moveWAL(database) }
      tidyAgain()
    } else {
      space.isWasteful = false
      if space.hasShrunk || (source.open?.walBytes ?? 0) > idleWAL { try moveWAL(database) }
    }
  }

  private func refillReserve() {
    let isFull = space.diskError != nil
    guard let reserve = source.reserve, isFull || !reserve.isWhole else { return }
    // As much again has to be free, so that the next WAL does not find the disk full at once.
    if reserve.fill(sparing: isFull ? reserve.wanted : 0) {
      setRoom { $0.diskError = nil }
    } else {
      tidyAgain()
    }
  }

  /// How long the WAL's file may stay when nothing is committed.
  private var idleWAL: Int { min(options.idleWALBytes, longestWAL) }

  private func moveWAL(_ database: Database) throws(StoreError) {
    try database.shortenWAL(to: idleWAL, then: options.busyCheckpointBytes)
    space.hasShrunk = false
    try source.open?.measure()
  }

  /// There is more to do: at once where nobody is hindered.
  private func tidyAgain() {
    let now = monotonicNanoseconds()
    let isQuiet = now >= space.lastCommit + options.tidyDelay
    space.nextTidy = isQuiet && space.error == nil ? now : now + options.tidyDelay
  }
}
