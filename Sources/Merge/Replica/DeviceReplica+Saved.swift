package import Wire

/// What of a device's replica outlives the device's end: lines of canonical JSON, each without its
/// end.
///
/// ```
/// {"accepted":"2","offset":"0","origin":"0","position":"3","rank":"1","replica":"<UUID>.1",…}
/// {"piece":…}                                     of the snapshot that it began with
/// {"op":…} or {"purge":{"frontier":…,"horizon":…}}  its log, in order
/// ```
extension DeviceReplica {
  package var saved: [[UInt8]] {
    let header = [
      Datum.Member("replica", .string(Name(id.description))),
      Datum.Member("rank", .string(Name(String(rank)))),
      Datum.Member("accepted", .string(Name(String(accepted)))),
      Datum.Member("position", .string(Name(String(position)))),
      Datum.Member("offset", .string(Name(String(offset)))),
      Datum.Member("origin", .string(Name(String(replica.base)))),
      Datum.Member("promise", promise.datum),
    ]
    return [Datum.sorted(header).canonical] + origin.map { Self.line("piece", $0) }
      + replica.log.map { entry in
        switch entry {
        case .operation(let written): Self.line("op", written.bytes)
        case .purge(let purge): Self.line("purge", purge.datum.canonical)
        }
      }
  }

  private static func line(_ name: StaticString, _ value: some Collection<UInt8>) -> [UInt8] {
    var line = Array("{\"".utf8)
    line.append(name)
    line += Array("\":".utf8) + value + [0x7D]
    return line
  }

  /// Reads back what was saved.
  ///
  /// - Throws: 4001 or 4004 where a line is not as it was written.
  package convenience init(saved lines: some Collection<[UInt8]>) throws(WireError) {
    let first = try lines.first.map { bytes throws(WireError) in try Datum(json: bytes) } ?? .null
    let header = DatumReader(first, "a saved replica")
    func number(_ name: StaticString) throws(WireError) -> UInt64 {
      try header.value(name, "a whole number") { UInt64(decimal: $0) }
    }
    let id = try header.value("replica", "<UUID>.<incarnation>") { ReplicaID($0) }
    guard let rank = UInt8(exactly: try number("rank")) else {
      throw header.invalid("rank", "1 or 2")
    }
    self.init(id: id, rank: rank)
    var pieces: [[UInt8]] = []
    var entries: [Datum] = []
    for line in lines.dropFirst() {
      let datum = try Datum(json: line)
      if let piece = datum["piece"] {
        pieces.append(piece.canonical)
      } else {
        entries.append(datum)
      }
    }
    if !pieces.isEmpty { try begin(pieces, at: try number("origin")) }
    for entry in entries { try append(entry) }
    try takeUp(
      accepted: try number("accepted"), position: try number("position"),
      offset: try header.value("offset", "a whole number") {
        Int64(spelled: $0)
      },
      promise: try Replica.Purge(first["promise"] ?? .null))
  }

  private func append(_ entry: Datum) throws(WireError) {
    if let datum = entry["purge"] {
      let purge = try Replica.Purge(datum)
      guard fold.vector.contains(purge.frontier) else {
        throw WireError(.invalidField, "a saved replica has purged what it does not hold")
      }
      return replica.purge(purge)
    }
    guard let item = entry["op"] else {
      throw WireError(.invalidField, "a saved replica has pieces, operations and purges, no others")
    }
    try replica.append(try replica.read(OperationText(item)))
  }

}

extension Replica.Purge {
  fileprivate var datum: Datum {
    .sorted([
      Datum.Member("frontier", frontier.datum),
      Datum.Member("horizon", .string(Name(String(horizon)))),
    ])
  }

  fileprivate init(_ datum: Datum) throws(WireError) {
    let reader = DatumReader(datum, "a purge")
    self.init(
      frontier: try VersionVector(datum["frontier"] ?? .null),
      horizon: try reader.value("horizon", "a whole number") { UInt64(decimal: $0) })
  }
}
