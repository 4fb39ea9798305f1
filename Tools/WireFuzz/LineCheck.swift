internal import Wire

/// Whether a line that the server sent is as its description says, which the schemas in
/// `Protocol/schema` are made from. A member that nobody described is a fault.
package enum LineCheck {
  private static let events = Dictionary(
    MessageDescription.events.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })

  /// - Parameter line: without its LF.
  /// - Returns: what is wrong, as one sentence; nil where nothing is.
  package static func fault(_ line: [UInt8]) -> String? {
    guard let json = JSON(line: line) else { return "the line is no JSON object" }
    return fault(json)
  }

  package static func fault(_ line: JSON) -> String? {
    guard let type = line["type"]?.text else { return "the line has no type" }
    guard let event = events[type] else { return "no message \(type) is described" }
    var members = line.members
    members.removeAll { $0.name == "type" }
    let names = Set(members.map(\.name))
    switch event.correlation {
    case .none: break
    case .answer:
      if names.contains("re") == names.contains("of") {
        return "\(type) has re or of, and not both"
      }
    case .answerWhereKnown:
      if names.isSuperset(of: ["re", "of"]) { return "\(type) has both re and of" }
    }
    return object(members, event.allMembers, type)
  }

  // MARK: Types

  /// What is wrong with the members of a closed object.
  private static func object(
    _ members: [JSON.Member], _ described: [MemberDescription], _ path: String
  ) -> String? {
    for (place, member) in members.enumerated() {
      guard let description = described.first(where: { $0.name == member.name }) else {
        return "\(path).\(member.name) is not described"
      }
      if members[..<place].contains(where: { $0.name == member.name }) {
        return "\(path).\(member.name) is there twice"
      }
      if !fits(member.value, description.type) {
        let text = String(decoding: member.value.bytes.prefix(80), as: UTF8.self)
        return "\(path).\(member.name) is not \(description.type.readable): \(text)"
      }
    }
    for description in described where description.isRequired {
      if !members.contains(where: { $0.name == description.name }) {
        return "\(path).\(description.name) is missing"
      }
    }
    return nil
  }

  private static func fits(_ value: JSON, _ type: MemberType) -> Bool {
    switch (type, value) {
    case (.any, _): true
    case (.text(nil), .string): true
    case (.text(let length?), .string(let text)): length.contains(text.utf8.count)
    case (.words(let words), .string(let text)): words.contains(text)
    case (.hexadecimal(let count), .string(let text)):
      text.utf8.count == count && text.utf8.allSatisfy(isHexadecimal)
    case (.integer(let range), .plain): value.number.map(range.contains) ?? false
    case (.seconds, .plain(let text)): isNumber(text, below: Double(Fields.longestSeconds))
    case (.moment, .plain(let text)): isNumber(text, below: .infinity)
    case (.boolean, .plain(let text)): text == "true" || text == "false"
    case (.flag, .plain(let text)): text == "true"
    case (.null, .plain(let text)): text == "null"
    case (.identifier, .string(let text)): text.utf8.count <= Fields.longestIdentifier
    case (.identifier, .plain): value.number != nil
    case (.base64, .string(let text)): isBase64(text)
    case (.digits, .string(let text)): isDecimal(text.utf8)
    case (.replica, .string(let text)): isReplica(text)
    case (.dictionary, _): PropertyListCheck.isDictionary(value)
    case (.operation, _): OperationCheck.isOperation(value)
    case (.vector, .object(let members)):
      members.allSatisfy { isReplica($0.name) && isDecimal(($0.value.text ?? "").utf8) }
    case (.object(let described), .object(let members)): object(members, described, "") == nil
    case (.message, .object): value["type"]?.text != nil
    case (.map(let type), .object(let members)): members.allSatisfy { fits($0.value, type) }
    case (.list(let type), .array(let elements)): elements.allSatisfy { fits($0, type) }
    case (.either(let types), _): types.contains { fits(value, $0) }
    default: false
    }
  }

  private static func isNumber(_ text: String, below limit: Double) -> Bool {
    Double(text).map { (0...limit).contains($0) } ?? false
  }

  // MARK: Spellings

  private static func isHexadecimal(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte | 0x20)
  }

  static func isDecimal(_ text: some Collection<UInt8>) -> Bool {
    !text.isEmpty && text.allSatisfy { (0x30...0x39).contains($0) }
      && (text.count == 1 || text.first != 0x30)
  }

  /// `<UUID>.<incarnation>`
  static func isReplica(_ text: String) -> Bool {
    let bytes = Array(text.utf8)
    guard bytes.count > 37, bytes[36] == 0x2E else { return false }
    for (place, byte) in bytes[..<36].enumerated() {
      let isDash = [8, 13, 18, 23].contains(place)
      guard isDash ? byte == 0x2D : isHexadecimal(byte) else { return false }
    }
    return isDecimal(bytes[37...])
  }

  static func isBase64(_ text: String) -> Bool {
    let bytes = Array(text.utf8)
    let padding = bytes.reversed().prefix(2).prefix { $0 == 0x3D }.count
    return bytes.count % 4 == 0
      && bytes.dropLast(padding).allSatisfy { byte in
        isHexadecimal(byte) || (0x41...0x5A).contains(byte & 0xDF) || byte == 0x2B || byte == 0x2F
      }
  }
}

