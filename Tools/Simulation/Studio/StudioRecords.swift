import Bridge
import Device
import Merge
import Wire

/// What the devices of a run show, field by field, and what lost to what.
package struct StudioRecords {
  private let run: ServerRun
  /// By device, in the order of the run, what it shows; devices that show nothing by themselves apart.
  private let shown: [(device: String, records: [Target: [Datum.Member]])]
  /// All records that one of them shows, in the order of the views.
  private let targets: [Target]

  /// Most records, and most writes that lost, of one message.
  private static let recordLimit = 200
  private static let lostLimit = 100

  init(_ run: ServerRun) {
    self.run = run
    var targets: [Target] = []
    shown = run.nodes.compactMap { node in
      Self.shown(at: node).map { records in
        targets += records.map(\.target)
        return (node.name, Dictionary(records, uniquingKeysWith: { $1 }))
      }
    }
    var seen: Set<Target> = []
    self.targets = targets.filter { seen.insert($0).inserted }
  }

  /// What a device shows, in the order of its lists; nil where it has no records.
  private static func shown(
    at node: ServerNode
  ) -> [(target: Target, fields: [Datum.Member])]? {
    if let view = node.sync?.view {
      return view.kinds.flatMap(\.records).map { ($0.target, $0.fields + place($0.place)) }
    }
    guard let app = node.app else { return nil }
    return app.model.ordered.enumerated().flatMap { index, root in
      ([(index, root)] + root.ordered.enumerated().map { ($0.offset, $0.element) }).map {
        ($1.target, $1.shownFields(app.schema) + place($0))
      }
    }
  }

  private static func place(_ place: Int?) -> [Datum.Member] {
    place.map { [Datum.Member("place", .string(Name(String($0))))] } ?? []
  }

  // MARK: As JSON

  /// Members of an object: `records`, each with its fields at each device, and `lost`, the writes that lost.
  func write(_ json: inout JSONWriter) {
    writeRecords(&json)
    writeLost(&json)
  }

  private func writeRecords(_ json: inout JSONWriter) {
    json.array("records", Array(targets.prefix(Self.recordLimit))) { json, target in
      let shown = shown.compactMap { place in
        place.records[target].map { (device: place.device, fields: $0) }
      }
      Self.writeRecord(
        target.kind.text, target.record.text, fields: shown.first?.fields.map(\.name.text) ?? [],
        at: shown.map(\.device), &json,
        value: { place, name in
          let field = shown[place].fields.first { $0.name.text == name }
          return field.map { String(decoding: $0.value.canonical, as: UTF8.self) }
        },
        more: { name, json in writeAuthors(of: target, Name(name), &json) })
    }
  }

  /// A record with its fields at each device.
  ///
  /// - Parameters:
  ///   - devices: where it is shown.
  ///   - value: of a field at one of those, as JSON text.
  ///   - more: further members of a field.
  static func writeRecord(
    _ kind: String, _ record: String, fields: [String], at devices: [String],
    _ json: inout JSONWriter, value: (_ device: Int, _ field: String) -> String?,
    more: (_ field: String, _ json: inout JSONWriter) -> Void = { _, _ in }
  ) {
    json.object { json in
      json.member("kind", kind)
      json.member("record", record)
      json.array("fields", fields) { json, name in
        json.object { json in
          json.member("name", name)
          json.object("values") { json in
            for (index, device) in devices.enumerated() {
              if let value = value(index, name) { json.raw(device, value) }
            }
          }
          more(name, &json)
        }
      }
      json.array("shownAt", devices) { $0.string($1) }
    }
  }

  /// The member `authors` of a text: by device its runs, each with who inserted it.
  private func writeAuthors(of target: Target, _ field: Name, _ json: inout JSONWriter) {
    guard run.schema?[target.kind]?[field]?.form == .text else { return }
    json.object("authors") { json in
      for node in run.nodes {
        guard let fold = node.sync?.fold else { continue }
        json.array(node.name, fold.textRuns(of: target, field)) { json, part in
          json.object { json in
            json.member("by", author(part.author))
            json.member("text", part.text)
          }
        }
      }
    }
  }

  private func writeLost(_ json: inout JSONWriter) {
    // Who has everything knows most of it.
    let folds = run.nodes.compactMap { $0.sync?.fold }.map { (fold: $0, feed: $0.feed()) }
    let (fold, feed) = folds.max { $0.feed.count < $1.feed.count } ?? (Fold(), [])
    json.array("lost", Array(feed.suffix(Self.lostLimit))) { json, entry in
      json.object { json in
        json.member("kind", entry.target.kind.text)
        json.member("record", entry.target.record.text)
        json.member("field", entry.field?.text)
        json.raw("value", String(decoding: entry.value.canonical, as: UTF8.self))
        json.member("by", author(entry.dot.replica))
        json.member("at", Int64(clamping: entry.stamp.ms))
        json.member("lostTo", author(entry.lostTo.replica))
        json.member("why", fold.stamp(of: entry.lostTo).map { Self.reason(entry, $0) })
      }
    }
  }

  /// Why a write lost, which had not been seen by what holds now.
  static func reason(_ entry: FeedEntry, _ winner: Stamp) -> String {
    guard entry.field != nil else { return "an edit wins over a delete that it had not seen" }
    if winner.ms != entry.stamp.ms {
      return "written \(Int64(clamping: winner.ms) - Int64(clamping: entry.stamp.ms)) ms later"
    }
    if winner.rank != entry.stamp.rank { return "in the same millisecond, which is the phone's" }
    return "in the same millisecond, and stamped behind it"
  }

  private func author(_ replica: ReplicaID) -> String {
    run.nodes.first { $0.sync?.replica.id.device == replica.device }?.name ?? "the server"
  }
}
