package import Merge
import Wire

/// A trace with what must come of it: a test for anyone's wrapper of the lanes, or anyone's merge.
package struct Fixture: Sendable {
  /// Resolved to its end: the exchanges after which everything is at rest are events too.
  package var trace: Trace
  /// Device by device, what arrives, in order.
  package var deliveries: [(device: String, sends: [String])] = []
  /// Why something that was sent never arrived, in order of sending.
  package var reasons: [(send: String, reason: Reason)] = []
  /// What our merge shows on every device, and what it keeps besides; nil where there is no schema.
  package var ours: Shown?
  /// Where a correct merge may end.
  package var acceptable: [AcceptableRecord] = []

  /// Why something that was sent never arrived.
  package enum Reason: String, CaseIterable, Sendable {
    /// A newer context took its place.
    case replaced
    /// The network lost it, which only `--network any` does.
    case lost
    /// A live message found nobody.
    case notReachable
  }

  package struct AcceptableRecord: Sendable {
    package var target: Target
    /// `must`, `may` or `must not`.
    package var exists: String
    /// By field, the values with which it may end where the record is shown.
    package var fields: [(name: Name, values: [[UInt8]])]
  }
}

extension Fixture {
  /// `expected.json`: one object.
  package var expected: [UInt8] {
    var text = Array("{\n  \"expected\": 1,\n  \"seed\": \(trace.seed),\n  \"schema\": ".utf8)
    text.append(jsonString: trace.schema)
    text.append(text: ",\n  \"deliveries\": ")
    text.lines(deliveries.map { Self.member($0.device, Self.list($0.sends.map(Spelling.string))) })
    text.append(text: ",\n  \"reasons\": ")
    text.lines(reasons.map { Self.member($0.send, Spelling.string($0.reason.rawValue)) })
    if let ours {
      text.append(text: ",\n  \"view\": ")
      text.lines(
        kinds(ours).map { kind in
          Self.member(
            kind.text, Self.list(ours.records.filter { $0.target.kind == kind }.map(Self.record)))
        })
      text.append(text: ",\n  \"archive\": ")
      text.lines(ours.kept.map(Self.kept), "[", "]")
      text.append(text: ",\n  \"acceptable\": ")
      text.lines(acceptable.map(Self.acceptable), "[", "]")
    }
    text.append(text: "\n}\n")
    return text
  }

  private func kinds(_ shown: Shown) -> [Name] {
    var kinds: [Name] = []
    for record in shown.records where !kinds.contains(record.target.kind) {
      kinds.append(record.target.kind)
    }
    return kinds
  }

  private static func record(_ record: Shown.Record) -> [UInt8] {
    object(
      [("id", Spelling.string(record.target.record.text))]
        + record.fields.map { ($0.name.text, $0.value) })
  }

  private static func kept(_ kept: Shown.Kept) -> [UInt8] {
    object([
      ("kind", Spelling.string(kept.target.kind.text)),
      ("record", Spelling.string(kept.target.record.text)),
      ("field", Spelling.string(kept.field.text)), ("value", kept.value),
    ])
  }

  private static func acceptable(_ record: AcceptableRecord) -> [UInt8] {
    object([
      ("kind", Spelling.string(record.target.kind.text)),
      ("record", Spelling.string(record.target.record.text)),
      ("exists", Spelling.string(record.exists)),
      ("fields", object(record.fields.map { ($0.name.text, list($0.values)) })),
    ])
  }

  private static func member(_ name: String, _ value: [UInt8]) -> [UInt8] {
    Spelling.string(name) + Array(": ".utf8) + value
  }

  private static func object(_ members: [(name: String, value: [UInt8])]) -> [UInt8] {
    joined(members.map { member($0.name, $0.value) }, 0x7B, 0x7D)
  }

  private static func list(_ values: [[UInt8]]) -> [UInt8] { joined(values, 0x5B, 0x5D) }

  private static func joined(_ parts: [[UInt8]], _ open: UInt8, _ close: UInt8) -> [UInt8] {
    [open] + parts.joined(separator: Array(", ".utf8)) + [close]
  }
}

extension [UInt8] {
  /// Appends an object or array with a line for each part.
  fileprivate mutating func lines(
    _ parts: [[UInt8]], _ open: StaticString = "{", _ close: StaticString = "}"
  ) {
    append(open)
    for (index, part) in parts.enumerated() {
      append(text: index > 0 ? ",\n    " : "\n    ")
      self += part
    }
    if !parts.isEmpty { append(text: "\n  ") }
    append(close)
  }
}
