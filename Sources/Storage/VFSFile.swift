import CSQLite

/// A file beside the database, used through SQLite's VFS so that a test's VFS sees it.
///
/// SQLite's kind for it is that of a log: the first sync of a new one syncs its directory, too.
final class VFSFile {
  private let memory: UnsafeMutableRawPointer
  private let file: UnsafeMutablePointer<sqlite3_file>
  private let vfs: UnsafeMutablePointer<sqlite3_vfs>
  /// Names that a VFS gets have to be made so (<https://www.sqlite.org/c3ref/create_filename.html>).
  private let name: sqlite3_filename
  private let path: String

  /// - Parameter creating: else the file has to be there.
  /// - Returns: nil when it is not.
  init?(_ path: String, creating: Bool, vfs vfsName: String?) throws(StoreError) {
    guard let vfs = sqlite3_vfs_find(vfsName) else {
      preconditionFailure("no VFS \(vfsName ?? "")")
    }
    self.vfs = vfs
    self.path = path
    name = sqlite3_create_filename(path, "", "", 0, nil)
    memory = .allocate(byteCount: Int(vfs.pointee.szOsFile), alignment: 16)
    memory.initializeMemory(as: UInt8.self, repeating: 0, count: Int(vfs.pointee.szOsFile))
    file = memory.assumingMemoryBound(to: sqlite3_file.self)
    var exists: Int32 = 0
    try check(vfs.pointee.xAccess(vfs, name, SQLITE_ACCESS_EXISTS, &exists), "xAccess")
    guard exists != 0 || creating else { return nil }
    try check(
      vfs.pointee.xOpen(
        vfs, name, file,
        SQLITE_OPEN_READWRITE | SQLITE_OPEN_WAL | (creating ? SQLITE_OPEN_CREATE : 0), nil),
      "xOpen")
  }

  deinit {
    _ = file.pointee.pMethods?.pointee.xClose(file)
    memory.deallocate()
    sqlite3_free_filename(name)
  }

  /// SQLite's own VFS takes a page at a time, 64 KiB at most, and cuts what is longer than 128 KiB without a word.
  private static let longestPiece = 64 << 10

  private var methods: sqlite3_io_methods { file.pointee.pMethods.pointee }

  private func check(_ code: Int32, _ function: String) throws(StoreError) {
    guard code == SQLITE_OK else {
      throw StoreError(
        code: code, function: function, path: path, detail: String(cString: sqlite3_errstr(code)),
        errorNumber: vfs.pointee.xGetLastError?(vfs, 0, nil) ?? 0)
    }
  }

  func size() throws(StoreError) -> Int64 {
    var size: Int64 = 0
    try check(methods.xFileSize(file, &size), "xFileSize")
    return size
  }

  func bytes(_ count: Int, at offset: Int64) throws(StoreError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    var failure = SQLITE_OK
    bytes.withUnsafeMutableBytes {
      for start in stride(from: 0, to: count, by: Self.longestPiece) where failure == SQLITE_OK {
        failure = methods.xRead(
          file, $0.baseAddress! + start, Int32(min(count - start, Self.longestPiece)),
          offset + Int64(start))
      }
    }
    try check(failure, "xRead")
    return bytes
  }

  func write(_ bytes: [UInt8], at offset: Int64) throws(StoreError) {
    var failure = SQLITE_OK
    bytes.withUnsafeBytes {
      for start in stride(from: 0, to: $0.count, by: Self.longestPiece) where failure == SQLITE_OK {
        failure = methods.xWrite(
          file, $0.baseAddress! + start, Int32(min($0.count - start, Self.longestPiece)),
          offset + Int64(start))
      }
    }
    try check(failure, "xWrite")
  }

  func truncate(to length: Int64) throws(StoreError) {
    try check(methods.xTruncate(file, length), "xTruncate")
  }

  /// Has the file system keep room for `length` bytes. With a chunk size SQLite's hint allocates
  /// (<https://www.sqlite.org/c3ref/c_fcntl_begin_atomic_write.html>).
  func allocate(_ length: Int64, inPiecesOf piece: Int32) throws(StoreError) {
    var (length, piece) = (length, piece)
    try check(methods.xFileControl(file, SQLITE_FCNTL_CHUNK_SIZE, &piece), "xFileControl")
    try check(methods.xFileControl(file, SQLITE_FCNTL_SIZE_HINT, &length), "xFileControl")
  }

  func sync() throws(StoreError) { try check(methods.xSync(file, SQLITE_SYNC_NORMAL), "xSync") }
}
