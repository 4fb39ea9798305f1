// Last write wins, field by field, on top of `MergeUnderTest.swift`. It passes --loss fields and
// fails --loss deletes.

import Foundation

struct FieldLevel: MergeDevice {
  /// When something was written: later ones win, and in a tie the phone's.
  struct Stamp: Comparable {
    var ms: Int64
    var rank: Int
    var device: String

    static func < (left: Stamp, right: Stamp) -> Bool {
      (left.ms, left.rank, left.device) < (right.ms, right.rank, right.device)
    }
  }

  let name: String
  let rank: Int
  private var clock: Int64 = 0
  /// By kind, record and field; the field "" says whether the record is there.
  private var fields: [[String]: (stamp: Stamp, value: Any)] = [:]

  init(name: String, role: String) {
    self.name = name
    rank = role == "phone" ? 1 : 0
  }

  mutating func edit(now: Int64, kind: String, record: String, change: EditChange) throws {
    // Later than everything that was seen, so that whoever has seen a write overwrites it.
    let stamp = Stamp(ms: max(now, clock + 1), rank: rank, device: name)
    switch change {
    case .create(let values), .set(let values):
      write([kind, record, ""], stamp, true)
      for (field, value) in values { write([kind, record, field], stamp, value) }
    case .delete: write([kind, record, ""], stamp, false)
    case .move, .splice: throw EditUnsupported()
    }
  }

  private mutating func write(_ key: [String], _ stamp: Stamp, _ value: Any) {
    clock = max(clock, stamp.ms)
    if let known = fields[key], stamp <= known.stamp { return }
    fields[key] = (stamp, value)
  }

  func snapshot() -> Any {
    fields.map { key, field -> [String: Any] in
      [
        "key": key, "ms": field.stamp.ms, "rank": field.stamp.rank, "device": field.stamp.device,
        "value": field.value,
      ]
    }
  }

  mutating func receive(_ body: Any, from device: String) throws {
    for field in body as? [[String: Any]] ?? [] {
      guard let key = field["key"] as? [String], let ms = field["ms"] as? NSNumber,
        let rank = field["rank"] as? Int, let writer = field["device"] as? String,
        let value = field["value"]
      else { continue }
      write(key, Stamp(ms: ms.int64Value, rank: rank, device: writer), value)
    }
  }

  func state() -> [String: [[String: Any]]] {
    var records: [[String]: [String: Any]] = [:]
    for (key, field) in fields where fields[[key[0], key[1], ""]]?.value as? Bool == true {
      records[[key[0], key[1]], default: ["id": key[1]]][key[2].isEmpty ? "id" : key[2]] =
        key[2].isEmpty ? key[1] : field.value
    }
    var state: [String: [[String: Any]]] = [:]
    for (key, record) in records.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
      state[key[0], default: []].append(record)
    }
    return state
  }
}

@main enum Main {
  static func main() {
    MergeUnderTest.run(can: ["delete"]) { FieldLevel(name: $0, role: $1) }
  }
}
