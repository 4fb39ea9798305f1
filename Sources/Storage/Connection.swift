import CSQLite

/// An open SQLite connection. One thread at a time uses it: it has no mutex of its own.
final class Connection {
  let handle: OpaquePointer
  /// For errors: the file, or `:memory:`.
  let path: String

  /// Opens `path` with extended result codes.
  ///
  /// - Parameter creating: false refuses a file that does not exist.
  /// - Throws: `SQLITE_CANTOPEN`, `SQLITE_NOMEM`, `SQLITE_IOERR`…
  ///   (<https://www.sqlite.org/c3ref/open.html>).
  init(_ path: String, creating: Bool, vfs: String?) throws(StoreError) {
    var opened: OpaquePointer?
    let flags =
      SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
      | SQLITE_OPEN_PRIVATECACHE | (creating ? SQLITE_OPEN_CREATE : 0)
    let code = sqlite3_open_v2(path, &opened, flags, vfs)
    guard let opened, code == SQLITE_OK else {
      // Even a failed opening gives a handle, unless memory is short.
      let detail = opened.map { String(cString: sqlite3_errmsg($0)) } ?? "out of memory"
      let errorNumber = opened.map { sqlite3_system_errno($0) } ?? 0
      sqlite3_close(opened)
      throw StoreError(
        code: code, function: "sqlite3_open_v2", path: path, detail: detail,
        errorNumber: errorNumber)
    }
    // Without the permission to write SQLite falls back to reading, and fails later with less to say.
    guard sqlite3_db_readonly(opened, "main") == 0 else {
      sqlite3_close(opened)
      throw StoreError(
        .cannotOpen, code: SQLITE_READONLY, function: "sqlite3_open_v2", path: path,
        "cannot be opened for writing, look at its permissions and its directory's")
    }
    handle = opened
    self.path = path
  }

  /// Runs statements without parameters or results.
  func execute(_ sql: String) throws(StoreError) {
    try check(sqlite3_exec(handle, sql, nil, nil, nil), "sqlite3_exec")
  }

  /// Prepares a statement that is used often; the owner finalizes it before `close`.
  func prepare(_ sql: String) throws(StoreError) -> Statement {
    var statement: OpaquePointer?
    let code = sqlite3_prepare_v3(
      handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
    try check(code, "sqlite3_prepare_v3")
    guard let statement else { preconditionFailure("no statement in: \(sql)") }
    return Statement(statement, self)
  }

  /// The first column of the first row of a query that always has one.
  func integer(_ sql: String) throws(StoreError) -> Int64 {
    let statement = try prepare(sql)
    defer { statement.finalize() }
    return try statement.step() ? statement.integer(0) : 0
  }

  /// The first column of the first row, as text.
  func text(_ sql: String) throws(StoreError) -> String {
    let statement = try prepare(sql)
    defer { statement.finalize() }
    return try statement.step() ? statement.text(0) : ""
  }

  /// Whether closing moves the WAL into the database. It must not where the store is being refused.
  func setCheckpointOnClose(_ on: Bool) {
    _ = watchline_sqlite3_db_config_flag(
      handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, on ? 0 : 1)
  }

  func check(_ code: Int32, _ function: String) throws(StoreError) {
    guard code == SQLITE_OK else { throw error(code, function) }
  }

  /// The error of the call that has just answered `code`.
  func error(_ code: Int32, _ function: String) -> StoreError {
    StoreError(
      code: code, function: function, path: path,
      detail: String(cString: sqlite3_errmsg(handle)), errorNumber: sqlite3_system_errno(handle))
  }

  /// Ends the connection; all its statements are finalized. The last connection to a file moves the WAL
  /// into the database and deletes it; when that fails the WAL stays, and nothing is lost.
  func close() {
    let code = sqlite3_close(handle)
    precondition(code != SQLITE_BUSY, "a statement of \(path) is not finalized")
  }
}
