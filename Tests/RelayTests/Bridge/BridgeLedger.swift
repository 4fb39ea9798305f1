import Device
import Merge
import SyncSupport

/// Who did what to which record, as a history is judged by at its end.
///
/// Values are written once in a history, so a value at the end names the edit that it is of.
struct BridgeLedger {
  struct Edit {
    var device: String
    var step: Int
    /// nil while the hub does not have it.
    var arrived: Int?
    var record: String
    /// Also the to-do's timer, which it touches.
    var timer: String
    var isDelete = false
    /// For a delete: the step at which the device had last seen what there was.
    var seen = 0
  }

  private(set) var edits: [Edit] = []
  /// By record and field: values that somebody saw and replaced.
  private var replaced: [String: Set<String>] = [:]
  private(set) var created: [String: (timer: String, kind: Name)] = [:]
  /// The step at which a device was last seen to have all that the hub had.
  private var synced: [String: Int] = [:]

  mutating func create(
    _ kind: Name, _ record: String, in timer: String, _ device: String, _ step: Int
  ) {
    created[record] = (timer, kind)
    touch(record, in: timer, device, step)
  }

  mutating func write(
    _ field: String, of record: String, in timer: String, replacing old: String, _ device: String,
    _ step: Int
  ) {
    replaced["\(record) \(field)", default: []].insert(old)
    touch(record, in: timer, device, step)
  }

  mutating func touch(_ record: String, in timer: String, _ device: String, _ step: Int) {
    edits.append(Edit(device: device, step: step, record: record, timer: timer))
  }

  mutating func delete(_ record: String, in timer: String, _ device: String, _ step: Int) {
    edits.append(
      Edit(
        device: device, step: step, record: record, timer: timer, isDelete: true,
        seen: synced[device] ?? 0))
  }

  /// All that a device did is with the hub.
  mutating func arrive(_ device: String, _ step: Int) {
    for index in edits.indices.reversed() where edits[index].device == device {
      if edits[index].arrived != nil { return }
      edits[index].arrived = step
    }
  }

  /// A device has all that is with the hub.
  mutating func see(_ device: String, _ step: Int) { synced[device] = step }

  // MARK: At the end

  /// - Parameters:
  ///   - visible: by record, what is shown of it.
  func check(_ visible: [String: [String: String]]) throws {
    for (record, fields) in visible {
      for (field, value) in fields where replaced["\(record) \(field)"]?.contains(value) == true {
        throw SyncFault("\(field) of \(record) is \(value) again, which somebody had replaced")
      }
      try checkDeletes(record)
    }
    for (record, made) in created where visible[record] == nil {
      let isDeleted = edits.contains {
        $0.isDelete && ($0.record == record || $0.record == made.timer)
      }
      guard isDeleted else {
        throw SyncFault("\(made.kind) \(record) is gone, and nobody deleted it")
      }
    }
  }

  /// A record that shows although it was deleted was touched by somebody else, unseen.
  private func checkDeletes(_ record: String) throws {
    for delete in edits where delete.isDelete && delete.record == record {
      let isSaved = edits.contains { edit in
        // An older delivery may have put it back on the device itself, where somebody went on with it.
        !edit.isDelete && (edit.record == record || edit.timer == record)
          && (edit.step > delete.step
            || edit.device != delete.device && edit.arrived.map { $0 >= delete.seen } ?? true)
      }
      guard isSaved else {
        throw SyncFault("\(record), which \(delete.device) deleted in step \(delete.step), is back")
      }
    }
  }
}
