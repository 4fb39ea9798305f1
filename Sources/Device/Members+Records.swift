import Merge
import Wire

/// What the server's lines about records hold.
extension Members {
  var text: String { String(decoding: bytes, as: UTF8.self) }
  var type: String { string("type") ?? "" }

  func isTrue(_ name: String) -> Bool { flag(name) ?? false }

  /// - Throws: 4004 where it is no such number, or not there; so all of these.
  func counted(_ name: String) throws(WireError) -> UInt64 { try found(count(name), name) }

  func datum(_ name: String) throws -> Datum {
    let value = try found(value(name), name)
    return try bytes.withUnsafeBytes { try Datum(value, $0) }
  }

  func operations() throws -> [OperationText] {
    guard let list = value("ops"), list.kind == .array else { return [] }
    return try bytes.withUnsafeBytes { line in
      try OperationText.list(list, line, deepest: Envelope.maximumDepth)
    }
  }

  func vector(_ name: String) throws -> VersionVector { try VersionVector(try datum(name)) }

  func head() throws -> Head {
    let datum = try datum("head")
    let seq = datum["seq"]?.text.flatMap { UInt64(decimal: $0.utf8) }
    let hash = datum["hash"]?.text.flatMap { [UInt8](hexadecimal: Array($0.utf8)) }
    return Head(seq: try found(seq, "head"), hash: try found(hash, "head"))
  }

  func found<Found>(_ value: Found?, _ name: String) throws(WireError) -> Found {
    guard let value else {
      throw WireError(.invalidField, "\(name) of \(type) is missing or malformed")
    }
    return value
  }
}
