package import Merge
import Wire

/// What a person at a device might do to what it shows: mostly to what was touched lately, so that
/// edits collide.
package struct EditDraw {
  private let schema: Schema
  /// At most so many records of a kind.
  private let records: Int
  /// Records touched lately by anybody, the last one last.
  private var recent: [Target] = []
  private var deleted: [Target] = []
  /// Whether a record that is gone for good may be made anew by its id. Who knows whole records gives each an
  /// id of its own.
  package var makesAnew = true
  private var made = 0
  private var values = 0
  /// The last date.
  private var date = 0

  package init(_ schema: Schema, records: Int = 3) {
    self.schema = schema
    self.records = records
  }

  /// Draws an edit.
  ///
  /// - Parameter fold: what the device holds.
  package mutating func edit(_ fold: Fold, _ draw: inout Draw) -> Edit {
    let edit = drawn(fold, &draw)
    recent.append(Target(edit.kind, edit.record))
    if edit.change == .delete { deleted.append(Target(edit.kind, edit.record)) }
    return edit
  }

  private mutating func drawn(_ fold: Fold, _ draw: inout Draw) -> Edit {
    let kind = kind(fold, &draw)
    let shown = fold.view(kind.name, schema)
    guard let record = record(kind, shown, &draw), !draw.percent(shown.count < records ? 15 : 3)
    else { return create(kind, fold, &draw) }
    if let gone = deleted.last(where: { $0.kind == kind.name }), draw.percent(8) {
      // What somebody else has deleted, or oneself.
      return Edit(kind.name, gone.record, draw.percent(60) ? .restore : set(kind, fold, nil, &draw))
    }
    let texts = kind.registers.filter { $0.form == .text }
    switch draw.below(100) {
    case ..<14: return Edit(kind.name, record.target.record, .delete)
    case ..<34 where kind.order != nil:
      return move(kind, record, shown, fold, &draw)
    case ..<56 where !texts.isEmpty:
      return Edit(kind.name, record.target.record, splice(draw.pick(texts).name, record, &draw))
    default: return Edit(kind.name, record.target.record, set(kind, fold, record, &draw))
    }
  }

  private func kind(_ fold: Fold, _ draw: inout Draw) -> Schema.Kind {
    if let last = recent.last, draw.percent(50), let kind = schema[last.kind] { return kind }
    let possible = schema.kinds.filter { kind in
      guard let container = kind.container else { return true }
      return !fold.view(container.kind, schema).isEmpty
    }
    return draw.pick(possible)
  }

  private func record(
    _ kind: Schema.Kind, _ shown: [RecordView], _ draw: inout Draw
  ) -> RecordView? {
    guard !shown.isEmpty else { return nil }
    if let last = recent.last(where: { $0.kind == kind.name }), draw.percent(60),
      let record = shown.first(where: { $0.target == last })
    {
      return record
    }
    return draw.pick(shown)
  }

  // MARK: Records

  private mutating func create(
    _ kind: Schema.Kind, _ fold: Fold, _ draw: inout Draw
  ) -> Edit {
    made += 1
    let record = kind.fixedID ?? anew(kind, fold, &draw) ?? Self.identifier(made)
    var fields: [(Name, [UInt8])] = []
    for register in kind.registers where register.name != kind.order {
      for field in register.fields where field.name != kind.container?.field {
        let isNeeded = field.initial == nil && !field.isOptional && !field.startsNow
        guard isNeeded || draw.percent(20), !field.isFixed || isNeeded else { continue }
        fields.append((field.name, value(field, register, fold, &draw)))
      }
    }
    if let container = kind.container {
      let owners = fold.view(container.kind, schema)
      if let owner = owners.isEmpty ? nil : draw.pick(owners) {
        fields.append((container.field, Self.quoted(owner.target.record.text)))
      }
    }
    return Edit(kind.name, record, .create(fields: Self.object(fields)))
  }

  /// One of which only the last delete is known still; mostly nil.
  private func anew(_ kind: Schema.Kind, _ fold: Fold, _ draw: inout Draw) -> Name? {
    guard makesAnew else { return nil }
    let graves = fold.graveyard.keys.filter { $0.kind == kind.name && !fold.isCreated($0) }
    return graves.isEmpty || draw.percent(50) ? nil : draw.pick(graves.sorted()).record
  }

  /// A UUID that says which one it is.
  package static func identifier(_ number: Int) -> Name {
    let digits = String(number, radix: 16, uppercase: true)
    return Name(
      "00000000-0000-4000-8000-" + String(repeating: "0", count: 12 - digits.count) + digits)
  }

  private mutating func set(
    _ kind: Schema.Kind, _ fold: Fold, _ record: RecordView?, _ draw: inout Draw
  ) -> Edit.Change {
    let registers = kind.registers.filter {
      $0.form != .text && $0.name != kind.order && !$0.fields.allSatisfy(\.isFixed)
    }
    guard !registers.isEmpty else { return .delete }
    var fields: [(Name, [UInt8])] = []
    for _ in 0..<draw.pick([(6, 1), (2, 2), (1, 3)]) {
      // The first ones mostly, so that two devices write the same.
      let register = draw.percent(50) ? registers[0] : draw.pick(registers)
      for field in register.fields where !fields.contains(where: { $0.0 == field.name }) {
        if register.form == .group, draw.percent(30) { continue }
        fields.append((field.name, value(field, register, fold, &draw)))
      }
    }
    return .set(fields: Self.object(fields))
  }

  private func move(
    _ kind: Schema.Kind, _ record: RecordView, _ shown: [RecordView], _ fold: Fold,
    _ draw: inout Draw
  ) -> Edit {
    var into: Name?
    if let container = kind.container, container.register == kind.order, draw.percent(25) {
      let lists = fold.view(container.kind, schema)
      if !lists.isEmpty { into = draw.pick(lists).target.record }
    }
    let list = shown.filter { other in
      other.target != record.target
        && (into == nil ? other.container == record.container : other.container?.record == into)
    }
    // Mostly to one slot.
    let after = list.isEmpty || draw.percent(50) ? nil : draw.pick(list).target.record
    return Edit(kind.name, record.target.record, .move(after: after, into: into))
  }

  private mutating func splice(
    _ field: Name, _ record: RecordView, _ draw: inout Draw
  ) -> Edit.Change {
    var text = Array((record[field]?.text?.text ?? "").unicodeScalars)
    if !text.isEmpty, draw.percent(20) { return rewrite(field, text, &draw) }
    let at = draw.below(text.count + 1)
    let remove = draw.percent(50) ? draw.below(min(6, text.count - at) + 1) : 0
    values += 1
    let insert =
      remove > 0 && draw.percent(40)
      ? ""
      : draw.pick([
        "a", "bc", "\(values)", "\u{E9}", "e\u{301}", "o\u{301}", "\u{F3}", "🫖", "👩\u{200D}👧", "ש",
      ])
    text.replaceSubrange(at..<at + remove, with: insert.unicodeScalars)
    return .splice(
      field: field, at: at, remove: remove, insert: insert, result: Self.string(text))
  }

  /// What is done to a text seldom: it is emptied, or a character of it is spelled otherwise, which looks
  /// alike and is not.
  private func rewrite(
    _ field: Name, _ text: [Unicode.Scalar], _ draw: inout Draw
  ) -> Edit.Change {
    for (at, scalar) in text.enumerated() where draw.percent(60) {
      for (one, other) in Self.twins where text[at...].starts(with: one) && scalar == one[0] {
        var result = text
        result.replaceSubrange(at..<at + one.count, with: other)
        return .splice(
          field: field, at: at, remove: one.count, insert: Self.string(other),
          result: Self.string(result))
      }
    }
    return .splice(field: field, at: 0, remove: text.count, insert: "", result: "")
  }

  /// Canonically equivalent.
  private static let twins: [([Unicode.Scalar], [Unicode.Scalar])] = [
    (["\u{E9}"], ["e", "\u{301}"]), (["e", "\u{301}"], ["\u{E9}"]),
    (["o", "\u{301}"], ["\u{F3}"]), (["\u{F3}"], ["o", "\u{301}"]),
  ]

  private static func string(_ scalars: [Unicode.Scalar]) -> String {
    var text = String.UnicodeScalarView()
    text.append(contentsOf: scalars)
    return String(text)
  }

  // MARK: Values

  private mutating func value(
    _ field: Schema.Field, _ register: Schema.Register, _ fold: Fold, _ draw: inout Draw
  ) -> [UInt8] {
    if field.isOptional, draw.percent(12) { return Array("null".utf8) }
    for rule in field.rules {
      if case .oneOf(let values) = rule.test { return Self.json(draw.pick(values), field.type) }
    }
    values += 1
    switch field.type {
    case .string: return Self.quoted("\(field.name.text)\(values)")
    case .text: return Self.quoted("t\(values)")
    case .bool: return Array((draw.percent(50) ? "true" : "false").utf8)
    case .int: return Array(NumberRange(field.rules).value(1 + values).utf8)
    case .decimal:
      return Array(NumberRange(field.rules).value(values, fraction: ".5").utf8)
    case .double:
      return Array(NumberRange(field.rules).value(values, fraction: ".25").utf8)
    // The end of an interval is never before its start, since values rise; many are equal.
    case .date:
      if !draw.percent(40) { date = values }
      return Array("\(800_000_000 + date)".utf8)
    case .uuid:
      let targets = field.reference.map { fold.view($0, schema) } ?? []
      return targets.isEmpty
        ? (field.isOptional ? Array("null".utf8) : Self.quoted(Self.identifier(values).text))
        : Self.quoted(draw.pick(targets).target.record.text)
    }
  }

  /// A rule's value, which is canonical, as an edit spells it.
  private static func json(_ value: Datum, _ type: FieldType) -> [UInt8] {
    switch type {
    case .int, .decimal, .double, .date: value.text.map { $0.utf8 } ?? Array("null".utf8)
    default: value.canonical
    }
  }

  private static func quoted(_ text: String) -> [UInt8] {
    var json: [UInt8] = []
    json.append(jsonString: text)
    return json
  }

  private static func object(_ fields: [(Name, [UInt8])]) -> [UInt8] {
    var json = Array("{".utf8)
    for (index, field) in fields.enumerated() {
      if index > 0 { json.append(0x2C) }
      json.append(jsonString: field.0.text)
      json.append(0x3A)
      json += field.1
    }
    json.append(0x7D)
    return json
  }
}
