import Testing
import Wire

/// The error of scanning `bytes`, or nil.
func scanError(_ bytes: [UInt8]) -> WireError? {
  var envelope = Envelope()
  return bytes.withUnsafeBytes { line in
    do throws(WireError) {
      try envelope.scan(line)
      return nil
    } catch {
      return error
    }
  }
}

func scanError(_ text: String) -> WireError? { scanError(Array(text.utf8)) }

/// Whether a message reads well after an error's name and a colon.
func isErrorText(_ message: String) -> Bool {
  message.first?.isUppercase == false && message.last != "."
}

/// Expects 4001 at exactly that byte.
func expectMalformed(
  _ bytes: [UInt8], at offset: Int, _ location: SourceLocation = #_sourceLocation
) {
  let error = scanError(bytes)
  let text = String(decoding: bytes, as: UTF8.self)
  #expect(error?.code == .malformedJSON, "\(text)", sourceLocation: location)
  let message = error?.message ?? ""
  let isThere = message.contains("at byte \(offset),")
  #expect(isThere, "\(message) for \(text)", sourceLocation: location)
  #expect(isErrorText(message), "\(message)", sourceLocation: location)
}

func expectMalformed(
  _ text: String, at offset: Int, _ location: SourceLocation = #_sourceLocation
) {
  expectMalformed(Array(text.utf8), at: offset, location)
}

/// Calls `body` with the fields of a line that must scan.
func withFields<Result>(
  _ text: String, _ body: (Fields) throws -> Result
) throws -> Result {
  var text = text
  return try text.withUTF8 { utf8 in
    let line = UnsafeRawBufferPointer(utf8)
    var envelope = Envelope()
    try envelope.scan(line)
    return try envelope.withFields(of: line, body)
  }
}

/// The error that reading a field of `text` throws.
func fieldError(_ text: String, _ body: (Fields) throws -> Void) -> WireError? {
  do {
    try withFields(text, body)
    return nil
  } catch {
    return error as? WireError
  }
}

/// Whatever `body` appends, as text.
func output(_ body: (inout [UInt8]) -> Void) -> String {
  var bytes: [UInt8] = []
  body(&bytes)
  return String(decoding: bytes, as: UTF8.self)
}
