import Wire

/// The file form of a schema.
///
/// ```
/// {"schema": "notes", "kinds": [
///   {"kind": "note", "order": "place",
///    "container": {"kind": "folder", "field": "folder"},
///    "fields": [
///     {"field": "title", "type": "string", "rules": [
///       {"notBlank": true, "code": 4021, "message": "Title cannot be empty"}]},
///     {"field": "body", "type": "text"},
///     {"group": "span", "fields": [
///       {"field": "from", "type": "date", "optional": true},
///       {"field": "to", "type": "date", "optional": true}]}],
///    "derived": [{"field": "updatedAt", "is": "touched"}]}, …]}
/// ```
/// Lists of fields and rules are in order: that of checks. The order of kinds and of members, blanks
/// and what `about` says make no difference, and enter neither the schema nor its digest.
extension Schema {
  /// Bytes that a schema file has at most.
  package static let largestFile = 1 << 20

  /// Reads a schema file.
  ///
  /// - Throws: what is wrong where, for the first thing found.
  package init(json: [UInt8]) throws(SchemaError) {
    guard json.count <= Self.largestFile else {
      throw SchemaError(path: "", message: "a schema has at most \(Self.largestFile) bytes")
    }
    let result = json.withUnsafeBytes { bytes in
      Result { () throws(SchemaError) -> Schema in try Schema(reading: bytes) }
    }
    self = try result.get()
  }

  private init(reading file: UnsafeRawBufferPointer) throws(SchemaError) {
    do {
      // Proves that the file is one JSON object; its members are read below.
      var envelope = Envelope()
      try envelope.scan(file)
    } catch {
      throw SchemaError(path: "", message: "this is not JSON: \(error.message)")
    }
    let start = file.firstIndex(of: 0x7B)!
    let end = file.lastIndex(of: 0x7D)! + 1
    let root = try SchemaNode(
      value: Value(kind: .object, start: start, end: end), line: file, path: ""
    ).object("a schema", ["schema", "kinds", "about", "$schema"])

    let name = try root.required("schema", "the schema's name").name()
    var kinds: [Kind] = []
    for node in try root.required("kinds", "a list of kinds").array("kinds") {
      kinds.append(try Self.kind(node))
    }
    guard !kinds.isEmpty else { throw SchemaError(path: "kinds", message: "expected a kind") }
    self.init(name: name, kinds: kinds)
    try checkItself()
    var hash = SHA256()
    canonical.withUnsafeBytes { hash.update($0) }
    digest = hash.finalize()
  }

  private static func kind(_ node: SchemaNode) throws(SchemaError) -> Kind {
    let object = try node.object(
      "a kind", ["kind", "fields", "container", "order", "fixedID", "derived", "about"],
      title: "kind")
    var kind = Kind(name: try object.required("kind", "the kind's name").name(), registers: [])
    kind.order = try object["order"]?.name()
    kind.fixedID = try object["fixedID"]?.name()
    let container = try object["container"]?.object(
      "a container", ["kind", "field", "through", "about"])
    let holder = try container?.required("field", "the field that names it").name()

    for node in try object.required("fields", "a list of fields").array("fields") {
      kind.registers.append(try register(node, holder))
    }
    if let container, let holder {
      kind.container = Container(
        kind: try container.required("kind", "a kind's name").name(),
        register: kind.order ?? kind.field(holder)?.register.name ?? holder, field: holder,
        through: try container["through"]?.name())
    }
    for node in try object["derived"]?.array("derived fields") ?? [] {
      kind.derived.append(try derived(node))
    }
    kind.derived.sort { $0.name < $1.name }
    return kind
  }

  private static func derived(_ node: SchemaNode) throws(SchemaError) -> Derived {
    let object = try node.object(
      "a derived field", ["field", "is", "from", "to", "about"], title: "field")
    let name = try object.required("field", "the field's name").name()
    let source = try object.required("is", "touched or seconds")
    switch try source.text() {
    case "touched":
      if let stray = object["from"] ?? object["to"] {
        throw stray.error("only a field that is seconds has from and to")
      }
      return Derived(name: name, source: .touched)
    case "seconds":
      let from = try object.required("from", "the name of a date").name()
      let to = try object.required("to", "the name of a date").name()
      return Derived(name: name, source: .seconds(from: from, to: to))
    default: throw source.expected("touched or seconds")
    }
  }

