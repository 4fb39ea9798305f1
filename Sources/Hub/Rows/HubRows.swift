import Journal
import Merge
import Relay
import Wire

/// The versions of a hub's rows.
enum HubRow {
  static let version: UInt8 = 1
  /// Of a piece of a snapshot. One of version 1 has all of the operations after its base, which now the log's rows alone have.
  static let snapshotVersion: UInt8 = 2
  /// Of a hub's state. Version 1 had a position and a horizon behind `nextChunk`, to which a device had agreed whose own
  /// position, where its horizon stands now, was not below.
  static let stateVersion: UInt8 = 2
  // What a row of operations has.
  static let operations: UInt8 = 0
  static let snapshot: UInt8 = 1

  /// What a replica amounts to now, as values of rows.
  static func values(snapshotOf replica: Replica) -> [[UInt8]] {
    replica.snapshot(besideLog: true).map { piece in
      var writer = ByteWriter(bytes: [snapshotVersion, snapshot])
      writer.number(replica.position)
      writer.blob(piece)
      return writer.bytes
    }
  }
}

/// A hub, as rows.
///
/// ```
/// hub row h                 its state
/// operation row h<<28 | c   chunk c of its log: entries, or a piece of a snapshot
/// ```
/// Behind the last number of a chunk comes 0 again: far fewer are there than there are numbers.
/// The hub rows of bridged devices are told by their first bit: see `BridgeRows`.
extension Hub {
  private static let chunkNumbers: UInt32 = 1 << 28

  /// The number of the chunk that a row of operations is.
  static func chunk(_ key: Row.Key) -> UInt32 { key.item % chunkNumbers }

  /// The index of the hub that a row of operations belongs to.
  static func index(_ key: Row.Key) -> UInt8 { UInt8(key.item / chunkNumbers) }

  /// The place of a row of operations in the order in which those that are there were made.
  func place(_ key: Row.Key) -> UInt32 { (Self.chunk(key) &- nextChunk) % Self.chunkNumbers }

  private var key: Row.Key { Row.Key(.hub, pair: pair.number, item: UInt32(index)) }

  private func chunkKey(_ number: UInt32) -> Row.Key {
    Row.Key(.operation, pair: pair.number, item: UInt32(index) * Self.chunkNumbers | number)
  }

  /// What has changed since rows were last taken.
  func takeRows() -> [Row] {
    // Before that all of the log was taken.
    var rows = isCollecting ? [] : takeLog()
    rows.append(stateRow())
    let tracks = bridges.flatMap { BridgeRows.changedRows(self, $0) }
    if !tracksInRows.isEmpty {
      // Some have changed since.
      let newer = Set(tracks.map(\.key))
      rows += tracksInRows.filter { !newer.contains($0.key) }
      tracksInRows = []
    }
    return rows + tracks
  }

  private func takeLog() -> [Row] {
    var rows: [Row] = []
    if written < replica.position {
      var writer = ByteWriter(bytes: [HubRow.version, HubRow.operations])
      let log = replica.log
      let new = log.indices.suffix(Int(replica.position - written))
      // The row is kept for a while, and would take twice as much where it has grown.
      writer.bytes.reserveCapacity(
        new.reduce(32) { $0 + 8 + (log[$1].operation?.bytes.count ?? 128) })
      writer.number(written)
      for index in new { write(log[index], &writer) }
      written = replica.position
      rows.append(Row(addChunk(end: written, isSnapshot: false, writer.bytes.count), writer.bytes))
    }
    if let snapshot {
      self.snapshot = nil
      rows += snapshotRows(snapshot.position, snapshot.values)
    }
    logBase = (replica.base, replica.baseVector)
    return rows
  }

  private func addChunk(end: UInt64, isSnapshot: Bool, _ bytes: Int) -> Row.Key {
    let number = nextChunk
    nextChunk = (nextChunk + 1) % Self.chunkNumbers
    chunks.append(Chunk(number: number, end: end, isSnapshot: isSnapshot, bytes: bytes))
    return chunkKey(number)
  }

  private func write(_ entry: Replica.Entry, _ writer: inout ByteWriter) {
    switch entry {
    case .operation(let written):
      writer.number(0)
      writer.blob(written.bytes)
    case .purge(let purge):
      writer.number(1)
      writer.blob(purge.frontier.datum.canonical)
      writer.number(purge.horizon)
    }
  }

  /// A snapshot, in place of the one before and of entries that all have read.
  private func snapshotRows(_ position: UInt64, _ values: [[UInt8]]) -> [Row] {
    var rows: [Row] = []
    let kept = chunks.filter { !$0.isSnapshot && $0.end > replica.base }
    for chunk in chunks where chunk.isSnapshot || chunk.end <= replica.base {
      rows.append(Row(chunkKey(chunk.number), nil))
    }
    chunks = kept
    for value in values {
      rows.append(Row(addChunk(end: position, isSnapshot: true, value.count), value))
    }
    return rows
  }

  private func stateRow() -> Row {
    var writer = ByteWriter(bytes: [HubRow.stateVersion])
    writer.text(schema.name.text)
    writer.blob(schema.digest)
    writer.number(nextChunk)
    writer.number(logBase.position)
    writer.blob(logBase.vector.datum.canonical)
    writer.number(authors.count)
    for author in authors {
      writer.number(author.replica.device.high)
      writer.number(author.replica.device.low)
      writer.number(author.replica.incarnation)
      writer.number(author.device)
    }
    writer.number(members.count)
    for member in members {
      writer.number(member.device)
      writer.number(member.shown)
      writer.number(member.acknowledged)
      writer.number(member.horizon)
      writer.number(member.replicaHeard)
      writer.number(member.editorHeard)
    }
    return Row(key, writer.bytes)
  }
}
