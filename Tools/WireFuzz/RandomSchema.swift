internal import Merge

/// Schemas that nobody has thought of: each kind of kind, field, rule and container that there is.
enum RandomSchema {
  /// The file of a schema; nil in the rare case that what was drawn is none.
  static func draw(_ choices: inout Choices) -> JSON? {
    var kinds: [JSON] = []
    let count = 1 + choices.below(4)
    for number in 0..<count { kinds.append(kind(number, kinds, &choices)) }
    let file = JSON.object([
      JSON.Member("schema", .string("fuzzed")), JSON.Member("kinds", .array(kinds)),
    ])
    return (try? Schema(json: file.bytes)) == nil ? nil : file
  }

  private static func fields(others: [JSON], _ choices: inout Choices) -> [JSON] {
    (0..<1 + choices.below(4)).map { place in
      choices.percent(25)
        ? group("g\(place)", &choices) : field("f\(place)", isInGroup: false, others, &choices)
    }
  }

  private static func container(_ kind: JSON, through other: JSON? = nil) -> JSON.Member {
    var members = [JSON.Member("kind", kind), JSON.Member("field", .string("owner"))]
    if other != nil { members.append(JSON.Member("through", .string("via"))) }
    return JSON.Member("container", .object(members))
  }

  private static var touchDate: JSON.Member {
    JSON.Member(
      "derived",
      .array([
        .object([
          JSON.Member("field", .string("touchedAt")), JSON.Member("is", .string("touched")),
        ])
      ]))
  }

  private static func kind(_ number: Int, _ others: [JSON], _ choices: inout Choices) -> JSON {
    var members = [JSON.Member("kind", .string("kind\(number)"))]
    var fields = fields(others: others, &choices)
    let owners = others.filter { $0["fixedID"] == nil }
    if let owner = owners.isEmpty ? nil : choices.one(of: owners), choices.percent(60) {
      let name = owner["kind"]!
      let siblings = owners.filter { $0["container"]?["kind"] == name }
      let other = siblings.isEmpty ? nil : choices.one(of: siblings)["kind"]
      let owned = reference("owner", to: name, isOptional: false)
      if choices.percent(60) {
        members.append(JSON.Member("order", .string("place")))
        members.append(container(name))
      } else if let other, choices.percent(60) {
        fields.append(
          .object([
            JSON.Member("group", .string("ownership")),
            JSON.Member(
              "fields", .array([owned, reference("via", to: other, isOptional: true)])),
          ]))
        members.append(container(name, through: other))
      } else {
        fields.append(owned)
        members.append(container(name))
      }
    } else if choices.percent(50) {
      members.append(JSON.Member("order", .string("place")))
    } else if choices.percent(30) {
      members.append(JSON.Member("fixedID", .string("the\(number)")))
    }
    members.append(JSON.Member("fields", .array(fields)))
    if choices.percent(50) { members.append(touchDate) }
    return .object(choices.shuffled(members))
  }

  private static func reference(_ name: String, to kind: JSON, isOptional: Bool) -> JSON {
    .object([
      JSON.Member("field", .string(name)), JSON.Member("type", .string("uuid")),
      JSON.Member("references", kind), JSON.Member("optional", .bool(isOptional)),
    ])
  }

  private static func group(_ name: String, _ choices: inout Choices) -> JSON {
    let fields = (0..<1 + choices.below(3)).map {
      field("\(name)f\($0)", isInGroup: true, [], &choices)
    }
    return .object([
      JSON.Member("group", .string(name)), JSON.Member("fields", .array(fields)),
      JSON.Member("revives", .bool(choices.percent(70))),
    ])
  }

  private static func field(
    _ name: String, isInGroup: Bool, _ others: [JSON], _ choices: inout Choices
  ) -> JSON {
    if let other = others.isEmpty ? nil : choices.one(of: others), other["fixedID"] == nil,
      choices.percent(15)
    {
      return reference(name, to: other["kind"]!, isOptional: true)
    }
    let types = FieldType.allCases.filter { !isInGroup || $0 != .text }
    let type = choices.one(of: types)
    var members = [
      JSON.Member("field", .string(name)), JSON.Member("type", .string(type.rawValue)),
    ]
    if type == .text { return .object(members) }
    if choices.percent(50) { members.append(JSON.Member("optional", .bool(true))) }
    if choices.percent(40), let standard = standard(type) {
      members.append(JSON.Member("default", standard))
    }
    if !isInGroup, choices.percent(15) { members.append(JSON.Member("fixed", .bool(true))) }
    if choices.percent(30), let rule = rule(type, &choices) {
      members.append(JSON.Member("rules", .array([rule])))
    }
    return .object(members)
  }

  private static func standard(_ type: FieldType) -> JSON? {
    switch type {
    case .int, .decimal, .double: .integer(1)
    case .date: .string("now")
    case .bool: .bool(false)
    case .string: .string("s")
    case .uuid, .text: nil
    }
  }

  private static func rule(_ type: FieldType, _ choices: inout Choices) -> JSON? {
    let message = JSON.Member("message", .string("a rule of the fuzzer's"))
    switch type {
    case .string: return .object([JSON.Member("notBlank", .bool(true)), message])
    case .int, .decimal, .double:
      // The default is 1.
      let (test, limit) = choices.one(of: [("above", 0), ("atLeast", 1), ("atMost", 1000)])
      return .object([
        JSON.Member(test, .integer(limit)), message,
        JSON.Member("code", .integer(4020 + choices.below(9))),
      ])
    default: return nil
    }
  }
}
