import Merge
import Seeded

/// What people write into records of a kind, made from the schema.
struct EditTemplate {
  let kind: Schema.Kind
  /// What an edit may change, and a create gives.
  let registers: [Register]
  /// What a create has to give, and nothing changes later.
  let fixed: [Register]
  let texts: [Name]
  /// The field that names the container of a record that stands in its container's list.
  let listField: Name?

  struct Register {
    let name: Name
    let fields: [Field]
    /// A create has to give it, so that nothing is left to a default.
    let isMandatory: Bool
    /// Written by create alone.
    let isFixed: Bool
  }

  struct Field {
    let name: Name
    let value: Value
    let isOptional: Bool
    /// A field of the same register without which this one is null.
    let needs: Name?
  }

  enum Value {
    /// A text that nobody wrote before: the field's name and a number.
    case string
    /// A number that nobody wrote before, unless there are few, so far above the one that its number has.
    case number(NumberRange, after: Int)
    /// A date that nobody wrote before, so many seconds after the number's own.
    case date(after: Int)
    case bool
    /// An id of nothing.
    case uuid
    case oneOf([[UInt8]])
    case reference(Name)
  }

  /// - Parameter carried: the fields that are edited; nil for all.
  init(_ kind: Schema.Kind, carried: Set<Name>? = nil) {
    self.kind = kind
    texts = kind.registers.filter { $0.form == .text }.map(\.name)
    let isListed = kind.order != nil && kind.container?.register == kind.order
    listField = isListed ? kind.container?.field : nil
    let writable = kind.registers.filter { register in
      // A fixed one that has a default is left to it.
      register.form != .text && register.fields.allSatisfy { carried?.contains($0.name) ?? true }
        && !(register.fields[0].isFixed && Self.startsByItself(register))
    }
    let all = writable.map { register in
      Register(
        name: register.name, fields: register.fields.map { Self.field($0, register) },
        isMandatory: register.fields.contains {
          !$0.isOptional || $0.initial != nil || $0.startsNow
        },
        isFixed: register.fields[0].isFixed)
    }
    registers = all.filter { !$0.isFixed }
    fixed = all.filter(\.isFixed)
  }

  private static func startsByItself(_ register: Schema.Register) -> Bool {
    register.fields.allSatisfy { $0.isOptional || $0.initial != nil || $0.startsNow }
  }

  private static func field(_ field: Schema.Field, _ register: Schema.Register) -> Field {
    var value: Value
    var needs: Name?
    let after = 100_000 * depth(field, register)
    switch field.type {
    case .string, .text: value = .string
    case .int, .decimal, .double: value = .number(NumberRange(field.rules), after: after)
    case .date: value = .date(after: after)
    case .bool: value = .bool
    case .uuid: value = field.reference.map { .reference($0) } ?? .uuid
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
      case .needs(let other): needs = other
      default: break
      }
    }
    return Field(name: field.name, value: value, isOptional: field.isOptional, needs: needs)
  }

  /// How many fields have to be before this one, each before the next.
  private static func depth(_ field: Schema.Field, _ register: Schema.Register) -> Int {
    var depth = 0
    var last = field
    while depth < register.fields.count,
      let earlier = last.rules.lazy.compactMap({ rule -> Name? in
        if case .notBefore(let other) = rule.test { other } else { nil }
      }).first,
      let next = register.fields.first(where: { $0.name == earlier })
    {
      depth += 1
      last = next
    }
    return depth
  }

  /// One of the texts; nil where there is none.
  func text(_ draw: inout SplitMix64) -> Name? {
    texts.count > 1 ? draw.pick(texts) : texts.first
  }
}
