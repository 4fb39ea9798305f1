import CSQLite

/// A prepared statement. Columns and parameters count from 0 and 1, as in SQLite.
final class Statement {
  private let handle: OpaquePointer
  private unowned let connection: Connection

  init(_ handle: OpaquePointer, _ connection: Connection) {
    self.handle = handle
    self.connection = connection
  }

  func bind(_ index: Int32, _ value: Int64) throws(StoreError) {
    try connection.check(sqlite3_bind_int64(handle, index, value), "sqlite3_bind_int64")
  }

  func bind(_ index: Int32, _ text: String) throws(StoreError) {
    // SQLITE_TRANSIENT: a Swift string's bytes may go after the call.
    let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
    try connection.check(sqlite3_bind_text(handle, index, text, -1, transient), "sqlite3_bind_text")
  }

  /// Binds without a copy: `bytes` stays valid until `run` has returned.
  func bind(_ index: Int32, borrowing bytes: UnsafeRawBufferPointer) throws(StoreError) {
    guard let base = bytes.baseAddress, !bytes.isEmpty else {
      // A null pointer would bind NULL.
      try connection.check(sqlite3_bind_zeroblob(handle, index, 0), "sqlite3_bind_zeroblob")
      return
    }
    try connection.check(
      sqlite3_bind_blob64(handle, index, base, UInt64(bytes.count), nil), "sqlite3_bind_blob64")
  }

  /// Runs a statement without a result and makes it ready for the next use.
  func run() throws(StoreError) {
    let code = sqlite3_step(handle)
    guard code == SQLITE_DONE || code == SQLITE_ROW else {
      let error = connection.error(code, "sqlite3_step")
      sqlite3_reset(handle)
      throw error
    }
    // After SQLITE_DONE it has nothing left to fail.
    sqlite3_reset(handle)
  }

  /// - Returns: false when there is no row left.
  func step() throws(StoreError) -> Bool {
    switch sqlite3_step(handle) {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    case let code: throw connection.error(code, "sqlite3_step")
    }
  }

  func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }

  /// Whether the column is a blob, as the schema has it but SQLite does not enforce.
  func isBlob(_ column: Int32) -> Bool { sqlite3_column_type(handle, column) == SQLITE_BLOB }

  func text(_ column: Int32) -> String {
    sqlite3_column_text(handle, column).map { String(cString: $0) } ?? ""
  }

  func bytes(_ column: Int32) -> [UInt8] {
    // The order matters: the pointer first, then its length.
    let base = sqlite3_column_blob(handle, column)
    let count = Int(sqlite3_column_bytes(handle, column))
    return [UInt8](UnsafeRawBufferPointer(start: base, count: count))
  }

  func reset() { sqlite3_reset(handle) }

  func finalize() { sqlite3_finalize(handle) }
}
