import Bridge
import Merge
import Relay

extension Hub {
  func bridge(_ device: Device) -> BridgedDevice? { bridges.first { $0.device == device.index } }

  /// The hub's own replica for what a bridged device does.
  func bridgeReplica(for device: Device, store: String) -> ReplicaID {
    ReplicaID(
      device: Identifier(
        digestOf: "bridge", store, pair.app, pair.name, schema.name.text, device.name),
      incarnation: 0)
  }

  /// Whether a replica is the hub's own for a bridged device.
  func isBridge(_ replica: ReplicaID, store: String) -> Bool {
    device(of: replica).map {
      bridge($0) != nil && bridgeReplica(for: $0, store: store) == replica
    } ?? false
  }

  /// Records that may show something else than when this was asked last.
  func takeChangedRecords() -> Set<Target> { watch.next(shape, replica, schema) }

  /// A record that is sent whole; nil where it is hidden.
  func wholeRecord(_ target: Target) -> WholeRecord? {
    shape.record(target, replica.fold, schema)
  }

  /// All of them that are visible.
  func wholeRecords() -> [WholeRecord] {
    Array(shape.records(replica.fold.view(schema), schema).values)
  }
}
