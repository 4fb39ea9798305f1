package import Merge
package import Wire

/// Whole records in payloads that are made from their schema: for every schema whose app has no payloads of its own.
///
/// ```
/// {"type":"fullSync","payload":{"records":[R,…],"syncTimestamp":SECONDS}}
/// {"type":"recordUpdate","payload":{"type":"created","kind":KIND,"id":ID,"record":R}}     updated; deleted, without record
/// {"type":"syncRequest"}
/// R  {"kind":KIND,"id":ID,"fields":{…},"place":N,"createdAt":SECONDS,"updatedAt":SECONDS,"contains":{KIND:[R,…],…}}
/// ```
///
/// Seconds are since 2001-01-01 UTC. Numbers are JSON numbers; what is null or an empty text may be left out. A record in
/// another has no `kind`, one of a kind without an order no `place`, and one in which there are no lists no `contains`.
package struct RecordCodec: WholeRecordCodec {
  private let records: Schema
  private let shape: RecordShape
  /// By kind.
  private let parts: [Name: Part]

  /// What payloads have of a kind.
  private struct Part: Sendable {
    let kind: Schema.Kind
    let registers: [Schema.Register]
    /// As the schema has them, which is how they are read; and by name, as they are written.
    let fields: [Schema.Field]
    let sorted: [Schema.Field]
    let names: [String]

    init(_ kind: Schema.Kind) {
      self.kind = kind
      registers = kind.wholeRegisters
      fields = registers.flatMap(\.fields)
      sorted = fields.sorted { $0.name < $1.name }
      names = fields.map(\.name.text)
    }
  }

  package init(_ schema: Schema) {
    self.schema = schema.name
    shape = RecordShape(schema)
    records = schema
    parts = Dictionary(uniqueKeysWithValues: schema.kinds.map { ($0.name, Part($0)) })
  }

  package let schema: Name
  package var fields: [Name: Set<Name>]? { nil }

  private enum Word: String, CaseIterable {
    case fullSync, recordUpdate, syncRequest
  }

  private enum Change: String, CaseIterable {
    case created, updated, deleted
  }

  // MARK: Reading

  package func read(
    _ payload: Value, _ line: UnsafeRawBufferPointer, after envelope: UInt64
  ) throws(WireError) -> (any SaidRecords)? {
    let members = PayloadDictionary(payload, line)
    guard let word = members.type.flatMap(Word.init) else { return nil }
    try members.refuseOthers(than: ["type", "payload"])
    guard word != .syncRequest else {
      try members.refusePayload(of: word.rawValue)
      // It has no payload, and so says nothing of how payloads are put.
      return SaidWholeRecords(
        message: .request, envelope: envelope, schema: records, shape: shape)
    }
    let value = try members.payload(of: word.rawValue)
    let (message, encoding) = try PayloadEncoding.read(value, line, "payload") {
      value, line throws(WireError) in
      word == .fullSync ? try fullSync(value, line) : try update(value, line)
    }
    return SaidWholeRecords(
      message: message, envelope: UInt64(encoding.rawValue), schema: records, shape: shape)
  }

  private func fullSync(
    _ value: Value, _ line: UnsafeRawBufferPointer
  ) throws(WireError) -> Incoming {
    let reader = try PayloadReader(value, line, "", keys: ["records", "syncTimestamp"])
    var records: [WholeRecord] = []
    for (value, path) in try reader.elements("records") {
      records.append(try root(value, line, path))
    }
    return .all(records, madeAt: try reader.date("syncTimestamp"))
  }

  private func update(
    _ value: Value, _ line: UnsafeRawBufferPointer
  ) throws(WireError) -> Incoming {
    let reader = try PayloadReader(value, line, "", keys: ["type", "kind", "id", "record"])
    let change = try reader.word("type", Change.self)
    let target = try target(reader, of: try kind(reader))
    var record: WholeRecord?
    if let value = reader.value("record") {
      record = try root(value, line, "record")
    } else if change != .deleted {
      throw reader.missing("record", "the record that was \(change.rawValue)")
    }
    guard record == nil || record?.target == target else {
      throw WireError(
        .invalidField,
        "it is about \(target.words), but the record is \(record!.target.words); they must agree")
    }
    guard let record, change != .deleted else { return .deleted(target, held: record) }
    return .copy(record, isMade: change == .created)
  }

  /// A record that is sent by itself.
  private func root(
    _ value: Value, _ line: UnsafeRawBufferPointer, _ path: String
  ) throws(WireError) -> WholeRecord {
    let reader = try PayloadReader(value, line, path, keys: ["kind"] + Self.members)
    var children: [WholeRecord] = []
    var record = try part(reader, of: try kind(reader), in: nil, &children)
    record.contain(children)
    return record
  }

  private static let members = ["id", "fields", "place", "createdAt", "updatedAt", "contains"]

  /// - Parameter children: what it contains is added to these.
  private func part(
    _ reader: PayloadReader, of name: Name, in container: Target?, _ children: inout [WholeRecord]
  ) throws(WireError) -> WholeRecord {
    let part = parts[name]!
    if part.kind.order == nil, reader.value("place") != nil {
      throw WireError(
        .invalidField, "\(reader.place("place")) is given, but a \(name) has no place")
    }
    let record = WholeRecord(
      try target(reader, of: name), in: container, values: try values(reader, of: part),
      place: try reader.optionalInteger("place"), createdAt: try reader.date("createdAt"),
      updatedAt: try reader.date("updatedAt"))
    let lists = shape.lists(in: name)
    guard !lists.isEmpty || reader.value("contains") != nil else { return record }
    let contains = try reader.object("contains", keys: lists.map(\.text))
    for list in lists {
      for (value, path) in try contains.elements(list.text) {
        let reader = try PayloadReader(value, reader.line, path, keys: Self.members)
        let isInner = !shape.isRoot(name)
        children.append(
          try self.part(reader, of: list, in: isInner ? record.target : nil, &children))
      }
    }
    return record
  }

  /// One of the kinds whose records are sent by themselves.
  private func kind(_ reader: PayloadReader) throws(WireError) -> Name {
    let name = try reader.text("kind")
    if shape.isRoot(name) { return name }
    let kinds = shape.roots.map(\.text)
    let advice = Nearest.advice(
      for: name.text, among: kinds, else: "there are \(kinds.joined(separator: ", "))")
    throw WireError(
      .invalidField,
      "\(reader.place("kind")) is \(name.text.quoted), which is not sent by itself; \(advice)")
  }

  private func target(_ reader: PayloadReader, of kind: Name) throws(WireError) -> Target {
    guard let id = records[kind]?.fixedID else {
      return Target(kind, Name(try reader.identifier("id").description))
    }
    let given = try reader.text("id")
    guard given == id else {
      throw WireError(
        .invalidField,
        "\(reader.place("id")) must be \(id.text.quoted), as there is one \(kind); it is \(given.text.quoted)"
      )
    }
    return Target(kind, id)
  }

  /// Absent ones are null. Whether they may be is looked at later: what the device was sent so, it may send back.
  private func values(
    _ reader: PayloadReader, of part: Part
  ) throws(WireError) -> [Name: Datum] {
    let reader = try reader.object("fields", keys: part.names)
    var given: [Name: Datum] = [:]
    for field in part.fields { given[field.name] = try reader.datum(field.name.text, field.type) }
    var values: [Name: Datum] = [:]
    for register in part.registers { values[register.name] = register.whole { given[$0] } }
    return values
  }

  // MARK: Writing

  package func payload(_ message: Outgoing.Message, envelope: UInt64, now: Double) -> [UInt8] {
    var payload: [UInt8] = []
    let word: Word
    switch message {
    case .all(let list):
      word = .fullSync
      payload.append("{\"records\":" as StaticString)
      append(list, to: &payload)
      payload.append(",\"syncTimestamp\":" as StaticString)
      payload.append(payload: now)
      payload.append(0x7D)
    case .created(let record), .updated(let record):
      word = .recordUpdate
      let isMade = if case .created = message { true } else { false }
      append(record.target, to: &payload)
      payload.append(",\"record\":" as StaticString)
      append(record, to: &payload)
      payload.append(isMade ? ",\"type\":\"created\"}" : ",\"type\":\"updated\"}")
    case .deleted(let target):
      word = .recordUpdate
      append(target, to: &payload)
      payload.append(",\"type\":\"deleted\"}" as StaticString)
    }
    var output: [UInt8] = []
    output.append("{\"type\":", quoted: word.rawValue)
    output.append(",\"payload\":" as StaticString)
    (PayloadEncoding(rawValue: UInt8(truncatingIfNeeded: envelope)) ?? .data)
      .append(payload, to: &output)
    output.append(0x7D)
    return output
  }

  private func append(_ target: Target, to output: inout [UInt8]) {
    output.append("{\"id\":", quoted: target.record.text)
    output.append(",\"kind\":", quoted: target.kind.text)
  }

  /// What a record that is sent by itself contains, by what it stands in.
  private typealias Contents = [Target: [WholeRecord]]

  /// - Parameter contents: of the record that they are in; nil where each is sent by itself.
  private func append(
    _ list: [WholeRecord], _ contents: Contents? = nil, to output: inout [UInt8]
  ) {
    output.append(0x5B)
    for (index, record) in list.enumerated() {
      if index > 0 { output.append(0x2C) }
      append(record, contents, to: &output)
    }
    output.append(0x5D)
  }

  private func append(
    _ record: WholeRecord, _ contents: Contents? = nil, to output: inout [UInt8]
  ) {
    let contents = contents ?? Dictionary(grouping: record.ordered, by: record.container(of:))
    output.append(0x7B)
    let lists = shape.lists(in: record.target.kind)
    if !lists.isEmpty {
      output.append("\"contains\":{" as StaticString)
      let children = contents[record.target] ?? []
      for (index, kind) in lists.enumerated() {
        output.append(index > 0 ? "," : "", quoted: kind.text)
        output.append(0x3A)
        append(children.filter { $0.target.kind == kind }, contents, to: &output)
      }
      output.append("}," as StaticString)
    }
    output.append("\"createdAt\":" as StaticString)
    output.append(payload: record.createdAt)
    output.append(",\"fields\":{" as StaticString)
    var isFirst = true
    let part = parts[record.target.kind]!
    let values = record.fieldValues(part.kind)
    for field in part.sorted {
      guard let value = values[field.name], value != field.none else { continue }
      output.append(isFirst ? "" : ",", quoted: field.name.text)
      isFirst = false
      output.append(0x3A)
      field.type.append(readable: value, to: &output)
    }
    output.append("},\"id\":", quoted: record.target.record.text)
    if shape.isRoot(record.target.kind) {
      output.append(",\"kind\":", quoted: record.target.kind.text)
    }
    if let place = record.place {
      output.append(",\"place\":" as StaticString)
      output.append(decimal: place)
    }
    output.append(",\"updatedAt\":" as StaticString)
    output.append(payload: record.updatedAt)
    output.append(0x7D)
  }
}

extension Schema.Field {
  /// What a payload leaves out.
  fileprivate var none: Datum { type == .text ? .string("") : .null }
}

extension PayloadReader {
  /// A value of a type, as JSON has it: numbers and dates are numbers.
  ///
  /// - Returns: nil where the member is absent or null.
  fileprivate func datum(_ name: String, _ type: FieldType) throws(WireError) -> Datum? {
    guard let value = value(name) else { return nil }
    let isNumber =
      switch type {
      case .int, .decimal, .double, .date: true
      case .bool, .string, .text, .uuid: false
      }
    guard isNumber == (value.kind == .number) else { throw invalid(name, value, type.wanted) }
    guard let datum = try? type.canonical(value, line) else {
      throw invalid(name, value, type.wanted, was: excerpt(value))
    }
    return datum
  }

  /// The members of an object in this one.
  fileprivate func object(_ name: String, keys: [String]) throws(WireError) -> PayloadReader {
    guard let value = value(name) else { throw missing(name, "an object") }
    return try PayloadReader(value, line, place(name), keys: keys)
  }
}
