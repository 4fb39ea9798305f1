package import Wire

/// An entry of a log as a store keeps it.
package enum StoredEntry: Sendable {
  /// Canonical bytes.
  case operation([UInt8])
  /// The frontier's canonical bytes.
  case purge([UInt8], horizon: UInt64)
}

/// Reads a replica back from what a store kept: the pieces of its snapshot, and the entries of its log.
package struct ReplicaReader {
  private let pieces: [[UInt8]]
  private let position: UInt64
  private let log: [(start: UInt64, entries: [StoredEntry])]
  private let base: (position: UInt64, vector: VersionVector)
  /// What is read next.
  private var piece = 0
  private var run = 0
  private var entry = 0

  private var chains: [ReplicaID: Chain] = [:]
  private var snapshot = SnapshotReader()
  /// Entries from before the snapshot.
  private var before: [Replica.Entry] = []
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
    while try next() {}
    return replica
  }

  /// Reads a piece or an entry. Returns false where there is no more.
  private mutating func next() throws(WireError) -> Bool {
    if piece < pieces.count {
      let bytes = pieces[piece]
      if piece == 0 { try readChains(bytes) } else { try snapshot.add(try Datum(json: bytes)) }
      piece += 1
      if piece == pieces.count {
        replica = Replica(try snapshot.finish(), position: position, chains: chains)
      }
      return true
    }
    while run < log.count, entry >= log[run].entries.count { (run, entry) = (run + 1, 0) }
    guard run < log.count else {
      restoreLog()
      return false
    }
    let stored = log[run].entries[entry]
    entry += 1
    let at = log[run].start + UInt64(entry)
    if at <= position {
      if at > base.position { before.append(try Self.passedOn(stored)) }
    } else {
      restoreLog()
      try append(stored)
    }
    return true
  }

  private mutating func restoreLog() {
    guard !before.isEmpty else { return }
    replica.restoreLog(before, baseVector: base.vector)
    before = []
  }

  private mutating func readChains(_ bytes: [UInt8]) throws(WireError) {
    guard case .object(let members) = try Datum(json: bytes) else {
      throw WireError(.invalidField, "a snapshot starts with the ends of its chains")
    }
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
  }

  private func append(_ stored: StoredEntry) throws(WireError) {
    switch stored {
    case .operation(let bytes):
      try replica.append(try replica.read(try OperationText(json: bytes)))
    case .purge(let bytes, let horizon):
      replica.purge(try Self.purge(bytes, horizon))
    }
  }

  /// Reads an entry that is only passed on: of its operation, the dot is what matters.
  private static func passedOn(_ stored: StoredEntry) throws(WireError) -> Replica.Entry {
    switch stored {
    case .operation(let bytes):
      let text = try OperationText(json: bytes)
      let operation = try Operation(text) { _ in nil }
      return .operation(Replica.Written(operation: operation, bytes: text.bytes))
    case .purge(let bytes, let horizon): return .purge(try purge(bytes, horizon))
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
