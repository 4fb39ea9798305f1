import Wire

/// A record's fields while an edit of it is worked out.
struct EditForm {
  let kind: Schema.Kind
  /// By register.
  private(set) var present: [Name: Datum]
  /// nil for a change of a record that is there.
  let now: Int64?
  let others: Neighbours
  /// By field: what was typed, and what follows from it.
  private var given = FieldValues()

  private var isCreate: Bool { now != nil }

  init(kind: Schema.Kind, present: [Name: Datum], now: Int64?, others: Neighbours) {
    self.kind = kind
    self.present = present
    self.now = now
    self.others = others
    showContainer()
  }

  /// A record that stands in its container through another is shown in that one's.
  private mutating func showContainer() {
    guard let container = kind.container, let through = container.through,
      case .object(var members)? = present[container.register],
      let owner = owner(of: present[container.register]?[through]),
      let index = members.firstIndex(where: { $0.name == container.field })
    else { return }
    members[index].value = .string(owner)
    present[container.register] = .object(members)
  }

  /// The container of the record that the `through` field names, where that is visible.
  private func owner(of reference: Datum?) -> Name? {
    guard let record = reference?.text, let through = kind.container?.through,
      let target = kind.field(through)?.field.reference.map({ Target($0, record) }),
      others.isVisible(target)
    else { return nil }
    return others.container(target)
  }

  // MARK: What was typed

  mutating func read(_ fields: Value, _ line: UnsafeRawBufferPointer) throws(WireError) {
    guard fields.kind == .object else {
      throw WireError(
        .invalidField, "the fields must be an object, found \(excerpt(fields, line))")
    }
    var reader = ObjectReader(fields, line)
    while let (text, value) = reader.next() {
      let name = Name(text)
      guard given[name] == nil else { throw invalid("\(name) is given twice") }
      let field = try field(name)
      if let kind = field.reference, value.kind == .string,
        let record = try others.find(kind, decodeString(value, line))
      {
        given[name] = .string(record)
      } else {
        given[name] = try field.canonical(value, line)
      }
    }
  }

  private func invalid(_ message: String) -> WireError { WireError(.invalidField, message) }

  /// The field of that name, which may be written.
  private func field(_ name: Name) throws(WireError) -> Schema.Field {
    if kind.container?.field == name, let placeField { return placeField }
    if let field = kind.field(name)?.field {
      guard isCreate || !field.isFixed else {
        throw invalid("\(name) is written when a \(kind.name) is created, and never changes")
      }
      return field
    }
    if name == "id" { throw invalid("id is no field; it is the record's name") }
    if kind.derived.contains(where: { $0.name == name }) {
      throw invalid("\(name) is derived from other fields and cannot be set")
    }
    if let group = kind[name] {
      let fields = group.fields.map(\.name.text).joined(separator: ", ")
      throw invalid("\(name) is a group; set its fields, of which there are \(fields)")
    }
    if name == kind.order { throw invalid("\(name) is the record's place; move it") }
    var known = kind.registers.flatMap { $0.fields.map(\.name.text) }
    if let placeField { known.append(placeField.name.text) }
    let advice = Nearest.advice(
      for: name.text, among: known, else: "it has \(known.joined(separator: ", "))")
    throw invalid("a \(kind.name) has no field \(name.text.quoted); \(advice)")
  }

  /// What names the container of a record that stands in it by its place.
  private var placeField: Schema.Field? {
    guard kind.order != nil, let container = kind.container else { return nil }
    return Schema.Field(name: container.field, type: .uuid, reference: container.kind)
  }

  // MARK: What follows

  mutating func plan() throws(WireError) -> EditPlan {
    followThrough()
    var plan = EditPlan()
    var values = FieldValues()
    var written = given.names
    for register in kind.registers {
      let isTouched = isCreate || register.fields.contains { given[$0.name] != nil }
      var members: [Datum.Member] = []
      for field in register.fields {
        let value = isTouched ? try value(of: field, register) : present(field, register)
        values[field.name] = value
        if let value { members.append(Datum.Member(field.name, value)) }
        if isCreate, !written.contains(field.name) { written.append(field.name) }
      }
      guard isTouched, let write = difference(register, members) else { continue }
      plan.writes.append(write)
    }
    try checkRules(values, written)
    plan.container = try container(values)
    return plan
  }

