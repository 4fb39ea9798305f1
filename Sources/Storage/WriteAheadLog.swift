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
  /// - Complexity: O(log's size), bounded by the checkpoints.
  static func makeDurable(databasePath path: String, vfs: String?) throws(StoreError) {
    guard let file = try VFSFile(path + "-wal", creating: false, vfs: vfs) else { return }
    let size = try file.size()
    guard size > 0 else { return }
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
    defer { buffer.deallocate() }
    var offset: Int64 = 0
    while offset < size {
      let count = Int(min(Int64(buffer.count), size - offset))
      let piece = UnsafeMutableRawBufferPointer(rebasing: buffer[..<count])
      try file.read(piece, at: offset)
      try file.write(UnsafeRawBufferPointer(piece), at: offset)
      offset += Int64(count)
    }
    try file.sync()
  }
}
