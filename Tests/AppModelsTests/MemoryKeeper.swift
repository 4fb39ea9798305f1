import AppModels
import Merge
import Wire

/// A device's records in memory, with ids that are the same in every run.
///
/// Two keepers that exchange their operations stand for a device and its counterpart.
final class MemoryKeeper: RecordKeeper {
  let schema: Schema
  private let device: DeviceReplica
  private let number: UInt64
  private var made = 0
  /// What every edit is refused with.
  var refusal: WireError?
  /// What `write` was called with, one for each operation.
  private(set) var operations: [[Action]] = []

  /// - Parameter number: tells the devices of a test apart.
  init(_ schema: Name, number: UInt64 = 1, rank: UInt8 = 2) {
    self.schema = ShippedSchemas.named(schema)!
    self.number = number
    let id = ReplicaID(device: Identifier(high: number, low: number), incarnation: 1)
    device = DeviceReplica(id: id, rank: rank)
  }

  var fold: Fold { device.fold }

  var vector: VersionVector { device.replica.vector }

  func write(_ actions: [Action], shown: VersionVector, now: Int64) throws(WireError) {
    if let refusal { throw refusal }
    try device.write(actions, shown: shown, clock: now)
    operations.append(actions)
  }

  func newRecord() -> Name {
    made += 1
    return Name(Identifier(digestOf: "record", "\(number)", "\(made)").description)
  }

  /// Takes in what the other has written and this one does not have yet.
  func receive(from other: MemoryKeeper) throws {
    let written = other.device.replica.operations(
      of: other.device.id, after: vector[other.device.id])
    for operation in written {
      try device.receive([try Datum(json: operation.bytes)], through: 0)
    }
  }

  /// Both have then what either had.
  func exchange(with other: MemoryKeeper) throws {
    try receive(from: other)
    try other.receive(from: self)
  }
}
