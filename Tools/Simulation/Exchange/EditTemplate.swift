import Merge

/// What people write into records of a kind, made from the schema.
struct EditTemplate {
  let kind: Schema.Kind
  /// What an edit may change, and a create gives.
  let registers: [Register]
  let texts: [Name]
  /// The field that names the container of a record that stands in its container's list.
  let listField: Name?

  struct Register {
    let name: Name
    let fields: [Field]
    /// A create has to give it, so that nothing is left to a default.
    let isMandatory: Bool
  }

  struct Field {
    let name: Name
    let value: Value
    let isOptional: Bool
  }

  enum Value {
    /// A text that nobody wrote before: the field's name and a number.
    case string
    /// A number that nobody wrote before.
    case number
    /// A date that nobody wrote before, so many seconds after the number's own.
    case date(after: Int)
    case bool
    case oneOf([[UInt8]])
    case reference(Name)
  }

  init(_ kind: Schema.Kind) {
    self.kind = kind
    texts = kind.registers.filter { $0.form == .text }.map(\.name)
    let isListed = kind.order != nil && kind.container?.register == kind.order
    listField = isListed ? kind.container?.field : nil
    registers = kind.registers.filter { $0.form != .text && !$0.fields[0].isFixed }.map {
      register in
      Register(
        name: register.name, fields: register.fields.map(Self.field),
        isMandatory: register.fields.contains {
          !$0.isOptional || $0.initial != nil
        })
    }
  }

  private static func field(_ field: Schema.Field) -> Field {
    var value: Value
    switch field.type {
    case .string, .text: value = .string
    case .int, .decimal, .double: value = .number
    case .date: value = .date(after: 0)
    case .bool: value = .bool
    case .uuid: value = field.reference.map { .reference($0) } ?? .string
    }
    for rule in field.rules {
      switch rule.test {
      case .oneOf(let values):
        value = .oneOf(
          values.map { datum in
            var bytes: [UInt8] = []
            field.type.append(readable: datum, to: &bytes)
            return bytes
          })
      case .notBefore: value = .date(after: 100_000)
      default: break
      }
    }
    return Field(name: field.name, value: value, isOptional: field.isOptional)
  }
}
