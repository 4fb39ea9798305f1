/// Records of which only a tombstone has to be kept.
extension Fold {
  /// Whether a purge would take records away. O(n).
  package func canCollectRecords(frontier: VersionVector, horizon: UInt64) -> Bool {
    var stable = base
    stable.merge(frontier)
    return !gone(Stability(frontier: stable, horizon: horizon)).isEmpty
  }

  /// The settled records that were deleted before the horizon, and what goes with them: settled
  /// records of which every possible container is gone. With the marks of the deletes.
  ///
  /// A record stands in `into` of a winning write, or while the record that is `via` of one shows,
  /// where that stands. Whether it shows is the schema's business; so a record stays as long as
  /// either might come back, and one that was never heard of might.
  ///
  /// More operations never make more records go: those that are settled have no operation outside
  /// the frontier, and whether they are dead is a matter of those within it. Therefore a device
  /// that leaves alone what was deleted long ago by what it knows leaves alone all that will be gone.
  func gone(_ stability: Stability) -> [Target: Mark] {
    var gone: [Target: Mark] = [:]
    // How many containers of a record are not gone, and the records that wait for a container.
    var waiting: [Target: Int] = [:]
    var contents: [Target: [Target]] = [:]
    var next: [Target] = []
    for record in records where record.isSettled(stability, operations) {
      let target = record.target
      if !record.isAlive, let delete = record.newestDelete {
        gone[target] = delete.mark
        next.append(target)
        continue
      }
      let containers = containers(of: record)
      let open = containers.filter { !isTombstone($0) }
      if containers.isEmpty { continue }
      waiting[target] = open.count
      for container in open { contents[container, default: []].append(target) }
      if open.isEmpty {
        gone[target] = lastMark(of: containers, gone)
        next.append(target)
      }
    }
    while let container = next.popLast() {
      for target in contents[container] ?? [] {
        waiting[target]! -= 1
        if waiting[target] == 0, let record = record(target) {
          gone[target] = lastMark(of: containers(of: record), gone)
          next.append(target)
        }
      }
    }
    return gone
  }

  private func isTombstone(_ target: Target) -> Bool {
    tombstones[target] != nil && recordIndices[target] == nil
  }

  /// All that `into` and `via` of its values name, each once.
  func containers(of record: Record) -> [Target] {
    var containers: [Target] = []
    for register in record.registers {
      guard let value = register.value else { continue }
      let action = action(value.place)
      for container in [action.into, action.via].compactMap({ $0 })
      where !containers.contains(container) {
        containers.append(container)
      }
    }
    return containers
  }

  private func lastMark(of containers: [Target], _ gone: [Target: Mark]) -> Mark? {
    containers.compactMap { gone[$0] ?? tombstones[$0] }.max { $0.stamp < $1.stamp }
  }
}
