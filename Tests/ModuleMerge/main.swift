import Foundation
import WatchConnectivity
import WatchlineTesting

// An app that keeps its records in a file, and sends all of them as the application context: of each field the later
// write stays. With --whole-records the later record stays, which loses what somebody else has changed in it.

/// When something was written: later than all that its writer had seen.
struct Stamp: Codable, Comparable {
  var milliseconds: Int64
  var count: Int
  var device: String

  static func < (a: Stamp, b: Stamp) -> Bool {
    (a.milliseconds, a.count, a.device) < (b.milliseconds, b.count, b.device)
  }
}

struct Written: Codable {
  var json: String
  var at: Stamp
}

struct Record: Codable {
  var kind: String
  var id: String
  var made: Stamp
  var fields: [String: Written] = [:]
  var deleted: Stamp?

  var newest: Stamp { fields.values.map(\.at).reduce(made, max) }
  var isShown: Bool { deleted.map { $0 < newest } ?? true }
}

final class SyncedApp: NSObject, MergedApp, WCSessionDelegate, @unchecked Sendable {
  private let device: MergedDevice
  private let file: URL
  private let keepsWholeRecords: Bool
  private let lock = NSRecursiveLock()
  private var known: [String: Record] = [:]

  init(_ device: MergedDevice, keepsWholeRecords: Bool) {
    self.device = device
    self.keepsWholeRecords = keepsWholeRecords
    file = device.folder.appendingPathComponent("records.json")
    super.init()
    if let data = try? Data(contentsOf: file) {
      known = (try? JSONDecoder().decode([String: Record].self, from: data)) ?? [:]
    }
    WCSession.default.delegate = self
    WCSession.default.activate()
  }

  // MARK: What a person does

  func perform(_ edit: MergeEdit) throws {
    try lock.withLock {
      let key = edit.kind + "/" + edit.record
      let now = stamp()
      var record = known[key] ?? Record(kind: edit.kind, id: edit.record, made: now)
      switch edit.change {
      case .create(let fields):
        record.made = now
        set(fields, of: &record, at: now)
      case .set(let fields): set(fields, of: &record, at: now)
      case .delete: record.deleted = now
      case .move, .splice: throw MergeEditUnsupported()
      }
      known[key] = record
      save()
      try send()
    }
  }

  private func set(_ fields: [String: Any], of record: inout Record, at now: Stamp) {
    for (name, value) in fields {
      let data = try? JSONSerialization.data(withJSONObject: value, options: .fragmentsAllowed)
      record.fields[name] = Written(
        json: String(decoding: data ?? Data("null".utf8), as: UTF8.self), at: now)
    }
  }

  private func stamp() -> Stamp {
    let seen = known.values.flatMap { [$0.newest, $0.deleted ?? $0.made] }.max()
    let now = Int64(device.now.timeIntervalSince1970 * 1000)
    guard let seen, seen.milliseconds >= now else {
      return Stamp(milliseconds: now, count: 0, device: device.name)
    }
    return Stamp(milliseconds: seen.milliseconds, count: seen.count + 1, device: device.name)
  }

  func records() -> [String: [[String: Any]]] {
    lock.withLock {
      var shown: [String: [[String: Any]]] = [:]
      for record in known.values.sorted(by: { ($0.made, $0.id) < ($1.made, $1.id) })
      where record.isShown {
        var fields = record.fields.mapValues {
          (try? JSONSerialization.jsonObject(with: Data($0.json.utf8), options: .fragmentsAllowed))
            ?? NSNull()
        }
        fields["id"] = record.id
        shown[record.kind, default: []].append(fields)
      }
      return shown
    }
  }

  // MARK: What the other device sends

  private func save() {
    try? sorted().write(to: file)
  }

  private func sorted() -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    return (try? encoder.encode(known)) ?? Data()
  }

  private func send() throws {
    guard WCSession.default.activationState == .activated else { return }
    try WCSession.default.updateApplicationContext(["records": sorted()])
  }

  func session(_ session: WCSession, didReceiveApplicationContext context: [String: Any]) {
    guard let data = context["records"] as? Data,
      let others = try? JSONDecoder().decode([String: Record].self, from: data)
    else { return }
    lock.withLock {
      for (key, other) in others { known[key] = known[key].map { merged($0, other) } ?? other }
      save()
      try? session.updateApplicationContext(["records": sorted()])
    }
  }

  private func merged(_ mine: Record, _ other: Record) -> Record {
    var merged = mine
    if keepsWholeRecords {
      merged = other.newest > mine.newest ? other : mine
    } else {
      merged.made = max(mine.made, other.made)
      merged.fields.merge(other.fields) { $0.at > $1.at ? $0 : $1 }
    }
    merged.deleted = [mine.deleted, other.deleted].compactMap(\.self).max()
    return merged
  }

  func session(
    _ session: WCSession, activationDidCompleteWith state: WCSessionActivationState,
    error: (any Error)?
  ) { lock.withLock { if !known.isEmpty { try? send() } } }
  func sessionDidBecomeInactive(_ session: WCSession) {}
  func sessionDidDeactivate(_ session: WCSession) { session.activate() }
}

let keepsWholeRecords = CommandLine.arguments.contains("--whole-records")
await merge(can: [.delete, .restart]) { SyncedApp($0, keepsWholeRecords: keepsWholeRecords) }
