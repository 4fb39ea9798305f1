package import Wire

/// An entry of a log as a store keeps it.
package enum StoredEntry: Sendable {
  /// Canonical bytes.
  case operation([UInt8])
  /// The frontier's canonical bytes.
  case purge([UInt8], horizon: UInt64)
}

extension Replica {
  /// The pieces of a snapshot at the present position, each canonical JSON: the chains' ends, then
  /// the fold.
  package func snapshot() -> [[UInt8]] {
    var chains: [Datum.Member] = []
    for replica in replicas {
      let chain = chain(replica)
      var members = [
        Datum.Member("hash", .string(Name(chain.hash.hexadecimal))),
        Datum.Member("seq", .string(Name(String(chain.seq)))),
      ]
      if let context = chain.context {
        members.append(Datum.Member("context", context.vector(of: replica).datum))
      }
      chains.append(Datum.Member(Name(replica.description), .sorted(members)))
    }
    return [Datum.sorted(chains).canonical] + fold.snapshot().map(\.canonical)
  }

  /// Reads a snapshot back.
  ///
  /// - Throws: 4001 or 4004 where a piece is not one.
  package convenience init(pieces: [[UInt8]], position: UInt64) throws(WireError) {
    guard let first = pieces.first, case .object(let members) = try Datum(json: first) else {
      throw WireError(.invalidField, "a snapshot starts with the ends of its chains")
    }
    var chains: [ReplicaID: Chain] = [:]
    for member in members {
      let reader = DatumReader(member.value, "a snapshot's chain")
      guard let replica = ReplicaID(member.name.utf8) else {
        throw reader.invalid("replica", "<UUID>.<incarnation>")
      }
      var chain = Chain()
      chain.seq = try reader.value("seq", "a whole number") { UInt64(decimal: $0.utf8) }
      chain.hash = try reader.value("hash", "hexadecimal digits") { [UInt8](hexadecimal: $0.utf8) }
      if let context = member.value["context"] {
        chain.context = Context(try VersionVector(context), of: replica)
      }
      chains[replica] = chain
    }
    var reader = SnapshotReader()
    for piece in pieces.dropFirst() { try reader.add(try Datum(json: piece)) }
    self.init(try reader.finish(), position: position, chains: chains)
  }

  /// Reads back what a store kept.
  ///
  /// - Parameters:
  ///   - pieces: of the snapshot at `position`; empty where there is none.
  ///   - log: runs of entries, each with the position before it, rising.
  ///   - base: what the log is known from, and what had been taken in there.
  /// - Throws: 4001 or 4004 where something is not as it was written.
  package convenience init(
    pieces: [[UInt8]], position: UInt64, log: [(start: UInt64, entries: [StoredEntry])],
    from base: (position: UInt64, vector: VersionVector)
  ) throws(WireError) {
    if pieces.isEmpty { self.init() } else { try self.init(pieces: pieces, position: position) }
    var before: [Entry] = []
    for run in log {
      for (index, stored) in run.entries.enumerated() {
        let at = run.start + UInt64(index) + 1
        if at <= position {
          if at > base.position { before.append(try Self.passedOn(stored)) }
          continue
        }
        if !before.isEmpty {
          restoreLog(before, baseVector: base.vector)
          before = []
        }
        try append(stored)
      }
    }
    if !before.isEmpty { restoreLog(before, baseVector: base.vector) }
  }

  private func append(_ stored: StoredEntry) throws(WireError) {
    switch stored {
    case .operation(let bytes):
      try append(Written(operation: try read(try Datum(json: bytes)), bytes: bytes))
    case .purge(let bytes, let horizon):
      purge(Purge(frontier: try VersionVector(try Datum(json: bytes)), horizon: horizon))
    }
  }

  /// Reads an entry that is only passed on: of its operation, the dot is what matters.
  private static func passedOn(_ stored: StoredEntry) throws(WireError) -> Entry {
    switch stored {
    case .operation(let bytes):
      let operation = try Operation(try Datum(json: bytes)) { _ in nil }
      return .operation(Written(operation: operation, bytes: bytes))
    case .purge(let bytes, let horizon):
      return .purge(Purge(frontier: try VersionVector(try Datum(json: bytes)), horizon: horizon))
    }
  }
}

extension [UInt8] {
  /// The bytes that hexadecimal digits spell; nil where they are none, or odd in number.
  init?(hexadecimal text: [UInt8]) {
    guard text.count.isMultiple(of: 2) else { return nil }
    self = []
    for index in stride(from: 0, to: text.count, by: 2) {
      let pair = String(decoding: text[index..<index + 2], as: UTF8.self)
      guard let byte = UInt8(pair, radix: 16), pair.first != "+" else { return nil }
      append(byte)
    }
  }
}
