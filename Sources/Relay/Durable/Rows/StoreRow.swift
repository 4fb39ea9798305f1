import Journal

/// The row of the store itself: the next pair's number, and the manual clock or 0.
enum StoreRow {
  static let version: UInt8 = 1
  static let key = Row.Key(.pair, pair: 0)

  static func make(nextPair: UInt32, clock: Int64) -> Row {
    var writer = ByteWriter(bytes: [version])
    writer.number(nextPair)
    writer.number(clock)
    return Row(key, writer.bytes)
  }

  static func read(_ row: Row) throws(JournalError) -> (nextPair: UInt32, clock: Int64) {
    try row.read(version: version) { (reader) throws(JournalError) in
      (try reader.integer(), try reader.integer())
    }
  }
}
