import Wire

/// The JSON Schemas (2020-12) of every message, made from its description.
///
/// A request's schema allows members that it does not know, as the server does. The schema of what
/// the server sends is closed, so that a member which nobody described is noticed.
package enum Schemas {
  /// Where the schemas say they are; nothing is fetched from there.
  private static let base = "https://watchline.invalid/protocol/1/"
  private static let dialect = "https://json-schema.org/draft/2020-12/schema"

  /// Every file's name and text.
  package static let files: [(name: String, text: String)] =
    MessageDescription.all.map { (fileName($0), schema(of: $0).written() + "\n") }
    + [("watchline.schema.json", index.written() + "\n")]

  /// Those of the same folder that are written by hand: files, not messages.
  package static let written: Set<String> = ["trace.schema.json", "expected.schema.json"]

  /// `request-ping.schema.json`, `event-pong.schema.json`: some names are used in both directions.
  private static func fileName(_ message: MessageDescription) -> String {
    (message.direction == .toServer ? "request-" : "event-") + message.name + ".schema.json"
  }

  // MARK: One message

  private static func schema(of message: MessageDescription) -> JSONText {
    var parts: [(String, JSONText)] = [
      ("$schema", .string(dialect)),
      ("$id", .string(base + fileName(message))),
      ("title", .string(message.name)),
      ("description", .string(description(of: message))),
    ]
    let type: (String, JSONText) = ("type", .object([("const", .string(message.name))]))
    parts += object(message.allMembers, first: [type], isClosed: message.direction == .toDevice)
    let choices = message.eitherOf.map(required) + correlations(message)
    if !choices.isEmpty { parts.append(("anyOf", .array(choices))) }
    if message.correlation != .none, message.direction == .toDevice {
      // `re` and `of` exclude each other.
      parts.append(("not", .object([("required", strings(["re", "of"]))])))
    }
    let needsValue = message.allMembers.contains { holds($0.type) { $0.isDictionary } }
    if needsValue { parts.append(("$defs", definitions)) }
    let needsOperation = message.allMembers.contains { holds($0.type) { $0.isOperation } }
    if needsOperation { parts.append(("$defs", Operations.definitions)) }
    return .object(parts)
  }

  private static func description(of message: MessageDescription) -> String {
    let session = message.session.map { " In WatchConnectivity: \($0)." } ?? ""
    return "\(message.summary)\(session) PROTOCOL.md clause \(message.clause)."
  }

  private static func correlations(_ message: MessageDescription) -> [JSONText] {
    guard message.direction == .toDevice, message.correlation == .answer else { return [] }
    return [required(["re"]), required(["of"])]
  }

  private static func required(_ names: [String]) -> JSONText {
    .object([("required", strings(names))])
  }

  // MARK: Members

  private static func object(
    _ members: [MemberDescription], first: [(String, JSONText)] = [], isClosed: Bool
  ) -> [(String, JSONText)] {
    let properties = first + members.map { ($0.name, schema(of: $0, isClosed: isClosed)) }
    let needed = first.map(\.0) + members.filter(\.isRequired).map(\.name)
    var parts: [(String, JSONText)] = [
      ("type", .string("object")), ("properties", .object(properties)),
    ]
    if !needed.isEmpty { parts.append(("required", strings(needed))) }
    if isClosed { parts.append(("additionalProperties", .bool(false))) }
    return parts
  }

  private static func schema(of member: MemberDescription, isClosed: Bool) -> JSONText {
    var parts = schema(of: member.type, isClosed: isClosed)
    let standard = member.standard.map { " (default: \($0))" } ?? ""
    parts.append(("description", .string(member.summary + standard)))
    return .object(parts)
  }

  private static func schema(of type: MemberType, isClosed: Bool) -> [(String, JSONText)] {
    switch type {
    case .text(nil): [("type", .string("string"))]
    case .text(let length?):
      // A schema counts characters, the server bytes: as many bytes are at least as many characters.
      [
        ("type", .string("string")), ("minLength", .number(length.lowerBound > 0 ? 1 : 0)),
        ("maxLength", .number(Int64(length.upperBound))),
      ]
    case .words(let words): [("enum", strings(words))]
    case .hexadecimal(let count):
      [("type", .string("string")), ("pattern", .string("^[0-9a-fA-F]{\(count)}$"))]
    case .integer(let range): integer(range)
    case .seconds:
      [
        ("type", .string("number")), ("minimum", .number(0)),
        ("maximum", .number(Fields.longestSeconds)),
      ]
    case .moment: [("type", .string("number")), ("minimum", .number(0))]
    case .boolean: [("type", .string("boolean"))]
    case .flag: [("const", .bool(true))]
    case .dictionary: [("$ref", .string("#/$defs/dictionary"))]
    case .base64: base64
    case .identifier:
      [
        (
          "anyOf",
          .array([
            .object([("type", .string("string")), ("maxLength", .number(64))]),
            .object(integer(Int64.min...Int64.max)),
          ])
        )
      ]
    case .object(let members): object(members, isClosed: isClosed)
    case .message:
      [
        ("type", .string("object")),
        ("properties", .object([("type", .object([("type", .string("string"))]))])),
        ("required", strings(["type"])),
      ]
    case .digits: Operations.digits
    case .replica: Operations.replica
    case .vector: isClosed ? Operations.vector : Operations.plainVector
    case .operation: [("$ref", .string("#/$defs/operation"))]
    case .null: [("type", .string("null"))]
    case .any: []
    case .map(let type):
      [
        ("type", .string("object")),
        ("additionalProperties", .object(schema(of: type, isClosed: isClosed))),
      ]
    case .list(let type):
      [("type", .string("array")), ("items", .object(schema(of: type, isClosed: isClosed)))]
    case .either(let types):
      [("anyOf", .array(types.map { .object(schema(of: $0, isClosed: isClosed)) }))]
    }
  }

  private static func integer(_ range: ClosedRange<Int64>) -> [(String, JSONText)] {
    var parts: [(String, JSONText)] = [("type", .string("integer"))]
    if range.lowerBound > .min { parts.append(("minimum", .number(range.lowerBound))) }
    if range.upperBound < .max { parts.append(("maximum", .number(range.upperBound))) }
    return parts
  }

  private static let base64: [(String, JSONText)] = [
    ("type", .string("string")), ("contentEncoding", .string("base64")),
    (
      "pattern",
      .string("^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{2}==)?$")
    ),
  ]

  // MARK: Property lists

  private static func holds(_ type: MemberType, _ what: (MemberType) -> Bool) -> Bool {
    switch type {
    case .object(let members): members.contains { holds($0.type, what) }
    case .map(let type), .list(let type): holds(type, what)
    case .either(let types): types.contains { holds($0, what) }
    default: what(type)
    }
  }

  private static func reference(_ name: String) -> JSONText {
    .object([("$ref", .string("#/$defs/" + name))])
  }

  /// An object whose one member's name starts with `$`.
  private static let isTagged = JSONText.object([
    ("type", .string("object")), ("minProperties", .number(1)), ("maxProperties", .number(1)),
    ("propertyNames", .object([("pattern", .string("^\\$"))])),
  ])

  private static func tag(_ name: String, _ value: JSONText) -> JSONText {
    .object([
      ("type", .string("object")), ("properties", .object([(name, value)])),
      ("required", strings([name])),
    ])
  }

  private static let members = JSONText.object([
    ("type", .string("object")), ("additionalProperties", reference("value")),
  ])

  /// What clause 3.3 says of payloads.
  private static let definitions = JSONText.object([
    (
      "dictionary",
      .object([
        ("type", .string("object")), ("if", isTagged),
        ("then", tag("$dictionary", members)), ("else", members),
      ])
    ),
    (
      "value",
      .object([
        ("type", strings(["string", "number", "boolean", "array", "object"])),
        ("items", reference("value")),
        ("if", isTagged),
        (
          "then",
          .object([
            (
              "anyOf",
              .array([
                tag("$data", .object(base64)),
                tag("$date", .object([("type", strings(["string", "number"]))])),
                tag("$real", .object([("enum", strings(["nan", "infinity", "-infinity"]))])),
                tag("$dictionary", members),
              ])
            )
          ])
        ),
        ("else", .object([("additionalProperties", reference("value"))])),
      ])
    ),
  ])

  // MARK: The index

  /// Selects a message's schema by its type, in each direction.
  private static let index = JSONText.object([
    ("$schema", .string(dialect)), ("$id", .string(base + "watchline.schema.json")),
    ("title", .string("Watchline protocol, version 1")),
    ("description", .string("One line, in either direction.")),
    ("anyOf", .array([reference("toServer"), reference("toDevice")])),
    (
      "$defs",
      .object(
        MessageDescription.Direction.allCases.map { ($0.rawValue, selection($0)) })
    ),
  ])

  private static func selection(_ direction: MessageDescription.Direction) -> JSONText {
    let messages = MessageDescription.all.filter { $0.direction == direction }
    let branches = messages.map { message in
      JSONText.object([
        (
          "if",
          .object([
            (
              "properties",
              .object([("type", .object([("const", .string(message.name))]))])
            )
          ])
        ),
        ("then", .object([("$ref", .string(fileName(message)))])),
      ])
    }
    return .object([
      ("type", .string("object")),
      (
        "properties",
        .object([("type", .object([("enum", strings(messages.map(\.name)))]))])
      ),
      ("required", strings(["type"])), ("allOf", .array(branches)),
    ])
  }

  private static func strings(_ texts: [String]) -> JSONText { .array(texts.map(JSONText.string)) }
}

extension MemberType {
  fileprivate var isDictionary: Bool {
    if case .dictionary = self { true } else { false }
  }

  fileprivate var isOperation: Bool {
    if case .operation = self { true } else { false }
  }
}
