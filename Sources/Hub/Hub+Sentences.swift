import Merge
import Relay
import Wire

extension Hub {
  /// Its names as they are now: what is said later needs nothing else of the pair.
  var sentences: Sentences {
    var names: [ReplicaID: String] = [:]
    for author in authors { names[author.replica] = pair.devices[Int(author.device)].name }
    return Sentences(replica: replica, schema: schema, names: names)
  }
}

/// What lost and what won, in words.
struct Sentences {
  let replica: Replica
  let schema: Schema
  /// Of the devices that replicas write for.
  let names: [ReplicaID: String]

  struct FeedLine {
    var target: Target
    var field: Name?
    /// The value that lost, as people read it; nil for a delete.
    var lost: [UInt8]?
    var by: String
    var to: String
    var sentence: String

    var bytes: [UInt8] {
      var output: [UInt8] = []
      output.append("{\"kind\":", quoted: target.kind.text)
      output.append(",\"record\":", quoted: target.record.text)
      if let field { output.append(",\"field\":", quoted: field.text) }
      if let lost {
        output.append(",\"lost\":")
        output += lost
      }
      output.append(",\"by\":", quoted: by)
      output.append(",\"to\":", quoted: to)
      output.append(",\"sentence\":", quoted: sentence)
      output.append("}")
      return output
    }
  }

  /// How an edit fared against what it had not seen.
  struct Outcome {
    var field: Name?
    var hasWon: Bool
    var sentence: String

    func append(to output: inout [UInt8]) {
      output.append("{")
      if let field { output.append("\"field\":", quoted: field.text) }
      output.append(field == nil ? "\"result\":" : ",\"result\":", quoted: hasWon ? "won" : "lost")
      output.append(",\"sentence\":", quoted: sentence)
      output.append("}")
    }
  }

  func feed() -> [FeedLine] { replica.fold.feed().map(line) }

  private func line(_ entry: FeedEntry) -> FeedLine {
    let by = deviceName(entry.dot.replica)
    let to = deviceName(entry.lostTo.replica)
    let time = "at \(Self.time(ms: entry.wall))"
    let record = name(of: entry.target, besides: entry.field)
    guard let field = entry.field else {
      return FeedLine(
        target: entry.target, field: nil, lost: nil, by: by, to: to,
        sentence:
          "\(by)'s delete of \(record) \(time) lost to a change by \(to) that it had not seen; the \(entry.target.kind) stays"
      )
    }
    if schema[entry.target.kind]?.order == field {
      return FeedLine(
        target: entry.target, field: field, lost: nil, by: by, to: to,
        sentence:
          "\(by)'s move of \(record) \(time) lost to a move by \(to) that it had not seen")
    }
    var lost: [UInt8] = []
    append(entry.value, entry.target.kind, field, &lost)
    let value = String(decoding: lost, as: UTF8.self)
    let present = presentValue(entry.target, field)
    return FeedLine(
      target: entry.target, field: field, lost: lost, by: by, to: to,
      sentence:
        "\(by) set \(field) of \(record) to \(value) \(time); it lost to \(present), written by \(to), which it had not seen"
    )
  }

  /// What an operation lost to, and won against, among writes that it had not seen or that had not
  /// seen it.
  func outcomes(of dot: Dot) -> [Outcome] {
    replica.fold.encounters(of: dot).map { encounter in
      let other = deviceName(encounter.other.replica)
      guard let field = encounter.field else {
        return Outcome(
          field: nil, hasWon: encounter.hasWon,
          sentence: encounter.hasWon
            ? "\(other) had deleted \(name(of: encounter.target)), unseen here; this edit brings it back"
            : "this delete lost to a later change by \(other) that it had not seen")
      }
      var value: [UInt8] = []
      append(encounter.value, encounter.target.kind, field, &value)
      let text =
        schema[encounter.target.kind]?.order == field
        ? "another place" : String(decoding: value, as: UTF8.self)
      return Outcome(
        field: field, hasWon: encounter.hasWon,
        sentence: encounter.hasWon
          ? "\(field): won against \(text) by \(other), unseen here; it is kept in sync.conflicts"
          : "\(field): lost to \(text) by \(other), unseen here; this edit is kept in sync.conflicts"
      )
    }
  }

  // MARK: Words

  private func deviceName(_ replica: ReplicaID) -> String {
    names[replica] ?? replica.description
  }

  /// The kind, and its name in quotes where it has one; the start of its id where it is the name
  /// that the sentence is about.
  private func name(of target: Target, besides field: Name? = nil) -> String {
    for name in ["name", "text"] as [Name] {
      if field == name { return "\(target.kind) \(target.record.text.prefix(8))" }
      if let value = replica.fold.value(target, name, within: replica.vector)?.text {
        return "\(target.kind) \(value.text.quoted)"
      }
    }
    return "\(target.kind) \(target.record)"
  }

  private func presentValue(_ target: Target, _ field: Name) -> String {
    guard let value = replica.fold.value(target, field, within: replica.vector) else {
      return "nothing"
    }
    var bytes: [UInt8] = []
    append(value, target.kind, field, &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// A register's value as people read it.
  private func append(_ value: Datum, _ kind: Name, _ register: Name, _ output: inout [UInt8]) {
    guard let register = schema[kind]?[register] else { return value.append(to: &output) }
    guard register.form == .group, case .object(let members) = value else {
      return (register.fields.first?.type ?? .string).append(readable: value, to: &output)
    }
    output.append(0x7B)
    for (index, member) in members.enumerated() {
      output.append(index == 0 ? "" : ",", quoted: member.name.text)
      output.append(0x3A)
      let field = register.fields.first { $0.name == member.name }
      (field?.type ?? .string).append(readable: member.value, to: &output)
    }
    output.append(0x7D)
  }

  /// ISO 8601 in UTC, to the second.
  private static func time(ms: Int64) -> String {
    CivilTime(ms: ms).description
  }
}

extension RecordView {
  /// The record as people read it: numbers and dates as JSON numbers.
  func readable(_ schema: Schema) -> [UInt8] {
    var bytes: [UInt8] = []
    append(readable: schema, to: &bytes)
    return bytes
  }

  func append(readable schema: Schema, to output: inout [UInt8]) {
    let kind = schema[target.kind]
    output.append("{\"id\":", quoted: target.record.text)
    for member in fields {
      output.append(",", quoted: member.name.text)
      output.append(0x3A)
      (kind?.type(of: member.name) ?? .string).append(readable: member.value, to: &output)
    }
    if let place {
      output.append(",\"sortOrder\":")
      output.append(decimal: place)
    }
    output.append("}")
  }
}

extension Schema.Kind {
  /// The type of a field as the view shows it.
  func type(of name: Name) -> FieldType? {
    if let field = field(name)?.field { return field.type }
    return switch derived.first(where: { $0.name == name })?.source {
    case .touched: .date
    case .seconds: .int
    case nil: nil
    }
  }
}
