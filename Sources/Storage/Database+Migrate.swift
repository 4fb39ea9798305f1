import CSQLite
import Journal

extension Database {
  /// Checks that the tables are those of the store's version.
  static func verifyTables(_ connection: Connection, schema: Schema) throws(StoreError) {
    let version = Int(try connection.integer("PRAGMA user_version"))
    guard let creation = schema.creations[version] else {
      throw StoreError(
        .corrupt, code: SQLITE_CORRUPT, function: "PRAGMA user_version", path: connection.path,
        "has version \(version), which no Watchline that this one knows has written; restore it from "
          + "a backup or move it away")
    }
    let model = try Connection(memoryPath, creating: true, vfs: nil)
    defer { model.close() }
    try model.execute(creation)
    let found = try tables(connection)
    for (name, text) in try tables(model).sorted(by: { $0.key < $1.key }) where found[name] != text
    {
      throw StoreError(
        .corrupt, code: SQLITE_CORRUPT, function: "load", path: connection.path,
        "the store is damaged, restore it from a backup or move it away: its table \(name) is "
          + (found[name] == nil ? "missing" : "not the one that version \(version) has"))
    }
  }

  /// By name, the statements that made the tables.
  private static func tables(_ connection: Connection) throws(StoreError) -> [String: String] {
    let statement = try connection.prepare(
      "SELECT name, sql FROM sqlite_schema WHERE type = 'table'")
    defer { statement.finalize() }
    var tables: [String: String] = [:]
    while try statement.step() { tables[statement.text(0)] = statement.text(1) }
    return tables
  }

  /// Brings an older store to this version, in one transaction: all of it or nothing.
  ///
  /// - Returns: whether there was anything to do.
  static func migrate(
    _ connection: Connection, options: StoreOptions
  ) throws(StoreError) -> Bool {
    let schema = options.schema
    let found = Int(try connection.integer("PRAGMA user_version"))
    guard found < schema.version else { return false }
    do throws(StoreError) {
      try connection.execute("BEGIN IMMEDIATE")
      for version in found..<schema.version {
        switch schema.steps[version] {
        case .statements(let statements): try connection.execute(statements)
        case .toVersion2: try migrateToVersion2(connection, options.rowsOfVersion1)
        case nil:
          throw StoreError(
            .other, function: "migrate", path: connection.path,
            "its version \(version) is too old for this program, open it with an earlier Watchline "
              + "first")
        }
      }
      try connection.execute("PRAGMA user_version = \(schema.version); COMMIT;")
    } catch {
      if sqlite3_get_autocommit(connection.handle) == 0 { try? connection.execute("ROLLBACK") }
      throw error
    }
    return true
  }

  /// Gives all rows and segments checksums, and rows the formats that they have now.
  private static func migrateToVersion2(
    _ connection: Connection, _ upgrade: StoreOptions.Upgrade
  ) throws(StoreError) {
    var state = try stateOfVersion1(connection)
    for table in Row.Table.allCases {
      try connection.execute("ALTER TABLE \(table) RENAME TO old; " + Schema.table2("\(table)"))
      let digest = Int(table.rawValue)
      try copyRows(connection, table, upgrade, &state.digests[digest])
      try connection.execute("DROP TABLE old")
    }
    try connection.execute("ALTER TABLE segment RENAME TO old; " + Schema.segment2)
    try copySegments(connection, &state.digests[StoreState.segments])
    try connection.execute("DROP TABLE old; DELETE FROM meta;")
    try insert(state, connection)
  }

  private static func stateOfVersion1(_ connection: Connection) throws(StoreError) -> StoreState {
    var state = StoreState(
      identity: try connection.text("SELECT value FROM meta WHERE key = 'identity'"))
    func number(_ key: String) throws(StoreError) -> UInt64? {
      UInt64(
        exactly: try connection.integer(
          "SELECT coalesce(max(value), -1) FROM meta "
            + "WHERE key = '\(key)' AND typeof(value) = 'integer'"))
    }
    guard !state.identity.isEmpty, let epoch = try number("epoch"),
      let lastBatch = try number("lastBatch")
    else { throw damaged(connection, "table meta") }
    state.epoch = epoch
    state.lastBatch = lastBatch
    return state
  }

