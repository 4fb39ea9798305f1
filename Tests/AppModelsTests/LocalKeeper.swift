import AppModels
import Merge
import Wire

/// The records of a device in memory, without a hub. Two of them can read each other's operations.
final class LocalKeeper: RecordKeeper {
  let schema: Schema
  let replica: DeviceReplica
  /// What every edit is refused with.
  var refusal: WireError?
  /// What `write` was called with, one for each operation.
  private(set) var operations: [[Action]] = []
  private var made: UInt64 = 0

  /// - Parameter device: devices of different names give different ids.
  init(_ schema: Name, device: String = "phone", isPhone: Bool = true) {
    self.schema = ShippedSchemas.named(schema)!
    replica = DeviceReplica(
      id: ReplicaID(device: Identifier(digestOf: "device", device), incarnation: 1),
      rank: isPhone ? 2 : 1)
  }

  var fold: Fold { replica.fold }
  var vector: VersionVector { replica.fold.vector }

  func write(_ actions: [Action], shown: VersionVector, now: Int64) throws(WireError) {
    if let refusal { throw refusal }
    try replica.write(actions, shown: shown, clock: now)
    operations.append(actions)
  }

  func newRecord() -> Name {
    made += 1
    return Name(Identifier(digestOf: "record", replica.id.description, String(made)).description)
  }

  /// Takes in what the other one holds.
  func receive(from other: LocalKeeper) throws(WireError) {
    var items: [OperationText] = []
    for entry in other.replica.replica.log {
      if let written = entry.operation { items.append(try OperationText(json: written.bytes)) }
    }
    try replica.receive(items, through: 0)
  }

  /// Both have then what either had.
  func exchange(with other: LocalKeeper) throws(WireError) {
    try receive(from: other)
    try other.receive(from: self)
  }
}
