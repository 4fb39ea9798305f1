import Merge
import Wire

/// What the server's lines about records hold.
extension Members {
  var text: String { String(decoding: bytes, as: UTF8.self) }
  var type: String { string("type") ?? "" }

  func isTrue(_ name: String) -> Bool { flag(name) ?? false }

  func datum(_ name: String) throws -> Datum? {
    guard let value = value(name) else { return nil }
    return try bytes.withUnsafeBytes { try Datum(value, $0) }
  }

  func operations() throws -> [OperationText] {
    guard let list = value("ops"), list.kind == .array else { return [] }
    return try bytes.withUnsafeBytes { line in
      try OperationText.list(list, line, deepest: Envelope.maximumDepth)
    }
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