  private static func copyRows(
    _ connection: Connection, _ table: Row.Table, _ upgrade: StoreOptions.Upgrade,
    _ digest: inout UInt64
  ) throws(StoreError) {
    let old = try connection.prepare("SELECT pair, item, value FROM old")
    defer { old.finalize() }
    let put = try connection.prepare(
      "INSERT INTO \(table)(pair, item, sum, value) VALUES(?1, ?2, ?3, ?4)")
    defer { put.finalize() }
    while try old.step() {
      guard let pair = UInt32(exactly: old.integer(0)), let item = UInt32(exactly: old.integer(1)),
        old.isBlob(2)
      else { throw damaged(connection, "table \(table)") }
      let row = Row(Row.Key(table, pair: pair, item: item), old.bytes(2))
      let rows: [Row]
      do {
        rows = try upgrade(row)
      } catch {
        throw damaged(connection, "row \(row.key.name): \(error)")
      }
      for row in rows {
        let value = row.value ?? []
        let sum = value.withUnsafeBytes { Checksum.row(row.key, $0) }
        digest &+= sum
        try put.bind(1, Int64(row.key.pair))
        try put.bind(2, Int64(row.key.item))
        try put.bind(3, Int64(bitPattern: sum))
        try value.withUnsafeBufferPointer { (bytes) throws(StoreError) in
          try put.bind(4, borrowing: .init(bytes))
          try put.run()
        }
      }
    }
  }

  private static func copySegments(
    _ connection: Connection, _ digest: inout UInt64
  ) throws(StoreError) {
    let old = try connection.prepare("SELECT number, header, body FROM old ORDER BY number")
    defer { old.finalize() }
    let put = try connection.prepare(
      "INSERT INTO segment(number, sum, header, sums, body) VALUES(?1, ?2, ?3, ?4, ?5)")
    defer { put.finalize() }
    while try old.step() {
      guard let number = UInt64(exactly: old.integer(0)), old.isBlob(1), old.isBlob(2) else {
        throw damaged(connection, "table segment")
      }
      // Where its payloads end is not known here: its pieces are of one size.
      digest &+= try put.write(number, Segment(header: old.bytes(1), body: old.bytes(2)))
    }
  }

  static func insert(_ state: StoreState, _ connection: Connection) throws(StoreError) {
    let statement = try connection.prepare(putState)
    defer { statement.finalize() }
    try statement.write(state)
  }

  static let putState = "INSERT OR REPLACE INTO meta(key, value) VALUES('state', ?1)"

  static let putPosition = "INSERT OR REPLACE INTO meta(key, value) VALUES('position', ?1)"

  static func damaged(_ connection: Connection, _ what: String) -> StoreError {
    StoreError(
      .corrupt, code: SQLITE_CORRUPT, function: "load", path: connection.path,
      "\(damageAdvice)\(what)")
  }

  static let damageAdvice = "the store is damaged, restore it from a backup or move it away: "
}

extension Statement {
  /// Runs the statement that puts a segment: number, checksum, header, checksums, body.
  ///
  /// - Returns: the segment's checksum.
  func write(_ number: UInt64, _ segment: Segment) throws(StoreError) -> UInt64 {
    let sum = segment.header.withUnsafeBytes {
      Checksum.segment(number, $0, bodyLength: segment.body.count)
    }
    let sums = segment.body.withUnsafeBytes { PieceSums.make(number, $0, ends: segment.ends) }
    try bind(1, Int64(number))
    try bind(2, Int64(bitPattern: sum))
    try segment.header.withUnsafeBufferPointer { (header) throws(StoreError) in
      try bind(3, borrowing: .init(header))
      try sums.withUnsafeBufferPointer { (sums) throws(StoreError) in
        try bind(4, borrowing: .init(sums))
        try segment.body.withUnsafeBufferPointer { (body) throws(StoreError) in
          try bind(5, borrowing: .init(body))
          try run()
        }
      }
    }
    return sum
  }

  /// Runs the statement that puts where the log stands, with a checksum behind it.
  func write(position: [UInt8]) throws(StoreError) {
    var bytes = position
    bytes.append(littleEndian: bytes.withUnsafeBytes { Checksum.of($0, seed: 3) })
    try bytes.withUnsafeBufferPointer { (bytes) throws(StoreError) in
      try bind(1, borrowing: .init(bytes))
      try run()
    }
  }

  /// Runs the statement that puts the state.
  func write(_ state: StoreState) throws(StoreError) {
    let bytes = state.bytes
    try bytes.withUnsafeBufferPointer { (bytes) throws(StoreError) in
      try bind(1, borrowing: .init(bytes))
      try run()
    }
  }
}

extension Statement {
  /// Binds the first and the last key that rows of a pair may have.
  func bind(rowsOf pair: UInt32) throws(StoreError) {
    try bind(1, Row.Key(.pair, pair: pair, item: 0).number)
    try bind(2, Row.Key(.pair, pair: pair, item: .max).number)
  }
}

extension Row.Key {
  /// Its place in its table.
  var number: Int64 { Int64(bitPattern: UInt64(pair) << 32 | UInt64(item)) }

  /// As errors name it: table, pair and item.
  var name: String { "\(table) \(pair)/\(item)" }
}
