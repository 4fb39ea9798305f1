import Seeded
import Merge
import Oracle
import Wire

/// What takes longer: every step of every device, other orders, the bytes, what became of each
/// effect.
extension OracleCheck {
  mutating func checkThoroughly(_ oracle: Oracle) {
    for (index, device) in ours.devices.enumerated() {
      check(device.replica.log.compactMap { $0.operation?.operation }, world.places[index].name)
    }
    checkOrders()
    checkBytes()
    var restored: [Target: Oracle] = [:]
    for operation in operations {
      for _ in oracle.lost(of: operation, ours.schema, &restored) {
        let edit = world.edits.first { $0.operation?.dot == operation.dot }
        add(
          "I27", "effect-lost", "A part of an edit is neither shown nor kept anywhere.",
          edit.map { world.describe($0.edit) } ?? "An edit.", path: edit.map { [$0.step] } ?? [])
      }
    }
  }

  /// A device's operations one by one, each step beside the oracle.
  private mutating func check(_ log: [Operation], _ place: String) {
    let fold = Fold()
    for (index, operation) in log.enumerated() {
      guard (try? fold.apply(operation)) != nil else {
        return add(
          "I5", "order-refused",
          "What a device took in one after the other cannot be taken in again.",
          "On the \(place), after \(index) edits.")
      }
      let oracle = Oracle(Array(log[...index]))
      compare(
        fold, oracle.view(ours.schema), oracle.feed(), "the \(place), after \(index + 1) edits")
    }
  }

  private mutating func checkOrders() {
    guard !operations.isEmpty else { return }
    var random = SplitMix64(seed: UInt64(operations.count))
    let fold = ours.devices[0].fold
    let wanted = (view: fold.view(ours.schema).canonical, feed: fold.feed())
    for delivery in History.Delivery.allCases {
      let fold = Fold()
      for operation in History(operations).delivered(delivery, using: &random) {
        guard (try? fold.apply(operation)) != nil else {
          return add(
            "I5", "order-refused", "The same edits in another order are not all taken in.",
            "With \(operations.count) edits.")
        }
      }
      if fold.view(ours.schema).canonical != wanted.view || fold.feed() != wanted.feed {
        add(
          "I5", "order-matters", "The same edits in another order come to something else.",
          "With \(operations.count) edits.")
      }
    }
  }

  /// Operations and snapshots are the same once written and read.
  private mutating func checkBytes() {
    let replica = ours.devices[0].replica
    let copy = Replica()
    for entry in replica.log {
      guard let written = entry.operation else { continue }
      do throws(WireError) {
        let read = try copy.read(try OperationText(json: written.bytes))
        let datum = try Datum(json: Array(written.bytes))
        guard read.operation == written.operation, read.bytes == written.bytes,
          datum.canonical[...] == written.bytes
        else {
          return add(
            "I10", "bytes-differ", "An edit is not the same once it was written and read.",
            String(decoding: written.bytes, as: UTF8.self))
        }
        try copy.append(read)
      } catch {
        return add(
          "I10", "bytes-refused", "An edit that was written cannot be read.", error.message)
      }
    }
    let pieces = replica.snapshot()
    guard
      let restored = try? ReplicaReader(pieces: pieces, position: replica.position).all(),
      restored.fold.view(ours.schema).canonical == replica.fold.view(ours.schema).canonical,
      restored.fold.feed() == replica.fold.feed(), restored.vector == replica.vector
    else {
      return add(
        "I8", "snapshot-differs", "A device that starts from a snapshot shows something else.",
        "With \(operations.count) edits.")
    }
    // As a hub keeps it once it has purged, where the log has all that the snapshot then leaves out.
    guard !replica.fold.base.isEmpty, replica.fold.base.contains(replica.baseVector) else {
      return
    }
    let stored = try? ReplicaReader(
      pieces: replica.snapshot(besideLog: true), position: replica.position,
      log: [(replica.base, replica.log.map(StoredEntry.init))],
      from: (replica.base, replica.baseVector)
    ).all()
    if stored?.snapshot() != pieces {
      add(
        "I8", "snapshot-differs",
        "What starts from a snapshot and the log beside it comes to something else.",
        "With \(operations.count) edits.")
    }
  }
}
