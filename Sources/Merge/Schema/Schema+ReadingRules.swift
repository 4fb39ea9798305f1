import Wire

extension Schema {
  private static let tests = [
    "notBlank", "above", "atLeast", "atMost", "oneOf", "notBefore", "needs", "exists",
  ]

  /// Reads a rule of a field: exactly one test, what it is compared with, and the error.
  static func rule(_ node: SchemaNode, _ field: Field) throws(SchemaError) -> Rule {
    let object = try node.object("a rule", tests + ["code", "message", "about"])
    let found = object.members.filter { member in tests.contains { Name($0) == member.name } }
    guard found.count == 1 else {
      throw node.error("expected exactly one of \(tests.joined(separator: ", "))")
    }
    let test = try self.test(found[0].name, found[0].node, field)
    let message = try object.required("message", "the sentence that people are shown")
    guard message.value.kind == .string, try message.text() != "" else {
      throw message.expected("the sentence that people are shown")
    }
    var code = ErrorCode.invalidRecord
    if let node = object["code"] {
      let wanted = Rule.codes.map { "\($0.rawValue)" }.joined(separator: ", ")
      guard let number = FieldType.int.read(node.value, node.line)?.text.flatMap({ Int($0.text) }),
        let known = Rule.codes.first(where: { $0.rawValue == number })
      else { throw node.expected("one of \(wanted)") }
      code = known
    }
    return Rule(test: test, code: code.rawValue, message: try message.text())
  }

  private static func test(
    _ name: Name, _ node: SchemaNode, _ field: Field
  ) throws(SchemaError) -> Rule.Test {
    func limit() throws(SchemaError) -> Datum {
      guard field.type.isOrdered else {
        throw node.error("a \(field.type) has no order; use it with int, decimal, double or date")
      }
      guard let datum = field.type.read(node.value, node.line) else {
        throw node.expected(field.type.wanted)
      }
      return datum
    }
    func isTrue() throws(SchemaError) {
      guard try node.bool() else { throw node.expected("true, or leave the rule out") }
    }
    switch name {
    case "above": return .above(try limit())
    case "atLeast": return .atLeast(try limit())
    case "atMost": return .atMost(try limit())
    case "notBefore":
      guard field.type.isOrdered else { throw node.error("a \(field.type) has no order") }
      return .notBefore(try node.name())
    case "needs":
      guard field.isOptional else {
        throw node.error("a field that is not optional is always there")
      }
      return .needs(try node.name())
    case "oneOf":
      let nodes = try node.array("values")
      var values: [Datum] = []
      for node in nodes {
        guard let datum = field.type.read(node.value, node.line) else {
          throw node.expected(field.type.wanted)
        }
        values.append(datum)
      }
      guard !values.isEmpty else { throw node.error("expected at least one value") }
      return .oneOf(values)
    case "exists":
      try isTrue()
      guard field.reference != nil else { throw node.error("only a field that references has it") }
      return .exists
    default:
      try isTrue()
      guard field.type == .string else { throw node.error("only a string can be blank") }
      return .notBlank
    }
  }
}

extension Schema.Rule {
  /// The codes that rules may have.
  static let codes = ErrorCode.allCases.filter { 4020...4039 ~= $0.rawValue }
}

extension FieldType {
  /// Whether values of this type can be compared.
  var isOrdered: Bool {
    switch self {
    case .int, .decimal, .double, .date: true
    case .uuid, .bool, .string, .text: false
    }
  }
}
