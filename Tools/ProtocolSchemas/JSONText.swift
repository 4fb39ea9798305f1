import Wire

/// A JSON value with its members in a fixed order, written with indentation.
indirect enum JSONText: Sendable {
  case string(String)
  case number(Int64)
  case bool(Bool)
  case array([JSONText])
  case object([(String, JSONText)])

  /// The value's text, without a line feed at the end. Arrays of scalars stay on one line.
  func written(indent: String = "") -> String {
    switch self {
    case .string(let text):
      var bytes: [UInt8] = []
      bytes.append(jsonString: text)
      return String(decoding: bytes, as: UTF8.self)
    case .number(let number): return "\(number)"
    case .bool(let bool): return "\(bool)"
    case .array(let elements):
      let isFlat = elements.allSatisfy(\.isScalar)
      let texts = elements.map { $0.written(indent: indent + "  ") }
      let flat = "[" + texts.joined(separator: ", ") + "]"
      if elements.isEmpty || (isFlat && indent.count + flat.count <= 90) { return flat }
      return "[\n" + texts.map { indent + "  " + $0 }.joined(separator: ",\n") + "\n\(indent)]"
    case .object(let members):
      if members.isEmpty { return "{}" }
      let texts = members.map { name, value in
        indent + "  " + JSONText.string(name).written() + ": "
          + value.written(indent: indent + "  ")
      }
      return "{\n" + texts.joined(separator: ",\n") + "\n\(indent)}"
    }
  }

  private var isScalar: Bool {
    switch self {
    case .string, .number, .bool: true
    case .array, .object: false
    }
  }
}
