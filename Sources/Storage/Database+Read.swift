import CSQLite
import Journal

extension Database {
  /// Reads references one after the other, without loading the bodies they lie in.
  ///
  /// `sqlite3_blob_read` fetches the pages that it needs; a handle moves from segment to segment
  /// (<https://www.sqlite.org/c3ref/blob_open.html>). It holds a read transaction, so it lives for one
  /// round only: a checkpoint must not find one.
  ///
  /// - Parameters:
  ///   - next: the reference to begin with, and then the first one that was not read.
  ///   - results: gets the bytes; nil when a segment is gone.
  ///   - limit: bytes after which a round ends.
  ///   - bound: segments from here on are not in the database for certain; a round ends there, too.
  func read(
    _ references: [Reference], from next: inout Int, into results: inout [[UInt8]]?, limit: Int,
    below bound: UInt64
  ) throws(StoreError) {
    var blob: OpaquePointer?
    var segment: UInt64 = 0
    defer { sqlite3_blob_close(blob) }
    var bytes = 0
    while next < references.count, bytes < limit {
      let reference = references[next]
      guard reference.segment < bound else { return }
      if blob == nil || segment != reference.segment {
        guard try open(reference.segment, &blob) else {
          results = nil
          return
        }
        segment = reference.segment
      }
      let offset = Int(reference.offset)
      let length = Int(reference.length)
      guard offset + length <= Int(sqlite3_blob_bytes(blob)) else {
        results = nil
        return
      }
      var failure = SQLITE_OK
      let piece = [UInt8](unsafeUninitializedCapacity: length) { buffer, count in
        if length > 0 {
          failure = sqlite3_blob_read(blob, buffer.baseAddress, Int32(length), Int32(offset))
        }
        count = failure == SQLITE_OK ? length : 0
      }
      try connection.check(failure, "sqlite3_blob_read")
      results?.append(piece)
      next += 1
      bytes += length
    }
  }

  /// - Returns: false when there is no such segment.
  private func open(_ number: UInt64, _ blob: inout OpaquePointer?) throws(StoreError) -> Bool {
    let row = Int64(number)
    let code =
      blob == nil
      ? sqlite3_blob_open(connection.handle, "main", "segment", "body", row, 0, &blob)
      : sqlite3_blob_reopen(blob, row)
    guard code != SQLITE_OK else { return true }
    let error = connection.error(code, "sqlite3_blob_open")
    // SQLITE_ERROR says "no such row", and other things too.
    guard code == SQLITE_ERROR, try !has(number) else { throw error }
    return false
  }

  private func has(_ number: UInt64) throws(StoreError) -> Bool {
    defer { findSegment.reset() }
    try findSegment.bind(1, Int64(number))
    return try findSegment.step()
  }

  /// A whole segment; nil when it is gone.
  func segment(_ number: UInt64) throws(StoreError) -> Segment? {
    defer { wholeSegment.reset() }
    try wholeSegment.bind(1, Int64(number))
    guard try wholeSegment.step() else { return nil }
    return Segment(header: wholeSegment.bytes(0), body: wholeSegment.bytes(1))
  }

  /// The rows of a pair that are in the database, by table and item.
  func rows(_ read: PairRead) throws(StoreError) -> [Row] {
    var rows: [Row] = []
    for table in read.tables {
      let statement = pairRows[Int(table.rawValue)]
      defer { statement.reset() }
      try statement.bind(1, Int64(read.pair))
      while try statement.step() {
        guard let item = UInt32(exactly: statement.integer(0)), statement.isBlob(1) else {
          throw unreadable("\(table)")
        }
        rows.append(Row(.init(table, pair: read.pair, item: item), statement.bytes(1)))
      }
    }
    return rows
  }
}
