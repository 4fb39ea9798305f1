import Device
import Merge
import Oracle

/// What was promised to people who edited records, and every operation that was ever accepted.
final class SyncLedger {
  /// An edit that a device has stored.
  struct Promise {
    var device: String
    var edit: Edit
    /// Index of the recording's step.
    var step: Int
    var at: Int64
    var dot: Dot
    /// Of its stamp.
    var ms: UInt64
    var signature: String
    /// The only copies may have been on a storage that was set back.
    var mayBeDestroyed = false
    /// How often a copy of the storage was put back that is of the time before it was issued anew. Each time it
    /// may be issued anew once more (clause 12.2).
    var repeats = 0
  }

  private(set) var promises: [Promise] = []
  private(set) var operations: [Operation] = []
  private var indices: [Dot: Int] = [:]
  /// As each device last had its own, before the hub accepted them.
  private var written: [Dot: Operation] = [:]
  /// Names that a device that was set back may give once more.
  private var givenTwice: Set<Dot> = []
  /// Actions that came too late for what had been collected.
  private(set) var apart: Set<Effect> = []
  private(set) var conflict: (Operation, Operation)?
  private var cursors: [String: Cursor] = [:]

  private struct Cursor {
    var base: UInt64 = 0
    var next = 0
    /// Own operations that the hub had not accepted when they were passed.
    var passed: [Int] = []
  }

  func promise(_ edit: Edit, _ operation: Operation, by device: String, step: Int, at: Int64) {
    promises.append(
      Promise(
        device: device, edit: edit, step: step, at: at, dot: operation.dot,
        ms: operation.stamp.ms,
        signature: Self.signature(operation)))
  }

  /// A device's storage goes back to when it held `vector`.
  ///
  /// - Parameter identifier: the device's own.
  func destroy(_ device: String, _ identifier: Identifier, beyond vector: VersionVector) {
    for dot in written.keys where dot.replica.device == identifier && !vector.contains(dot) {
      givenTwice.insert(dot)
    }
    for index in promises.indices
    where promises[index].device == device && !vector.contains(promises[index].dot) {
      promises[index].mayBeDestroyed = true
    }
  }

  /// A device's storage goes back to when it was another incarnation: what it had written as that one, and may
  /// have issued anew since, it issues anew once more.
  ///
  /// - Parameter replica: which one it is again.
  /// - Returns: whether it had written anything as that one.
  func repeatAll(_ device: String, _ replica: ReplicaID) -> Bool {
    var hasWritten = false
    for index in promises.indices
    where promises[index].device == device && promises[index].dot.replica == replica {
      promises[index].repeats += 1
      hasWritten = true
    }
    return hasWritten
  }

  /// What an operation does, without the names that change when it is issued anew.
  static func signature(_ operation: Operation) -> String {
    var text = "\(operation.dot.replica.device) \(operation.wall)"
    for action in operation.actions {
      text += " \(action.target.kind)/\(action.target.record) "
      switch action.body {
      case .write(let field, let value):
        text += "\(field)=\(String(decoding: value.canonical, as: UTF8.self))"
      case .insert(let field, _, let inserted): text += "\(field)+\(inserted)"
      case .erase(let field, let runs):
        text += "\(field)-\(runs.reduce(0) { $0 + Int($1.count) })"
      case .move(let field, _): text += "\(field) moved"
      case .create: text += "created"
      case .delete: text += "deleted"
      case .restore: text += "restored"
      case .unknown(let datum): text += String(decoding: datum.canonical, as: UTF8.self)
      }
    }
    return text
  }

  /// Takes note of the operations that a device holds and the hub has accepted.
  func gather(_ device: SyncDevice) {
    let replica = device.replica.replica
    let own = device.replica.id
    let accepted = device.replica.accepted
    let log = replica.log
    var cursor = cursors[device.name] ?? Cursor()
    if cursor.base != replica.base || cursor.next > log.count {
      cursor = Cursor(base: replica.base)
    }
    func gatherEntry(_ index: Int) -> Bool {
      guard let operation = log[index].operation?.operation else { return true }
      if operation.dot.replica == own, operation.dot.seq > accepted {
        written[operation.dot] = operation
        return false
      }
      add(operation)
      return true
    }
    for item in device.fold.recoveredItems() {
      apart.insert(.action(item.dot, Int(item.actionIndex)))
    }
    if !cursor.passed.isEmpty { cursor.passed.removeAll { gatherEntry($0) } }
    for index in cursor.next..<log.count where !gatherEntry(index) { cursor.passed.append(index) }
    cursor.next = log.count
    cursors[device.name] = cursor
  }

  private func add(_ operation: Operation) {
    if let index = indices[operation.dot] {
      if operations[index] != operation, conflict == nil {
        conflict = (operations[index], operation)
      }
    } else {
      indices[operation.dot] = operations.count
      operations.append(operation)
    }
  }

  /// At the end: what is known to be with everybody, and was not read from a device's log since it
  /// came to them in a snapshot.
  func complete(_ vector: VersionVector) {
    for (dot, operation) in written.sorted(by: { $0.value.stamp < $1.value.stamp })
    where vector.contains(dot) && indices[dot] == nil && !givenTwice.contains(dot) {
      add(operation)
    }
  }

  /// Whether an operation is with everybody and came to them in a snapshot alone, under a name that a
  /// device gave twice: which of the two it is nobody has read.
  func isUnread(_ dot: Dot, in vector: VersionVector) -> Bool {
    givenTwice.contains(dot) && vector.contains(dot) && indices[dot] == nil
  }

  /// A device's storage was set back: it is read anew.
  func forget(_ device: String) { cursors[device] = nil }
}
