import CSQLite
package import Journal

/// A store that no server has open, looked at and left byte for byte as it is.
///
/// One thread at a time uses it. Other processes cannot open the store while it lives.
package final class StoreReader {
  private let lock: DirectoryLock
  private let files: StoreFiles
  private let connection: Connection
  private let schema: Schema
  private let database: Database
  /// What was lost; of a backup nothing.
  private let loss: StoreFiles.Loss?
  /// What keeps its log from being taken in.
  private let logFault: StoreError?
  /// What was read and checked so far.
  package private(set) var tally = Tally()

  package struct Tally: Equatable {
    package var rows = 0
    package var segments = 0
    /// Of their bodies.
    package var bytes = 0
  }

  /// - Throws: `locked` while a server has it open; `cannotOpen` where there is none; `corrupt`, `notOurs`,
  ///   `newerVersion`, `io`; and `other` for a store of an older version, which a server has to bring up first.
  package init(_ directory: String, options: StoreOptions = StoreOptions()) throws(StoreError) {
    schema = options.schema
    lock = try DirectoryLock(directory)
    files = StoreFiles(directory: directory)
    let mark = try Mark(files.mark, vfs: options.vfs)
    guard case .present(_, let walBytes) = try files.inspect(known: schema.version) else {
      guard mark.notes.isEmpty, !files.hasLog else { throw files.lost(files.absence) }
      throw StoreError(
        .cannotOpen, code: SQLITE_CANTOPEN, function: "open", path: files.database,
        "there is no store in this directory")
    }
    connection = try Database.connect(
      files.database, refusable: files.hasWAL, options: options)
    do throws(StoreError) {
      let version = Int(try connection.integer("PRAGMA user_version"))
      guard version == schema.version else {
        throw StoreError(
          .other, function: "PRAGMA user_version", path: files.database,
          "has version \(version), start a server on it once, which makes it one of version \(schema.version)"
        )
      }
      try Database.verifyTables(connection, schema: schema)
      database = try Database(connection)
    } catch {
      connection.close()
      throw error
    }
    var (loss, logFault): (StoreFiles.Loss?, StoreError?)
    do throws(StoreError) {
      let log = try LogBehind(files, database.state, vfs: options.vfs)
      if !mark.isOfBackup(database.state) {
        loss = files.loss(database.state, mark, walBytes: walBytes, log)
      }
      try database.pretend(log)
    } catch {
      logFault = error
    }
    (self.loss, self.logFault) = (loss, logFault)
  }

  deinit { database.close() }

  /// The last batch committed.
  var lastBatch: UInt64 { database.state.lastBatch }

  /// What a server would start with.
  ///
  /// - Throws: `corrupt` at the first thing that is not as it was written, `lost` where commits are missing.
  package func contents() throws(StoreError) -> Contents {
    if let logFault { throw logFault }
    if let loss { throw files.lost(loss) }
    return try database.load(database.state, thoroughly: true)
  }

  /// - Throws: `corrupt` where one of them is not as it was written.
  package func rows(_ read: PairRead) throws(StoreError) -> [Row] { try database.rows(read) }

  /// A payload; nil where its segment is gone.
  ///
  /// - Throws: `corrupt` where it is not as it was written.
  package func payload(_ reference: Reference) throws(StoreError) -> [UInt8]? {
    var next = 0
    var results: [[UInt8]]? = []
    try database.read([reference], from: &next, into: &results, limit: 1, below: .max)
    return results?.first
  }

  // MARK: Everything

  /// Reads every page, row and payload, and says what is not as it was written, a sentence each; nothing where all
  /// is. Of more than `most` the rest is left out.
  ///
  /// - Parameter progress: is told the parts that were looked at, and how many there are.
  package func faults(most: Int = 100, progress: (Int, Int) -> Void = { _, _ in }) -> [String] {
    let parts = Row.Table.allCases.count + 4
    var faults: [String] = []
    func look(_ part: Int, _ body: (inout [String]) throws(StoreError) -> Void) {
      guard faults.count < most else { return }
      progress(part, parts)
      do throws(StoreError) {
        try body(&faults)
      } catch {
        faults.append(Self.what(error))
      }
    }
    look(0) { (faults) throws(StoreError) in try addDamagedPages(&faults, most) }
    look(1) { (faults) throws(StoreError) in if let loss { faults.append(loss.sentence) } }
    look(2) { (faults) throws(StoreError) in if let logFault { throw logFault } }
    for (index, table) in Row.Table.allCases.enumerated() {
      look(3 + index) { (faults) throws(StoreError) in try addDamagedRows(table, &faults, most) }
    }
    look(parts - 1) { (faults) throws(StoreError) in try addDamagedSegments(&faults, most) }
    progress(parts, parts)
    return faults
  }

  /// Without the advice of a start.
  private static func what(_ error: StoreError) -> String {
    let advice = Database.damageAdvice
    return error.message.hasPrefix(advice)
      ? String(error.message.dropFirst(advice.count)) : error.message
  }

  /// <https://www.sqlite.org/pragma.html#pragma_integrity_check>
  private func addDamagedPages(_ faults: inout [String], _ most: Int) throws(StoreError) {
    let statement = try connection.prepare("PRAGMA integrity_check(\(most))")
    defer { statement.finalize() }
    while try statement.step() {
      let finding = statement.text(0)
      if finding != "ok" { faults.append("the database's pages: \(finding)") }
    }
  }

  private func addDamagedRows(
    _ table: Row.Table, _ faults: inout [String], _ most: Int
  ) throws(StoreError) {
    let statement = try connection.prepare(
      "SELECT item, sum, value, pair FROM \(table) ORDER BY key")
    defer { statement.finalize() }
    var digest: UInt64 = 0
    while faults.count < most, try statement.step() {
      tally.rows += 1
      digest &+= UInt64(bitPattern: statement.integer(1))
      do throws(StoreError) {
        guard let pair = UInt32(exactly: statement.integer(3)) else {
          throw Database.damaged(
            connection, "table \(table), a row of pair \(statement.integer(3))")
        }
        _ = try database.row(statement, table, pair)
      } catch {
        faults.append(Self.what(error))
      }
    }
    if faults.count < most, digest != database.state.digests[Int(table.rawValue)] {
      faults.append("table \(table) lacks rows, or has old ones")
    }
  }

  private func addDamagedSegments(_ faults: inout [String], _ most: Int) throws(StoreError) {
    let statement = try connection.prepare("SELECT number, sum FROM segment ORDER BY number")
    defer { statement.finalize() }
    var digest: UInt64 = 0
    while faults.count < most, try statement.step() {
      let number = UInt64(bitPattern: statement.integer(0))
      tally.segments += 1
      digest &+= UInt64(bitPattern: statement.integer(1))
      do throws(StoreError) {
        guard let segment = try database.segment(number) else { continue }
        tally.bytes += segment.body.count
        for damage in segment.damage {
          faults.append("bytes \(damage) of segment \(number) are not as they were written")
        }
        if number > database.state.lastBatch { faults.append("segment \(number) is too new") }
      } catch {
        faults.append(Self.what(error))
      }
    }
    if faults.count < most, digest != database.state.digests[StoreState.segments] {
      faults.append("table segment lacks rows, or has old ones")
    }
  }
}
