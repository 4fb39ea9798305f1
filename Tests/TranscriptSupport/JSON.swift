/// A JSON value that keeps what a transcript compares: the spelling of numbers and the order of
/// members.
package indirect enum JSON: Equatable, Sendable {
  case null
  case bool(Bool)
  case number(String)
  case string(String)
  case array([JSON])
  case object([Member])

  package struct Member: Equatable, Sendable {
    package var name: String
    package var value: JSON
    /// The value's text as it is written.
    package var text: String
  }

  package subscript(_ name: String) -> JSON? {
    guard case .object(let members) = self else { return nil }
    return members.first { $0.name == name }?.value
  }

  package var string: String? {
    if case .string(let text) = self { text } else { nil }
  }

  package var bool: Bool? {
    if case .bool(let value) = self { value } else { nil }
  }
}

/// Reads JSON; meant for text that is well formed, and says where it is not.
package struct JSONReader {
  package struct Fault: Error, CustomStringConvertible {
    package var description: String
  }

  private let bytes: [UInt8]
  private var at = 0

  private init(_ bytes: [UInt8]) { self.bytes = bytes }

  package static func read(_ bytes: [UInt8]) throws -> JSON {
    var reader = JSONReader(bytes)
    let value = try reader.value()
    reader.skipBlanks()
    guard reader.at == bytes.count else { throw reader.fault("the end") }
    return value
  }

  private func fault(_ wanted: String) -> Fault {
    Fault(
      description: "expected \(wanted) at byte \(at) of \(String(decoding: bytes, as: UTF8.self))")
  }

  private mutating func skipBlanks() {
    while at < bytes.count, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[at]) { at += 1 }
  }

  private mutating func take(_ byte: UInt8) -> Bool {
    skipBlanks()
    guard at < bytes.count, bytes[at] == byte else { return false }
    at += 1
    return true
  }

  private mutating func value() throws -> JSON {
    skipBlanks()
    guard at < bytes.count else { throw fault("a value") }
    switch bytes[at] {
    case UInt8(ascii: "{"): return try object()
    case UInt8(ascii: "["): return try array()
    case UInt8(ascii: "\""): return .string(try string())
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return .number(word())
    default:
      switch word() {
      case "true": return .bool(true)
      case "false": return .bool(false)
      case "null": return .null
      default: throw fault("a value before this")
      }
    }
  }

  /// A number's or a literal's text.
  private mutating func word() -> String {
    let start = at
    while at < bytes.count, !" \t\r\n,:{}[]\"".utf8.contains(bytes[at]) { at += 1 }
    return String(decoding: bytes[start..<at], as: UTF8.self)
  }

  private mutating func array() throws -> JSON {
    at += 1
    var elements: [JSON] = []
    if take(UInt8(ascii: "]")) { return .array([]) }
    repeat { elements.append(try value()) } while take(UInt8(ascii: ","))
    guard take(UInt8(ascii: "]")) else { throw fault("]") }
    return .array(elements)
  }

  private mutating func object() throws -> JSON {
    at += 1
    var members: [JSON.Member] = []
    if take(UInt8(ascii: "}")) { return .object([]) }
    repeat {
      skipBlanks()
      let name = try string()
      guard take(UInt8(ascii: ":")) else { throw fault(":") }
      skipBlanks()
      let start = at
      let value = try value()
      let text = String(decoding: bytes[start..<at], as: UTF8.self)
      members.append(JSON.Member(name: name, value: value, text: text))
    } while take(UInt8(ascii: ","))
    guard take(UInt8(ascii: "}")) else { throw fault("}") }
    return .object(members)
  }

  private mutating func string() throws -> String {
    guard take(UInt8(ascii: "\"")) else { throw fault("a string") }
    var text: [UInt8] = []
    while at < bytes.count, bytes[at] != UInt8(ascii: "\"") {
      if bytes[at] == UInt8(ascii: "\\") {
        text.append(contentsOf: String(try escape()).utf8)
      } else {
        text.append(bytes[at])
        at += 1
      }
    }
    guard take(UInt8(ascii: "\"")) else { throw fault("a quote") }
    return String(decoding: text, as: UTF8.self)
  }

  private mutating func escape() throws -> Unicode.Scalar {
    guard at + 1 < bytes.count else { throw fault("an escape") }
    let letter = bytes[at + 1]
    guard letter == UInt8(ascii: "u") else {
      at += 2
      let meanings: [Character: Unicode.Scalar] = [
        "n": "\n", "t": "\t", "r": "\r", "b": "\u{8}", "f": "\u{C}",
      ]
      return meanings[Character(Unicode.Scalar(letter))] ?? Unicode.Scalar(letter)
    }
    let high = try hexadecimal()
    guard 0xD800..<0xDC00 ~= high else { return Unicode.Scalar(high) ?? "\u{FFFD}" }
    let low = try hexadecimal()
    return Unicode.Scalar(0x10000 + (high - 0xD800) << 10 + (low - 0xDC00)) ?? "\u{FFFD}"
  }

  private mutating func hexadecimal() throws -> UInt32 {
    guard at + 6 <= bytes.count,
      let value = UInt32(String(decoding: bytes[(at + 2)..<(at + 6)], as: UTF8.self), radix: 16)
    else { throw fault("four hexadecimal digits") }
    at += 6
    return value
  }
}
