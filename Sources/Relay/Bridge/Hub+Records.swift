import Bridge
import Merge

extension Hub {
  func bridge(_ device: Device) -> BridgedDevice? { bridges.first { $0.device == device.index } }

  /// The hub's own replica for what a bridged device does.
  func bridgeReplica(for device: Device, store: String) -> ReplicaID {
    ReplicaID(
      device: Identifier(
        digestOf: "bridge", store, pair.app, pair.name, schema.name.text, device.name),
      incarnation: 0)
  }

  /// All visible records that are sent whole.
  ///
  /// It is asked for with each copy that comes in and with each batch, and worked out once for a
  /// position of the log.
  func wholeRecords() -> [Target: WholeRecord] {
    if let recordsThen, recordsThen.position == replica.position { return recordsThen.records }
    let records = RecordShape(schema)?.records(replica.fold.view(schema), schema) ?? [:]
    recordsThen = (replica.position, records)
    return records
  }
}
