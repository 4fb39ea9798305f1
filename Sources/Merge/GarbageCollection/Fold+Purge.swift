/// Garbage collection, at one place of the log that all replicas share.
extension Fold {
  /// Drops what no operation that is still to come can make matter, and no feed has to show.
  ///
  /// - Elements go that are dead at the frontier and have no descendants that stay: characters
  ///   whose insertion and deletion are both stable, slots whose write is dropped.
  /// - Of a register's stable writes the highest stays, and what is archived and not yet old.
  /// - Of a record's stable deletes the last stays, and what has lost and is not yet old.
  /// - A record that was deleted before the horizon goes as a whole, with what it contains; its
  ///   tombstone keeps its name and the delete's mark for good.
  /// - Of the operations within the frontier the actions stay that something still refers to.
  ///
  /// The view is unchanged, and so is the feed but for what is older than the horizon and stable.
  /// `Stability` says why that holds later, too. O(n) in what is here.
  ///
  /// - Precondition: everything within the frontier is here, and everything that comes later has seen it and hangs
  ///   its elements at living ones; operations that were issued anew for a device that had expired are excepted.
  package func purge(frontier: VersionVector, horizon: UInt64) {
    precondition(vector.contains(frontier), "a frontier ahead of what is here: \(frontier)")
    var stable = base
    stable.merge(frontier)
    let stability = Stability(frontier: stable, horizon: horizon)
    var doomed: [(list: ListName, slot: Element)] = []
    // Records get other indices, and some go.
    orders = [:]
    ids = [:]

    let gone = gone(stability)
    collect(gone, &doomed)
    for index in records.indices {
      records[index].dropDeletes(stability)
      records[index].changes = .init(records[index].changes.vector.outside(stable))
      dropWrites(index, stability, &doomed)
    }
    recovered.removeAll {
      let operation = operations[Int($0.operation)]
      return stability.contains(operation.dot) && !stability.isRecent(operation.stamp)
    }
    purgeSequences(stability, doomed)
    compact(to: stable)
    self.horizon = max(self.horizon, horizon)
  }

  /// The slot that a write made; nil where it is no move.
  func slotElement(_ write: Register.Write) -> Element? {
    guard case .move = action(write.place).body else { return nil }
    return element(slot(write.place))
  }

  // MARK: Records

  private func collect(_ gone: [Target: Mark], _ doomed: inout [(list: ListName, slot: Element)]) {
    guard !gone.isEmpty else { return }
    records.removeAll { record in
      guard let mark = gone[record.target] else { return false }
      tombstones[record.target] = mark
      for register in record.registers { note(register.writes, in: &doomed) }
      return true
    }
    recordIndices.removeAll(keepingCapacity: true)
    for (index, record) in records.enumerated() { recordIndices[record.target] = index }
  }

  private func dropWrites(
    _ index: Int, _ stability: Stability, _ doomed: inout [(list: ListName, slot: Element)]
  ) {
    for register in records[index].registers.indices {
      guard let isDropped = records[index].registers[register].droppable(stability, operations)
      else { continue }
      note(records[index].registers[register].drop(isDropped), in: &doomed)
    }
  }

  private func note(
    _ writes: [Register.Write], in doomed: inout [(list: ListName, slot: Element)]
  ) {
    for write in writes {
      if let slot = slotElement(write) { doomed.append((ListName(action(write.place)), slot)) }
    }
  }

  // MARK: Sequences

  private func purgeSequences(
    _ stability: Stability, _ doomed: [(list: ListName, slot: Element)]
  ) {
    for (list, slot) in doomed { lists[list]?.kill(slot) }
    let known = sequenceNumbers(within: stability.frontier)
    // Each list by itself: the order in which they come is of no consequence.
    for list in Array(lists.keys) {
      lists[list]?.purge(deadAt: known)
      if lists[list]?.elementCount == 0 { lists[list] = nil }
    }
    for record in records.indices {
      for text in records[record].texts.indices {
        records[record].texts[text].sequence.purge(deadAt: known)
      }
    }
  }
}

extension Fugue {
  /// Marks a slot dead at every version that has it.
  fileprivate mutating func kill(_ slot: Element) {
    do throws(FugueError) {
      try delete(ElementRange(slot, count: 1), by: slot.replica, seq: slot.seq)
    } catch {
      preconditionFailure("a move without its slot: \(error)")
    }
  }

  fileprivate mutating func purge(deadAt known: (UInt32) -> UInt64) {
    let dead = deadElements(at: known)
    if !dead.isEmpty { purge(where: dead.contains) }
  }
}

extension VersionVector {
  /// The entries above those of another vector.
  func outside(_ other: VersionVector) -> VersionVector {
    isEmpty ? self : VersionVector(entries.filter { other[$0.replica] < $0.seq })
  }
}
