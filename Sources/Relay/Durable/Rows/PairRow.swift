import Journal
import Wire

/// The row of a pair: app, name, the active watch's index + 1 or 0, the next file's number, knobs, the id of the token
/// that it was made with, or nothing, the pair's generation, when it was used last, and the bytes that it holds, in all
/// and of merged records. In rows of earlier versions the last five, or four, are not there.
enum PairRow {
  static let version: UInt8 = 1

  static func make(_ pair: Pair) -> Row {
    var writer = ByteWriter(bytes: [version])
    writer.text(pair.app)
    writer.text(pair.name)
    writer.number(pair.activeWatch.map { Int($0.index) + 1 } ?? 0)
    writer.number(pair.nextFile)
    // Most pairs have their knobs as at the start: two bytes instead of six hundred.
    var knobs = Array("{}".utf8)
    if pair.knobs != Knobs() {
      knobs = []
      pair.knobs.write(to: &knobs)
    }
    writer.blob(knobs)
    writer.text(pair.maker ?? "")
    writer.number(pair.generation)
    writer.number(pair.used)
    writer.number(pair.held.all)
    writer.number(pair.held.records)
    return Row(Row.Key(.pair, pair: pair.number), writer.bytes)
  }

  /// What is known of a pair that is not in memory.
  static func known(_ row: Row) throws(JournalError) -> KnownPair {
    try row.read(version: version) { (reader) throws(JournalError) in
      let name = Relay.PairName(app: try reader.text(), name: try reader.text())
      for _ in 0..<2 { _ = try reader.number() }
      _ = try reader.blob()
      let maker = try maker(&reader)
      let use = try use(&reader)
      return KnownPair(
        name: name, number: row.key.pair, maker: maker, used: use.last, held: use.held.all)
    }
  }

  /// - Returns: the pair, still without devices, and the active watch's index + 1 or 0.
  static func read(_ row: Row) throws(JournalError) -> (pair: Pair, activeWatch: UInt16) {
    try row.read(version: version) { (reader) throws(JournalError) in
      let (app, name) = (try reader.text(), try reader.text())
      let activeWatch: UInt16 = try reader.integer()
      let nextFile: UInt32 = try reader.integer()
      let knobs = try reader.blob()
      let maker = try maker(&reader)
      let use = try use(&reader)
      let pair = Pair(number: row.key.pair, app: app, name: name, generation: use.generation)
      (pair.nextFile, pair.maker) = (nextFile, maker)
      (pair.used, pair.usedInRow) = (use.last, use.last)
      (pair.held, pair.heldInRow) = (use.held, use.held)
      let isUnderstood = knobs.withUnsafeBytes { bytes in
        do throws(WireError) {
          var envelope = Envelope()
          try envelope.scan(bytes)
          try envelope.withFields(of: bytes) { (fields) throws(WireError) in
            try pair.knobs.set(from: fields)
          }
          return true
        } catch {
          return false
        }
      }
      guard isUnderstood else {
        throw JournalError(description: "the knobs of pair \(pair.name) cannot be understood")
      }
      return (pair, activeWatch)
    }
  }

  private static func maker(_ reader: inout ByteReader) throws(JournalError) -> String? {
    guard !reader.isAtEnd else { return nil }
    let maker = try reader.text()
    return maker.isEmpty ? nil : maker
  }

  private static func use(
    _ reader: inout ByteReader
  ) throws(JournalError) -> (generation: UInt64, last: Int64, held: Held) {
    guard !reader.isAtEnd else { return (0, 0, Held()) }
    return (
      try reader.number(), try reader.integer(),
      Held(all: try reader.integer(), records: try reader.integer())
    )
  }
}
