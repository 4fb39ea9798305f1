import CSQLite
import Journal

/// The open tables of a store: its connection and the statements it uses again and again.
///
/// Made on the thread that opens the store, then used by the writer thread alone.
final class Database {
  let connection: Connection
  private let begin: Statement
  private let commit: Statement
  private let rollback: Statement
  private let setMeta: Statement
  private let putSegment: Statement
  private let removeSegment: Statement
  let findSegment: Statement
  let wholeSegment: Statement
  /// By `Row.Table.rawValue`.
  private(set) var pairRows: [Statement] = []
  private var putRow: [Statement] = []
  private var removeRow: [Statement] = []
  /// Pages in the log after the last commit; SQLite's hook writes it.
  private let logPages = UnsafeMutablePointer<Int32>.allocate(capacity: 1)
  private let pageSize: Int

  /// Takes over a connection to a store of the current schema. On a throw the connection is the
  /// caller's to close, and has no statement left.
  init(_ connection: Connection) throws(StoreError) {
    self.connection = connection
    var prepared: [Statement] = []
    func prepare(_ sql: String) throws(StoreError) -> Statement {
      do {
        let statement = try connection.prepare(sql)
        prepared.append(statement)
        return statement
      } catch {
        for statement in prepared { statement.finalize() }
        throw error
      }
    }
    begin = try prepare("BEGIN IMMEDIATE")
    commit = try prepare("COMMIT")
    rollback = try prepare("ROLLBACK")
    setMeta = try prepare("INSERT OR REPLACE INTO meta(key, value) VALUES(?1, ?2)")
    putSegment = try prepare(
      "INSERT OR REPLACE INTO segment(number, header, body) VALUES(?1, ?2, ?3)")
    removeSegment = try prepare("DELETE FROM segment WHERE number = ?1")
    findSegment = try prepare("SELECT 1 FROM segment WHERE number = ?1")
    wholeSegment = try prepare("SELECT header, body FROM segment WHERE number = ?1")
    for table in Row.Table.allCases {
      pairRows.append(
        try prepare("SELECT item, value FROM \(table) WHERE pair = ?1 ORDER BY item"))
      putRow.append(
        try prepare("INSERT OR REPLACE INTO \(table)(pair, item, value) VALUES(?1, ?2, ?3)"))
      removeRow.append(try prepare("DELETE FROM \(table) WHERE pair = ?1 AND item = ?2"))
    }
    do {
      pageSize = Int(try connection.integer("PRAGMA page_size"))
    } catch {
      for statement in prepared { statement.finalize() }
      throw error
    }
    logPages.initialize(to: 0)
    sqlite3_wal_hook(
      connection.handle,
      { context, _, _, pages in
        context?.storeBytes(of: pages, as: Int32.self)
        return SQLITE_OK
      }, logPages)
  }

  /// Bytes of the log that a checkpoint would move.
  var logBytes: Int { Int(logPages.pointee) * pageSize }

  /// Runs `body` in a transaction and syncs it: when this returns, it is on the disk.
  ///
  /// On a throw nobody can say whether it is, until the store has been closed and opened again.
  func transaction(_ body: () throws(StoreError) -> Void) throws(StoreError) {
    try begin.run()
    do {
      try body()
      try commit.run()
    } catch {
      // SQLite may have rolled back by itself (<https://www.sqlite.org/lang_transaction.html>).
      if sqlite3_get_autocommit(connection.handle) == 0 { try? rollback.run() }
      throw error
    }
  }

  /// Writes a batch; within `transaction`.
  func write(_ batch: Batch) throws(StoreError) {
    for row in batch.rows {
      let table = Int(row.key.table.rawValue)
      guard let value = row.value else {
        try removeRow[table].bind(1, Int64(row.key.pair))
        try removeRow[table].bind(2, Int64(row.key.item))
        try removeRow[table].run()
        continue
      }
      try putRow[table].bind(1, Int64(row.key.pair))
      try putRow[table].bind(2, Int64(row.key.item))
      try value.withUnsafeBufferPointer { (bytes) throws(StoreError) in
        try putRow[table].bind(3, borrowing: .init(bytes))
        try putRow[table].run()
      }
    }
    if let segment = batch.segment {
      try putSegment.bind(1, Int64(batch.number))
      try segment.header.withUnsafeBufferPointer { (header) throws(StoreError) in
        try putSegment.bind(2, borrowing: .init(header))
        try segment.body.withUnsafeBufferPointer { (body) throws(StoreError) in
          try putSegment.bind(3, borrowing: .init(body))
          try putSegment.run()
        }
      }
    }
    for number in batch.removedSegments {
      try removeSegment.bind(1, Int64(number))
      try removeSegment.run()
    }
  }

  func setMeta(_ key: String, _ value: UInt64) throws(StoreError) {
    try setMeta.bind(1, key)
    try setMeta.bind(2, Int64(value))
    try setMeta.run()
  }

  func setMeta(_ key: String, _ text: String) throws(StoreError) {
    try setMeta.bind(1, key)
    try setMeta.bind(2, text)
    try setMeta.run()
  }

  func lastBatch() throws(StoreError) -> UInt64 {
    UInt64(try connection.integer("SELECT value FROM meta WHERE key = 'lastBatch'"))
  }

  /// Moves the log into the database and syncs that. The next commit starts the log anew.
  func checkpoint() throws(StoreError) {
    let code = sqlite3_wal_checkpoint_v2(
      connection.handle, "main", SQLITE_CHECKPOINT_PASSIVE, nil, nil)
    try connection.check(code, "sqlite3_wal_checkpoint_v2")
    logPages.pointee = 0
  }

  /// Must be called: nothing closes by itself.
  func close() {
    let statements = [
      begin, commit, rollback, setMeta, putSegment, removeSegment, findSegment, wholeSegment,
    ]
    for statement in statements + pairRows + putRow + removeRow { statement.finalize() }
    connection.close()
    logPages.deallocate()
  }
}
