import Journal
import Wire

/// The row of a pair: app, name, the active watch's index + 1 or 0, the next file's number, knobs,
/// and the id of the token that it was made with, where there was one.
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
    if let maker = pair.maker { writer.text(maker) }
    return Row(Row.Key(.pair, pair: pair.number), writer.bytes)
  }

  /// What is known of a pair that is not in memory.
  static func known(_ row: Row) throws(JournalError) -> KnownPair {
    try row.read(version: version) { (reader) throws(JournalError) in
      let name = Relay.PairName(app: try reader.text(), name: try reader.text())
      for _ in 0..<2 { _ = try reader.number() }
      _ = try reader.blob()
      return KnownPair(
        name: name, number: row.key.pair, maker: reader.isAtEnd ? nil : try reader.text())
    }
  }

  /// - Returns: the pair, still without devices, and the active watch's index + 1 or 0.
  static func read(_ row: Row) throws(JournalError) -> (pair: Pair, activeWatch: UInt16) {
    try row.read(version: version) { (reader) throws(JournalError) in
      let pair = Pair(number: row.key.pair, app: try reader.text(), name: try reader.text())
      let activeWatch: UInt16 = try reader.integer()
      pair.nextFile = try reader.integer()
      let knobs = try reader.blob()
      if !reader.isAtEnd { pair.maker = try reader.text() }
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
}