/// Clause 3.3: what a payload may be.
enum PropertyListCheck {
  static func isDictionary(_ value: JSON) -> Bool {
    guard case .object(let members) = value else { return false }
    guard let tag = tag(members) else { return members.allSatisfy { isValue($0.value) } }
    return tag.name == "$dictionary" && isPlainDictionary(tag.value)
  }

  private static func tag(_ members: [JSON.Member]) -> JSON.Member? {
    members.count == 1 && members[0].name.hasPrefix("$") ? members[0] : nil
  }

  private static func isPlainDictionary(_ value: JSON) -> Bool {
    guard case .object(let members) = value else { return false }
    return members.allSatisfy { isValue($0.value) }
  }

  private static func isValue(_ value: JSON) -> Bool {
    switch value {
    case .string: return true
    case .plain(let text): return text != "null"
    case .array(let elements): return elements.allSatisfy(isValue)
    case .object(let members):
      guard let tag = tag(members) else { return members.allSatisfy { isValue($0.value) } }
      switch (tag.name, tag.value) {
      case ("$data", .string(let text)): return LineCheck.isBase64(text)
      case ("$date", .string): return true
      case ("$date", .plain(let text)): return Double(text) != nil
      case ("$real", .string(let text)): return ["nan", "infinity", "-infinity"].contains(text)
      case ("$dictionary", _): return isPlainDictionary(tag.value)
      default: return false
      }
    }
  }
}

/// Clause 12.10: what an operation has. Members and actions that nobody described are a newer version's.
enum OperationCheck {
  static func isOperation(_ value: JSON) -> Bool {
    guard case .array(let actions)? = value["actions"], !actions.isEmpty,
      let replica = value["replica"]?.text, LineCheck.isReplica(replica),
      let seq = value["seq"]?.text, LineCheck.isDecimal(seq.utf8),
      let stamp = value["stamp"]?.text, isStamp(stamp),
      let wall = value["wall"]?.text,
      LineCheck.isDecimal(wall.utf8.drop { $0 == 0x2D })
    else { return false }
    if let context = value["context"] {
      guard case .object(let members) = context,
        members.allSatisfy({
          LineCheck.isReplica($0.name) && LineCheck.isDecimal(($0.value.text ?? "").utf8)
        })
      else { return false }
    }
    return actions.allSatisfy(isAction)
  }

  private static func isStamp(_ text: String) -> Bool {
    let parts = text.utf8.split(separator: 0x2E, omittingEmptySubsequences: false)
    return parts.count == 3 && parts.allSatisfy(LineCheck.isDecimal)
  }

  private static func isAction(_ value: JSON) -> Bool {
    guard let name = value["action"]?.text else { return false }
    switch name {
    case "create", "delete", "restore": return isAbout(value)
    case "write": return isAbout(value) && hasField(value) && value["value"] != nil
    case "move": return isAbout(value) && hasField(value) && hasPlace(value)
    case "insert":
      return isAbout(value) && hasField(value) && hasPlace(value) && value["text"]?.text != nil
    case "erase":
      guard case .array(let runs)? = value["elements"], !runs.isEmpty else { return false }
      return isAbout(value) && hasField(value)
        && runs.allSatisfy { run in
          run.elements.count == 2 && isElement(run.elements[0])
            && LineCheck.isDecimal((run.elements[1].text ?? "").utf8)
        }
    default: return true
    }
  }

  private static func isAbout(_ action: JSON) -> Bool {
    isTarget(action)
      && ["home", "into", "via"].allSatisfy { name in action[name].map(isTarget) ?? true }
      && (action["revives"].map { $0 == .bool(true) || $0 == .bool(false) } ?? true)
  }

  private static func isTarget(_ value: JSON) -> Bool {
    value["kind"]?.text != nil && value["record"]?.text != nil
  }

  private static func hasField(_ action: JSON) -> Bool { action["field"]?.text != nil }

  private static func hasPlace(_ action: JSON) -> Bool {
    (action["parent"].map(isElement) ?? true)
      && (action["side"].map { ["left", "right"].contains($0.text) } ?? true)
  }

  private static func isElement(_ value: JSON) -> Bool {
    let parts = (value.text ?? "").split(separator: "/", omittingEmptySubsequences: false)
    return parts.count == 3 && LineCheck.isReplica(String(parts[0]))
      && LineCheck.isDecimal(parts[1].utf8) && LineCheck.isDecimal(parts[2].utf8)
  }
}
