import AppModels
import Merge
import Testing
import Wire

/// Calls `body` with a JSON value.
func withJSON<Result>(
  _ text: String, _ body: (Value, UnsafeRawBufferPointer) throws -> Result
) throws -> Result {
  var text = "{\"value\":\(text)}"
  return try text.withUTF8 { utf8 in
    let line = UnsafeRawBufferPointer(utf8)
    var envelope = Envelope()
    try envelope.scan(line)
    var reader = ObjectReader(Value(kind: .object, start: 0, end: line.count), line)
    let member = reader.next()
    return try body(try #require(member).value, line)
  }
}

/// The canonical form of what a person types, nil where it is refused with 4004.
func canonical(_ type: FieldType, _ text: String) throws -> Datum? {
  try withJSON(text) { value, line in
    do throws(WireError) {
      return try type.canonical(value, line)
    } catch {
      #expect(error.code == .invalidField)
      #expect(error.message.hasPrefix("the value must be \(type.wanted), found "))
      return nil
    }
  }
}

func readable(_ type: FieldType, _ datum: Datum) -> String {
  var bytes: [UInt8] = []
  type.append(readable: datum, to: &bytes)
  return String(decoding: bytes, as: UTF8.self)
}

/// The error that `body` throws.
func wireError(_ body: () throws -> Void) -> WireError? {
  do {
    try body()
    return nil
  } catch {
    return error as? WireError
  }
}

func shipped(_ schema: Name, _ kind: Name) throws -> Schema.Kind {
  try #require(ShippedSchemas.named(schema)?[kind])
}
