import CSQLite

/// What SQLite leaves undone about its log after a failed sync.
///
/// On Linux a sync that fails leaves the pages in memory, marked clean: reading them back shows a commit
/// that is not on the disk, and the next sync succeeds without writing it
/// (<https://wiki.postgresql.org/wiki/Fsync_Errors>). SQLite would recover that commit on reopening. So
/// the log is first written anew, byte for byte, and synced: whatever recovery then reads is durable.
enum WriteAheadLog {
  /// Writes the log of the database at `path` anew. Does nothing when there is none.
  ///
  /// Goes through the VFS, as SQLite does, so that a test's VFS sees it. Nothing else uses the log now.
  ///
  /// - Complexity: O(log's size), bounded by the checkpoints.
  static func makeDurable(databasePath path: String, vfs name: String?) throws(StoreError) {
    guard let vfs = sqlite3_vfs_find(name) else { preconditionFailure("no VFS \(name ?? "")") }
    // Names that a VFS gets come from here (<https://www.sqlite.org/c3ref/create_filename.html>).
    let fileName = sqlite3_create_filename(path, path + "-journal", path + "-wal", 0, nil)
    defer { sqlite3_free_filename(fileName) }
    let logName = sqlite3_filename_wal(fileName)

    func check(_ code: Int32, _ function: String) throws(StoreError) {
      guard code == SQLITE_OK else {
        let number = vfs.pointee.xGetLastError?(vfs, 0, nil) ?? 0
        throw StoreError(
          code: code, function: function, path: path + "-wal",
          detail: String(cString: sqlite3_errstr(code)), errorNumber: number)
      }
    }

    var exists: Int32 = 0
    try check(vfs.pointee.xAccess(vfs, logName, SQLITE_ACCESS_EXISTS, &exists), "xAccess")
    guard exists != 0 else { return }

    let memory = UnsafeMutableRawPointer.allocate(
      byteCount: Int(vfs.pointee.szOsFile), alignment: 16)
    defer { memory.deallocate() }
    memory.initializeMemory(as: UInt8.self, repeating: 0, count: Int(vfs.pointee.szOsFile))
    let file = memory.assumingMemoryBound(to: sqlite3_file.self)
    let code = vfs.pointee.xOpen(
      vfs, logName, file, SQLITE_OPEN_READWRITE | SQLITE_OPEN_WAL, nil)
    defer { _ = file.pointee.pMethods?.pointee.xClose(file) }
    try check(code, "xOpen")
    let methods = file.pointee.pMethods.pointee

    var size: Int64 = 0
    try check(methods.xFileSize(file, &size), "xFileSize")
    guard size > 0 else { return }
    let piece = 1 << 16
    let buffer = UnsafeMutableRawPointer.allocate(byteCount: piece, alignment: 16)
    defer { buffer.deallocate() }
    var offset: Int64 = 0
    while offset < size {
      let count = Int32(min(Int64(piece), size - offset))
      try check(methods.xRead(file, buffer, count, offset), "xRead")
      try check(methods.xWrite(file, buffer, count, offset), "xWrite")
      offset += Int64(count)
    }
    try check(methods.xSync(file, SQLITE_SYNC_NORMAL), "xSync")
  }
}