  // MARK: Registers

  /// - Parameter holder: the field that names the container: its register does not revive.
  private static func register(
    _ node: SchemaNode, _ holder: Name?
  ) throws(SchemaError) -> Register {
    let isGroup = node.value.kind == .object && Self.has("group", node)
    guard isGroup else { return try single(node, holder) }
    let object = try node.object(
      "a group", ["group", "fields", "revives", "about"], title: "group")
    let name = try object.required("group", "the group's name").name()
    var fields: [Field] = []
    for node in try object.required("fields", "a list of fields").array("fields") {
      let member = try node.object("a field of a group", fieldMembers, title: "field")
      let field = try self.field(member)
      guard field.type != .text else {
        throw member.node.error("a text merges by character and cannot be in a group")
      }
      fields.append(field)
    }
    return Register(
      name: name, form: .group, fields: fields,
      revives: try object["revives"]?.bool() ?? !fields.contains { $0.name == holder })
  }

  private static func single(
    _ node: SchemaNode, _ holder: Name?
  ) throws(SchemaError) -> Register {
    let object = try node.object("a field", fieldMembers + ["fixed", "revives"], title: "field")
    var field = try self.field(object)
    field.isFixed = try object.flag("fixed")
    if field.type == .text {
      let refused = ["default", "fixed", "trimmed", "rules"].compactMap { object[$0] }.first
      if let refused {
        throw refused.error(
          "a text merges by character and has none of default, fixed, trimmed and rules")
      }
    }
    return Register(
      name: field.name, form: field.type == .text ? .text : .single, fields: [field],
      revives: try object["revives"]?.bool() ?? (field.name != holder && !field.isFixed))
  }

  private static func has(_ name: String, _ node: SchemaNode) -> Bool {
    var reader = ObjectReader(node.value, node.line)
    while let (member, _) = reader.next() { if Name(member) == Name(name) { return true } }
    return false
  }

  private static let fieldMembers = [
    "field", "type", "optional", "default", "trimmed", "references", "rules", "about",
  ]

  private static func field(_ object: SchemaObject) throws(SchemaError) -> Field {
    let name = try object.required("field", "the field's name").name()
    let types = FieldType.allCases.map(\.rawValue).joined(separator: ", ")
    let node = try object.required("type", "one of \(types)")
    guard let type = FieldType(rawValue: try node.text().text) else {
      let nearest = Nearest.word(
        to: try node.text().text, among: FieldType.allCases.map(\.rawValue))
      throw node.error(
        "expected one of \(types), found \(excerpt(node.value, node.line))"
          + (nearest.map { "; did you mean \($0)?" } ?? ""))
    }
    var field = Field(name: name, type: type, isOptional: try object.flag("optional"))
    if let node = object["default"] {
      if type == .date, node.value.kind == .string, try node.text() == "now" {
        field.startsNow = true
      } else {
        field.initial = try datum(node, type, isOptional: field.isOptional)
      }
    } else if type == .text {
      field.initial = .string("")
    } else if field.isOptional {
      field.initial = .null
    }
    field.isTrimmed = try object.flag("trimmed")
    guard !field.isTrimmed || type == .string else {
      throw object.node.error("only a string can be trimmed")
    }
    if let node = object["references"] {
      guard type == .uuid else { throw node.error("only a uuid references a kind") }
      field.reference = try node.name()
    }
    for node in try object["rules"]?.array("rules") ?? [] {
      field.rules.append(try rule(node, field))
    }
    return field
  }

  private static func datum(
    _ node: SchemaNode, _ type: FieldType, isOptional: Bool = false
  ) throws(SchemaError) -> Datum {
    if node.value.kind == .null, isOptional { return .null }
    guard let datum = type.read(node.value, node.line) else { throw node.expected(type.wanted) }
    return datum
  }
}
