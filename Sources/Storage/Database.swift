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
  private let putState: Statement
  private let putSegment: Statement
  private let removeSegment: Statement
  private let segmentSum: Statement
  let pieceSums: Statement
  let wholeSegment: Statement
  /// By `Row.Table.rawValue`.
  private(set) var pairRows: [Statement] = []
  private var putRow: [Statement] = []
  private var removeRow: [Statement] = []
  private var rowSum: [Statement] = []
  /// As of the last commit.
  private(set) var state: StoreState
  /// Checksums of rows that were written lately: mostly it is the same ones that are written again.
  private var sums: [Row.Key: UInt64] = [:]
  /// Of them, at most.
  private static let keptSums = 1 << 14
  /// Pages in the log that are not in the database; SQLite's hook writes it after each commit that succeeds.
  private let logPages = UnsafeMutablePointer<Int32>.allocate(capacity: 1)
  let pageSize: Int

  /// Takes over a connection to a store of the current schema. On a throw the connection is the
  /// caller's to close, and has no statement left.
  ///
  /// - Parameter pages: what the log has; counted anew with each commit.
  /// - Throws: `corrupt` when the store's state cannot be read.
  init(_ connection: Connection, logPages pages: Int32 = 0) throws(StoreError) {
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
    putState = try prepare(Self.putState)
    putSegment = try prepare(
      "INSERT OR REPLACE INTO segment(number, sum, header, sums, body) VALUES(?1, ?2, ?3, ?4, ?5)")
    removeSegment = try prepare("DELETE FROM segment WHERE number = ?1")
    segmentSum = try prepare("SELECT sum FROM segment WHERE number = ?1")
    pieceSums = try prepare("SELECT sums FROM segment WHERE number = ?1")
    wholeSegment = try prepare("SELECT sum, header, sums, body FROM segment WHERE number = ?1")
    for table in Row.Table.allCases {
      pairRows.append(
        try prepare("SELECT item, sum, value FROM \(table) WHERE pair = ?1 ORDER BY item"))
      putRow.append(
        try prepare(
          "INSERT OR REPLACE INTO \(table)(pair, item, sum, value) VALUES(?1, ?2, ?3, ?4)"))
      rowSum.append(try prepare("SELECT sum FROM \(table) WHERE pair = ?1 AND item = ?2"))
      removeRow.append(try prepare("DELETE FROM \(table) WHERE pair = ?1 AND item = ?2"))
    }
    do {
      pageSize = Int(try connection.integer("PRAGMA page_size"))
      state = try Self.readState(connection)
    } catch {
      for statement in prepared { statement.finalize() }
      throw error
    }
    logPages.initialize(to: pages)
    sqlite3_wal_hook(
      connection.handle,
      { context, _, _, pages in
        context?.storeBytes(of: pages, as: Int32.self)
        return SQLITE_OK
      }, logPages)
  }

  /// Bytes of the log that a checkpoint would move.
  var logBytes: Int { Int(logPages.pointee) * pageSize }

  /// Bytes that the log's file has to have.
  var logFileBytes: Int { logPages.pointee == 0 ? 0 : logEnd }

  /// Where the last commit that succeeded ends in the log. What lies behind it is old, or of one that failed.
  var logEnd: Int { WriteAheadLog.end(pages: Int(logPages.pointee), of: pageSize) }

  var logPageCount: Int32 { logPages.pointee }

  private static func readState(_ connection: Connection) throws(StoreError) -> StoreState {
    let statement = try connection.prepare("SELECT value FROM meta WHERE key = 'state'")
    defer { statement.finalize() }
    guard try statement.step(), statement.isBlob(0), let state = StoreState(statement.bytes(0))
    else {
      throw damaged(connection, "table meta")
    }
    return state
  }

  /// Writes batches in one transaction and syncs it: when this returns, they are on the disk.
  ///
  /// On a throw nobody can say whether they are, until the store has been closed and opened again.
  func put(_ batches: ArraySlice<Batch>) throws(StoreError) {
    try change { (state) throws(StoreError) in
      for batch in batches {
        try write(batch, &state)
        state.lastBatch = batch.number
      }
    }
  }

  /// Changes the store's state in a transaction of its own, as `put` does.
  func change(_ body: (inout StoreState) throws(StoreError) -> Void) throws(StoreError) {
    var next = state
    try begin.run()
    do {
      try body(&next)
      try putState.write(next)
      try commit.run()
    } catch {
      // SQLite may have rolled back by itself (<https://www.sqlite.org/lang_transaction.html>).
      if sqlite3_get_autocommit(connection.handle) == 0 { try? rollback.run() }
      sums = [:]
      throw error
    }
    state = next
  }

  /// Writes a batch; within a transaction.
  private func write(_ batch: Batch, _ state: inout StoreState) throws(StoreError) {
    for row in batch.rows {
      let table = Int(row.key.table.rawValue)
      state.digests[table] &-= try storedSum(row.key)
      guard let value = row.value else {
        try removeRow[table].bind(1, Int64(row.key.pair))
        try removeRow[table].bind(2, Int64(row.key.item))
        try removeRow[table].run()
        sums[row.key] = nil
        continue
      }
      let sum = value.withUnsafeBytes { Checksum.row(row.key, $0) }
      state.digests[table] &+= sum
      try putRow[table].bind(1, Int64(row.key.pair))
      try putRow[table].bind(2, Int64(row.key.item))
      try putRow[table].bind(3, Int64(bitPattern: sum))
      try value.withUnsafeBufferPointer { (bytes) throws(StoreError) in
        try putRow[table].bind(4, borrowing: .init(bytes))
        try putRow[table].run()
      }
      if sums.count == Self.keptSums { sums.removeAll(keepingCapacity: true) }
      sums[row.key] = sum
    }
    if let segment = batch.segment {
      state.digests[StoreState.segments] &-= try storedSum(batch.number)
      state.digests[StoreState.segments] &+= try putSegment.write(batch.number, segment)
    }
    for number in batch.removedSegments {
      state.digests[StoreState.segments] &-= try storedSum(number)
      try removeSegment.bind(1, Int64(number))
      try removeSegment.run()
    }
  }

  /// The checksum of a row that is there; 0 where there is none.
  private func storedSum(_ key: Row.Key) throws(StoreError) -> UInt64 {
    if let sum = sums[key] { return sum }
    let statement = rowSum[Int(key.table.rawValue)]
    defer { statement.reset() }
    try statement.bind(1, Int64(key.pair))
    try statement.bind(2, Int64(key.item))
    return try statement.step() ? UInt64(bitPattern: statement.integer(0)) : 0
  }

  private func storedSum(_ segment: UInt64) throws(StoreError) -> UInt64 {
    defer { segmentSum.reset() }
    try segmentSum.bind(1, Int64(segment))
    return try segmentSum.step() ? UInt64(bitPattern: segmentSum.integer(0)) : 0
  }

  /// Moves the log into the database and syncs that. The next commit starts the log anew.
  func checkpoint() throws(StoreError) {
    try moveLog(SQLITE_CHECKPOINT_PASSIVE)
  }

  /// - Parameter mode: <https://www.sqlite.org/c3ref/wal_checkpoint_v2.html>
  func moveLog(_ mode: Int32) throws(StoreError) {
    var pages: Int32 = 0
    var moved: Int32 = 0
    let code = sqlite3_wal_checkpoint_v2(connection.handle, "main", mode, &pages, &moved)
    try connection.check(code, "sqlite3_wal_checkpoint_v2")
    guard pages == moved else { throw connection.error(SQLITE_BUSY, "sqlite3_wal_checkpoint_v2") }
    logPages.pointee = 0
  }

  /// Says in the store that it was closed to the end, moves the log into the database and closes. Where
  /// that fails the log stays, and the store is as after a kill.
  func closeToTheEnd() {
    do {
      try change { $0.isOpen = false }
      connection.setCheckpointOnClose(true)
    } catch {
      // The next start finds it open, and all of its log.
    }
    close()
  }

  /// Must be called: nothing closes by itself.
  func close() {
    let statements = [
      begin, commit, rollback, putState, putSegment, removeSegment, segmentSum, pieceSums,
      wholeSegment,
    ]
    for statement in statements + pairRows + putRow + removeRow + rowSum { statement.finalize() }
    connection.close()
    logPages.deallocate()
  }
}
