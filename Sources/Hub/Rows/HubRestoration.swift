import Bridge
import Journal
import Merge
import Relay
import Wire

/// Hubs of a pair, read back from rows, an item at a time: there may be a hundred thousand.
struct HubRestoration {
  let pair: Pair
  private let schemas: [Schema]
  private let codecs: [any WholeRecordCodec]
  private var steps: [Step] = []
  private var nextStep = 0
  // Of the hub whose rows are being read.
  private var pieces: [[UInt8]] = []
  private var snapshotEnd: UInt64 = 0
  private var log: [(start: UInt64, entries: [StoredEntry])] = []
  private var reader: ReplicaReader?

  private var hubs: [Hub] = []
  /// The numbers of hubs whose schema this server was started without. They stay in the store as they are.
  private var absent: Set<UInt8> = []
  /// What has been read, once `next` says so.
  var result: PairHubs { PairHubs(hubs, absent: absent) }

  private enum Step {
    case chunk(Row, Hub)
    /// All chunks are there: their items are read.
    case log(Hub)
    case bridge(Row, Hub)
  }

  /// - Throws: `JournalError` where a row cannot be understood.
  init(
    _ rows: [Row], pair: Pair, schemas: [Schema], codecs: [any WholeRecordCodec]
  ) throws(JournalError) {
    self.pair = pair
    self.schemas = schemas
    self.codecs = codecs
    var chunks: [UInt8: [Row]] = [:]
    var bridges: [UInt8: [Row]] = [:]
    for row in rows {
      if row.key.table == .operation {
        chunks[UInt8(row.key.item >> 28), default: []].append(row)
      } else if row.key.table == .hub, BridgeRows.isBridge(row.key) {
        bridges[BridgeRows.hub(row.key), default: []].append(row)
      } else if row.key.table == .hub {
        if let hub = try hub(row) { hubs.append(hub) } else { absent.insert(UInt8(row.key.item)) }
      }
    }
    for hub in hubs {
      steps += (chunks[hub.index] ?? []).map { .chunk($0, hub) }
      steps.append(.log(hub))
      steps += (bridges[hub.index] ?? []).map { .bridge($0, hub) }
    }
  }

  /// Reads on.
  ///
  /// - Returns: the units of work that this was; nil where all has been read.
  /// - Throws: `JournalError` where a row cannot be understood.
  mutating func next() throws(JournalError) -> Int? {
    guard nextStep < steps.count else { return nil }
    switch steps[nextStep] {
    case .chunk(let row, let hub):
      try read(chunk: row, of: hub)
      nextStep += 1
      return Work.line + (row.value?.count ?? 0) / 16
    case .log(let hub):
      if let bytes = try readItem(of: hub) { return Work.entry + bytes }
      nextStep += 1
      return Work.line
    case .bridge(let row, let hub):
      try BridgeRows.read(row, into: hub)
      nextStep += 1
      return Work.entry + (row.value?.count ?? 0)
    }
  }

  private func hub(_ row: Row) throws(JournalError) -> Hub? {
    try row.read(version: HubRow.version) { (reader) throws(JournalError) -> Hub? in
      let name = try reader.text()
      guard let schema = schemas.first(where: { $0.name.text == name }) else {
        return nil
      }
      _ = try reader.blob()
      let hub = Hub(pair: pair, index: UInt8(row.key.item), schema: schema, codecs: codecs)
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

  private mutating func read(chunk row: Row, of hub: Hub) throws(JournalError) {
    let number = row.key.item & (1 << 28 - 1)
    var entries: [StoredEntry] = []
    var piece: [UInt8]?
    var position: UInt64 = 0
    try row.read(version: HubRow.version) { (reader) throws(JournalError) in
      let isSnapshot = try reader.number() == HubRow.snapshot
      position = try reader.number()
      if isSnapshot {
        piece = try reader.blob()
        return
      }
      while !reader.isAtEnd {
        let kind = try reader.number()
        let bytes = try reader.blob()
        entries.append(kind == 0 ? .operation(bytes) : .purge(bytes, horizon: try reader.number()))
      }
    }
    if let piece {
      pieces.append(piece)
      snapshotEnd = position
    } else {
      log.append((position, entries))
    }
    hub.chunks.append(
      Hub.Chunk(
        number: number, end: position + UInt64(entries.count), isSnapshot: piece != nil,
        bytes: row.value?.count ?? 0))
  }

  /// Reads an item of the log. Pieces of the snapshot stand for everything up to its position; entries from before it are
  /// there for those who have yet to read them.
  ///
  /// - Returns: its bytes; nil where there is no more, and the hub's replica is whole.
  private mutating func readItem(of hub: Hub) throws(JournalError) -> Int? {
    do throws(WireError) {
      if reader == nil {
        reader = ReplicaReader(pieces: pieces, position: snapshotEnd, log: log, from: hub.logBase)
      }
      if let bytes = try reader!.next() { return bytes }
      hub.replica = try reader!.all()
    } catch {
      throw JournalError(
        description: "the operations of \(hub.schema.name) cannot be read: \(error.message)")
    }
    if let seal = hub.seal {
      hub.replica.fold.announce(frontier: seal.frontier, horizon: seal.horizon)
    }
    hub.written = hub.replica.position
    hub.committed = hub.written
    (pieces, snapshotEnd, log, reader) = ([], 0, [], nil)
    return nil
  }

  private static func vector(_ bytes: [UInt8]) throws(JournalError) -> VersionVector {
    do throws(WireError) {
      return try VersionVector(try Datum(json: bytes))
    } catch {
      throw JournalError(description: "a vector of the store cannot be read: \(error.message)")
    }
  }
}
