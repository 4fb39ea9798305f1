extension Fields {
  /// The bytes of a member that is a base64 string (RFC 4648 section 4, padded, no blanks).
  ///
  /// - Throws: 4003, or 4004 with the offset in the line of the first byte that does not fit.
  package func data(_ key: Key) throws(WireError) -> [UInt8] {
    let (value, text) = try base64Text(key)
    var decoded: [UInt8] = []
    if let fault = text.decode({ Base64.decode($0, into: &decoded) }) {
      throw invalid(key, value, fault)
    }
    return decoded
  }

  /// How many bytes `data` would return, found without decoding them. Throws what `data` throws.
  package func base64Length(_ key: Key) throws(WireError) -> Int {
    let (value, text) = try base64Text(key)
    var length = 0
    if let fault = text.decode({ Base64.validate($0, length: &length) }) {
      throw invalid(key, value, fault)
    }
    return length
  }

  private func base64Text(_ key: Key) throws(WireError) -> (Value, Base64Text) {
    let value = try required(key, .string, "a base64 string")
    return (value, Base64Text(value, line))
  }

  private func invalid(_ key: Key, _ value: Value, _ fault: Base64Text.Fault) -> WireError {
    WireError(
      .invalidField, "\(key.rawValue) must be a padded base64 string; at ", byte: fault.offset,
      " \(fault.reason)")
  }
}

/// The bytes that a base64 string of a line stands for.
///
/// - Parameter name: what the string is called in the error.
/// - Throws: 4004 with the offset in the line of the first byte that does not fit.
/// - Precondition: `value` is a string of `line`.
package func decodeBase64(
  _ value: Value, _ line: UnsafeRawBufferPointer, _ name: String
) throws(WireError) -> [UInt8] {
  var decoded: [UInt8] = []
  if let fault = Base64Text(value, line).decode({ Base64.decode($0, into: &decoded) }) {
    throw WireError(
      .invalidField, "\(name) must be a padded base64 string; at ", byte: fault.offset,
      " \(fault.reason)")
  }
  return decoded
}

/// A base64 string in a line; some encoders write its `/` as `\/`.
struct Base64Text {
  struct Fault: Equatable {
    /// Offset in the line.
    var offset: Int
    var reason: String
  }

  private let value: Value
  private let line: UnsafeRawBufferPointer

  init(_ value: Value, _ line: UnsafeRawBufferPointer) {
    self.value = value
    self.line = line
  }

  /// Runs `body` on the text without escapes and brings its fault back to the line.
  func decode(_ body: (UnsafeRawBufferPointer) -> Base64.Fault?) -> Fault? {
    let text = contents(value, line)
    guard value.flags.contains(.hasEscape) else {
      return body(text).map { Fault(offset: value.start + 1 + $0.offset, reason: $0.reason) }
    }
    var plain: [UInt8] = []
    unescape(text, into: &plain)
    guard let fault = plain.withUnsafeBytes(body) else { return nil }
    var written = 0
    var spelled = 0
    while written < text.count {
      var next = written + 1
      var length = 1
      if text[written] == 0x5C {
        let escaped = escapedScalar(text, at: written)
        next = escaped.next
        length = UTF8.width(escaped.scalar)
      }
      if fault.offset < spelled + length { break }
      spelled += length
      written = next
    }
    return Fault(offset: value.start + 1 + written, reason: fault.reason)
  }
}
