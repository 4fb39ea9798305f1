import CSQLite
import Glibc

/// The files of a store, looked at without SQLite, which would change what is there by opening it.
struct StoreFiles {
  /// `watchline.sqlite`; SQLite's WAL lies beside it as `watchline.sqlite-wal`.
  let database: String
  var wal: String { database + "-wal" }
  /// See `FileLog`.
  let log: String
  /// What was reported last; see `Mark`.
  let mark: String
  /// A store in the making; it gets its name when it is complete and durable.
  var draft: String { database + ".new" }

  /// The copy of a shard as it is sent to others, and as it comes from others.
  var snapshot: String { database + ".snapshot" }

  let directory: String

  init(directory: String) {
    self.directory = directory
    database = directory + "/watchline.sqlite"
    log = directory + "/watchline.log"
    mark = directory + "/watchline.mark"
  }

  enum Finding: Equatable {
    case absent
    /// - Parameter walBytes: more than 0: the last close did not come to its end.
    case present(bytes: Int, walBytes: Int)
  }

  /// Decides by the database's header (<https://www.sqlite.org/fileformat2.html#the_database_header>)
  /// and the files' sizes whether SQLite may open it.
  ///
  /// - Throws: `corrupt`, `notOurs`, `newerVersion`, `cannotOpen`, `io`; nothing was touched.
  func inspect(known version: Int) throws(StoreError) -> Finding {
    let walBytes = try size(wal) ?? 0
    guard let bytes = try size(database) else {
      guard walBytes == 0 else {
        throw corrupt("is missing but its WAL \(wal) is there, restore both from a backup")
      }
      return .absent
    }
    let header = try headerBytes()
    guard header.count == 100, header.starts(with: Array("SQLite format 3\0".utf8)) else {
      throw corrupt("is damaged or no database, restore it from a backup or move it away")
    }
    func number(at offset: Int) -> UInt32 {
      header[offset..<offset + 4].reduce(0) { $0 << 8 | UInt32($1) }
    }
    guard number(at: 68) == Schema.applicationIdentifier else {
      throw StoreError(
        .notOurs, code: SQLITE_NOTADB, function: "read", path: database,
        "is a database of another program, choose another directory")
    }
    try Self.refuseNewer(Int(number(at: 60)), known: version, path: database)

    let pageSize = header[16] == 0 && header[17] == 1 ? 65536 : Int(number(at: 16) >> 16)
    // The page count is valid while the change counter is that of the version that wrote it. With a
    // WAL, the file may lag behind; SQLite then knows better.
    if walBytes == 0, number(at: 24) == number(at: 92), bytes < Int(number(at: 28)) * pageSize {
      throw corrupt("is cut short, restore it from a backup or move it away")
    }
    return .present(bytes: bytes, walBytes: walBytes)
  }

  static func refuseNewer(_ found: Int, known: Int, path: String) throws(StoreError) {
    guard found > known else { return }
    throw StoreError(
      .newerVersion(found: found, known: known), code: SQLITE_CANTOPEN, function: "read",
      path: path,
      "has version \(found) but this program knows versions up to \(known), run a newer Watchline")
  }

  /// Whether there is a WAL, be it empty.
  var hasWAL: Bool { access(wal, F_OK) == 0 }

  /// The size of a regular file; nil when it does not exist.
  private func size(_ path: String) throws(StoreError) -> Int? {
    var status = stat()
    guard stat(path, &status) == 0 else {
      if errno == ENOENT { return nil }
      throw StoreError(errno: errno, function: "stat", path: path)
    }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw StoreError(
        .cannotOpen, code: SQLITE_CANTOPEN, function: "stat", path: path,
        "is not a regular file, move it away")
    }
    return Int(status.st_size)
  }

  private func headerBytes() throws(StoreError) -> [UInt8] {
    let descriptor = Glibc.open(database, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      throw StoreError(errno: errno, function: "open", path: database)
    }
    defer { Glibc.close(descriptor) }
    var header = [UInt8](repeating: 0, count: 100)
    let count = pread(descriptor, &header, header.count, 0)
    guard count >= 0 else { throw StoreError(errno: errno, function: "pread", path: database) }
    return Array(header.prefix(count))
  }

  private func corrupt(_ message: String) -> StoreError {
    StoreError(.corrupt, code: SQLITE_CORRUPT, function: "read", path: database, message)
  }

  /// Whether there is a log.
  var hasLog: Bool { access(log, F_OK) == 0 }

  /// What is lost where there is no database, and a mark or a log.
  var absence: Loss {
    .commits(
      hasLog
        ? "it is missing, and its log \(log) is there"
        : "it is missing, and its mark \(mark) says that there was one")
  }

  /// What the store must have lost by what its mark and its log say; nil where nothing says so.
  func loss(_ state: StoreState, _ mark: Mark, walBytes: Int, _ log: LogBehind) -> Loss? {
    // The log that counts is elsewhere.
    if state.isCopy { return nil }
    let note = mark.note(of: state)
    if mark.isOfBackup(state) { return .backup }
    if log.leavesGap {
      return .commits(
        "it has commits up to \(state.lastBatch), and its log goes on behind \(log.file.base): its WAL was "
          + "removed, or an older database was put in its place")
    }
    if let note, log.last < note.lastBatch {
      return .commits(
        "it has commits up to \(log.last), and \(note.lastBatch) was reported: its log is "
          + "cut or damaged, or an older database was put in its place")
    }
    guard state.isOpen else { return nil }
    // What a WAL had is in the log as well, or leaves the gap.
    if !state.hasLog, walBytes == 0 {
      return .commits("it was not closed, and its WAL \(wal) is missing")
    }
    if state.hasLog, !log.file.isThere {
      return .commits("it was not closed, and its log \(self.log) is missing")
    }
    if note == nil {
      return .commits(
        "it was not closed, and its mark \(self.mark) is missing, so that nobody can say whether "
          + "its log is whole")
    }
    return nil
  }

  /// What a store has lost, for certain or perhaps.
  enum Loss {
    /// It is a copy, and nobody knows what was committed since.
    case backup
    /// Commits that were reported.
    case commits(_ sentence: String)

    var sentence: String {
      switch self {
      case .backup: "it is a backup, and devices may have gone on since"
      case .commits(let sentence): sentence
      }
    }
  }

  /// The error of a store that has lost something.
  func lost(_ loss: Loss) -> StoreError {
    let message =
      switch loss {
      case .backup: "\(loss.sentence): start with --accept-loss to serve it under a new store name"
      case .commits:
        "accepted transfers are lost: \(loss.sentence); restore what is missing, or start with --accept-loss to "
          + "serve what is there under a new store name"
      }
    return StoreError(
      .lost, code: SQLITE_CORRUPT, function: "open", path: database, message)
  }

  /// Gives the finished draft its name.
  func publishDraft() throws(StoreError) {
    guard rename(draft, database) == 0 else {
      throw StoreError(errno: errno, function: "rename", path: draft)
    }
  }

  /// Removes the log of a store of which the loss is accepted.
  func removeLog() { unlink(log) }

  /// Removes what an interrupted creation has left.
  func removeDraft() {
    for suffix in ["", "-wal", "-journal"] { unlink(draft + suffix) }
  }
}
