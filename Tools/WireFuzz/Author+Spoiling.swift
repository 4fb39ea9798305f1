internal import Relay
internal import Wire

/// What makes a valid line another one, and mostly a wrong one.
extension Author {
  mutating func spoil(_ line: inout JSON) {
    guard case .object(var members) = line, !members.isEmpty else { return }
    let place = choices.below(members.count)
    switch choices.below(9) {
    case 0: members.remove(at: place)
    case 1: members.append(members[place])
    case 2:
      let count = choices.one(of: [
        1, 1, 63 - members.count, 64 - members.count, 65 - members.count,
      ])
      for number in 0..<max(0, count) { members.append(.init("more\(number)", .integer(number))) }
    case 3:
      for _ in 0..<choices.one(of: [1, 61, 62, 63, 64, 65]) {
        members[place].value = .array([members[place].value])
      }
    case 4:
      members[place].name = choices.one(of: ["", "Type", "seq ", "\u{0}", "payload", "id", "n"])
    default: replace(&members[place].value)
    }
    line = .object(members)
  }

  /// Puts something else in the place of one of the values within.
  private mutating func replace(_ value: inout JSON) {
    switch value {
    case .object(var members) where !members.isEmpty && choices.percent(85):
      replace(&members[choices.below(members.count)].value)
      value = .object(members)
    case .array(var elements) where !elements.isEmpty && choices.percent(85):
      replace(&elements[choices.below(elements.count)])
      value = .array(elements)
    case .string(let text) where Int64(text) != nil && choices.percent(80):
      value = .string(choices.one(of: Self.edges))
    case .plain where choices.percent(80): value = .plain(choices.one(of: Self.edges))
    default:
      value = choices.one(of: [
        .plain("null"), .bool(true), .string(""), .array([]), .object([]), .integer(7),
        .string(String(repeating: "z", count: 70)),
      ])
    }
  }

  /// Bytes that are no longer what they were, and have no tag of another world.
  mutating func spoil(_ line: [UInt8]) -> [UInt8] {
    let spoilt = spoilt(line)
    return Tag.all(in: Self.read(spoilt)).isSubset(of: Tag.all(in: line)) ? spoilt : line
  }

  /// As a server reads it that swallows Telnet's options.
  private static func read(_ line: [UInt8]) -> [UInt8] {
    guard let start = line.firstIndex(of: 0xFF), start + 1 < line.count, line[start + 1] == 0xFB
    else {
      return line
    }
    return Array(line[..<start] + line[min(start + 3, line.count)...])
  }

  private mutating func spoilt(_ line: [UInt8]) -> [UInt8] {
    var line = line
    let place = choices.below(line.count)
    switch choices.below(9) {
    case 0: line[place] = UInt8(choices.below(256))
    case 1: line.insert(UInt8(choices.one(of: [0, 0x0D, 0x20, 0x09, 0x7F, 0x80, 0xEF])), at: place)
    case 2: line.insert(contentsOf: choices.one(of: Self.telnet), at: place)
    case 3: line.insert(0x0D, at: line.count - 1)
    case 4: line.remove(at: place)
    case 5:
      // About as long as a line may be.
      let limit = choices.one(of: [4_096, setting.options.limits.line])
      let count = limit - line.count + choices.below(4)
      guard count > 0 else { break }
      line.insert(
        contentsOf: repeatElement(0x20, count: count), at: choices.one(of: [0, line.count - 1]))
    case 6: line.replace([0x22, 0x74], with: Array(#""\u0074"#.utf8), maxReplacements: 1)
    case 7: line.replace([0x7E], with: Array(#"\ud800"#.utf8), maxReplacements: 1)
    default: line = choices.one(of: Self.others) + [0x0A]
    }
    return line
  }

  private static let telnet: [[UInt8]] = [
    [0xFF, 0xFD, 0x06], [0xFF, 0xFF], [0xFF, 0xFA, 0x18, 0xFF, 0xF0], [0xFF, 0xF6], [0xFF, 0xFB],
  ]

  private static let others: [[UInt8]] = [
    Array("GET / HTTP/1.1\r".utf8), [0x16, 0x03, 0x01], Array("[1]".utf8), Array("\"x\"".utf8),
    Array("{".utf8), Array("}".utf8), [], Array("   ".utf8), Array("activat pair=x".utf8),
    Array("ping id=1 id=2".utf8), Array("ping id=".utf8), Array("a=b".utf8),
    [0xEF, 0xBB, 0xBF] + Array("ping".utf8), Array(repeating: 0x5B, count: 100),
  ]

  // MARK: Words

  /// The line as it is typed; nil where it cannot be.
  mutating func words(_ line: JSON) -> [UInt8]? {
    guard let type = line["type"]?.text, !type.isEmpty, type.utf8.allSatisfy(Self.isOfWord) else {
      return nil
    }
    var bytes = Array(type.utf8)
    if type == "help", let topic = line["topic"]?.text, topic.utf8.allSatisfy(Self.isOfWord) {
      return bytes + [0x20] + Array(topic.utf8)
    }
    for member in line.members where member.name != "type" {
      guard !member.name.isEmpty, member.name.utf8.allSatisfy(Self.isOfWord) else { return nil }
      bytes += choices.percent(5) ? [0x20, 0x09] : [0x20]
      bytes.append(text: member.name)
      bytes.append(0x3D)
      if let text = member.value.text, isBare(text), choices.percent(70) {
        bytes.append(text: text)
      } else {
        member.value.append(to: &bytes)
      }
    }
    return bytes
  }

  private func isBare(_ text: String) -> Bool {
    guard let first = text.utf8.first, text != "true", text != "false" else { return false }
    return (0x41...0x7A).contains(first) && first != 0x5B && first != 0x5C
      && text.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != 0x22 }
  }

  private static func isOfWord(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F: true
    default: false
    }
  }
}
