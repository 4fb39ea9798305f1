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
  private let putPosition: Statement
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
  /// Pages in the WAL that are not in the database; SQLite's hook writes it after each commit that succeeds.
  private let walPages = UnsafeMutablePointer<Int32>.allocate(capacity: 1)
  let pageSize: Int

  /// Takes over a connection to a store of the current schema. On a throw the connection is the
  /// caller's to close, and has no statement left.
  ///
  /// - Parameter pages: what the WAL has; counted anew with each commit.
  /// - Throws: `corrupt` when the store's state cannot be read.
  init(_ connection: Connection, walPages pages: Int32 = 0) throws(StoreError) {
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
    putPosition = try prepare(Self.putPosition)
    putSegment = try prepare(
      "INSERT OR REPLACE INTO segment(number, sum, header, sums, body) VALUES(?1, ?2, ?3, ?4, ?5)")
    removeSegment = try prepare("DELETE FROM segment WHERE number = ?1")
    segmentSum = try prepare("SELECT sum FROM segment WHERE number = ?1")
    pieceSums = try prepare("SELECT sums FROM segment WHERE number = ?1")
    wholeSegment = try prepare("SELECT sum, header, sums, body FROM segment WHERE number = ?1")
    for table in Row.Table.allCases {
      pairRows.append(
        try prepare(
          "SELECT item, sum, value FROM \(table) WHERE key BETWEEN ?1 AND ?2 ORDER BY key"))
      putRow.append(
        try prepare("INSERT OR REPLACE INTO \(table)(key, sum, value) VALUES(?1, ?2, ?3)"))
      rowSum.append(try prepare("SELECT sum FROM \(table) WHERE key = ?1"))
      removeRow.append(try prepare("DELETE FROM \(table) WHERE key = ?1"))
    }
    do {
      pageSize = Int(try connection.integer("PRAGMA page_size"))
      state = try Self.readState(connection)
    } catch {
      for statement in prepared { statement.finalize() }
      throw error
    }
    walPages.initialize(to: pages)
    sqlite3_wal_hook(
      connection.handle,
      { context, _, _, pages in
        context?.storeBytes(of: pages, as: Int32.self)
        return SQLITE_OK
      }, walPages)
  }

  /// Bytes of the WAL that a checkpoint would move.
  var walBytes: Int { Int(walPages.pointee) * pageSize }

  /// Bytes that the WAL's file has to have.
  var walFileBytes: Int { walPages.pointee == 0 ? 0 : walEnd }

  /// Where the last commit that succeeded ends in the WAL. What lies behind it is old, or of one that failed.
  var walEnd: Int { WriteAheadLog.end(pages: Int(walPages.pointee), of: pageSize) }

  var walPageCount: Int32 { walPages.pointee }

  /// Where its log stood; nil where it was never said.
  ///
  /// - Throws: `corrupt`.
  func position() throws(StoreError) -> [UInt8]? {
    let statement = try connection.prepare("SELECT value FROM meta WHERE key = 'position'")
    defer { statement.finalize() }
    guard try statement.step() else { return nil }
    let bytes = statement.isBlob(0) ? statement.bytes(0) : []
    guard bytes.count > 8,
      bytes.dropLast(8).withUnsafeBytes({ Checksum.of($0, seed: 3) })
        == bytes.number(at: bytes.count - 8, as: UInt64.self)
    else { throw Self.damaged(connection, "table meta") }
    return bytes.dropLast(8)
  }

  private static func readState(_ connection: Connection) throws(StoreError) -> StoreState {
    let statement = try connection.prepare("SELECT value FROM meta WHERE key = 'state'")
    defer { statement.finalize() }
    guard try statement.step(), statement.isBlob(0), let state = StoreState(statement.bytes(0))
    else {
      throw damaged(connection, "table meta")
    }
    return state
  }

  /// Writes what the log has more in one transaction and syncs it: when this returns, it is on the disk.
  ///
  /// On a throw nobody can say whether it is, until the database has been closed and opened again.
  ///
  /// - Parameters:
  ///   - position: where the log stands then (`OwnedLog.position`).
  ///   - identity: the store's name, where it was not known before.
  func put(
    _ table: MemTable, position: [UInt8]? = nil, identity: String? = nil
  ) throws(StoreError) {
    try change { (state) throws(StoreError) in
      try write(table, &state)
      if let identity { state.identity = identity }
      guard let position else { return }
      try putPosition.write(position: position)
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

  /// Writes what the log has more; within a transaction.
  func write(_ memTable: MemTable, _ state: inout StoreState) throws(StoreError) {
    state.lastBatch = memTable.lastBatch
    for pair in memTable.removedPairs.sorted() { try removeRows(of: pair, &state) }
    // Neighbours one after the other: they lie in the same pages.
    for (key, value) in memTable.rows.sorted(by: { $0.key.isBefore($1.key) }) {
      let table = Int(key.table.rawValue)
      state.digests[table] &-= try storedSum(key)
      guard let value else {
        try removeRow[table].bind(1, key.number)
        try removeRow[table].run()
        sums[key] = nil
        continue
      }
      let sum = value.withUnsafeBytes { Checksum.row(key, $0) }
      state.digests[table] &+= sum
      try putRow[table].bind(1, key.number)
      try putRow[table].bind(2, Int64(bitPattern: sum))
      try value.withUnsafeBufferPointer { (bytes) throws(StoreError) in
        try putRow[table].bind(3, borrowing: .init(bytes))
        try putRow[table].run()
      }
      if sums.count == Self.keptSums { sums.removeAll(keepingCapacity: true) }
      sums[key] = sum
    }
    for (number, segment) in memTable.segments.sorted(by: { $0.key < $1.key }) {
      state.digests[StoreState.segments] &-= try storedSum(number)
      state.digests[StoreState.segments] &+= try putSegment.write(number, segment)
    }
    for number in memTable.removedSegments {
      state.digests[StoreState.segments] &-= try storedSum(number)
      try removeSegment.bind(1, Int64(number))
      try removeSegment.run()
    }
  }

  private func removeRows(of pair: UInt32, _ state: inout StoreState) throws(StoreError) {
    for table in Row.Table.allCases {
      let index = Int(table.rawValue)
      for item in try sums(of: pair, in: table) {
        state.digests[index] &-= item.sum
        let key = Row.Key(table, pair: pair, item: item.number)
        try removeRow[index].bind(1, key.number)
        try removeRow[index].run()
        sums[key] = nil
      }
    }
  }

  /// The items that a pair has in a table, with their checksums.
  private func sums(
    of pair: UInt32, in table: Row.Table
  ) throws(StoreError) -> [(number: UInt32, sum: UInt64)] {
    let statement = pairRows[Int(table.rawValue)]
    defer { statement.reset() }
    try statement.bind(rowsOf: pair)
    var items: [(number: UInt32, sum: UInt64)] = []
    while try statement.step() {
      guard let item = UInt32(exactly: statement.integer(0)) else {
        throw Self.damaged(connection, "table \(table), a row of pair \(pair)")
      }
      items.append((item, UInt64(bitPattern: statement.integer(1))))
    }
    return items
  }

  /// The checksum of a row that is there; 0 where there is none.
  private func storedSum(_ key: Row.Key) throws(StoreError) -> UInt64 {
    if let sum = sums[key] { return sum }
    let statement = rowSum[Int(key.table.rawValue)]
    defer { statement.reset() }
    try statement.bind(1, key.number)
    return try statement.step() ? UInt64(bitPattern: statement.integer(0)) : 0
  }

  private func storedSum(_ segment: UInt64) throws(StoreError) -> UInt64 {
    defer { segmentSum.reset() }
    try segmentSum.bind(1, Int64(segment))
    return try segmentSum.step() ? UInt64(bitPattern: segmentSum.integer(0)) : 0
  }

  /// Takes in what a log has more, in a transaction that ends with the connection: this connection shows it, and
  /// nothing changes on the disk.
  func pretend(_ log: LogBehind) throws(StoreError) {
    guard log.last > state.lastBatch else { return }
    let memTable = try log.memTable()
    try begin.run()
    try write(memTable, &state)
  }

  /// Moves the WAL into the database and syncs that. The next commit starts the WAL anew.
  func checkpoint() throws(StoreError) {
    try moveWAL(SQLITE_CHECKPOINT_PASSIVE)
  }

  /// - Parameter mode: <https://www.sqlite.org/c3ref/wal_checkpoint_v2.html>
  func moveWAL(_ mode: Int32) throws(StoreError) {
    var pages: Int32 = 0
    var moved: Int32 = 0
    let code = sqlite3_wal_checkpoint_v2(connection.handle, "main", mode, &pages, &moved)
    try connection.check(code, "sqlite3_wal_checkpoint_v2")
    guard pages == moved else { throw connection.error(SQLITE_BUSY, "sqlite3_wal_checkpoint_v2") }
    walPages.pointee = 0
  }

  /// Says in the store that it was closed to the end, moves the WAL into the database and closes. Where
  /// that fails the WAL stays, and the store is as after a kill.
  func closeToTheEnd() {
    do {
      try change { $0.isOpen = false }
      connection.setCheckpointOnClose(true)
    } catch {
      // The next start finds it open, and all of its WAL.
    }
    close()
  }

  /// Must be called: nothing closes by itself. A transaction that is open is undone.
  func close() {
    let statements = [
      begin, commit, rollback, putState, putPosition, putSegment, removeSegment, segmentSum,
      pieceSums,
      wholeSegment,
    ]
    for statement in statements + pairRows + putRow + removeRow + rowSum { statement.finalize() }
    connection.close()
    walPages.deallocate()
  }
}
