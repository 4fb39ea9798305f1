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

  /// A record that is sent whole; nil where it is hidden.
  func wholeRecord(_ target: Target) -> WholeRecord? {
    shape?.record(target, replica.fold, schema)
  }

  /// All of them that are visible.
  func wholeRecords() -> [WholeRecord] {
    shape.map { Array($0.records(replica.fold.view(schema), schema).values) } ?? []
  }
}
