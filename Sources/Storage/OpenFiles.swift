import CSQLite
import Glibc

/// The files of an open database, and whether they still are what their names lead to.
///
/// A process goes on writing to a file that has no name any more, and all of it is lost with the process. So
/// the names are looked up before and after each commit (two `stat` calls, about a microsecond
/// together) and compared with the files that are open. Each file is held by a descriptor of ours: while one
/// is, its inode is given to no other file. Descriptors to look at
/// (`openToLookAt`) take no part in SQLite's locks, which closing an
/// ordinary one would drop (<https://www.sqlite.org/howtocorrupt.html#_posix_advisory_locks_canceled_by_a_separate_thread_doing_close_>).
final class OpenFiles {
  private var database: OpenFile?
  /// nil while there is none: closing the database removes it.
  private var wal: OpenFile?
  private var log: OpenFile?
  private let directory: String
  /// Of the commits that had succeeded when the database was closed: their pages in the WAL, and where they
  /// end.
  private(set) var walPages: Int32 = 0
  private(set) var walEnd = WriteAheadLog.end(pages: 0, of: 0)

  init(directory: String) { self.directory = directory }

  /// Takes note of the files of a database that has just been opened.
  ///
  /// - Throws: `gone` where they are others than before, or are not there.
  func opened(_ connection: Connection, log logPath: String?) throws(StoreError) {
    guard let name = sqlite3_db_filename(connection.handle, "main") else { return }
    if database == nil {
      database = try OpenFile(connection.path, "database", in: directory)
    }
    // The WAL lies beside the file itself, whatever links lead to it.
    let path = sqlite3_filename_wal(name).map { String(cString: $0) } ?? connection.path + "-wal"
    if wal == nil { wal = try OpenFile(path, "WAL", in: directory) }
    if log == nil, let logPath { log = try OpenFile(logPath, "log", in: directory) }
    try check()
    try measure()
  }

  /// The database has been closed. Where that has moved the WAL into it, the WAL is gone, and rightly.
  func closed(walPages: Int32, walEnd: Int) {
    self.walPages = walPages
    self.walEnd = walEnd
    guard let path = wal?.path else { return }
    var status = stat()
    if stat(path, &status) != 0, errno == ENOENT { wal = nil }
    // Closing makes the database longer or shorter.
    try? measure()
  }

  /// Compares the files with what their names lead to, and with the lengths that they had.
  ///
  /// - Parameters:
  ///   - walBytes: that the WAL has to have, where not those of before.
  ///   - logBytes: that the log has to have.
  /// - Throws: `gone`.
  func check(walBytes: Int? = nil, logBytes: Int = 0) throws(StoreError) {
    try database?.check(database!.bytes)
    try wal?.check(walBytes ?? wal!.bytes)
    try log?.check(logBytes)
  }

  /// The same without the lengths, which SQLite changes: also where it then fails.
  func checkNames() throws(StoreError) {
    try database?.check(0)
    try wal?.check(0)
    try log?.check(0)
  }

  /// Takes note of how long the files are. Nobody else makes them shorter than that.
  func measure() throws(StoreError) {
    try database?.measure()
    try wal?.measure()
  }

  /// Bytes of the WAL's file.
  var walBytes: Int { wal?.bytes ?? 0 }

  /// Bytes of the database's file and its WAL.
  var databaseBytes: Int { (database?.bytes ?? 0) + walBytes }
}

/// One of the files, held by a descriptor.
private final class OpenFile {
  let path: String
  private let what: String
  private let directory: String
  private let descriptor: Int32
  private let device: dev_t
  private let inode: ino_t
  /// Its length when it was looked at last.
  private(set) var bytes = 0

  init(_ path: String, _ what: String, in directory: String) throws(StoreError) {
    let descriptor = openToLookAt(path)
    guard descriptor >= 0 else {
      throw Self.gone(path, what, in: directory, errno)
    }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else {
      let number = errno
      Glibc.close(descriptor)
      throw StoreError(errno: number, function: "fstat", path: path)
    }
    self.path = path
    self.what = what
    self.directory = directory
    self.descriptor = descriptor
    device = status.st_dev
    inode = status.st_ino
  }

  deinit { Glibc.close(descriptor) }

  /// - Parameter least: bytes that it has to have.
  /// - Throws: `gone`, with what has become of it.
  func check(_ least: Int) throws(StoreError) {
    var status = stat()
    guard stat(path, &status) == 0 else { throw Self.gone(path, what, in: directory, errno) }
    guard status.st_dev == device, status.st_ino == inode else {
      throw Self.gone(
        path, "another file has taken the place of the store's \(what) while the server ran")
    }
    guard Int(status.st_size) >= least else {
      throw Self.gone(
        path,
        "the store's \(what) was cut to \(status.st_size) of its \(least) bytes while the server ran"
      )
    }
  }

  func measure() throws(StoreError) {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else {
      throw StoreError(errno: errno, function: "fstat", path: path)
    }
    bytes = Int(status.st_size)
  }

  private static func gone(
    _ path: String, _ what: String, in directory: String, _ number: Int32
  ) -> StoreError {
    guard number == ENOENT || number == ENOTDIR else {
      return gone(
        path, "the store's \(what) cannot be looked at: \(String(cString: strerror(number)))")
    }
    let isFolderThere = access(directory, F_OK) == 0
    return gone(
      path,
      "the store's \(isFolderThere ? what : "folder") was removed or renamed while the server ran")
  }

  private static func gone(_ path: String, _ cause: String) -> StoreError {
    StoreError(
      .gone, code: SQLITE_READONLY | 4 << 8, function: "stat", path: path,
      cause + "; put back the very file that it was, since a copy is another one, or stop the "
        + "server and restore the store from a backup")
  }
}
