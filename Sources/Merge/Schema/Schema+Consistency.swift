/// What a schema must be as a whole, once each of its parts has been read.
extension Schema {
  func checkItself() throws(SchemaError) {
    for (kind, next) in zip(kinds, kinds.dropFirst()) where kind.name == next.name {
      throw kind.error("occurs twice")
    }
    for kind in kinds {
      try checkContainer(of: kind)
      try kind.checkNames()
      for register in kind.registers {
        for field in register.fields {
          try checkReference(of: field, in: kind, register)
          try field.checkRules(in: kind, register)
        }
      }
      try kind.checkDerived()
      if kind.fixedID != nil, kind.order != nil || kind.container != nil {
        throw kind.error("a kind with a fixedID has one record, and neither order nor container")
      }
    }
    for kind in kinds { try checkCycle(from: kind) }
  }

  private func checkContainer(of kind: Kind) throws(SchemaError) {
    guard let container = kind.container else { return }
    guard let owner = self[container.kind] else {
      throw kind.error("there is no kind \(container.kind)", "container.kind")
    }
    guard owner.fixedID == nil else {
      throw kind.error("\(owner.name) has a fixedID and contains nothing", "container.kind")
    }
    let declared = kind.field(container.field)
    if kind.order != nil {
      guard declared == nil, container.through == nil else {
        throw kind.error(
          "a record with an order is in its container by its place; leave \(container.field) out of"
            + " the fields, and through out of the container", "container.field")
      }
      return
    }
    guard let (register, field) = declared, field.reference == container.kind, !field.isOptional
    else {
      throw kind.error(
        "expected a field of type uuid that references \(container.kind) and is not optional",
        "container.field")
    }
    guard !register.revives else {
      throw kind.error(
        "placement never revives", "fields[\(register.name)].revives")
    }
    guard let through = container.through else { return }
    guard through != container.field,
      let reference = register.fields.first(where: { $0.name == through })?.reference,
      self[reference]?.container?.kind == container.kind
    else {
      throw kind.error(
        "expected another field of the group of \(container.field), that references a kind in a"
          + " \(container.kind)", "container.through")
    }
  }

  private func checkReference(
    of field: Field, in kind: Kind, _ register: Register
  ) throws(SchemaError) {
    guard let reference = field.reference else { return }
    guard let target = self[reference] else {
      throw kind.error("there is no kind \(reference)", register, field, "references")
    }
    guard target.fixedID == nil else {
      throw kind.error("the one \(reference) needs no reference", register, field, "references")
    }
  }

  private func checkCycle(from kind: Kind) throws(SchemaError) {
    var chain = [kind.name]
    while let owner = self[chain[chain.count - 1]]?.container?.kind {
      chain.append(owner)
      if owner == kind.name {
        let names = chain.map(\.text).joined(separator: " in ")
        throw kind.error("containers form a circle: \(names)", "container")
      }
      // Another kind's circle is found from there.
      if chain.count > kinds.count { return }
    }
  }
}

extension Schema.Kind {
  /// An error at a member of this kind, at the kind itself where none is named.
  fileprivate func error(_ message: String, _ place: String? = nil) -> SchemaError {
    SchemaError(path: "kinds[\(name)]" + (place.map { ".\($0)" } ?? ""), message: message)
  }

  fileprivate func error(
    _ message: String, _ register: Schema.Register, _ field: Schema.Field, _ place: String
  ) -> SchemaError {
    let within = register.form == .group ? ".fields[\(field.name)]" : ""
    return error(message, "fields[\(register.name)]\(within).\(place)")
  }

  /// Registers, fields, derived fields and the container's name share one record in the view.
  fileprivate func checkNames() throws(SchemaError) {
    var names: [Name] = []
    for register in registers {
      if register.form == .group {
        names.append(register.name)
        guard !register.fields.isEmpty else {
          throw error("expected a field", "fields[\(register.name)].fields")
        }
      }
      names += register.fields.map(\.name)
    }
    names += derived.map(\.name)
    if let order {
      names.append(order)
      if let container { names.append(container.field) }
    }
    for (place, name) in names.enumerated() {
      if name == "id" { throw error("id is every record's own; use another name") }
      if names[..<place].contains(name) { throw error("\(name) is the name of two things") }
    }
  }

  fileprivate func checkDerived() throws(SchemaError) {
    for derived in derived {
      guard case .seconds(let from, let to) = derived.source else { continue }
      for (member, name) in [("from", from), ("to", to)] where field(name)?.field.type != .date {
        throw error("\(name) is not a field of type date", "derived[\(derived.name)].\(member)")
      }
    }
  }
}

extension Schema.Field {
  fileprivate func checkRules(
    in kind: Schema.Kind, _ register: Schema.Register
  ) throws(SchemaError) {
    for (index, rule) in rules.enumerated() {
      let place = "rules[\(index)]"
      switch rule.test {
      case .notBefore(let other):
        guard other != name, let other = register.fields.first(where: { $0.name == other }),
          other.type == type
        else {
          throw kind.error(
            "notBefore is another \(type) of the same group", register, self, place)
        }
      case .needs(let other):
        guard other != name,
          register.fields.contains(where: { $0.name == other && $0.isOptional })
        else {
          throw kind.error(
            "needs is another optional field of the same group", register, self, place)
        }
      case .exists: break
      default:
        if let initial, initial != .null, !rule.test.holds(initial, type) {
          throw kind.error("the default breaks \(place)", register, self, "default")
        }
      }
    }
    if startsNow, initial != nil {
      throw kind.error("expected one default", register, self, "default")
    }
  }
}
