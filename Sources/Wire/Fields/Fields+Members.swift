extension Fields {
  /// The range of a string member, quotes included, for text that is passed on as it is.
  package func anyString(_ key: Key) throws(WireError) -> Value {
    try required(key, .string, "a string")
  }

  /// A word of a fixed list. A keyboard line spells one such as 7014 or true as a number or a
  /// boolean; it is taken for its text.
  package func optionalWord(_ key: Key) throws(WireError) -> String? {
    guard let value = self[key] else { return nil }
    switch value.kind {
    case .string: return decodeString(value, line)
    case .number, .bool: return String(decoding: bytes(value), as: UTF8.self)
    case .object, .array, .null: throw invalid(key, value, "a word")
    }
  }

  /// The members of an object of the line, in their order.
  package func members(of object: Value) -> [(name: String, value: Value)] {
    var reader = ObjectReader(object, line)
    var members: [(name: String, value: Value)] = []
    while let member = reader.next() { members.append(member) }
    return members
  }

  /// The exact 64-bit integer that a value is; nil where it is none.
  package func integer(_ value: Value) -> Int64? {
    value.kind == .number ? decodeInteger(value, line) : nil
  }
}
