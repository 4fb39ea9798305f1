import Merge
package import Wire

/// One spelling for each JSON value, so that values are compared as bytes: strings escaped as
/// little as can be, members sorted, numbers without needless zeros.
package enum Spelling {
  package static func append(
    _ value: Value, _ line: UnsafeRawBufferPointer, to bytes: inout [UInt8]
  ) {
    switch value.kind {
    case .null, .bool: bytes += line[value.start..<value.end]
    case .string: bytes.append(jsonString: decodeString(value, line))
    case .number: bytes += number(line[value.start..<value.end])
    case .array:
      var reader = ArrayReader(value, line)
      bytes.append(0x5B)
      var isFirst = true
      while let element = reader.next() {
        if !isFirst { bytes.append(0x2C) }
        isFirst = false
        append(element, line, to: &bytes)
      }
      bytes.append(0x5D)
    case .object:
      var members: [(name: Name, value: Value)] = []
      var reader = ObjectReader(value, line)
      while let (name, member) = reader.next() { members.append((Name(name), member)) }
      members.sort { $0.name < $1.name }
      bytes.append(0x7B)
      for (index, member) in members.enumerated() {
        if index > 0 { bytes.append(0x2C) }
        bytes.append(jsonString: member.name.text)
        bytes.append(0x3A)
        append(member.value, line, to: &bytes)
      }
      bytes.append(0x7D)
    }
  }

  /// Whole numbers as all their digits, however they were written (`1500`, `1500.0`, `15e2`); others as the
  /// nearest double is.
  private static func number(_ text: some Collection<UInt8>) -> [UInt8] {
    if let whole = whole(text) { return whole }
    guard let double = Double(String(decoding: text, as: UTF8.self)), double.isFinite
    else { return Array(text) }
    return Array(String(double).utf8)
  }

  /// Digits of a whole number that is spelled out; above that a double says enough.
  private static let longestWhole = 400

  /// The digits of a JSON number that is whole; nil where it is not, or has too many.
  private static func whole(_ text: some Collection<UInt8>) -> [UInt8]? {
    var digits: [UInt8] = []
    var scale = 0
    var isFraction = false
    var rest = text[...]
    let isNegative = rest.first == 0x2D
    if isNegative { rest.removeFirst() }
    while let byte = rest.popFirst() {
      if byte == 0x2E {
        isFraction = true
      } else if byte | 0x20 == 0x65 {
        guard let exponent = Int(String(decoding: rest, as: UTF8.self)),
          exponent.magnitude <= longestWhole
        else { return digits.allSatisfy { $0 == 0x30 } ? [0x30] : nil }
        scale += exponent
        break
      } else {
        if isFraction { scale -= 1 }
        if byte != 0x30 || !digits.isEmpty { digits.append(byte) }
      }
    }
    while digits.last == 0x30 {
      digits.removeLast()
      scale += 1
    }
    if digits.isEmpty { return [0x30] }
    guard scale >= 0, digits.count + scale <= longestWhole else { return nil }
    return (isNegative ? [0x2D] : []) + digits + Array(repeating: 0x30, count: scale)
  }

  /// The members of an object, each in its one spelling.
  package static func fields(_ object: Value, _ line: UnsafeRawBufferPointer) -> [Shown.Field] {
    var fields: [Shown.Field] = []
    var reader = ObjectReader(object, line)
    while let (name, value) = reader.next() {
      var bytes: [UInt8] = []
      append(value, line, to: &bytes)
      fields.append(Shown.Field(Name(name), bytes))
    }
    return fields
  }

  /// The members of a text that is one JSON object; none where it is not.
  package static func fields(_ json: [UInt8]) -> [Shown.Field] {
    json.withUnsafeBytes { line in
      var envelope = Envelope()
      guard (try? envelope.scan(line)) != nil else { return [] }
      var start = 0
      while start < line.count, line[start] != 0x7B { start += 1 }
      return fields(Value(kind: .object, start: start, end: line.count), line)
    }
  }

  /// A string as JSON.
  package static func string(_ text: String) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(jsonString: text)
    return bytes
  }

  /// The text of a JSON string; nil where it is none.
  package static func text(_ json: [UInt8]) -> String? {
    guard json.first == 0x22 else { return nil }
    return json.withUnsafeBytes {
      decodeString(Value(kind: .string, start: 0, end: $0.count, flags: .hasEscape), $0)
    }
  }
}
