/// A line for other eyes than those it was meant for.
///
/// Only members of which the description says that they hold no text of an app's are shown: numbers, names of lanes, pairs and
/// devices, and the like. What is new, or not described, is not shown either.
package enum Redaction {
  /// Writes a line with the size of each other member in the place of its value, such as `"<18 bytes>"`.
  ///
  /// - Parameters:
  ///   - isRequest: whether a device sent it.
  ///   - hasPayloads: whether all is shown but tokens.
  /// - Returns: whether it is a line; else nothing certain has been written.
  package static func write(
    _ line: UnsafeRawBufferPointer, isRequest: Bool, hasPayloads: Bool, to output: inout [UInt8]
  ) -> Bool {
    var envelope = Envelope()
    guard (try? envelope.scan(line)) != nil,
      let start = line.firstIndex(of: 0x7B), let end = line.lastIndex(of: 0x7D)
    else { return false }
    let object = Value(kind: .object, start: start, end: end + 1)
    let shown = shownMembers(object, line, isRequest)
    output.append(0x7B)
    var reader = ObjectReader(object, line)
    var isFirst = true
    while let (name, value) = reader.next() {
      if !isFirst { output.append(0x2C) }
      isFirst = false
      output.append(jsonString: name)
      output.append(0x3A)
      let bytes = UnsafeRawBufferPointer(rebasing: line[value.start..<value.end])
      let isShown = shown.contains(name) && bytes.count <= longest
      if isShown || hasPayloads && name != "token", depth(bytes) < Envelope.maximumDepth - 1 {
        output.append(bytes: bytes)
      } else {
        output.append(jsonString: "<\(value.end - value.start) bytes>")
      }
    }
    output.append(0x7D)
    return true
  }

  /// Bytes of a value that is shown: who sends something else than is described may have any.
  private static let longest = 512

  /// Objects and arrays inside one another. Two more are around them: the line's own, and the one that it is told in.
  private static func depth(_ value: UnsafeRawBufferPointer) -> Int {
    var depth = 0
    var deepest = 0
    var isInString = false
    var isEscaped = false
    for byte in value {
      switch byte {
      case _ where isEscaped: isEscaped = false
      case 0x5C where isInString: isEscaped = true
      case 0x22: isInString.toggle()
      case 0x7B where !isInString, 0x5B where !isInString:
        depth += 1
        deepest = max(deepest, depth)
      case 0x7D where !isInString, 0x5D where !isInString: depth -= 1
      default: break
      }
    }
    return deepest
  }

  private static func shownMembers(
    _ object: Value, _ line: UnsafeRawBufferPointer, _ isRequest: Bool
  ) -> Set<String> {
    var reader = ObjectReader(object, line)
    while let (name, value) = reader.next() {
      guard name == "type", case .string = value.kind else { continue }
      return (isRequest ? requests : events)[decodeString(value, line)] ?? []
    }
    return []
  }

  private static let requests = shown(MessageDescription.requests)
  private static let events = shown(MessageDescription.events)

  /// By the type of the message.
  private static func shown(_ descriptions: [MessageDescription]) -> [String: Set<String>] {
    var shown: [String: Set<String>] = [:]
    for description in descriptions {
      let names =
        description.allMembers.map(\.name).filter(ours.contains)
        + description.allMembers.filter { isShown($0.type) }.map(\.name)
      shown[description.name, default: ["type"]].formUnion(names)
    }
    return shown
  }

  /// Texts of any length that the server or a schema words, and no person.
  private static let ours: Set<String> = ["server", "transfer", "kind"]

  private static func isShown(_ type: MemberType) -> Bool {
    switch type {
    case .words, .hexadecimal, .integer, .seconds, .moment, .boolean, .flag, .identifier, .digits,
      .replica, .vector, .null:
      true
    // Names are; what may be of any length is not.
    case .text(let length): length == MemberType.nameLength
    case .object(let members): members.allSatisfy { isShown($0.type) }
    case .map(let type), .list(let type): isShown(type)
    case .either(let types): types.allSatisfy(isShown)
    case .dictionary, .base64, .message, .operation, .any: false
    }
  }
}
