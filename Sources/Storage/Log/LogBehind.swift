import CSQLite
import Journal

/// The log that lies beside a database, as a start finds it.
struct LogBehind {
  let file: FileLog
  /// What the database has.
  private let copied: UInt64

  /// - Throws: `notOurs` where it is the log of another store, `corrupt`, `io`. Nothing was touched.
  init(_ files: StoreFiles, _ state: StoreState, vfs: String?) throws(StoreError) {
    file = try FileLog(files.log, behind: state.lastBatch, vfs: vfs)
    copied = state.lastBatch
    guard !file.isThere || file.last <= copied || file.store == state.identitySum else {
      throw StoreError(
        .notOurs, code: SQLITE_NOTADB, function: "read", path: files.log,
        "is the log of another store; put the database back that it belongs to, or move it away")
    }
  }

  /// Whether what is between the database and the log is missing.
  var leavesGap: Bool { file.isThere && file.base > copied }

  /// The last batch that can be had.
  var last: UInt64 { leavesGap ? copied : max(copied, file.last) }

  /// What it has more than the database.
  func memTable() throws(StoreError) -> MemTable {
    var table = MemTable(behind: copied)
    guard !leavesGap else { return table }
    try file.read(behind: copied) { (sequence, entry) throws(StoreError) in
      guard let batches = BatchCoding.batches(entry), batches.last?.number == sequence else {
        throw FileLog.damaged(
          file.path, "its entry \(sequence) holds something else than batches")
      }
      for batch in batches { table.apply(batch) }
    }
    return table
  }
}

extension Database {
  /// Reads what the server starts with, after it has taken in what its log has more: in one transaction, which is
  /// undone where something is not as it was written.
  ///
  /// - Parameter readingBodies: whether the segments' bodies are read and checked, too.
  func load(
    behind log: LogBehind?, thoroughly: Bool, readingBodies: Bool
  ) throws(StoreError) -> Contents {
    func load(_ state: StoreState) throws(StoreError) -> Contents {
      let contents = try self.load(state, thoroughly: thoroughly)
      if readingBodies { try checkBodies(contents.segments) }
      return contents
    }
    guard let log, log.last > state.lastBatch else { return try load(state) }
    let table = try log.memTable()
    var contents: Contents?
    try change { (state) throws(StoreError) in
      try write(table, &state)
      contents = try load(state)
    }
    return contents!
  }
}
