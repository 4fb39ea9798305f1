import Bridge
import Merge
import Wire

/// Keeps a run's steps for people, and a digest of all that was said.
final class Recorder {
  let isRecorded: Bool
  private(set) var recording: Recording
  private(set) var lines: [String] = []
  /// FNV-1a, 64 bits, over every byte that was carried (Fowler, Noll and Vo; IETF draft
  /// draft-eastlake-fnv, section 2).
  private(set) var behaviour: UInt64 = 0xCBF2_9CE4_8422_2325
  private var shown: [String: [String: Recording.Record]] = [:]
  /// Is told of all bytes: when, from where to where.
  var listener: ((_ at: Int64, _ from: String, _ to: String, _ bytes: [UInt8]) -> Void)?

  init(places: [String], start: Int64, isRecorded: Bool) {
    self.isRecorded = isRecorded
    recording = Recording(places: places, start: start)
  }

  /// Index of the last step.
  var last: Int { recording.steps.count - 1 }

  func add(_ at: Int64, _ place: String, _ kind: Recording.Kind, _ text: String) {
    guard isRecorded else { return }
    recording.steps.append(Recording.Step(at: at, place, kind, text))
    lines.append("\(at) \(place) \(text)")
  }

  /// Bytes go from one place to another.
  func carry(_ at: Int64, _ from: String, _ to: String, _ bytes: [UInt8]) {
    var digest = behaviour
    for byte in bytes { digest = (digest ^ UInt64(byte)) &* 0x100_0000_01B3 }
    behaviour = digest
    listener?(at, from, to, bytes)
    guard isRecorded else { return }
    let texts = bytes.split(separator: 0x0A).map { Self.summary($0) }
    let text =
      texts.count > 3 ? "\(texts[0]), … (\(texts.count) lines)" : texts.joined(separator: ", ")
    recording.steps.append(Recording.Step(at: at, from, .send, text))
    recording.steps.append(Recording.Step(at: at, to, .receive, text, from: last))
    for line in bytes.split(separator: 0x0A) {
      lines.append("\(at) \(from) → \(to) \(String(decoding: line, as: UTF8.self))")
    }
  }

  private static func summary(_ line: ArraySlice<UInt8>) -> String {
    guard let members = try? Members(line), let type = members.string("type") else {
      return "part of a line"
    }
    let count = members.array("ops").map { " of \($0.count)" } ?? ""
    let lane = members.integer("seq").map { " \($0)" } ?? ""
    let code = members.integer("code").map { " \($0)" } ?? ""
    return type + count + lane + code
  }

  /// What a place holds now; only what has changed is kept with the last step there.
  func shows(_ place: String, _ view: View) {
    var now: [String: Recording.Record] = [:]
    for (kind, records) in view.kinds {
      for record in records { now[Self.key(record.target)] = Self.record(record, kind) }
    }
    shows(place, now)
  }

  /// What a device with whole records holds now.
  func shows(_ place: String, _ app: WholeRecordApp) {
    var now: [String: Recording.Record] = [:]
    for record in app.model.ordered.flatMap(\.parts) {
      let fields = record.shownFields(app.schema).map {
        (name: $0.name.text, value: String(decoding: $0.value.canonical, as: UTF8.self))
      }
      now[Self.key(record.target)] = Recording.Record(
        kind: record.target.kind.text, record: record.target.record.text, fields: fields)
    }
    shows(place, now)
  }

  private func shows(_ place: String, _ now: [String: Recording.Record]) {
    let before = shown[place] ?? [:]
    var changed: [Recording.Record] = []
    for key in Set(now.keys).union(before.keys).sorted() where now[key] != before[key] {
      if let record = now[key] {
        changed.append(record)
      } else if let record = before[key] {
        changed.append(Recording.Record(kind: record.kind, record: record.record, fields: []))
      }
    }
    shown[place] = now
    guard !changed.isEmpty,
      let step = recording.steps.lastIndex(where: { $0.place == place })
    else { return }
    recording.steps[step].records = (recording.steps[step].records ?? []) + changed
  }

  private static func key(_ target: Target) -> String { "\(target.kind)/\(target.record)" }

  private static func record(_ record: RecordView, _ kind: Name) -> Recording.Record {
    var fields = record.fields.map {
      (name: $0.name.text, value: String(decoding: $0.value.canonical, as: UTF8.self))
    }
    if let place = record.place { fields.append((name: "sortOrder", value: "\(place)")) }
    return Recording.Record(kind: kind.text, record: record.target.record.text, fields: fields)
  }
}
