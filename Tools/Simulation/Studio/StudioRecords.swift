import AppModels
import Device
import Merge
import Wire

/// What the devices of a run show, field by field, and what lost to what.
package struct StudioRecords {
  private let run: ServerRun
  /// By device, in the order of the run, what it shows; devices that show nothing by themselves apart.
  private let shown: [(device: String, records: [Target: [Datum.Member]])]

  /// Most records, and most writes that lost, of one message.
  private static let recordLimit = 200
  private static let lostLimit = 100

  init(_ run: ServerRun) {
    self.run = run
    shown = run.nodes.compactMap { node in Self.shown(at: node).map { (node.name, $0) } }
  }

  private static func shown(at node: ServerNode) -> [Target: [Datum.Member]]? {
    if let view = node.sync?.view {
      return Dictionary(
        view.kinds.flatMap(\.records).map { record in
          (record.target, record.fields + place(record.place))
        }, uniquingKeysWith: { $1 })
    }
    return node.app.map { app in
      var records: [Target: [Datum.Member]] = [:]
      for (index, timer) in app.model.ordered.enumerated() {
        for (field, value) in timer.shownFields {
          records[field.target, default: []].append(Datum.Member(field.name, value))
        }
        records[timer.target, default: []] += place(index)
        for (index, todo) in timer.orderedTodos.enumerated() {
          records[todo.target, default: []] += place(index)
        }
      }
      return records
    }
  }

  private static func place(_ place: Int?) -> [Datum.Member] {
    place.map { [Datum.Member("place", .string(Name(String($0))))] } ?? []
  }

  private var targets: [Target] {
    var targets: [Target] = []
    for node in run.nodes {
      for record in node.sync?.view.kinds.flatMap(\.records) ?? [] {
        if !targets.contains(record.target) { targets.append(record.target) }
      }
    }
    let others = Set(shown.flatMap(\.records.keys)).subtracting(targets)
    return targets + others.sorted()
  }

  // MARK: As JSON

  /// Members of an object: `records`, each with its fields at each device, and `lost`, the writes that lost.
  func write(_ json: inout JSONWriter) {
    writeRecords(&json)
    writeLost(&json)
  }

  private func writeRecords(_ json: inout JSONWriter) {
    json.array("records", Array(targets.prefix(Self.recordLimit))) { json, target in
      json.object { json in
        json.member("kind", target.kind.text)
        json.member("record", target.record.text)
        let names = shown.compactMap { $0.records[target] }.first?.map(\.name) ?? []
        json.array("fields", names) { json, name in
          json.object { json in
            json.member("name", name.text)
            json.object("values") { json in
              for (device, records) in shown {
                guard let value = records[target]?.first(where: { $0.name == name })?.value else {
                  continue
                }
                json.raw(device, String(decoding: value.canonical, as: UTF8.self))
              }
            }
            writeAuthors(of: target, name, &json)
          }
        }
        json.array("shownAt", shown.filter { $0.records[target] != nil }.map(\.device)) {
          $0.string($1)
        }
      }
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
