/// One member of a message, in words.
package struct MemberDescription: Sendable {
  package var name: String
  package var type: MemberType
  package var isRequired: Bool
  /// What it is; no full stop.
  package var summary: String
  /// What counts where it is left out, as it is written on the wire.
  package var standard: String?

  package static func required(
    _ name: String, _ type: MemberType, _ summary: String
  ) -> MemberDescription {
    MemberDescription(name: name, type: type, isRequired: true, summary: summary)
  }

  package static func optional(
    _ name: String, _ type: MemberType, _ summary: String, standard: String? = nil
  ) -> MemberDescription {
    MemberDescription(
      name: name, type: type, isRequired: false, summary: summary, standard: standard)
  }

  /// The correlation id that any request may carry.
  package static let identifier = optional(
    "id", .identifier, "echoed as re in the answer; it need not be unique")
  static let inReplyTo = optional(
    "re", .identifier, "the id of the request that this answers")
  static let of = optional(
    "of", .words(Request.allCases.map(\.rawValue)),
    "the type of the request that this answers, where it had no id")
}

/// What a member may hold.
package enum MemberType: Sendable {
  /// A string, by its length in bytes of UTF-8; nil for any.
  case text(ClosedRange<Int>? = nil)
  /// One of these strings.
  case words([String])
  /// Digits 0-9 and a-f of either case, so many of them.
  case hexadecimal(Int)
  case integer(ClosedRange<Int64>)
  /// Decimal seconds, 0 to 10^9.
  case seconds
  /// Decimal seconds since 1970.
  case moment
  case boolean
  /// `true`; where it is not so, the member is left out.
  case flag
  /// A property list dictionary: JSON without null, with the tags of clause 3.3.
  case dictionary
  /// A string of padded base64.
  case base64
  /// A string of at most 64 bytes or a 64-bit integer.
  case identifier
  case object([MemberDescription])
  /// A line of this protocol.
  case message
  /// A whole number in decimal digits, as a string (clause 12.10).
  case digits
  /// A replica, `<UUID>.<incarnation>`.
  case replica
  /// How far replicas go: an object of replicas and numbers in quotes; a request may leave the
  /// quotes out.
  case vector
  /// An operation on merged records.
  case operation
  case null
  case any
  /// An object of any names.
  indirect case map(MemberType)
  indirect case list(MemberType)
  case either([MemberType])

  /// The type as a person calls it.
  package var readable: String {
    switch self {
    case .text(nil): "a string"
    case .text(let length?): "a string of \(length.lowerBound) to \(length.upperBound) bytes"
    case .words(let words) where words.count > 9: "one of \(words.count) words"
    case .words(let words): words.joined(separator: " | ")
    case .hexadecimal(let count): "\(count) hexadecimal digits"
    case .integer(let range): Self.readable(range)
    case .seconds: "seconds, decimal"
    case .moment: "seconds since 1970, decimal"
    case .boolean: "true | false"
    case .flag: "true, or left out"
    case .dictionary: "a dictionary"
    case .base64: "base64"
    case .identifier: "a string of at most 64 bytes, or an integer"
    case .object(let members) where members.count > 9: "an object of \(members.count) members"
    case .object(let members):
      "{" + members.map { $0.name + ($0.isRequired ? "" : "?") }.joined(separator: ", ") + "}"
    case .message: "a line"
    case .digits: "digits in quotes"
    case .replica: "<UUID>.<incarnation>"
    case .vector: "{replica: seq, …}"
    case .operation: "an operation"
    case .null: "null"
    case .any: "anything"
    case .map(let type): "{name: \(type.readable), …}"
    case .list(let type): "[\(type.readable), …]"
    case .either(let types): types.map(\.readable).joined(separator: ", or ")
    }
  }

  private static func readable(_ range: ClosedRange<Int64>) -> String {
    range.upperBound == .max
      ? "an integer of at least \(range.lowerBound)"
      : "an integer from \(range.lowerBound) to \(range.upperBound)"
  }
}

extension MemberType {
  /// A name of a pair, app or device.
  static let name = text(nameLength)
  static let nameLength = 1...64
  /// A count or size.
  static let count = integer(0...Int64.max)
  /// A number that starts at 1.
  static let number = integer(1...Int64.max)
  /// A lane that deliveries are numbered in.
  static let lane = words(lanes)
  static let lanes = ["userInfo", "complication", "context", "file", "outcome"]
  static let appState = words(["foreground", "background", "suspended", "terminated"])
  static let role = words(["phone", "watch"])

  /// An object with a member for each lane.
  static func eachLane(_ type: MemberType, isRequired: Bool) -> MemberType {
    .object(
      lanes.map {
        MemberDescription(name: $0, type: type, isRequired: isRequired, summary: "lane \($0)")
      })
  }
}
