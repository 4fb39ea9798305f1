/// The members of a scanned line as Swift values.
///
/// Every getter of a required member throws 4003 missingField where there is none, and every
/// getter throws 4004 invalidField where the member is not what it must be; both name the member,
/// and 4004 also what it was and its byte offset in the line. A member that is null counts as
/// present, and is wrong.
///
/// The line and its envelope must stay where they are for as long as the fields are read
/// (`Envelope.fields`).
package struct Fields {
  private let found: Envelope.Found
  package let line: UnsafeRawBufferPointer

  init(_ found: Envelope.Found, _ line: UnsafeRawBufferPointer) {
    self.found = found
    self.line = line
  }

  /// The member of that name, of whatever kind; nil where the line has none.
  package subscript(_ key: Key) -> Value? { found[key] }

  // MARK: Strings

  package func string(_ key: Key) throws(WireError) -> String {
    decodeString(try required(key, .string, "a string"), line)
  }

  package func optionalString(_ key: Key) throws(WireError) -> String? {
    guard let value = try optional(key, .string, "a string") else { return nil }
    return decodeString(value, line)
  }

  // MARK: Booleans

  package func bool(_ key: Key) throws(WireError) -> Bool {
    line[try required(key, .bool, "true or false").start] == 0x74
  }

  package func optionalBool(_ key: Key) throws(WireError) -> Bool? {
    guard let value = try optional(key, .bool, "true or false") else { return nil }
    return line[value.start] == 0x74
  }

  // MARK: Objects

  /// The range of an object member.
  package func object(_ key: Key) throws(WireError) -> Value {
    try required(key, .object, "an object")
  }

  package func optionalObject(_ key: Key) throws(WireError) -> Value? {
    try optional(key, .object, "an object")
  }

  /// The value's text as it is written.
  package func bytes(_ value: Value) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: line[value.start..<value.end])
  }

  // MARK: Correlation ids

  /// Most bytes of an `id` that is a string, counted after unescaping.
  package static let longestIdentifier = 64

  /// The `id` to echo as `re`: the JSON text of a string of at most 64 UTF-8 bytes, or of an
  /// integer of 64 bits. Its spelling is the sender's.
  package func optionalIdentifier(_ key: Key) throws(WireError) -> Value? {
    guard let value = self[key] else { return nil }
    try checkIdentifier(key, value)
    return value
  }

  private func checkIdentifier(_ key: Key, _ value: Value) throws(WireError) {
    var wanted: String {
      "a string of at most \(Self.longestIdentifier) bytes or a 64-bit integer"
    }
    switch value.kind {
    case .string:
      let length =
        value.flags.contains(.hasEscape)
        ? decodeString(value, line).utf8.count : value.count - 2
      guard length <= Self.longestIdentifier else {
        throw invalid(key, value, wanted, was: "a string of \(length) bytes")
      }
    case .number:
      guard decodeInteger(value, line) != nil else {
        throw invalid(key, value, wanted, was: excerpt(value))
      }
    default: throw invalid(key, value, wanted)
    }
  }

  /// The value's text as it is written.
  package func text(_ value: Value) -> String {
    String(decoding: bytes(value), as: UTF8.self)
  }

  // MARK: Errors

  /// 4004 for a member that is there.
  ///
  /// - Parameters:
  ///   - wanted: what it must be, as in "must be …".
  ///   - was: what it is instead; its kind where left out.
  package func invalid(
    _ key: Key, _ value: Value, _ wanted: String, was: String? = nil
  ) -> WireError {
    WireError(
      .invalidField, "\(key.rawValue) must be \(wanted); at ", byte: value.start,
      " it is \(was ?? value.kind.readable)")
  }

  /// 4003 for a member that is not there.
  package func missing(_ key: Key, _ wanted: String) -> WireError {
    WireError(.missingField, "\(key.rawValue) is missing; it must be \(wanted)")
  }

  func required(
    _ key: Key, _ kind: Value.Kind, _ wanted: @autoclosure () -> String
  ) throws(WireError) -> Value {
    guard let value = try optional(key, kind, wanted()) else { throw missing(key, wanted()) }
    return value
  }

  func optional(
    _ key: Key, _ kind: Value.Kind, _ wanted: @autoclosure () -> String
  ) throws(WireError) -> Value? {
    guard let value = self[key] else { return nil }
    guard value.kind == kind else { throw invalid(key, value, wanted()) }
    return value
  }

  /// The value's text for an error's message, cut where it is long.
  package func excerpt(_ value: Value) -> String {
    let text = bytes(value)
    guard text.count > 40 else { return String(decoding: text, as: UTF8.self) }
    return String(decoding: text.prefix(40), as: UTF8.self) + "…"
  }
}
