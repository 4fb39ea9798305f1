import Journal

/// A log that several servers share grows until a snapshot takes the place of what is in it.
extension Writer {
  var wantsSnapshot: Bool {
    if let snapshot { return !snapshot.isPaused }
    guard let log = source.ownedLog else { return false }
    return log.wantsSnapshot(of: source.open?.databaseBytes ?? 0)
  }

  /// Does a piece of the snapshot.
  func takeSnapshot() throws(StoreError) {
    guard let log = source.ownedLog, let files = source.files else { return }
    let database = try writable()
    guard let snapshot else {
      // As new as can be.
      try database.put(memTable, position: log.position)
      memTable = MemTable(behind: database.state.lastBatch)
      try source.open?.measure()
      self.snapshot = try log.snapshot(of: database, files, vfs: options.vfs)
      return
    }
    guard let sequence = try snapshot.step() else { return }
    endSnapshot()
    log.forget(through: sequence)
  }

  /// Before the database is closed.
  func endSnapshot() {
    snapshot?.end()
    snapshot = nil
  }
}
