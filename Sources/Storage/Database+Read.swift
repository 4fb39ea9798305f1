import CSQLite
import Journal

extension Database {
  /// Reads references one after the other, without loading the bodies they lie in, and checks them.
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
  /// - Throws: `corrupt` when the reference at `next` is not as it was written, or cannot be found.
  func read(
    _ references: [Reference], from next: inout Int, into results: inout [[UInt8]]?, limit: Int,
    below bound: UInt64
  ) throws(StoreError) {
    var blob: OpaquePointer?
    var sums: PieceSums?
    defer { sqlite3_blob_close(blob) }
    var bytes = 0
    while next < references.count, bytes < limit {
      let reference = references[next]
      guard reference.segment < bound else { return }
      if sums?.segment != reference.segment {
        guard let found = try self.sums(reference.segment) else {
          results = nil
          return
        }
        try open(reference.segment, &blob)
        sums = found
      }
      let range = Int(reference.offset)..<Int(reference.offset) + Int(reference.length)
      guard range.upperBound <= Int(sqlite3_blob_bytes(blob)) else {
        results = nil
        return
      }
      results?.append(try piece(range, sums!, blob))
      next += 1
      bytes += range.count
    }
  }

  /// The bytes of a range of a body, out of the whole pieces that have it.
  private func piece(
    _ range: Range<Int>, _ sums: PieceSums, _ blob: OpaquePointer?
  ) throws(StoreError) -> [UInt8] {
    if range.isEmpty { return [] }
    guard sums.length == Int(sqlite3_blob_bytes(blob)) else {
      throw Self.damaged(connection, "the body of segment \(sums.segment)")
    }
    let whole = sums.cover(range)
    var failure = SQLITE_OK
    let bytes = [UInt8](unsafeUninitializedCapacity: whole.count) { buffer, count in
      failure = sqlite3_blob_read(
        blob, buffer.baseAddress, Int32(whole.count), Int32(whole.lowerBound))
      count = failure == SQLITE_OK ? whole.count : 0
    }
    try connection.check(failure, "sqlite3_blob_read")
    guard bytes.withUnsafeBytes({ sums.areRight($0, at: whole.lowerBound) }) else {
      throw Self.damaged(
        connection, "bytes \(range) of segment \(sums.segment) are not as they were written")
    }
    if whole == range { return bytes }
    let start = range.lowerBound - whole.lowerBound
    return Array(bytes[start..<start + range.count])
  }

  private func open(_ number: UInt64, _ blob: inout OpaquePointer?) throws(StoreError) {
    let row = Int64(number)
    let code =
      blob == nil
      ? sqlite3_blob_open(connection.handle, "main", "segment", "body", row, 0, &blob)
      : sqlite3_blob_reopen(blob, row)
    guard code == SQLITE_OK else { throw connection.error(code, "sqlite3_blob_open") }
  }

  /// The checksums of a segment's pieces; nil when there is no such segment.
  private func sums(_ number: UInt64) throws(StoreError) -> PieceSums? {
    defer { pieceSums.reset() }
    try pieceSums.bind(1, Int64(number))
    guard try pieceSums.step() else { return nil }
    return try sums(pieceSums.bytes(0), number)
  }

  private func sums(_ bytes: [UInt8], _ number: UInt64) throws(StoreError) -> PieceSums {
    guard let sums = PieceSums(bytes, segment: number) else {
      throw Self.damaged(connection, "the checksums of segment \(number)")
    }
    return sums
  }

  /// A whole segment, and which parts of it are damaged; nil when it is gone.
  ///
  /// - Throws: `corrupt` when its header or its checksums are damaged.
  func segment(_ number: UInt64) throws(StoreError) -> Segment? {
    defer { wholeSegment.reset() }
    try wholeSegment.bind(1, Int64(number))
    guard try wholeSegment.step() else { return nil }
    var segment = Segment(header: wholeSegment.bytes(1), body: wholeSegment.bytes(3))
    let sum = segment.header.withUnsafeBytes {
      Checksum.segment(number, $0, bodyLength: segment.body.count)
    }
    guard sum == UInt64(bitPattern: wholeSegment.integer(0)) else {
      throw Self.damaged(connection, "the header of segment \(number) is not as it was written")
    }
    let sums = try sums(wholeSegment.bytes(2), number)
    segment.damage = segment.body.withUnsafeBytes { sums.damage($0) }
    return segment
  }

  /// Reads the bodies of all segments.
  ///
  /// - Throws: `corrupt` when one of them is not as it was written.
  func checkBodies(_ segments: [StoredSegment]) throws(StoreError) {
    for stored in segments {
      guard let damage = try segment(stored.number)?.damage.first else { continue }
      throw Self.damaged(
        connection, "bytes \(damage) of segment \(stored.number) are not as they were written")
    }
  }

  /// The rows of a pair that are in the database, by table and item.
  ///
  /// - Parameter isNeeded: says which of them are read.
  /// - Throws: `corrupt` when one of them is not as it was written.
  func rows(
    _ read: PairRead, where isNeeded: (Row.Key) -> Bool = { _ in true }
  ) throws(StoreError) -> [Row] {
    var rows: [Row] = []
    for table in read.tables {
      let statement = pairRows[Int(table.rawValue)]
      defer { statement.reset() }
      try statement.bind(rowsOf: read.pair)
      while try statement.step() {
        let item = UInt32(exactly: statement.integer(0))
        if let item, !isNeeded(Row.Key(table, pair: read.pair, item: item)) { continue }
        rows.append(try row(statement, table, read.pair))
      }
    }
    return rows
  }
}
