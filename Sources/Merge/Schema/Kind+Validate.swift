extension Schema.Kind {
  /// The first rule that an edit breaks, in the order of the schema's fields and their rules.
  ///
  /// - Parameters:
  ///   - values: by field, canonical: what the record has with the edit in it.
  ///   - written: the fields that the edit writes. A rule is looked at where its own field is among
  ///     them, or the other that it speaks of: what was wrong before does not refuse an edit of
  ///     something else.
  ///   - exists: whether the record that a reference names is visible.
  package func validate(
    _ values: [Name: Datum], written: Set<Name>, exists: (Target) -> Bool
  ) -> Schema.Rule? {
    validate({ values[$0] }, isWritten: written.contains, exists: exists)
  }

  func validate(
    _ values: (Name) -> Datum?, isWritten: (Name) -> Bool, exists: (Target) -> Bool
  ) -> Schema.Rule? {
    for register in registers {
      for field in register.fields where !field.rules.isEmpty {
        guard let value = values(field.name), value != .null else { continue }
        for rule in field.rules {
          guard isWritten(field.name) || rule.test.other.map(isWritten) == true else {
            continue
          }
          let holds =
            switch rule.test {
            case .notBlank, .above, .atLeast, .atMost, .oneOf: rule.test.holds(value, field.type)
            case .notBefore(let other):
              values(other).map { !field.type.precedes(value, $0) } ?? true
            case .needs(let other): (values(other) ?? .null) != .null
            case .exists:
              value.text.map { exists(Target(field.reference ?? "", $0)) } ?? false
            }
          guard holds else { return rule }
        }
      }
    }
    return nil
  }
}

extension Schema.Rule.Test {
  /// The other field that it speaks of.
  fileprivate var other: Name? {
    switch self {
    case .notBefore(let other), .needs(let other): other
    default: nil
    }
  }
}
