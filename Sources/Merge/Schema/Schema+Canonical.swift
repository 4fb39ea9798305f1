/// A schema as canonical JSON: the file form again, with everything that has a default spelled out
/// and numbers in quotes, so that equal schemas have equal bytes. Reading it gives the same schema.
extension Schema {
  package var canonical: [UInt8] {
    Datum.sorted([
      Datum.Member("schema", .string(name)), Datum.Member("kinds", .array(kinds.map(\.datum))),
    ]).canonical
  }
}

extension Schema.Kind {
  fileprivate var datum: Datum {
    var members = [
      Datum.Member("kind", .string(name)),
      Datum.Member("fields", .array(registers.map(\.datum))),
      Datum.Member("derived", .array(derived.map(\.datum))),
    ]
    if let order { members.append(Datum.Member("order", .string(order))) }
    if let fixedID { members.append(Datum.Member("fixedID", .string(fixedID))) }
    if let container { members.append(Datum.Member("container", container.datum)) }
    return .sorted(members)
  }
}

extension Schema.Container {
  fileprivate var datum: Datum {
    var members = [Datum.Member("kind", .string(kind)), Datum.Member("field", .string(field))]
    if let through { members.append(Datum.Member("through", .string(through))) }
    return .sorted(members)
  }
}

extension Schema.Derived {
  fileprivate var datum: Datum {
    let name = Datum.Member("field", .string(name))
    switch source {
    case .touched: return .sorted([name, Datum.Member("is", .string("touched"))])
    case .seconds(let from, let to):
      return .sorted([
        name, Datum.Member("is", .string("seconds")), Datum.Member("from", .string(from)),
        Datum.Member("to", .string(to)),
      ])
    }
  }
}

extension Schema.Register {
  fileprivate var datum: Datum {
    let revives = Datum.Member("revives", .bool(revives))
    guard form == .group else {
      var members = fields[0].members
      members.append(revives)
      if form == .single { members.append(Datum.Member("fixed", .bool(fields[0].isFixed))) }
      return .sorted(members)
    }
    return .sorted([
      Datum.Member("group", .string(name)), revives,
      Datum.Member("fields", .array(fields.map { .sorted($0.members) })),
    ])
  }
}

extension Schema.Field {
  fileprivate var members: [Datum.Member] {
    var members = [
      Datum.Member("field", .string(name)), Datum.Member("type", .string(Name(type.rawValue))),
      Datum.Member("optional", .bool(isOptional)),
    ]
    if let reference { members.append(Datum.Member("references", .string(reference))) }
    guard type != .text else { return members }
    if startsNow { members.append(Datum.Member("default", .string("now"))) }
    if let initial { members.append(Datum.Member("default", initial)) }
    members.append(Datum.Member("trimmed", .bool(isTrimmed)))
    members.append(Datum.Member("rules", .array(rules.map(\.datum))))
    return members
  }
}

extension Schema.Rule {
  fileprivate var datum: Datum {
    let (name, value): (Name, Datum) =
      switch test {
      case .notBlank: ("notBlank", .bool(true))
      case .above(let limit): ("above", limit)
      case .atLeast(let limit): ("atLeast", limit)
      case .atMost(let limit): ("atMost", limit)
      case .oneOf(let values): ("oneOf", .array(values))
      case .notBefore(let other): ("notBefore", .string(other))
      case .needs(let other): ("needs", .string(other))
      case .exists: ("exists", .bool(true))
      }
    return .sorted([
      Datum.Member(name, value), Datum.Member("code", .string(Name(String(code)))),
      Datum.Member("message", .string(message)),
    ])
  }
}
