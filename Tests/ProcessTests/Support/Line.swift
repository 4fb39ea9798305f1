import Foundation
import Wire

/// A line of the server's: a JSON object.
struct Line: CustomStringConvertible {
  let text: String
  let members: [String: Any]

  init(_ bytes: [UInt8]) throws {
    text = String(decoding: bytes, as: UTF8.self)
    let value: Any
    do {
      value = try JSONSerialization.jsonObject(with: Data(bytes))
    } catch {
      throw Failure("no JSON: \(text.prefix(200))")
    }
    guard let members = value as? [String: Any] else {
      throw Failure("no object: \(text.prefix(200))")
    }
    self.members = members
  }

  var description: String { String(text.prefix(400)) }

  var type: String { string("type") ?? "" }
  /// The code of an `error` line.
  var code: Int? { type == "error" ? integer("code") : nil }
  var payload: [String: Any] { object("payload") ?? [:] }

  func string(_ name: String) -> String? { members[name] as? String }
  func integer(_ name: String) -> Int? { (members[name] as? NSNumber)?.intValue }
  func bool(_ name: String) -> Bool? { (members[name] as? NSNumber)?.boolValue }
  func object(_ name: String) -> [String: Any]? { members[name] as? [String: Any] }
}

func sha256(_ bytes: [UInt8]) -> String {
  var hash = SHA256()
  bytes.withUnsafeBytes { hash.update($0) }
  return hash.hex
}