  /// Keeps a record in the container of the one that it stands in through: whichever of the two
  /// was typed decides about the other.
  private mutating func followThrough() {
    guard let container = kind.container, let through = container.through else { return }
    if let record = given[through] {
      if given[container.field] == nil, let owner = owner(of: record) {
        given[container.field] = .string(owner)
      }
    } else if let record = given[container.field], let now = present[container.register],
      record != now[container.field], kind.field(through)?.field.isOptional == true
    {
      // Also where the other is hidden: should it come back, it must not take the record along.
      given[through] = .null
    }
  }

  private func present(_ field: Schema.Field, _ register: Schema.Register) -> Datum? {
    register.form == .group ? present[register.name]?[field.name] : present[register.name]
  }

  /// What a field of a register that is written comes to.
  private func value(
    of field: Schema.Field, _ register: Schema.Register
  ) throws(WireError) -> Datum {
    if let value = given[field.name] ?? present(field, register) { return value }
    if field.startsNow, let now { return FieldType.date(milliseconds: now) }
    if let initial = field.initial { return initial }
    if field.type == .text { return .string("") }
    if field.isOptional { return .null }
    throw missing(field)
  }

  private func missing(_ field: Schema.Field) -> WireError {
    WireError(
      .missingField, "\(field.name) of the \(kind.name) is missing; it must be \(field.type.wanted)"
    )
  }

  /// The write, nil where nothing changes.
  private func difference(
    _ register: Schema.Register, _ members: [Datum.Member]
  ) -> EditPlan.Write? {
    switch register.form {
    case .text:
      let text = members[0].value.text ?? ""
      return text == present[register.name]?.text ?? "" ? nil : .init(register, .text(text))
    case .single:
      let value = members[0].value
      return value == present[register.name] ?? .null ? nil : .init(register, .value(value))
    case .group:
      let value = Datum.sorted(members)
      let isSame =
        present[register.name].map { $0 == value } ?? members.allSatisfy { $0.value == .null }
      return isSame ? nil : .init(register, .value(value))
    }
  }

  private func checkRules(_ values: FieldValues, _ written: [Name]) throws(WireError) {
    let rule = kind.validate(
      { values[$0] }, isWritten: written.contains, exists: others.isVisible)
    if let rule {
      throw rule.error
    }
    guard let container = kind.container, let through = container.through,
      written.contains(through), let record = values[through], record != .null,
      owner(of: record).map(Datum.string) != values[container.field]
    else { return }
    let field = kind.field(through)?.field
    throw field?.rules.first { $0.test == .exists }?.error
      ?? invalid("\(through) must be in the \(container.field) that is given")
  }

  /// The container that the record comes into.
  private func container(_ values: FieldValues) throws(WireError) -> Target? {
    guard let container = kind.container else { return nil }
    let new: Datum?
    let old: Datum?
    if let placeField {
      new = given[container.field]
      old = kind.order.flatMap { present[$0] }
      if new == nil, isCreate { throw missing(placeField) }
    } else {
      new = values[container.field]
      old = kind[container.register].flatMap { register in
        register.form == .group
          ? present[register.name]?[container.field] : present[register.name]
      }
    }
    guard let record = new?.text, new != old else { return nil }
    let target = Target(container.kind, record)
    guard others.isVisible(target) else {
      throw invalid("\(container.field) must be a \(container.kind) that is there, found \(record)")
    }
    return target
  }
}

/// Values by field. An edit has a handful, so that looking through them costs less than hashing.
private struct FieldValues {
  private(set) var names: [Name] = []
  private var values: [Datum] = []

  subscript(name: Name) -> Datum? {
    get { names.firstIndex(of: name).map { values[$0] } }
    set {
      switch (names.firstIndex(of: name), newValue) {
      case (let index?, let value?): values[index] = value
      case (let index?, nil):
        names.remove(at: index)
        values.remove(at: index)
      case (nil, let value?):
        names.append(name)
        values.append(value)
      case (nil, nil): break
      }
    }
  }
}
