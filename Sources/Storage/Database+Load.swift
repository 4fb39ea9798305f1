import CSQLite
import Journal

extension Database {
  /// Reads what the server starts with: the rows that `Row.Table.start` asks for, and everything of
  /// the segments but their bodies; checks all of it.
  ///
  /// - Parameter thoroughly: whether rows are missing is looked at in all tables, not only in those that
  ///   are read whole anyway.
  /// - Throws: `corrupt`, with the name of a row or segment whose checksum is wrong or whose value cannot
  ///   be one that this program wrote, or of a table from which rows are missing.
  /// - Parameter state: what the store says of itself, be it not committed yet.
  /// - Complexity: O(rows + headers). The lengths of the bodies come from the records' heads.
  func load(_ state: StoreState, thoroughly: Bool) throws(StoreError) -> Contents {
    var contents = Contents(
      identity: state.identity, epoch: state.epoch, lastBatch: state.lastBatch,
      lossEpoch: state.lossEpoch)
    for table in Row.Table.allCases {
      if thoroughly || table.start == .all { try findMissing(table, state) }
      try loadRows(table, into: &contents.rows)
    }
    try loadSegments(into: &contents.segments, state)
    guard (contents.segments.last?.number ?? 0) <= contents.lastBatch else {
      throw Self.damaged(connection, "segment \(contents.segments.last?.number ?? 0) is too new")
    }
    return contents
  }

  /// Adds up the checksums of a table's rows as they stand there.
  private func findMissing(_ table: Row.Table, _ state: StoreState) throws(StoreError) {
    let statement = try connection.prepare("SELECT sum FROM \(table)")
    defer { statement.finalize() }
    var digest: UInt64 = 0
    while try statement.step() { digest &+= UInt64(bitPattern: statement.integer(0)) }
    guard digest == state.digests[Int(table.rawValue)] else {
      throw Self.damaged(connection, "table \(table) lacks rows, or has old ones")
    }
  }

  private func loadRows(_ table: Row.Table, into rows: inout [Row]) throws(StoreError) {
    var filter = ""
    switch table.start {
    case .all: break
    case .ofPairsWithoutQueue: filter = "WHERE pair NOT IN (SELECT pair FROM queue)"
    case .none: return
    }
    let statement = try connection.prepare(
      "SELECT item, sum, value, pair FROM \(table) \(filter) ORDER BY key")
    defer { statement.finalize() }
    while try statement.step() {
      guard let pair = UInt32(exactly: statement.integer(3)) else {
        throw Self.damaged(connection, "table \(table)")
      }
      rows.append(try row(statement, table, pair))
    }
  }

  /// The row whose item, checksum and value a statement has in its first columns.
  func row(
    _ statement: Statement, _ table: Row.Table, _ pair: UInt32
  ) throws(StoreError) -> Row {
    guard let item = UInt32(exactly: statement.integer(0)), statement.isBlob(2) else {
      throw Self.damaged(connection, "table \(table), a row of pair \(pair)")
    }
    let row = Row(Row.Key(table, pair: pair, item: item), statement.bytes(2))
    let sum = row.value!.withUnsafeBytes { Checksum.row(row.key, $0) }
    guard sum == UInt64(bitPattern: statement.integer(1)) else {
      throw Self.damaged(connection, "row \(row.key.name) is not as it was written")
    }
    return row
  }

  private func loadSegments(
    into segments: inout [StoredSegment], _ state: StoreState
  ) throws(StoreError) {
    let statement = try connection.prepare(
      "SELECT number, sum, header, length(body) FROM segment ORDER BY number")
    defer { statement.finalize() }
    var digest: UInt64 = 0
    while try statement.step() {
      guard let number = UInt64(exactly: statement.integer(0)), statement.isBlob(2) else {
        throw Self.damaged(connection, "table segment")
      }
      let segment = StoredSegment(
        number: number, header: statement.bytes(2), bodyLength: Int(statement.integer(3)))
      let sum = segment.header.withUnsafeBytes {
        Checksum.segment(number, $0, bodyLength: segment.bodyLength)
      }
      guard sum == UInt64(bitPattern: statement.integer(1)) else {
        throw Self.damaged(connection, "the header of segment \(number) is not as it was written")
      }
      digest &+= sum
      segments.append(segment)
    }
    guard digest == state.digests[StoreState.segments] else {
      throw Self.damaged(connection, "table segment lacks rows, or has old ones")
    }
  }
}
