import Merge
import Relay
import Wire

/// What people look at: the merged records, what lost, and the digests.
extension Hubs {
  /// Bytes of records or entries in one line at most, unless one alone has more.
  private static let lineOfRecords = 256 << 10

  func view(_ call: Call, _ device: Device) throws(WireError) {
    let hub = try session(call, device).hub
    let filter = try filter(call, hub)
    let at = hub.replica.position
    let vector = hub.short(hub.replica.vector)
    setShown(at, device, hub)
    let view = view(of: hub, filter)
    var lines: [(kind: Name, records: [[UInt8]])] = []
    for kind in hub.schema.kinds where filter.kind == nil || filter.kind == kind.name {
      var records: [[UInt8]] = []
      var size = 0
      for record in view[kind.name] {
        var bytes: [UInt8] = []
        record.append(readable: hub.schema, to: &bytes)
        if size > 0, size + bytes.count > Self.lineOfRecords {
          lines.append((kind.name, records))
          records = []
          size = 0
        }
        size += bytes.count
        records.append(bytes)
      }
      lines.append((kind.name, records))
    }
    for (index, line) in lines.enumerated() {
      answerPart(call, isLast: index == lines.count - 1) { output in
        Relay.begin(&output, "sync.records", re: call.id, of: call.request)
        Self.append(hub, at: at, &output)
        output.append(",\"vector\":", quoted: vector)
        output.append(",\"kind\":", quoted: line.kind.text)
        output.append(",\"records\":[")
        Self.append(line.records, &output)
        output.append(index == lines.count - 1 ? "],\"last\":true}" : "]}")
      }
    }
  }

  /// What a filter lets through, and of other kinds nothing.
  private func view(of hub: Hub, _ filter: (kind: Name?, record: Target?)) -> View {
    let fold = hub.replica.fold
    guard let kind = filter.kind else { return fold.view(hub.schema) }
    guard let record = filter.record else {
      return View(kinds: [(kind, fold.view(kind, hub.schema))])
    }
    return View(kinds: [(kind, fold.view(record, hub.schema).map { [$0] } ?? [])])
  }

  /// The feed: every write that lost to one that it had not seen.
  func conflicts(_ call: Call, _ device: Device) throws(WireError) {
    let hub = try session(call, device).hub
    let filter = try filter(call, hub)
    let at = hub.replica.position
    var lines: [[[UInt8]]] = [[]]
    var size = 0
    let feed = hub.feed()
    call.connection.allowance -= feed.count * Work.conflict
    for entry in feed {
      if let kind = filter.kind, entry.target.kind != kind { continue }
      if let record = filter.record, entry.target != record { continue }
      var bytes: [UInt8] = []
      entry.append(to: &bytes)
      if size > 0, size + bytes.count > Self.lineOfRecords {
        lines.append([])
        size = 0
      }
      size += bytes.count
      lines[lines.count - 1].append(bytes)
    }
    for (index, line) in lines.enumerated() {
      answerPart(call, isLast: index == lines.count - 1) { output in
        Relay.begin(&output, "sync.feed", re: call.id, of: call.request)
        Self.append(hub, at: at, &output)
        output.append(",\"entries\":[")
        Self.append(line, &output)
        output.append(index == lines.count - 1 ? "],\"last\":true}" : "]}")
      }
    }
  }

  func digest(_ call: Call, _ device: Device) throws(WireError) {
    let hub = try session(call, device).hub
    let (viewDigest, made) = hub.viewDigest()
    call.connection.allowance -= made * Work.made
    relay.answerAfter(relay.latestBatch, call) { output in
      Relay.begin(&output, "sync.digests", re: call.id, of: call.request)
      Self.append(hub, at: hub.replica.position, &output)
      output.append(",\"vector\":")
      output += hub.replica.vector.datum.canonical
      output.append(",\"heads\":{")
      for (index, replica) in hub.replica.replicas.enumerated() {
        if index > 0 { output.append(0x2C) }
        output.append(jsonString: replica.description)
        output.append(0x3A)
        Self.append(hub.replica.chain(replica).head, &output)
      }
      output.append("},\"schemaDigest\":", quoted: hub.schema.digest.hexadecimal)
      output.append(",\"viewDigest\":", quoted: viewDigest)
      output.append("}")
    }
  }

  // MARK: Lines

  /// One of the lines that answer a request, once what they show is synced; the last one is what
  /// the connection is owed.
  private func answerPart(_ call: Call, isLast: Bool, _ body: (inout [UInt8]) -> Void) {
    if isLast { return relay.answerAfter(relay.latestBatch, call, body) }
    guard relay.latestBatch > relay.committed else { return relay.answer(call.connection, body) }
    relay.answerAfter(relay.latestBatch, call, body)
  }

  private static func append(_ items: [[UInt8]], _ output: inout [UInt8]) {
    for (index, item) in items.enumerated() {
      if index > 0 { output.append(0x2C) }
      output += item
    }
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
