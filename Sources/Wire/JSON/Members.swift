/// The members of one JSON object, read by name; strings keep their exact scalars.
package struct Members {
  package let bytes: [UInt8]
  /// The names are decoded where somebody asks for them.
  private var members: [(name: Value, value: Value)] = []

  /// - Throws: 4001 where the bytes are not one JSON object.
  @inlinable package init(_ bytes: some Collection<UInt8>) throws(WireError) {
    try self.init(Array(bytes))
  }

  /// - Throws: 4001 where the bytes are not one JSON object.
  package init(_ bytes: [UInt8]) throws(WireError) {
    var envelope = Envelope()
    try self.init(bytes, &envelope)
  }

  /// - Parameter envelope: reads the line; one for many lines saves the making of it.
  /// - Throws: 4001 where the bytes are not one JSON object.
  package init(_ bytes: [UInt8], _ envelope: inout Envelope) throws(WireError) {
    self.bytes = bytes
    let result: Result<[(name: Value, value: Value)], WireError> = self.bytes.withUnsafeBytes {
      line in
      do throws(WireError) {
        try envelope.scan(line)
        return .success(Self.members(Value(kind: .object, start: 0, end: line.count), line))
      } catch {
        return .failure(error)
      }
    }
    members = try result.get()
  }

  private init(_ object: Value, of bytes: [UInt8]) {
    self.bytes = bytes
    members = bytes.withUnsafeBytes { Self.members(object, $0) }
  }

  private static func members(
    _ object: Value, _ line: UnsafeRawBufferPointer
  ) -> [(name: Value, value: Value)] {
    // Blanks may stand before the object.
    var start = object.start
    while start < line.count, line[start] != 0x7B { start += 1 }
    var reader = ObjectReader(
      Value(kind: .object, start: start, end: object.end, flags: object.flags), line)
    var members: [(name: Value, value: Value)] = []
    members.reserveCapacity(8)
    while let member = reader.nextMember() { members.append(member) }
    return members
  }

  /// All of them, in their order.
  package var all: [(name: String, value: Value)] {
    bytes.withUnsafeBytes { line in members.map { (decodeString($0.name, line), $0.value) } }
  }

  package func value(_ name: String) -> Value? {
    var name = name
    return name.withUTF8 { name in
      bytes.withUnsafeBytes { line in
        members.first { Self.isName($0.name, name, line) }?.value
      }
    }
  }

  private static func isName(
    _ value: Value, _ name: UnsafeBufferPointer<UInt8>, _ line: UnsafeRawBufferPointer
  ) -> Bool {
    guard !value.flags.contains(.hasEscape) else {
      return decodeString(value, line).utf8.elementsEqual(name)
    }
    // Without the quotes.
    return value.count == name.count + 2
      && line[(value.start + 1)..<(value.end - 1)].elementsEqual(name)
  }

  package func has(_ name: String) -> Bool { value(name) != nil }

  /// The text of a member's value, as it is written.
  package func raw(_ name: String) -> [UInt8]? {
    value(name).map { Array(bytes[$0.start..<$0.end]) }
  }

  package func string(_ name: String) -> String? { value(name).flatMap(string) }

  package func string(_ value: Value) -> String? {
    guard value.kind == .string else { return nil }
    return bytes.withUnsafeBytes { decodeString(value, $0) }
  }

  package func integer(_ name: String) -> Int64? {
    guard let value = value(name), value.kind == .number else { return nil }
    return bytes.withUnsafeBytes { decodeInteger(value, $0) }
  }

  /// A whole number from 0, small enough to be counted on (below 2^53); nil for another value.
  package func count(_ name: String) -> UInt64? {
    integer(name).flatMap { 0..<1 << 53 ~= $0 ? UInt64($0) : nil }
  }

  /// A time that is told in decimal seconds, in milliseconds.
  package func milliseconds(_ name: String) -> Int64? {
    guard let value = value(name), value.kind == .number, let text = raw(name),
      let seconds = Double(String(decoding: text, as: UTF8.self)), seconds.magnitude < 9e15
    else { return nil }
    return Int64(seconds * 1000 + (seconds < 0 ? -0.5 : 0.5))
  }

  package func flag(_ name: String) -> Bool? {
    guard let value = value(name), value.kind == .bool else { return nil }
    return bytes[value.start] == 0x74
  }

  package func object(_ name: String) -> Members? {
    guard let value = value(name), value.kind == .object else { return nil }
    return Members(value, of: bytes)
  }

  /// The elements of an array; nil where the member is none.
  package func array(_ name: String) -> [Value]? {
    guard let value = value(name), value.kind == .array else { return nil }
    return bytes.withUnsafeBytes { line in
      var reader = ArrayReader(value, line)
      var elements: [Value] = []
      while let element = reader.next() { elements.append(element) }
      return elements
    }
  }

  /// The elements of an array that are objects; nil where the member is none.
  package func objects(_ name: String) -> [Members]? {
    array(name)?.filter { $0.kind == .object }.map { Members($0, of: bytes) }
  }
}
