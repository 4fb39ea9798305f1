import CSQLite
import Cluster
import Glibc

/// Puts a copy's database into the log of snapshots, piece by piece, between two commits.
///
/// SQLite keeps the piece that is copied already as the database changes (<https://www.sqlite.org/backup.html>), so
/// what comes of it is the database as it is when the last page was copied.
final class SnapshotWriter {
  private let log: any SharedLog
  private let database: Database
  private let path: String
  private let vfs: String?
  private var copy: Connection?
  private var backup: OpaquePointer?
  private var file: VFSFile?
  private var size: UInt64 = 0
  private var offset: UInt64 = 0
  private var sum: UInt64 = 0
  /// The entry of the shard's log where the copy stands; known once it is made.
  private var sequence: UInt64 = 0
  /// The last entry of the log, as far as this one knows; nil before it has asked.
  private var last: UInt64?
  /// Behind which its own entries stand.
  private var start: UInt64 = 0

  private static let pages: Int32 = 64
  private static let chunk = 512 << 10
  /// How long an answer is waited for, and how long nothing is asked where none came, in microseconds.
  private static let patience: Int64 = 200_000
  private static let pause: Int64 = 2_000_000
  private var pausedUntil: Int64 = 0

  /// - Parameter path: a file that goes with this value.
  init(of database: Database, in log: any SharedLog, path: String, vfs: String?) throws(StoreError)
  {
    (self.database, self.log, self.path, self.vfs) = (database, log, path, vfs)
    unlink(path)
    let copy = try Connection(path, creating: true, vfs: vfs)
    self.copy = copy
    try copy.execute("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;")
    backup = sqlite3_backup_init(copy.handle, "main", database.connection.handle, "main")
    guard backup != nil else {
      throw copy.error(sqlite3_errcode(copy.handle), "sqlite3_backup_init")
    }
  }

  /// Whether the log of snapshots has not answered a moment ago.
  var isPaused: Bool { Shard.now < pausedUntil }

  /// Must be called before the database is closed.
  func end() {
    if let backup { sqlite3_backup_finish(backup) }
    backup = nil
    copy?.close()
    copy = nil
    unlink(path)
  }

  /// Does a piece.
  ///
  /// - Returns: once it is through, the entry of the shard's log up to which nothing is needed any more.
  /// - Throws: where it cannot be made now; whoever wants one begins anew.
  func step() throws(StoreError) -> UInt64? {
    if backup != nil {
      try copyPages()
      return nil
    }
    guard let last else {
      // Where its entries go.
      let piece = try answer { () throws(SharedLogSilence) in
        try log.read(behind: UInt64(Int64.max) / 2, patience: Self.patience)
      }
      self.last = piece?.last
      start = piece?.last ?? 0
      return nil
    }
    guard offset < size else {
      guard try append(.manifest(size: size, sum: sum, sequence: sequence), behind: last) else {
        return nil
      }
      log.trim(through: start)
      return sequence
    }
    let room = UInt64(min(Self.chunk, log.entryBytes - SnapshotEntry.overhead))
    let count = min(room, size - offset)
    let bytes = try file!.bytes(Int(count), at: Int64(offset))
    if try append(.chunk(offset: offset, bytes: bytes), behind: last) {
      offset += count
      sum = SnapshotEntry.sum(bytes, behind: sum)
    }
    return nil
  }

  private func copyPages() throws(StoreError) {
    let code = sqlite3_backup_step(backup, Self.pages)
    guard code != SQLITE_OK else { return }
    guard code == SQLITE_DONE else { throw copy!.error(code, "sqlite3_backup_step") }
    sequence = try database.position().flatMap(Follower.init(position:))?.sequence ?? 0
    sqlite3_backup_finish(backup)
    backup = nil
    copy!.close()
    copy = nil
    file = try VFSFile(path, creating: false, vfs: vfs)
    size = UInt64(try file!.size())
  }

  /// - Returns: false where it is not there yet; it is to be tried again.
  private func append(_ entry: SnapshotEntry, behind last: UInt64) throws(StoreError) -> Bool {
    let bytes = entry.bytes
    switch log.append(bytes, behind: last, patience: Self.patience) {
    case .appended: break
    case .unanswered:
      pausedUntil = Shard.now + Self.pause
      return false
    case .refused:
      // It may be an earlier try that is there.
      let piece = try answer { () throws(SharedLogSilence) in
        try log.read(behind: last, patience: Self.patience)
      }
      guard let piece, !piece.entries.isEmpty else { return false }
      guard piece.first == last + 1, piece.entries[0] == bytes else {
        throw StoreError(
          .other, function: "append", path: log.name, "another server makes a snapshot")
      }
    }
    self.last = last + 1
    return true
  }

  private func answer(
    _ body: () throws(SharedLogSilence) -> SharedLogPiece
  ) throws(StoreError) -> SharedLogPiece? {
    do throws(SharedLogSilence) {
      return try body()
    } catch {
      pausedUntil = Shard.now + Self.pause
      return nil
    }
  }
}
