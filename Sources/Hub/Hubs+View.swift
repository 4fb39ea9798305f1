import Merge
import Relay
import Wire

/// What people look at: the merged records, what lost, and the digests.
extension Hubs {
  /// Bytes of records or entries in one line at most, unless one alone has more.
  private static let lineOfRecords = 256 << 10
  /// Bytes of lines that answer one request in a turn.
  private static let bytesAtOnce = 512 << 10

  func view(_ call: Call, _ device: Device) throws(WireError) -> Bool {
    let hub = try session(call, device).hub
    let filter = try filter(call, hub)
    let schema = hub.schema
    let found = prepared(call, hub, weight: filter.record == nil ? hub.weight : 1) { replica in
      Self.kinds(replica.fold, schema, filter).flatMap { (kind, records) -> [[UInt8]] in
        Self.lines(records.lazy.map { $0.readable(schema) }).map { Self.kind(kind, $0) }
      }
    }
    guard let found else { return false }
    if found.next == 0 { setShown(found.at, device, hub) }
    return answer(call, "sync.records", found, hub, hasVector: true)
  }

  /// What a filter lets through: all kinds, or one.
  private static func kinds(
    _ fold: Fold, _ schema: Schema, _ filter: (kind: Name?, record: Target?)
  ) -> [(Name, [RecordView])] {
    guard let kind = filter.kind else {
      let view = fold.view(schema)
      return schema.kinds.map { ($0.name, view[$0.name]) }
    }
    guard let record = filter.record else { return [(kind, fold.view(kind, schema))] }
    return [(kind, fold.view(record, schema).map { [$0] } ?? [])]
  }

  private static func kind(_ kind: Name, _ records: [UInt8]) -> [UInt8] {
    var line: [UInt8] = []
    line.append(",\"kind\":", quoted: kind.text)
    line.append(",\"records\":")
    return line + records
  }

  /// The feed: every write that lost to one that it had not seen.
  func conflicts(_ call: Call, _ device: Device) throws(WireError) -> Bool {
    let hub = try session(call, device).hub
    let filter = try filter(call, hub)
    let sentences = hub.sentences
    let found = prepared(call, hub, weight: hub.weight) { replica in
      let entries = sentences.feed().filter { entry in
        (filter.kind.map { entry.target.kind == $0 } ?? true)
          && (filter.record.map { entry.target == $0 } ?? true)
      }
      return Self.lines(entries.lazy.map(\.bytes)).map { Array(",\"entries\":".utf8) + $0 }
    }
    guard let found else { return false }
    return answer(call, "sync.feed", found, hub)
  }

  func digest(_ call: Call, _ device: Device) throws(WireError) -> Bool {
    let hub = try session(call, device).hub
    let schema = hub.schema
    let known = hub.digestThen?.position == hub.replica.position ? hub.digestThen?.digest : nil
    let make: (Replica) -> [[UInt8]] = { replica in
      let digest = known ?? replica.viewDigest(schema)
      return [Self.digests(replica, schema, digest), Array(digest.utf8)]
    }
    // One that is known is no work.
    guard let found = prepared(call, hub, weight: known == nil ? hub.weight : 1, make) else {
      return false
    }
    call.connection.prepared = nil
    hub.digestThen = (found.at, String(decoding: found.pieces[1], as: UTF8.self))
    relay.answerAfter(relay.latestBatch, call) { output in
      Relay.begin(&output, "sync.digests", re: call.id, of: call.request)
      Self.append(hub, at: found.at, &output)
      output += found.pieces[0]
      output.append("}")
    }
    return true
  }

  private static func digests(_ replica: Replica, _ schema: Schema, _ digest: String) -> [UInt8] {
    var output: [UInt8] = []
    output.append(",\"vector\":")
    output += replica.vector.datum.canonical
    output.append(",\"heads\":{")
    for (index, id) in replica.replicas.enumerated() {
      if index > 0 { output.append(0x2C) }
      output.append(jsonString: id.description)
      output.append(0x3A)
      append(replica.chain(id).head, &output)
    }
    output.append("},\"schemaDigest\":", quoted: schema.digest.hexadecimal)
    output.append(",\"viewDigest\":", quoted: digest)
    return output
  }

  // MARK: Lines

  /// Answers with what was put together, once what it shows is synced: a piece a turn.
  ///
  /// - Returns: false where more is to come: the line is carried out anew.
  private func answer(
    _ call: Call, _ type: StaticString, _ found: Prepared, _ hub: Hub, hasVector: Bool = false
  ) -> Bool {
    var left = Self.bytesAtOnce
    repeat {
      let isLast = found.next == found.pieces.count - 1
      answerPart(call, isLast: isLast) { output in
        Relay.begin(&output, type, re: call.id, of: call.request)
        Self.append(hub, at: found.at, &output)
        if hasVector { output.append(",\"vector\":", quoted: found.vector) }
        output += found.pieces[found.next]
        output.append(isLast ? ",\"last\":true}" : "}")
      }
      left -= found.pieces[found.next].count
      found.next += 1
      guard !isLast else {
        call.connection.prepared = nil
        return true
      }
    } while left > 0
    call.connection.keep(found)
    return relay.goOn(call)
  }

  /// One of the lines that answer a request, once what they show is synced; the last one is what
  /// the connection is owed.
  private func answerPart(_ call: Call, isLast: Bool, _ body: (inout [UInt8]) -> Void) {
    if isLast { return relay.answerAfter(relay.latestBatch, call, body) }
    guard relay.latestBatch > relay.committed else { return relay.answer(call.connection, body) }
    relay.answerAfter(relay.latestBatch, call, body)
  }

  /// Items in lists of bounded size; one that is empty where there are none.
  private static func lines(_ items: some Sequence<[UInt8]>) -> [[UInt8]] {
    var lines: [[UInt8]] = []
    var line: [UInt8] = []
    for item in items {
      if !line.isEmpty, line.count + item.count > lineOfRecords {
        line.append(0x5D)
        lines.append(line)
        line = []
      }
      line.append(line.isEmpty ? 0x5B : 0x2C)
      line += item
    }
    if line.isEmpty { line.append(0x5B) }
    line.append(0x5D)
    lines.append(line)
    return lines
  }

  private func filter(_ call: Call, _ hub: Hub) throws(WireError) -> (kind: Name?, record: Target?)
  {
    let name = try call.fields.optionalString(.kind)
    guard call.fields[.record] != nil else {
      return (try name.map { (name) throws(WireError) in try hub.kind(name).name }, nil)
    }
    guard let name else {
      throw call.fields.missing(.kind, "the record's kind")
    }
    let kind = try hub.kind(name)
    return (kind.name, try hub.find(kind, call))
  }
}

extension Replica {
  /// The SHA-256 of the view, in hexadecimal.
  fileprivate func viewDigest(_ schema: Schema) -> String {
    var digest = SHA256()
    let bytes = fold.view(schema).canonical.canonical
    bytes.withUnsafeBytes { digest.update($0) }
    return digest.hex
  }
}
