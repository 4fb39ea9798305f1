import Bridge
import Journal
import Merge
import Relay
import Wire

/// Hubs of a pair, read back from rows.
struct HubRestoration {
  private let pair: Pair
  private let schemas: [Schema]
  private let codecs: [any WholeRecordCodec]
  /// By device: the number of the next user info for it.
  private let next: [UInt64]
  // Of the hub whose rows are being read.
  private var pieces: [[UInt8]] = []
  private var snapshotEnd: UInt64 = 0
  private var log: [(start: UInt64, entries: [StoredEntry])] = []

  init(_ pair: Pair, schemas: [Schema], codecs: [any WholeRecordCodec]) {
    self.pair = pair
    self.schemas = schemas
    self.codecs = codecs
    next = pair.devices.map(\.nextUserInfo)
  }

  /// Reads them. On any thread: what the pair's lanes change is not looked at.
  ///
  /// - Throws: `JournalError` where a row cannot be understood.
  func read(_ rows: [Row]) throws(JournalError) -> PairHubs {
    var reading = self
    return try reading.all(rows)
  }

  private mutating func all(_ rows: [Row]) throws(JournalError) -> PairHubs {
    var hubs: [Hub] = []
    var absent: Set<UInt8> = []
    var chunks: [UInt8: [Row]] = [:]
    var bridges: [UInt8: [Row]] = [:]
    for row in rows {
      if row.key.table == .operation {
        chunks[Hub.index(row.key), default: []].append(row)
      } else if row.key.table == .hub, BridgeRows.isBridge(row.key) {
        bridges[BridgeRows.hub(row.key), default: []].append(row)
      } else if row.key.table == .hub {
        if let hub = try hub(row) { hubs.append(hub) } else { absent.insert(UInt8(row.key.item)) }
      }
    }
    for hub in hubs {
      let inOrder = (chunks[hub.index] ?? []).sorted { hub.place($0.key) < hub.place($1.key) }
      for row in inOrder { try read(chunk: row, of: hub) }
      try readLog(of: hub)
      for row in bridges[hub.index] ?? [] { try BridgeRows.read(row, into: hub, next: next) }
    }
    // Those whose schema this server was started without stay in the store as they are.
    return PairHubs(hubs, absent: absent)
  }

  private func hub(_ row: Row) throws(JournalError) -> Hub? {
    try row.read(versions: 1...HubRow.stateVersion) {
      (reader, version) throws(JournalError) -> Hub? in
      let name = try reader.text()
      guard let schema = schemas.first(where: { $0.name.text == name }) else {
        return nil
      }
      _ = try reader.blob()
      let hub = Hub(pair: pair, index: UInt8(row.key.item), schema: schema, codecs: codecs)
      hub.nextChunk = try reader.integer()
      // What was to be collected then: up to which position, and its horizon.
      let agreed = version == 1 ? (try reader.number(), try reader.number()) : (0, 0)
      hub.logBase = (try reader.number(), try Self.vector(try reader.blob()))
      for _ in 0..<(try reader.number()) {
        let replica = ReplicaID(
          device: Identifier(high: try reader.number(), low: try reader.number()),
          incarnation: try reader.number())
        hub.authors.append(Hub.Author(replica: replica, device: try reader.integer()))
      }
      for _ in 0..<(try reader.number()) {
        var member = Hub.Member(
          device: try reader.integer(), shown: try reader.number(),
          acknowledged: try reader.number(), horizon: try reader.number(),
          replicaHeard: try reader.number(), editorHeard: try reader.number())
        if version == 1 { member.horizon = member.horizon >= agreed.0 ? agreed.1 : 0 }
        hub.members.append(member)
      }
      return hub
    }
  }

  private mutating func read(chunk row: Row, of hub: Hub) throws(JournalError) {
    var entries: [StoredEntry] = []
    var piece: [UInt8]?
    var position: UInt64 = 0
    try row.read(versions: HubRow.version...HubRow.snapshotVersion) {
      (reader, _) throws(JournalError) in
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
        number: Hub.chunk(row.key), end: position + UInt64(entries.count), isSnapshot: piece != nil,
        bytes: row.value?.count ?? 0))
  }

  /// Reads the log. Pieces of the snapshot stand for everything up to its position; entries from before it are there for
  /// those who have yet to read them.
  private mutating func readLog(of hub: Hub) throws(JournalError) {
    do throws(WireError) {
      hub.replica = try ReplicaReader(
        pieces: pieces, position: snapshotEnd, log: log, from: hub.logBase
      ).all()
    } catch {
      throw JournalError(
        description: "the operations of \(hub.schema.name) cannot be read: \(error.message)")
    }
    hub.written = hub.replica.position
    hub.committed = hub.written
    (pieces, snapshotEnd, log) = ([], 0, [])
  }

  private static func vector(_ bytes: [UInt8]) throws(JournalError) -> VersionVector {
    do throws(WireError) {
      return try VersionVector(try Datum(json: bytes))
    } catch {
      throw JournalError(description: "a vector of the store cannot be read: \(error.message)")
    }
  }
}
