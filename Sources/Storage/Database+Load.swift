import CSQLite
import Journal

extension Database {
  /// Reads what the server starts with: the rows that `Row.Table.start` asks for, and everything of
  /// the segments but their bodies.
  ///
  /// - Throws: `corrupt` when a value cannot be one that this program wrote.
  /// - Complexity: O(rows + headers). The lengths of the bodies come from the records' heads.
  func load() throws(StoreError) -> Contents {
    var contents = try loadMeta()
    for table in Row.Table.allCases { try loadRows(table, into: &contents.rows) }
    try loadSegments(into: &contents.segments)
    guard (contents.segments.last?.number ?? 0) <= contents.lastBatch else {
      throw unreadable("segment")
    }
    return contents
  }

  private func loadMeta() throws(StoreError) -> Contents {
    let identity = try connection.text("SELECT value FROM meta WHERE key = 'identity'")
    guard !identity.isEmpty, let epoch = try loadMeta("epoch"),
      let lastBatch = try loadMeta("lastBatch")
    else { throw unreadable("meta") }
    return Contents(identity: identity, epoch: epoch, lastBatch: lastBatch)
  }

  /// nil when it is missing or no number.
  private func loadMeta(_ key: String) throws(StoreError) -> UInt64? {
    let value = try connection.integer(
      "SELECT coalesce(max(value), -1) FROM meta "
        + "WHERE key = '\(key)' AND typeof(value) = 'integer'")
    return UInt64(exactly: value)
  }

  private func loadRows(_ table: Row.Table, into rows: inout [Row]) throws(StoreError) {
    var filter = ""
    switch table.start {
    case .all: break
    case .ofPairsWithoutQueue: filter = "WHERE pair NOT IN (SELECT pair FROM queue)"
    case .none: return
    }
    let statement = try connection.prepare(
      "SELECT pair, item, value FROM \(table) \(filter) ORDER BY pair, item")
    defer { statement.finalize() }
    while try statement.step() {
      guard let pair = UInt32(exactly: statement.integer(0)),
        let item = UInt32(exactly: statement.integer(1)), statement.isBlob(2)
      else { throw unreadable("\(table)") }
      rows.append(Row(.init(table, pair: pair, item: item), statement.bytes(2)))
    }
  }

  private func loadSegments(into segments: inout [StoredSegment]) throws(StoreError) {
    let statement = try connection.prepare(
      "SELECT number, header, length(body) FROM segment ORDER BY number")
    defer { statement.finalize() }
    while try statement.step() {
      guard let number = UInt64(exactly: statement.integer(0)), statement.isBlob(1) else {
        throw unreadable("segment")
      }
      segments.append(
        StoredSegment(
          number: number, header: statement.bytes(1), bodyLength: Int(statement.integer(2))))
    }
  }

  func unreadable(_ table: String) -> StoreError {
    StoreError(
      .corrupt, code: SQLITE_CORRUPT, function: "load", path: connection.path,
      "the store is damaged, restore it from a backup or move it away: table \(table)")
  }
}
