import CSQLite
import Cluster
import Glibc

/// The copy of a shard: a database without a log of its own, beside the place in the shard's log up to which it has
/// everything. Whatever becomes of it, the log has it all: a copy that is no good is thrown away.
extension DatabaseSource {
  /// Opens a copy, or makes one.
  static func openCopy(
    _ directory: String, options: StoreOptions
  ) throws(StoreError) -> (DatabaseSource, Database, Follower) {
    try DirectoryLock.makeDirectory(directory)
    let lock = try DirectoryLock(directory)
    let files = StoreFiles(directory: directory)
    let isNew = try files.inspect(known: options.schema.version) == .absent
    if isNew {
      guard try Mark(files.mark, vfs: options.vfs).notes.isEmpty, !files.hasLog else {
        throw files.noCopy
      }
      try create(files, directory, identity: unnamed, options: options)
    }
    let source = DatabaseSource(
      options: options, files: files, lock: lock, open: OpenFiles(directory: directory),
      reserve: Reserve(directory: directory, options: options))
    do {
      let database = try source.startCopy(files, isNew: isNew)
      return (source, database, try database.follower())
    } catch {
      guard error.kind == .corrupt else { throw error }
      throw files.badCopy(error)
    }
  }

  /// A copy's name until it has met the shard's first owner.
  private static let unnamed = "copy"

  /// Opens a snapshot in the place of a copy that has been closed.
  func replaceCopy() throws(StoreError) -> (DatabaseSource, Database) {
    guard let files else { preconditionFailure("a copy has files") }
    guard rename(files.snapshot, files.database) == 0 else {
      throw StoreError(errno: errno, function: "rename", path: files.snapshot)
    }
    try DirectoryLock.sync(files.directory)
    let source = DatabaseSource(
      options: options, files: files, lock: lock, open: OpenFiles(directory: files.directory),
      reserve: reserve)
    return (source, try source.startCopy(files, isNew: false))
  }

  private func startCopy(
    _ files: StoreFiles, isNew: Bool
  ) throws(StoreError) -> Database {
    guard case .present(_, let walBytes) = try files.inspect(known: options.schema.version)
    else { preconditionFailure("\(files.database) was made and is not there") }
    if walBytes > 0 { try wal(files).makeDurable() }
    let connection = try Database.connect(
      files.database, refusable: files.hasWAL, options: options)
    let database: Database
    do {
      try Database.verify(connection, thoroughly: true, schema: options.schema)
      try Database.ensureWAL(connection)
      database = try Database(connection)
    } catch {
      connection.close()
      throw error
    }
    do throws(StoreError) {
      guard database.state.isCopy || isNew else { throw files.noCopy }
      // Whatever is wrong with it is found before anything is added.
      _ = try database.load(database.state, thoroughly: true)
      _ = try database.follower()
      connection.setCheckpointOnClose(false)
      try database.change { state in
        (state.isCopy, state.isOpen, state.hasLog) = (true, true, true)
      }
      try open?.opened(connection, log: nil)
      return database
    } catch {
      database.close()
      throw error
    }
  }
}

extension Database {
  /// Where the copy stands.
  func follower() throws(StoreError) -> Follower {
    guard let bytes = try position() else { return Follower() }
    guard let follower = Follower(position: bytes), follower.lastBatch == state.lastBatch else {
      throw Self.damaged(connection, "table meta")
    }
    return follower
  }
}

extension StoreFiles {
  /// The error of a server alone that finds a copy.
  var copy: StoreError {
    StoreError(
      .notOurs, code: SQLITE_NOTADB, function: "open", path: database,
      "is the copy of a shard that several servers share; start with --cluster, or choose another directory"
    )
  }

  /// The error of a server of a cluster that finds no copy.
  fileprivate var noCopy: StoreError {
    StoreError(
      .notOurs, code: SQLITE_NOTADB, function: "open", path: database,
      "is the store of a server alone; start without --cluster, or choose another directory")
  }

  fileprivate func badCopy(_ error: StoreError) -> StoreError {
    StoreError(
      .corrupt, code: error.code, function: error.function, path: error.path,
      "this copy of a shard is damaged; remove the directory, it is made anew from the shard's log: \(error.message)"
    )
  }
}
