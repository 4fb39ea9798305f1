import Merge
import Relay
import Wire

/// Which record people mean.
extension Hub {
  func kind(_ name: String) throws(WireError) -> Schema.Kind {
    if let kind = schema[Name(name)] { return kind }
    let names = schema.kinds.map(\.name.text)
    let advice = Nearest.advice(
      for: name, among: names, else: "\(schema.name) has \(names.joined(separator: ", "))")
    throw WireError(.invalidField, "there is no kind \(name); \(advice)")
  }

  /// The record that a request names; the only possible one of a kind that has but one.
  func find(_ kind: Schema.Kind, _ call: Call) throws(WireError) -> Target {
    guard let value = call.fields[.record] else {
      if let id = kind.fixedID { return Target(kind.name, id) }
      throw call.fields.missing(.record, "a record's id, or the start of one")
    }
    return try find(kind.name, named: value, call.fields.line)
  }

  /// The record of a kind with this id, or the only one whose id starts so.
  ///
  /// - Parameter value: a string; or a number, as an id's start typed without quotes may be one.
  func find(
    _ kind: Name, named value: Value, _ line: UnsafeRawBufferPointer
  ) throws(WireError) -> Target {
    let text: String
    switch value.kind {
    case .string: text = decodeString(value, line)
    case .number:
      text = String(
        decoding: UnsafeRawBufferPointer(rebasing: line[value.start..<value.end]), as: UTF8.self)
    default:
      throw WireError(
        .invalidField, "a \(kind) is named by a string, not by \(value.kind.readable)")
    }
    return try find(kind, text)
  }

  /// The record that a reference names by the start of its id; nil where it is a whole id.
  func expand(_ kind: Name, _ text: String) throws(WireError) -> Name? {
    Identifier(text.utf8) == nil ? try find(kind, text).record : nil
  }

  private func find(_ kind: Name, _ text: String) throws(WireError) -> Target {
    let exact = Target(kind, Name(text))
    if replica.fold.isCreated(exact) || replica.fold.tombstones[exact] != nil { return exact }
    let start = Name(text.uppercased())
    let candidates = replica.fold.ids(kind, startingWith: start)
    if start.utf8.count >= 4, candidates.count == 1 { return Target(kind, candidates.first!) }
    if start.utf8.count >= 4, candidates.count > 1 {
      let shown = candidates.prefix(8).map(\.text).joined(separator: ", ")
      throw WireError(
        .invalidField,
        "\(candidates.count) \(kind) records start with \(text): \(shown); give more characters")
    }
    throw WireError(
      .invalidField,
      start.utf8.count < 4
        ? "a \(kind) is named by its id or at least 4 characters of its start; \(text) is shorter"
        : "there is no \(kind) \(text); see sync.view kind=\(kind)")
  }
}

extension VersionVector {
  /// A vector as a person writes it, its numbers quoted or not; nil where it is none.
  init?(plain value: Value, _ line: UnsafeRawBufferPointer) {
    var entries: [Entry] = []
    var reader = ObjectReader(value, line)
    while let (name, value) = reader.next() {
      guard let replica = ReplicaID(Array(name.utf8)) else { return nil }
      let number: UInt64? =
        switch value.kind {
        case .number: decodeInteger(value, line).flatMap { UInt64(exactly: $0) }
        case .string: UInt64(decimal: Array(decodeString(value, line).utf8))
        default: nil
        }
      guard let number else { return nil }
      entries.append(Entry(replica, number))
    }
    self.init(entries)
  }
}
