/// What clause 12.10 says of operations. Members that nobody described are allowed: a newer version's
/// operations are kept and relayed.
enum Operations {
  private static let decimal = "(0|[1-9][0-9]*)"
  private static let uuid = "[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}"

  static let digits = text("^\(decimal)$")
  private static let replicaPattern = "^\(uuid)\\.\(decimal)$"
  static let replica = text(replicaPattern)
  static let vector = vector(digits)
  /// The numbers quoted or not.
  static let plainVector = vector([
    (
      "anyOf",
      .array([
        .object(digits), .object([("type", .string("integer")), ("minimum", .number(0))]),
      ])
    )
  ])

  static let definitions = JSONText.object([
    ("operation", operation), ("action", action), ("target", target), ("element", element),
  ])

  private static let operation = object(
    [
      ("actions", list(reference("action"), atLeast: 1)), ("context", .object(vector)),
      ("replica", .object(replica)), ("seq", .object(digits)),
      ("stamp", .object(text("^\(decimal)\\.\(decimal)\\.\(decimal)$"))),
      ("wall", .object(text("^-?\(decimal)$"))),
    ], required: ["actions", "replica", "seq", "stamp", "wall"])

  private static let target = object(
    [("kind", string), ("record", string)], required: ["kind", "record"])

  private static let element = JSONText.object(
    text("^\(uuid)\\.\(decimal)/\(decimal)/\(decimal)$"))

  /// Actions that nobody described are allowed too.
  private static let action = JSONText.object([
    ("type", .string("object")),
    ("properties", .object([("action", string)])),
    ("required", .array([.string("action")])),
    (
      "allOf",
      .array([
        branch(["create", "delete", "restore"], [], []),
        branch(["write"], [("field", string), ("value", .object([]))], ["field", "value"]),
        branch(["move"], [("field", string)] + place, ["field"]),
        branch(["insert"], [("field", string), ("text", string)] + place, ["field", "text"]),
        branch(["erase"], [("field", string), ("elements", elements)], ["field", "elements"]),
      ])
    ),
  ])

  private static let place: [(String, JSONText)] = [
    ("parent", reference("element")),
    ("side", .object([("enum", .array([.string("left"), .string("right")]))])),
  ]

  private static let elements = list(
    .object([
      ("type", .string("array")),
      ("prefixItems", .array([reference("element"), .object(digits)])),
      ("minItems", .number(2)), ("maxItems", .number(2)),
    ]), atLeast: 1)

  /// What an action of one of these names has.
  private static func branch(
    _ names: [String], _ members: [(String, JSONText)], _ required: [String]
  ) -> JSONText {
    let targets = ["home", "into", "via"].map { ($0, reference("target")) }
    let flag = ("revives", JSONText.object([("type", .string("boolean"))]))
    let common = [("kind", string), ("record", string)] + targets + [flag]
    let isOne = JSONText.object([("enum", .array(names.map(JSONText.string)))])
    return .object([
      ("if", .object([("properties", .object([("action", isOne)]))])),
      ("then", object(common + members, required: ["kind", "record"] + required)),
    ])
  }

  // MARK: Pieces

  private static func vector(_ number: [(String, JSONText)]) -> [(String, JSONText)] {
    [
      ("type", .string("object")),
      ("propertyNames", .object([("pattern", .string(replicaPattern))])),
      ("additionalProperties", .object(number)),
    ]
  }

  private static let string = JSONText.object([("type", .string("string"))])

  private static func text(_ pattern: String) -> [(String, JSONText)] {
    [("type", .string("string")), ("pattern", .string(pattern))]
  }

  private static func reference(_ name: String) -> JSONText {
    .object([("$ref", .string("#/$defs/" + name))])
  }

  private static func list(_ items: JSONText, atLeast count: Int64) -> JSONText {
    .object([
      ("type", .string("array")), ("items", items), ("minItems", .number(count)),
    ])
  }

  private static func object(
    _ members: [(String, JSONText)], required: [String]
  ) -> JSONText {
    .object([
      ("type", .string("object")), ("properties", .object(members)),
      ("required", .array(required.map(JSONText.string))),
    ])
  }
}
