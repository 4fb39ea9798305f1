/// The `$names` of a transcript: bound by the first line received in which they stand.
struct Bindings {
  struct Mismatch: Error, CustomStringConvertible {
    var description: String
  }

  private var values: [String: JSON] = [:]

  /// Replaces the bound names in a line to send. A string that is nothing but a name becomes the
  /// value, a name within a string its text. A name that is not bound stays.
  func substitute(_ text: String) -> String {
    var text = text
    for name in values.keys.sorted(by: { $0.count > $1.count }) {
      let value = values[name]!
      text = text.replacing("\"$\(name)\"", with: value.spelling)
      text = text.replacing("$\(name)", with: value.string ?? value.spelling)
    }
    return text
  }

  mutating func bind(_ name: String, _ value: JSON) { values[name] = value }

  /// The name of a value; a new one that starts with `prefix` where it has none.
  mutating func name(of value: JSON, prefix: String) -> String {
    if let bound = values.first(where: { $0.value == value && $0.key.hasPrefix(prefix) }) {
      return bound.key
    }
    let count = values.keys.count { $0.hasPrefix(prefix) }
    let letters = Array("abcdefghijklmnopqrstuvwxyz")
    let first = count < 26 ? "" : String(letters[count / 26 - 1])
    let name = prefix + first + String(letters[count % 26])
    values[name] = value
    return name
  }

  /// Compares a line received with what was expected of it. The members of the line itself may
  /// come in any order; those within it may not, for payloads keep theirs. A member `"…":"…"`
  /// stands for any others.
  mutating func match(_ line: [UInt8], _ expected: JSON) throws {
    let text = String(decoding: line, as: UTF8.self)
    guard case .object(let members) = try JSONReader.read(line),
      case .object(let wanted) = expected
    else { throw Mismatch(description: "received \(text)") }
    for want in wanted where want.name != "…" {
      guard let member = members.first(where: { $0.name == want.name }) else {
        throw Mismatch(description: "\(want.name) is missing in \(text)")
      }
      guard matches(member.value, want.value) else {
        throw Mismatch(description: "\(want.name) is not \(want.text) in \(text)")
      }
    }
    if wanted.contains(where: { $0.name == "…" }) { return }
    if let extra = members.first(where: { member in !wanted.contains { $0.name == member.name } }) {
      throw Mismatch(description: "\(extra.name) was not expected in \(text)")
    }
  }

  /// Whether the pieces occur in a text one after another, the first and the last at its ends.
  private static func matches(_ text: String, _ pieces: [Substring]) -> Bool {
    guard text.hasPrefix(pieces[0]), text.hasSuffix(pieces[pieces.count - 1]) else { return false }
    var rest = text[...]
    for piece in pieces where !piece.isEmpty {
      guard let range = rest.firstRange(of: piece) else { return false }
      rest = rest[range.upperBound...]
    }
    return true
  }

  private mutating func matches(_ value: JSON, _ expected: JSON) -> Bool {
    switch (value, expected) {
    case (_, .string("…")): return true
    case (.string(let text), .string(let wanted)) where wanted.contains("…"):
      return Self.matches(text, wanted.split(separator: "…", omittingEmptySubsequences: false))
    case (_, .string(let text)) where text.first == "$" && text.dropFirst().allSatisfy(\.isLetter):
      let name = String(text.dropFirst())
      guard let bound = values[name] else {
        values[name] = value
        return true
      }
      return bound == value
    case (.array(let elements), .array(let wanted)):
      guard elements.count == wanted.count else { return false }
      for (element, want) in zip(elements, wanted) where !matches(element, want) { return false }
      return true
    case (.object(let members), .object(let wanted)):
      guard members.map(\.name) == wanted.map(\.name) else { return false }
      for (member, want) in zip(members, wanted) where !matches(member.value, want.value) {
        return false
      }
      return true
    default: return value == expected
    }
  }
}

extension JSON {
  /// Its JSON text; strings with the escapes that they must have.
  var spelling: String {
    switch self {
    case .null: "null"
    case .bool(let value): "\(value)"
    case .number(let text): text
    case .string(let text):
      "\""
        + text.unicodeScalars.map { scalar in
          switch scalar {
          case "\"": "\\\""
          case "\\": "\\\\"
          case "\n": "\\n"
          default: String(scalar)
          }
        }.joined() + "\""
    case .array(let elements): "[" + elements.map(\.spelling).joined(separator: ",") + "]"
    case .object(let members):
      "{"
        + members.map { "\(JSON.string($0.name).spelling):\($0.text)" }.joined(separator: ",") + "}"
    }
  }
}
