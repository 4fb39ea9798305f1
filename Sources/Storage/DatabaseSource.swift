import Journal

/// Opens a store's database, the first time and after each failure.
///
/// Keeps the directory locked as long as it lives.
struct DatabaseSource {
  private let options: StoreOptions
  /// nil in memory.
  private let files: StoreFiles?
  private let lock: DirectoryLock?

  /// Whether a failed database can be closed and opened again without losing anything.
  var canReopen: Bool { files != nil }

  private init(options: StoreOptions, files: StoreFiles?, lock: DirectoryLock?) {
    self.options = options
    self.files = files
    self.lock = lock
  }

  /// Opens the store: lock, look at the files, create or check, migrate, read, raise the epoch. Nothing
  /// is written before all checks have passed.
  static func open(
    _ location: StoreLocation, newIdentity: String, options: StoreOptions
  ) throws(StoreError) -> (DatabaseSource, Database, Contents) {
    switch location {
    case .memory:
      let connection = try Database.connect(
        Database.memoryPath, refusable: false, options: options)
      return try start(
        DatabaseSource(options: options, files: nil, lock: nil), connection, options: options
      ) { connection throws(StoreError) in
        try Database.fill(connection, identity: newIdentity, schema: options.schema)
      }

    case .directory(let directory):
      try DirectoryLock.makeDirectory(directory)
      let lock = try DirectoryLock(directory)
      let files = StoreFiles(directory: directory)
      var finding = try files.inspect(known: options.schema.version)
      if finding == .absent {
        files.removeDraft()
        do {
          try Database.create(files.draft, identity: newIdentity, options: options)
          try files.publishDraft()
        } catch {
          files.removeDraft()
          throw error
        }
        try lock.sync(directory)
        finding = try files.inspect(known: options.schema.version)
      }
      guard case .present(let bytes, let logBytes) = finding else {
        preconditionFailure("\(files.database) was made and is not there")
      }
      if logBytes > 0 {
        try WriteAheadLog.makeDurable(databasePath: files.database, vfs: options.vfs)
      }
      let connection = try Database.connect(
        files.database, refusable: logBytes > 0, options: options)
      return try start(
        DatabaseSource(options: options, files: files, lock: lock), connection, options: options
      ) { connection throws(StoreError) in
        try Database.verify(
          connection, thoroughly: logBytes > 0 || bytes <= options.checkedBytes,
          schema: options.schema)
      }
    }
  }

  /// Makes the connection a database and reads it, or closes it.
  private static func start(
    _ source: DatabaseSource, _ connection: Connection, options: StoreOptions,
    prepare: (Connection) throws(StoreError) -> Void
  ) throws(StoreError) -> (DatabaseSource, Database, Contents) {
    let migrated: Bool
    let database: Database
    do {
      try prepare(connection)
      migrated = try Database.migrate(connection, schema: options.schema)
      database = try Database(connection)
    } catch {
      connection.close()
      throw error
    }
    do {
      var contents = try database.load()
      contents.epoch += 1
      let epoch = contents.epoch
      try database.transaction { () throws(StoreError) in try database.setMeta("epoch", epoch) }
      connection.setCheckpointOnClose(true)
      // An older program must find the new version in the header.
      if migrated { try database.checkpoint() }
      return (source, database, contents)
    } catch {
      database.close()
      throw error
    }
  }

  /// Opens the database after a failure.
  ///
  /// - Parameter durably: what it then shows is on the disk; else it may show a commit that is not, and
  ///   must not be written to.
  func reopen(durably: Bool) throws(StoreError) -> Database {
    guard let files else { preconditionFailure("a store in memory was closed") }
    if durably {
      try WriteAheadLog.makeDurable(databasePath: files.database, vfs: options.vfs)
    }
    // Moving frames that are not durable into the database could tear it.
    let connection = try Database.connect(
      files.database, refusable: !durably, options: options)
    do {
      return try Database(connection)
    } catch {
      connection.close()
      throw error
    }
  }
}
