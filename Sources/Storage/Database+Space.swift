import CSQLite

extension Database {
  /// Has the database keep a WAL, where a creation that failed at its very end has left it without.
  static func ensureWAL(_ connection: Connection) throws(StoreError) {
    let mode = try connection.text("PRAGMA journal_mode = WAL")
    guard mode == "wal" else {
      throw StoreError(
        .other, function: "PRAGMA journal_mode", path: connection.path,
        "the store cannot have a WAL: \(mode)")
    }
  }
  /// Has an older database give pages back, too: that takes writing it anew, which is done at a start
  /// where it is small, or mostly empty, and where there is room. It is no failure when that fails.
  ///
  /// - Parameter room: bytes that are free on the disk; nil where that is not known.
  /// - Returns: whether it was written anew.
  static func makeShrinkable(_ connection: Connection, free room: @autoclosure () -> Int?) -> Bool {
    do throws(StoreError) {
      guard try connection.integer("PRAGMA auto_vacuum") == 0 else { return false }
      let pages = try connection.integer("PRAGMA page_count")
      let free = try connection.integer("PRAGMA freelist_count")
      let live = (pages - free) * (try connection.integer("PRAGMA page_size"))
      guard live <= smallDatabase || free > pages / 2,
        // The WAL, the database's growth at worst, and as much again.
        let room = room(), room >= 3 * live
      else { return false }
      try connection.execute(
        "PRAGMA temp_store = FILE; PRAGMA auto_vacuum = INCREMENTAL; VACUUM; PRAGMA temp_store = MEMORY"
      )
      return true
    } catch {
      return false
    }
  }

  /// Bytes that are written anew in a moment.
  private static var smallDatabase: Int64 { 64 << 20 }

  /// Bytes in pages that hold nothing, and those of all pages.
  func space() throws(StoreError) -> (free: Int, all: Int) {
    (
      Int(try connection.integer("PRAGMA freelist_count")) * pageSize,
      Int(try connection.integer("PRAGMA page_count")) * pageSize
    )
  }

  /// Takes up to `pages` pages that hold nothing out of the database. Its file becomes shorter when
  /// the WAL is moved (<https://www.sqlite.org/pragma.html#pragma_incremental_vacuum>).
  ///
  /// - Returns: whether there were any that can be taken out.
  func shrink(pages: Int) throws(StoreError) -> Bool {
    let before = try connection.integer("PRAGMA freelist_count")
    guard before > 0 else { return false }
    try connection.execute("PRAGMA incremental_vacuum(\(pages))")
    return try connection.integer("PRAGMA freelist_count") < before
  }

  /// Moves the WAL into the database, and makes the WAL's file short.
  ///
  /// A store that is open never has an empty WAL: that is how one that was removed is told. So the WAL starts
  /// over with a commit that changes nothing, at which SQLite cuts what is behind it
  /// (<https://www.sqlite.org/pragma.html#pragma_journal_size_limit>).
  func shortenWAL(to bytes: Int, then limit: Int) throws(StoreError) {
    try moveWAL(SQLITE_CHECKPOINT_RESTART)
    try connection.execute("PRAGMA journal_size_limit = \(bytes)")
    defer { try? connection.execute("PRAGMA journal_size_limit = \(limit)") }
    try change { _ in }
  }
}
