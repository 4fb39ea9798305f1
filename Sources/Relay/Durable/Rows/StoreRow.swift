import Journal

/// The row of the store itself: the next pair's number, the manual clock or 0, how many pairs were erased,
/// the minutes that servers have served it, and one more than those from which on it is known which pairs were used, or 0.
enum StoreRow {
  static let version: UInt8 = 1
  static let key = Row.Key(.pair, pair: 0)

  static func make(nextPair: UInt32, clock: Int64, erasures: UInt64, _ service: Service) -> Row {
    var writer = ByteWriter(bytes: [version])
    writer.number(nextPair)
    writer.number(clock)
    writer.number(erasures)
    writer.number(service.saved)
    writer.number(service.knownSince.map { $0 + 1 } ?? 0)
    return Row(key, writer.bytes)
  }

  static func read(
    _ row: Row
  ) throws(JournalError) -> (nextPair: UInt32, clock: Int64, erasures: UInt64, service: Service) {
    try row.read(version: version) { (reader) throws(JournalError) in
      let (nextPair, clock): (UInt32, Int64) = (try reader.integer(), try reader.integer())
      guard !reader.isAtEnd else { return (nextPair, clock, 0, Service()) }
      let erasures = try reader.number()
      var service = Service()
      service.saved = try reader.integer()
      let known: Int64 = try reader.integer()
      service.knownSince = known > 0 ? known - 1 : nil
      return (nextPair, clock, erasures, service)
    }
  }
}
