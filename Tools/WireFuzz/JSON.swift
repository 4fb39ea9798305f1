internal import Wire

/// A JSON value that keeps the order of members and the spelling of numbers, and may be wrong: a name
/// may come twice, and what is plain may be anything.
package indirect enum JSON: Equatable, Sendable {
  /// A number, `true`, `false` or `null`, as it is spelled.
  case plain(String)
  case string(String)
  case array([JSON])
  case object([Member])

  package struct Member: Equatable, Sendable {
    package var name: String
    package var value: JSON

    init(_ name: String, _ value: JSON) {
      self.name = name
      self.value = value
    }
  }

  static func integer(_ number: some FixedWidthInteger) -> JSON { .plain("\(number)") }
  static func bool(_ value: Bool) -> JSON { .plain(value ? "true" : "false") }

  subscript(name: String) -> JSON? {
    get {
      guard case .object(let members) = self else { return nil }
      return members.first { $0.name == name }?.value
    }
    set {
      guard case .object(var members) = self else { return }
      if let place = members.firstIndex(where: { $0.name == name }) {
        if let newValue { members[place].value = newValue } else { members.remove(at: place) }
      } else if let newValue {
        members.append(Member(name, newValue))
      }
      self = .object(members)
    }
  }

  var text: String? { if case .string(let text) = self { text } else { nil } }
  var number: Int64? { if case .plain(let text) = self { Int64(text) } else { nil } }
  var elements: [JSON] { if case .array(let elements) = self { elements } else { [] } }
  var members: [Member] { if case .object(let members) = self { members } else { [] } }
}

// MARK: Text

extension JSON {
  var bytes: [UInt8] {
    var bytes: [UInt8] = []
    append(to: &bytes)
    return bytes
  }

  func append(to bytes: inout [UInt8]) {
    switch self {
    case .plain(let text): bytes.append(text: text)
    case .string(let text): bytes.append(jsonString: text)
    case .array(let elements):
      bytes.append(0x5B)
      for (place, element) in elements.enumerated() {
        if place > 0 { bytes.append(0x2C) }
        element.append(to: &bytes)
      }
      bytes.append(0x5D)
    case .object(let members):
      bytes.append(0x7B)
      for (place, member) in members.enumerated() {
        if place > 0 { bytes.append(0x2C) }
        bytes.append(jsonString: member.name)
        bytes.append(0x3A)
        member.value.append(to: &bytes)
      }
      bytes.append(0x7D)
    }
  }

  /// Reads a line that is one object; nil where it is none.
  package init?(line: [UInt8]) {
    guard
      let value = line.withUnsafeBytes({ bytes -> JSON? in
        var envelope = Envelope()
        guard (try? envelope.scan(bytes)) != nil, let start = bytes.firstIndex(of: 0x7B),
          let end = bytes.lastIndex(of: 0x7D)
        else { return nil }
        return JSON(Value(kind: .object, start: start, end: end + 1), bytes)
      })
    else { return nil }
    self = value
  }

  /// A value of a line that has been scanned.
  init(_ value: Value, _ line: UnsafeRawBufferPointer) {
    switch value.kind {
    case .object:
      var reader = ObjectReader(value, line)
      var members: [Member] = []
      while let (name, value) = reader.next() { members.append(Member(name, JSON(value, line))) }
      self = .object(members)
    case .array:
      var reader = ArrayReader(value, line)
      var elements: [JSON] = []
      while let element = reader.next() { elements.append(JSON(element, line)) }
      self = .array(elements)
    case .string: self = .string(decodeString(value, line))
    case .number, .bool, .null:
      self = .plain(String(decoding: line[value.start..<value.end], as: UTF8.self))
    }
  }
}
