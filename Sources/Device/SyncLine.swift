import Merge
import Wire

/// A line of the server's, read member by member; its strings keep their exact scalars.
struct SyncLine {
  let bytes: [UInt8]
  private var members: [(name: String, value: Value)] = []

  init(_ bytes: [UInt8]) throws {
    self.bytes = bytes
    members = try bytes.withUnsafeBytes { line in
      var envelope = Envelope()
      try envelope.scan(line)
      var reader = ObjectReader(Value(kind: .object, start: 0, end: line.count), line)
      var members: [(String, Value)] = []
      while let member = reader.next() { members.append((member.name, member.value)) }
      return members
    }
  }

  var text: String { String(decoding: bytes, as: UTF8.self) }
  var type: String { string("type") ?? "" }

  private func value(_ name: String) -> Value? { members.first { $0.name == name }?.value }

  func string(_ name: String) -> String? {
    guard let value = value(name), value.kind == .string else { return nil }
    return bytes.withUnsafeBytes { decodeString(value, $0) }
  }

  func integer(_ name: String) -> Int64? {
    guard let value = value(name), value.kind == .number else { return nil }
    return bytes.withUnsafeBytes { decodeInteger(value, $0) }
  }

  func flag(_ name: String) -> Bool {
    guard let value = value(name), value.kind == .bool else { return false }
    return bytes[value.start] == 0x74
  }

  /// The text of a member's value; nil where it is missing.
  func raw(_ name: String) -> [UInt8]? {
    value(name).map { Array(bytes[$0.start..<$0.end]) }
  }

  func datum(_ name: String) throws -> Datum? {
    guard let value = value(name) else { return nil }
    return try bytes.withUnsafeBytes { try Datum(value, $0) }
  }

  func list(_ name: String) throws -> [Datum] {
    guard case .array(let items)? = try datum(name) else { return [] }
    return items
  }

  func vector(_ name: String) throws -> VersionVector? {
    try datum(name).map { try VersionVector($0) }
  }

  func head(_ name: String) throws -> Head? {
    guard let datum = try datum(name), let seq = datum["seq"]?.text,
      let seq = UInt64(decimal: seq.utf8), let hash = datum["hash"]?.text
    else { return nil }
    return Head(seq: seq, hash: Self.bytes(hexadecimal: hash.utf8))
  }

  private static func bytes(hexadecimal text: [UInt8]) -> [UInt8] {
    func digit(_ byte: UInt8) -> UInt8 { byte < 0x3A ? byte - 0x30 : byte - 0x57 }
    return stride(from: 0, to: text.count - 1, by: 2).map {
      digit(text[$0]) << 4 | digit(text[$0 + 1])
    }
  }
}
