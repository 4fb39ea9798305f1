import Journal
import Merge
import Wire

/// The form of a hub's rows.
private enum HubRow { static let version: UInt8 = 1 }

/// A hub, as rows.
///
/// ```
/// hub row h                 its state
/// operation row h<<28 | c   chunk c of its log: entries, or a piece of a snapshot
/// ```
/// The hub rows of bridged devices are told by their first bit: see `BridgeRows`.
extension Hub {
  private static let operations: UInt8 = 0
  private static let snapshot: UInt8 = 1

  private var key: Row.Key { Row.Key(.hub, pair: pair.number, item: UInt32(index)) }

  private func chunkKey(_ number: UInt32) -> Row.Key {
    Row.Key(.operation, pair: pair.number, item: UInt32(index) << 28 | number)
  }

  /// What has changed since rows were last taken.
  func takeRows() -> [Row] {
    var rows: [Row] = []
    if written < replica.position {
      var writer = ByteWriter(bytes: [HubRow.version, Self.operations])
      writer.number(written)
      for entry in replica.log.suffix(Int(replica.position - written)) { write(entry, &writer) }
      written = replica.position
      rows.append(Row(addChunk(isSnapshot: false), writer.bytes))
    }
    if needsSnapshot {
      needsSnapshot = false
      rows += snapshotRows()
    }
    rows.append(stateRow())
    for bridged in bridges { rows += BridgeRows.take(self, bridged) }
    return rows
  }

  private func addChunk(isSnapshot: Bool) -> Row.Key {
    let number = nextChunk
    nextChunk += 1
    chunks.append(Chunk(number: number, end: written, isSnapshot: isSnapshot))
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

  /// The snapshot of the whole log, in place of the one before and of entries that all have read.
  private func snapshotRows() -> [Row] {
    var rows: [Row] = []
    let kept = chunks.filter { !$0.isSnapshot && $0.end > replica.base }
    for chunk in chunks where chunk.isSnapshot || chunk.end <= replica.base {
      rows.append(Row(chunkKey(chunk.number), nil))
    }
    chunks = kept
    for piece in replica.snapshot() {
      var writer = ByteWriter(bytes: [HubRow.version, Self.snapshot])
      writer.number(written)
      writer.blob(piece)
      rows.append(Row(addChunk(isSnapshot: true), writer.bytes))
    }
    return rows
  }

  private func stateRow() -> Row {
    var writer = ByteWriter(bytes: [HubRow.version])
    writer.text(schema.name.text)
    writer.blob(schema.digest)
    writer.number(nextChunk)
    writer.number(frontier)
    writer.number(horizon)
    writer.number(replica.base)
    writer.blob(replica.baseVector.datum.canonical)
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
      writer.number(member.sealed)
      writer.number(member.replicaHeard)
      writer.number(member.editorHeard)
    }
    return Row(key, writer.bytes)
  }
}

/// Hubs of a pair, read back from rows.
struct HubRestoration {
  let pair: Pair
  let schemas: [Schema]

  /// Hubs whose schema this server was started without stay in the store as they are.
  ///
  /// - Returns: the hubs, and the numbers of those that are left alone.
  /// - Throws: `JournalError` where a row cannot be understood.
  func hubs(_ rows: [Row]) throws(JournalError) -> (hubs: [Hub], absent: Set<UInt8>) {
    var hubs: [Hub] = []
    var absent: Set<UInt8> = []
    for row in rows where row.key.table == .hub && !BridgeRows.isBridge(row.key) {
      if let hub = try hub(row) {
        hubs.append(hub)
      } else {
        absent.insert(UInt8(row.key.item))
      }
    }
    for hub in hubs {
      let own = rows.filter {
        $0.key.table == .operation && UInt8($0.key.item >> 28) == hub.index
      }
      try readLog(own, into: hub)
      for row in rows where row.key.table == .hub && BridgeRows.isBridge(row.key) {
        if BridgeRows.hub(row.key) == hub.index { try BridgeRows.read(row, into: hub) }
      }
    }
    return (hubs, absent)
  }

  private func hub(_ row: Row) throws(JournalError) -> Hub? {
    try row.read(version: HubRow.version) { (reader) throws(JournalError) -> Hub? in
      let name = try reader.text()
      guard let schema = schemas.first(where: { $0.name.text == name }) else {
        return nil
      }
      _ = try reader.blob()
      let hub = Hub(pair: pair, index: UInt8(row.key.item), schema: schema)
      hub.nextChunk = try reader.integer()
      hub.frontier = try reader.number()
      hub.horizon = try reader.number()
      hub.logBase = (try reader.number(), try Self.vector(try reader.blob()))
      for _ in 0..<(try reader.number()) {
        let replica = ReplicaID(
          device: Identifier(high: try reader.number(), low: try reader.number()),
          incarnation: try reader.number())
        hub.authors.append(Hub.Author(replica: replica, device: try reader.integer()))
      }
      for _ in 0..<(try reader.number()) {
        hub.members.append(
          Hub.Member(
            device: try reader.integer(), shown: try reader.number(),
            acknowledged: try reader.number(), sealed: try reader.number(),
            replicaHeard: try reader.number(), editorHeard: try reader.number()))
      }
      return hub
    }
  }

  /// Pieces of the snapshot stand for everything up to its position; entries from before it are
  /// there for those who have yet to read them.
  private func readLog(_ rows: [Row], into hub: Hub) throws(JournalError) {
    var pieces: [[UInt8]] = []
    var snapshotEnd: UInt64 = 0
    var logs: [(start: UInt64, entries: [StoredEntry])] = []
    for row in rows {
      let number = row.key.item & (1 << 28 - 1)
      try row.read(version: HubRow.version) { (reader) throws(JournalError) in
        let isSnapshot = try reader.number() == 1
        let position = try reader.number()
        if isSnapshot {
          pieces.append(try reader.blob())
          snapshotEnd = position
          hub.chunks.append(Hub.Chunk(number: number, end: position, isSnapshot: true))
          return
        }
        var entries: [StoredEntry] = []
        while !reader.isAtEnd {
          let kind = try reader.number()
          let bytes = try reader.blob()
          entries.append(
            kind == 0 ? .operation(bytes) : .purge(bytes, horizon: try reader.number()))
        }
        let end = position + UInt64(entries.count)
        hub.chunks.append(Hub.Chunk(number: number, end: end, isSnapshot: false))
        logs.append((position, entries))
      }
    }
    do throws(WireError) {
      hub.replica = try Replica(
        pieces: pieces, position: snapshotEnd, log: logs, from: hub.logBase)
    } catch {
      throw JournalError(
        description: "the operations of \(hub.schema.name) cannot be read: \(error.message)")
    }
    if let seal = hub.seal {
      hub.replica.fold.announce(frontier: seal.frontier, horizon: seal.horizon)
    }
    hub.written = hub.replica.position
    hub.committed = hub.written
  }

  private static func vector(_ bytes: [UInt8]) throws(JournalError) -> VersionVector {
    do throws(WireError) {
      return try VersionVector(try Datum(json: bytes))
    } catch {
      throw JournalError(description: "a vector of the store cannot be read: \(error.message)")
    }
  }
}
