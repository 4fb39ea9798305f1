import Journal

/// Opens a store's database, the first time and after each failure.
///
/// Keeps the directory locked as long as it lives.
struct DatabaseSource {
  let options: StoreOptions
  /// nil in memory.
  let files: StoreFiles?
  let lock: DirectoryLock?
  private let mark: Mark?
  /// What is committed.
  var log: any Log = MemoryLog()
  /// The same, where it is a file.
  private(set) var logFile: FileLog?
  /// The same, where several servers share it.
  var ownedLog: OwnedLog?
  /// nil in memory.
  let open: OpenFiles?
  /// nil in memory.
  let reserve: Reserve?
  /// nil in memory.
  private(set) var hold: Hold?

  /// Whether a failed database can be closed and opened again without losing anything.
  var canReopen: Bool { files != nil }

  init(
    options: StoreOptions, files: StoreFiles? = nil, lock: DirectoryLock? = nil, mark: Mark? = nil,
    open: OpenFiles? = nil, reserve: Reserve? = nil
  ) {
    self.options = options
    self.files = files
    self.lock = lock
    self.mark = mark
    self.open = open
    self.reserve = reserve
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
      let source = DatabaseSource(options: options)
      return try source.start(
        connection, newIdentity, nil, walBytes: 0, thoroughly: false, readingBodies: false
      ) { connection throws(StoreError) in
        try Database.fill(connection, identity: newIdentity, schema: options.schema)
      }

    case .directory(let directory):
      try DirectoryLock.makeDirectory(directory)
      let lock = try DirectoryLock(directory)
      let files = StoreFiles(directory: directory)
      let mark = try Mark(files.mark, vfs: options.vfs)
      if try files.inspect(known: options.schema.version) == .absent {
        let isNew = mark.notes.isEmpty && !files.hasLog
        guard isNew || options.acceptsLoss else { throw files.lost(files.absence) }
        files.removeLog()
        try create(files, directory, identity: newIdentity, options: options)
      }
      let source = DatabaseSource(
        options: options, files: files, lock: lock, mark: mark,
        open: OpenFiles(directory: directory),
        reserve: Reserve(directory: directory, options: options))
      do {
        return try source.startWithRoom(files, newIdentity, readingBodies: true)
      } catch {
        guard error.kind == .corrupt else { throw error }
        return try source.startWithoutLastCommit(files, newIdentity, instead: error)
      }
    }
  }

  /// Starts from all but the last commit in the WAL: one that was stopped between two writes may look whole
  /// (`WriteAheadLog`). Where it had been reported, that is a loss.
  ///
  /// - Throws: what is wrong with all of it, where the last commit is not what is wrong. It is back in place then.
  private func startWithoutLastCommit(
    _ files: StoreFiles, _ newIdentity: String, instead error: StoreError
  ) throws(StoreError) -> (DatabaseSource, Database, Contents) {
    let wal = wal(files)
    guard let offset = try wal.lastCommit(), let bytes = try wal.end(at: offset) else {
      throw error
    }
    do throws(StoreError) {
      var (source, database, contents) = try startWithRoom(
        files, newIdentity, readingBodies: true)
      contents.leftOut = error.description
      return (source, database, contents)
    } catch _ {
      try wal.put(bytes, at: offset)
    }
    // A payload that the disk has damaged is no reason to refuse the others.
    return try startWithRoom(files, newIdentity, readingBodies: false)
  }

  private func startWithRoom(
    _ files: StoreFiles, _ newIdentity: String, readingBodies: Bool
  ) throws(StoreError) -> (DatabaseSource, Database, Contents) {
    while true {
      do throws(StoreError) {
        return try start(files, newIdentity, readingBodies: readingBodies)
      } catch {
        // Even raising the epoch takes a little room.
        guard error.kind == .full, reserve!.giveUp() else { throw error }
      }
    }
  }

  func wal(_ files: StoreFiles) -> WriteAheadLog {
    WriteAheadLog(database: files.database, vfs: options.vfs)
  }

  /// Opens the files, as they are now: an earlier try may have written to the WAL.
  private func start(
    _ files: StoreFiles, _ newIdentity: String, readingBodies: Bool
  ) throws(StoreError) -> (DatabaseSource, Database, Contents) {
    guard case .present(let bytes, let walBytes) = try files.inspect(known: options.schema.version)
    else { preconditionFailure("\(files.database) was made and is not there") }
    if walBytes > 0 { try wal(files).makeDurable() }
    let connection = try Database.connect(
      files.database, refusable: files.hasWAL, options: options)
    let thoroughly = walBytes > 0 || bytes <= options.checkedBytes
    return try start(
      connection, newIdentity, files, walBytes: walBytes, thoroughly: thoroughly,
      readingBodies: readingBodies && walBytes > 0
    ) { connection throws(StoreError) in
      try Database.verify(connection, thoroughly: thoroughly, schema: options.schema)
      try Database.ensureWAL(connection)
    }
  }

  static func create(
    _ files: StoreFiles, _ directory: String, identity: String,
    options: StoreOptions
  ) throws(StoreError) {
    files.removeDraft()
    do {
      try Database.create(files.draft, identity: identity, options: options)
      try files.publishDraft()
    } catch {
      files.removeDraft()
      throw error
    }
    try DirectoryLock.sync(directory)
  }

  /// Makes the connection a database, brings it up to its log, and reads it; or closes it.
  ///
  /// - Parameter readingBodies: whether the segments' bodies are read and checked, too.
  private func start(
    _ connection: Connection, _ newIdentity: String, _ files: StoreFiles?, walBytes: Int,
    thoroughly: Bool,
    readingBodies: Bool, prepare: (Connection) throws(StoreError) -> Void
  ) throws(StoreError) -> (DatabaseSource, Database, Contents) {
    var migrated: Bool
    let database: Database
    do {
      try prepare(connection)
      migrated = try Database.migrate(connection, options: options)
      database = try Database(connection)
    } catch {
      connection.close()
      throw error
    }
    do throws(StoreError) {
      if let files, database.state.isCopy { throw files.copy }
      var source = self
      var loss: StoreFiles.Loss?
      var log: LogBehind?
      if let files, let mark {
        let found = try LogBehind(files, database.state, vfs: options.vfs)
        loss = files.loss(database.state, mark, walBytes: walBytes, found)
        if let loss, !options.acceptsLoss { throw files.lost(loss) }
        (source.log, source.logFile, log) = (found.file, found.file, found)
      }
      var contents = try database.load(
        behind: log, thoroughly: thoroughly, readingBodies: readingBodies)
      var next = database.state
      next.epoch = max(next.epoch, mark?.note(of: next)?.epoch ?? 0) + 1
      if loss != nil {
        next.identity = newIdentity
        next.lossEpoch = next.epoch
      }
      if let files, Database.makeShrinkable(connection, free: options.freeBytes(files.directory)) {
        migrated = true
      }
      try source.begin(database, next, migrated: migrated)
      try open?.opened(connection, log: files?.log)
      source.hold = files.flatMap { Hold($0.mark) }
      contents.identity = next.identity
      contents.epoch = next.epoch
      contents.lossEpoch = next.lossEpoch
      contents.loss = loss?.sentence
      return (source, database, contents)
    } catch {
      database.close()
      throw error
    }
  }

  /// Has the log start over, and writes that the store is open: into the mark, the log, the WAL, and the database
  /// itself, in this order. So whatever is missing after a kill is missed.
  private func begin(
    _ database: Database, _ next: StoreState, migrated: Bool
  ) throws(StoreError) {
    let wasOpen = database.state.isOpen
    if let mark {
      try mark.write(next)
      try mark.sync()
    }
    try logFile?.start(behind: next.lastBatch, store: next.identitySum)
    // From now on only `closeToTheEnd` moves the WAL when closing: else it could be gone while the
    // database says that it is open.
    database.connection.setCheckpointOnClose(false)
    try database.change { state in
      state = next
      state.isOpen = files != nil
      state.hasLog = true
    }
    guard files != nil else { return }
    do {
      // An older program must find a new version in the header, too.
      try database.checkpoint()
    } catch {
      // On a full disk it may fail, and the database says already that it is open.
      guard wasOpen, !migrated else { throw error }
    }
  }

  /// Notes what is about to be reported. Where that fails the mark says less, and is still true.
  func noteReported(_ state: StoreState) { try? mark?.write(state) }

  func syncMark() { try? mark?.sync() }

  /// Opens the database after a failure, without what the commit that failed has left in the WAL.
  ///
  /// - Parameter durably: what it then shows is on the disk; else it may show a commit that is not, and
  ///   must not be written to.
  /// - Throws: also `gone`, where it would be another one.
  func reopen(durably: Bool) throws(StoreError) -> Database {
    guard let files, let open else { preconditionFailure("a store in memory was closed") }
    try open.check()
    let wal = wal(files)
    try wal.end(at: open.walEnd)
    if durably { try wal.makeDurable() }
    let connection = try Database.connect(files.database, refusable: true, options: options)
    let database: Database
    do {
      database = try Database(connection, walPages: open.walPages)
    } catch {
      connection.close()
      throw error
    }
    do {
      try open.opened(connection, log: mark == nil ? nil : files.log)
      return database
    } catch {
      database.close()
      throw error
    }
  }

  /// Closes a database, and leaves its WAL as it is.
  func close(_ database: Database) {
    let (pages, end) = (database.walPageCount, database.walEnd)
    database.close()
    open?.closed(walPages: pages, walEnd: end)
  }
}
