import Merge

extension ExchangeWorld {
  /// Adds a step to the recording.
  ///
  /// - Returns: its number; 0 where nothing is recorded.
  @discardableResult
  func record(
    _ device: Int, _ kind: Recording.Kind, _ text: @autoclosure () -> String, from: Int? = nil
  ) -> Int {
    guard isRecorded else { return 0 }
    recording.steps.append(
      Recording.Step(at: at, places[device].name, kind, text(), from: from))
    return recording.steps.count - 1
  }

  /// Notes what a device shows after a step.
  func recordState(_ device: Int, _ step: Int) throws(MergeFailure) {
    let shown = try shown(device)
    var records = shown.records.map { record in
      Recording.Record(
        kind: record.target.kind.text, record: record.target.record.text,
        fields: record.fields.map {
          ($0.name.text, String(decoding: $0.value, as: UTF8.self))
        })
    }
    let place = places[device].name
    let before = recording.steps[..<step].filter { $0.place == place }.compactMap(\.records)
    var known: [String: Recording.Record] = [:]
    for state in before {
      for record in state { known["\(record.kind)/\(record.record)"] = record }
    }
    let now = Set(records.map { "\($0.kind)/\($0.record)" })
    let changed = records.filter { known["\($0.kind)/\($0.record)"] != $0 }
    let hidden = known.values.filter {
      !$0.fields.isEmpty && !now.contains("\($0.kind)/\($0.record)")
    }
    .sorted { ($0.kind, $0.record) < ($1.kind, $1.record) }
    records =
      changed + hidden.map { Recording.Record(kind: $0.kind, record: $0.record, fields: []) }
    if !records.isEmpty { recording.steps[step].records = records }
  }

  /// An edit in a few words.
  func describe(_ edit: Edit) -> String {
    let name = Self.label(target(edit))
    switch edit.change {
    case .create(let fields): return "create \(name) \(String(decoding: fields, as: UTF8.self))"
    case .set(let fields):
      let values = Spelling.fields(fields).map {
        "\($0.name) = \(String(decoding: $0.value, as: UTF8.self))"
      }
      return "set \(name) \(values.joined(separator: ", "))"
    case .delete: return "delete \(name)"
    case .restore: return "bring \(name) back"
    case .move(let after, let into):
      let place = after.map { "behind \(Self.label(Target(edit.kind, $0)))" } ?? "to the front"
      return "move \(name) \(place)" + (into.map { " in \($0)" } ?? "")
    case .splice(let field, let at, let remove, let insert, _):
      let text = String(decoding: Spelling.string(insert), as: UTF8.self)
      if remove == 0 { return "type \(text) into \(field) of \(name) at \(at)" }
      return "replace \(remove) of \(field) of \(name) at \(at) with \(text)"
    }
  }

  /// A record as people read it: `timer 1` where the generator named it.
  static func label(_ target: Target) -> String {
    let id = target.record.text
    let parts = id.split(separator: "-", omittingEmptySubsequences: false)
    if parts.count == 5, let number = Int(parts[0]), parts[4].allSatisfy({ $0 == "0" }) {
      return "\(target.kind) \(number)"
    }
    return id == target.kind.text ? id : "\(target.kind) \(id)"
  }

  /// A time as people read it, in seconds since the start: `01.200`.
  static func clock(_ at: Int64) -> String {
    let (seconds, rest) = at.quotientAndRemainder(dividingBy: 1000)
    let padded = String(String(1000 + rest).dropFirst())
    return (seconds < 10 ? "0" : "") + "\(seconds).\(padded)"
  }
}
