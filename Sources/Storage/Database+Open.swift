import CSQLite

extension Database {
  static let memoryPath = ":memory:"

  /// Opens an existing store, or a new one in memory, and sets the connection up.
  ///
  /// - Parameter refusable: the caller may still refuse it: closing leaves the files as they are.
  static func connect(
    _ path: String, refusable: Bool, options: StoreOptions
  ) throws(StoreError) -> Connection {
    let connection = try Connection(path, creating: path == memoryPath, vfs: options.vfs)
    do {
      connection.setCheckpointOnClose(!refusable)
      // EXCLUSIVE comes first: the WAL's index then is private memory, without a -shm file, and nobody
      // else can read or write (<https://www.sqlite.org/wal.html#noshm>).
      try connection.execute(
        """
        PRAGMA locking_mode = EXCLUSIVE;
        PRAGMA synchronous = FULL;
        PRAGMA wal_autocheckpoint = 0;
        PRAGMA journal_size_limit = \(options.busyCheckpointBytes);
        PRAGMA mmap_size = 0;
        PRAGMA cache_size = -8192;
        PRAGMA cache_spill = OFF;
        PRAGMA temp_store = MEMORY;
        PRAGMA trusted_schema = OFF;
        PRAGMA secure_delete = OFF;
        """)
      return connection
    } catch {
      connection.close()
      throw error
    }
  }

  /// Makes an empty store under a draft's name. A creation that is interrupted leaves no half store.
  static func create(_ path: String, identity: String, options: StoreOptions) throws(StoreError) {
    let connection = try Connection(path, creating: true, vfs: options.vfs)
    defer { connection.close() }
    try connection.execute(
      """
      PRAGMA page_size = \(options.pageSize);
      PRAGMA auto_vacuum = INCREMENTAL;
      PRAGMA locking_mode = EXCLUSIVE;
      PRAGMA synchronous = FULL;
      PRAGMA journal_mode = MEMORY;
      """)
    try fill(connection, identity: identity, schema: options.schema)
    try ensureWAL(connection)
  }

  /// Makes the tables in an empty database, in one transaction.
  static func fill(
    _ connection: Connection, identity: String, schema: Schema
  ) throws(StoreError) {
    try connection.execute(
      """
      BEGIN IMMEDIATE;
      PRAGMA application_id = \(Schema.applicationIdentifier);
      PRAGMA user_version = \(schema.version);
      \(schema.creation)
      """)
    try insert(StoreState(identity: identity), connection)
    try connection.execute("COMMIT")
  }

  /// Checks what is in the store before anything is written to it.
  ///
  /// - Parameter thoroughly: page by page (<https://www.sqlite.org/pragma.html#pragma_quick_check>).
  static func verify(
    _ connection: Connection, thoroughly: Bool, schema: Schema
  ) throws(StoreError) {
    let found = Int(try connection.integer("PRAGMA user_version"))
    // Once more, now with the WAL taken into account.
    try StoreFiles.refuseNewer(found, known: schema.version, path: connection.path)
    if thoroughly || found < schema.version {
      let finding = try connection.text("PRAGMA quick_check(1)")
      guard finding == "ok" else {
        throw StoreError(
          .corrupt, code: SQLITE_CORRUPT, function: "PRAGMA quick_check", path: connection.path,
          "the store is damaged, restore it from a backup or move it away: \(finding)")
      }
    }
    try verifyTables(connection, schema: schema)
  }
}
