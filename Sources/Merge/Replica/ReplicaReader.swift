package import Wire

/// An entry of a log as a store keeps it.
package enum StoredEntry: Sendable {
  /// Canonical bytes.
  case operation([UInt8])
  /// The frontier's canonical bytes.
  case purge([UInt8], horizon: UInt64)

  package init(_ entry: Replica.Entry) {
    switch entry {
    case .operation(let written): self = .operation(Array(written.bytes))
    case .purge(let purge):
      self = .purge(purge.frontier.datum.canonical, horizon: purge.horizon)
    }
  }
}

/// Reads a replica back from what a store kept: the pieces of its snapshot, and the entries of its log.
package struct ReplicaReader {
  private let pieces: [[UInt8]]
  private let position: UInt64
  private let log: [(start: UInt64, entries: [StoredEntry])]
  private let base: (position: UInt64, vector: VersionVector)

  private var replica = Replica()

  /// - Parameters:
  ///   - pieces: of the snapshot at `position`; empty where there is none.
  ///   - log: runs of entries, each with the position before it, rising.
  ///   - base: what the log is known from, and what had been taken in there.
  package init(
    pieces: [[UInt8]], position: UInt64,
    log: [(start: UInt64, entries: [StoredEntry])] = [],
    from base: (position: UInt64, vector: VersionVector) = (0, VersionVector())
  ) {
    self.pieces = pieces
    self.position = position
    self.log = log
    self.base = base
  }

  /// Reads all that there is.
  ///
  /// - Throws: 4001, 4003 or 4004 where something is not as it was written.
  package consuming func all() throws(WireError) -> Replica {
    let before = try entriesBefore()
    try readSnapshot(beside: before)
    if !before.isEmpty { replica.restoreLog(before, baseVector: base.vector) }
    for run in log {
      for (index, stored) in run.entries.enumerated()
      where run.start + UInt64(index) + 1 > position {
        try append(stored)
      }
    }
    return replica
  }

  /// Entries from before the snapshot.
  private func entriesBefore() throws(WireError) -> [Replica.Entry] {
    var before: [Replica.Entry] = []
    for run in log where run.start < position {
      for (index, stored) in run.entries.enumerated() {
        let at = run.start + UInt64(index) + 1
        if at > base.position, at <= position { before.append(try passedOn(stored)) }
      }
    }
    return before
  }

  private mutating func readSnapshot(beside before: [Replica.Entry]) throws(WireError) {
    guard let chains = pieces.first else { return }
    let operations = before.compactMap(\.operation?.operation)
    var snapshot = SnapshotReader(
      logged: Dictionary(operations.map { ($0.dot, $0) }) { $1 })
    for piece in pieces.dropFirst() { try snapshot.add(try Datum(json: piece)) }
    replica = Replica(
      try snapshot.finish(), position: position, chains: try Self.readChains(chains))
  }

  private static func readChains(_ bytes: [UInt8]) throws(WireError) -> [ReplicaID: Chain] {
    guard case .object(let members) = try Datum(json: bytes) else {
      throw WireError(.invalidField, "a snapshot starts with the ends of its chains")
    }
    var chains: [ReplicaID: Chain] = [:]
    for member in members {
      let reader = DatumReader(member.value, "a snapshot's chain")
      guard let replica = ReplicaID(member.name.utf8) else {
        throw reader.invalid("replica", "<UUID>.<incarnation>")
      }
      var chain = Chain()
      chain.seq = try reader.value("seq", "a whole number") { UInt64(decimal: $0) }
      chain.hash = try reader.value("hash", "hexadecimal digits") {
        [UInt8](hexadecimal: Array($0))
      }
      if let context = member.value["context"] {
        chain.context = Context(try VersionVector(context), of: replica)
      }
      chains[replica] = chain
    }
    return chains
  }

  private func append(_ stored: StoredEntry) throws(WireError) {
    switch stored {
    case .operation(let bytes):
      try replica.append(try replica.read(try OperationText(json: bytes)))
    case .purge(let bytes, let horizon):
      replica.purge(try Self.purge(bytes, horizon))
    }
  }

  /// Reads an entry from before the snapshot. Its operation's context is the snapshot's.
  private func passedOn(_ stored: StoredEntry) throws(WireError) -> Replica.Entry {
    switch stored {
    case .operation(let bytes):
      return .operation(try OperationText(json: bytes).read(names: replica.names) { _ in nil })
    case .purge(let bytes, let horizon): return .purge(try Self.purge(bytes, horizon))
    }
  }

  private static func purge(_ bytes: [UInt8], _ horizon: UInt64) throws(WireError) -> Replica.Purge
  {
    Replica.Purge(frontier: try VersionVector(try Datum(json: bytes)), horizon: horizon)
  }
}

extension [UInt8] {
  /// The bytes that hexadecimal digits spell; nil where they are none, or odd in number.
  package init?(hexadecimal text: [UInt8]) {
    guard text.count.isMultiple(of: 2) else { return nil }
    self = []
    for index in stride(from: 0, to: text.count, by: 2) {
      let pair = String(decoding: text[index..<index + 2], as: UTF8.self)
      guard let byte = UInt8(pair, radix: 16), pair.first != "+" else { return nil }
      append(byte)
    }
  }
}
