import Wire

/// A value in its canonical form: JSON without numbers.
///
/// Integers, decimals, dates and doubles are strings that their type spells in one way only
/// (`FieldType`), because JSON's doubles cannot tell 9007199254740993 from 9007199254740992. What
/// is left is RFC 8785 without its section 3.2.2.3.
package enum Datum: Hashable, Sendable {
  case null
  case bool(Bool)
  case string(Name)
  case array([Datum])
  /// Sorted by name as `Datum.precedes` has it, each name once.
  case object([Member])

  package struct Member: Hashable, Sendable {
    package var name: Name
    package var value: Datum

    package init(_ name: Name, _ value: Datum) {
      self.name = name
      self.value = value
    }
  }

  /// An object of these members, whatever their order.
  /// - Precondition: no two have the same name.
  package static func sorted(_ members: [Member]) -> Datum {
    .object(members.sorted { precedes($0.name, $1.name) })
  }

  package subscript(name: Name) -> Datum? {
    guard case .object(let members) = self else { return nil }
    for index in members.indices where members[index].name == name {
      return members[index].value
    }
    return nil
  }

  /// How many objects and arrays are inside one another.
  package var depth: Int {
    switch self {
    case .null, .bool, .string: 0
    case .array(let elements): 1 + (elements.lazy.map(\.depth).max() ?? 0)
    case .object(let members): 1 + (members.lazy.map(\.value.depth).max() ?? 0)
    }
  }

  package var text: Name? {
    guard case .string(let text) = self else { return nil }
    return text
  }

  /// RFC 8785 section 3.2.3: names are ordered by their UTF-16 code units. That differs from the
  /// order of UTF-8 bytes only where one has a character from U+E000 on and the other a surrogate.
  package static func precedes(_ left: Name, _ right: Name) -> Bool {
    for (one, other) in zip(left.utf8, right.utf8) where one != other {
      return one >= 0xEE && other >= 0xEE && (one >= 0xF0) != (other >= 0xF0)
        ? one >= 0xF0 : one < other
    }
    return left.utf8.count < right.utf8.count
  }
}

extension Datum {
  /// The canonical bytes (RFC 8785).
  package var canonical: [UInt8] {
    var bytes: [UInt8] = []
    append(to: &bytes)
    return bytes
  }

  package func append(to bytes: inout [UInt8]) {
    switch self {
    case .null: bytes.append("null" as StaticString)
    case .bool(let value): bytes.append(bool: value)
    case .string(let text): bytes.append(quoted: text)
    case .array(let elements):
      bytes.append(0x5B)
      for index in elements.indices {
        if index > 0 { bytes.append(0x2C) }
        elements[index].append(to: &bytes)
      }
      bytes.append(0x5D)
    case .object(let members):
      bytes.append(0x7B)
      for index in members.indices {
        if index > 0 { bytes.append(0x2C) }
        bytes.append(quoted: members[index].name)
        bytes.append(0x3A)
        members[index].value.append(to: &bytes)
      }
      bytes.append(0x7D)
    }
  }
}
