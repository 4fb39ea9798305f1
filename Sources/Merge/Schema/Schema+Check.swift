package import Wire

extension Schema {
  /// Checks that an operation which a device pushes has the form that this schema gives it.
  ///
  /// Kinds, fields and actions that the schema does not know pass, for they may be a newer
  /// version's. Rules about values are not looked at: a device whose version has looser ones could
  /// never push again.
  ///
  /// - Throws: 4004 with the action's number, its kind and field, and what it must be.
  package func check(_ operation: Operation) throws(WireError) {
    // One action alone changes no record that it creates.
    let created =
      operation.actions.count > 1
      ? Set(operation.actions.lazy.filter { $0.body == .create }.map(\.target)) : []
    for index in operation.actions.indices {
      let action = operation.actions[index]
      guard let kind = self[action.target.kind] else { continue }
      if case .unknown = action.body { continue }
      let check = ActionCheck(
        kind: kind, action: action, isNew: created.contains(action.target), index: index,
        seq: operation.dot.seq)
      try check.record()
      try check.home()
      try check.body()
    }
  }
}

extension Schema.Kind {
  /// Whether a record of this kind may have this id: the fixed one, else an upper-case UUID.
  package func allows(record: Name) -> Bool {
    fixedID.map { $0 == record } ?? FieldType.uuid.isCanonical(.string(record))
  }

  fileprivate var wantedRecord: String {
    fixedID.map { "\($0.text.quoted), the only one of its kind" } ?? FieldType.uuid.wantedForm
  }
}

/// One action on a known kind, and what it is called in errors.
private struct ActionCheck {
  let kind: Schema.Kind
  let action: Action
  /// Whether its operation creates the record.
  let isNew: Bool
  let index: Int
  /// The operation's number.
  let seq: UInt64

  private var place: DatumPlace { .action(index, of: seq) }

  func invalid(_ what: String, _ wanted: String) -> WireError {
    WireError(.invalidField, "\(what) in \(place) must be \(wanted)")
  }

  /// An error about a field, whose name is followed by its kind's.
  func wrong(_ field: Name, _ fault: String) -> WireError {
    WireError(.invalidField, "\(place) changes \(field) of \(kind.name), \(fault)")
  }

  func record() throws(WireError) {
    guard kind.allows(record: action.target.record) else {
      throw invalid(
        "record of \(kind.name)",
        "\(kind.wantedRecord), found \(excerpt(.string(action.target.record)))")
    }
  }

  /// Whatever happens to a record in a container names the one that it stood in.
  func home() throws(WireError) {
    guard let container = kind.container else { return }
    guard action.home?.kind == container.kind else {
      throw invalid("home of \(kind.name)", "the \(container.kind) that it stood in")
    }
  }

  func body() throws(WireError) {
    switch action.body {
    case .create, .delete, .restore, .unknown: break
    case .write(let field, let value):
      if let register = kind[field], register.form != .text {
        try write(register, value)
      } else {
        try mustBeUnknown(field)
      }
    case .move(let field, _):
      guard field == kind.order else { return try mustBeUnknown(field) }
      try into(nil)
    case .insert(let field, _, _), .erase(let field, _):
      if kind[field]?.form != .text { try mustBeUnknown(field) }
    }
  }

  private func write(
    _ register: Schema.Register, _ value: Datum
  ) throws(WireError) {
    if register.form == .group {
      try group(register, value)
    } else {
      try self.value(register.fields[0], value)
    }
    if register.fields.contains(where: \.isFixed), !isNew {
      throw wrong(register.name, "which only an operation that creates the record may write")
    }
    if let container = kind.container, container.register == register.name {
      let name = register.form == .group ? value[container.field] : value
      try into(container.through == nil ? name?.text : nil)
    }
  }

  private func group(_ register: Schema.Register, _ value: Datum) throws(WireError) {
    var wanted: String {
      let names = register.fields.map(\.name.text).joined(separator: ", ")
      return "which is written whole: an object of \(names)"
    }
    guard case .object(let members) = value else {
      throw wrong(register.name, "\(wanted), found \(excerpt(value))")
    }
    for member in members where !register.fields.contains(where: { $0.name == member.name }) {
      throw wrong(register.name, "\(wanted), found also \(member.name.text.quoted)")
    }
    for field in register.fields {
      guard let member = value[field.name] else {
        throw wrong(register.name, "\(wanted), and \(field.name) is missing")
      }
      try self.value(field, member)
    }
  }

  private func value(_ field: Schema.Field, _ value: Datum) throws(WireError) {
    guard let fault = field.fault(in: value) else { return }
    throw wrong(field.name, "which \(fault)")
  }

  /// - Parameter record: the container that the value names, where that decides alone.
  private func into(_ record: Name?) throws(WireError) {
    guard let container = kind.container else { return }
    guard let into = action.into, into.kind == container.kind else {
      throw invalid("into of \(kind.name)", "the \(container.kind) that it is put into")
    }
    if let record, record != into.record {
      throw invalid("into of \(kind.name)", "the \(container.kind) that \(container.field) names")
    }
  }

  /// Refuses an action that does not fit the field; one on a field of a newer version passes.
  private func mustBeUnknown(_ name: Name) throws(WireError) {
    if let (register, field) = kind.field(name) {
      switch register.form {
      case .text: throw wrong(name, "which is a text: insert into it and erase from it")
      case .single: throw wrong(name, "which must be \(field.type.wantedForm): write it")
      case .group: throw wrong(name, "which is a part of \(register.name): write that whole")
      }
    }
    if kind[name] != nil { throw wrong(name, "which is a group: write it whole") }
    if name == kind.order { throw wrong(name, "which is a place: move the record") }
    if kind.derived.contains(where: { $0.name == name }) {
      throw wrong(name, "which is derived and never written")
    }
    if let container = kind.container, container.field == name {
      throw wrong(name, "which its place tells: move the record")
    }
  }
}

extension Schema.Field {
  /// What is wrong with a value that an operation writes, as "must be …, found …"; nil where it is
  /// canonical.
  package func fault(in datum: Datum) -> String? {
    if datum == .null && isOptional || type.isCanonical(datum) { return nil }
    return "must be \(type.wantedForm)\(isOptional ? ", or null" : ""), found \(excerpt(datum))"
  }
}
