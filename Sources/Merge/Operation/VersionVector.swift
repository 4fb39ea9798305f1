/// A causally closed set of operations: of each replica, the first so many.
///
/// Entries are sorted by replica and never 0, so that equal sets are equal values. A pair has a
/// handful of replicas, hence an array.
package struct VersionVector: Hashable, Sendable {
  package struct Entry: Hashable, Sendable {
    package var replica: ReplicaID
    package var seq: UInt64

    package init(_ replica: ReplicaID, _ seq: UInt64) {
      self.replica = replica
      self.seq = seq
    }
  }

  package private(set) var entries: [Entry] = []

  package init() {}

  /// Entries in any order. Of several for one replica the last one counts.
  package init(_ entries: some Sequence<Entry>) {
    set(entries)
  }

  package var isEmpty: Bool { entries.isEmpty }

  package subscript(replica: ReplicaID) -> UInt64 {
    get {
      let index = index(of: replica)
      return index < entries.count && entries[index].replica == replica ? entries[index].seq : 0
    }
    set {
      // In order, as they come where many are read.
      guard let last = entries.last, !(last.replica < replica) else {
        if newValue > 0 { entries.append(Entry(replica, newValue)) }
        return
      }
      let index = index(of: replica)
      let isKnown = index < entries.endIndex && entries[index].replica == replica
      switch (isKnown, newValue) {
      case (true, 0): entries.remove(at: index)
      case (true, _): entries[index].seq = newValue
      case (false, 0): break
      case (false, _): entries.insert(Entry(replica, newValue), at: index)
      }
    }
  }

  /// The first entry whose replica is not below.
  private func index(of replica: ReplicaID) -> Int {
    var low = 0
    var high = entries.count
    while low < high {
      let middle = (low + high) / 2
      if entries[middle].replica < replica { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// Sets many entries at once, in any order. Of several for one replica the last one counts; 0
  /// takes one out.
  package mutating func set(_ changes: some Sequence<Entry>) {
    // The sort is stable: of one replica the newest comes last.
    let sorted = (entries + changes).enumerated().sorted {
      $0.element.replica != $1.element.replica
        ? $0.element.replica < $1.element.replica : $0.offset < $1.offset
    }
    entries.removeAll(keepingCapacity: true)
    for (place, (_, entry)) in sorted.enumerated()
    where entry.seq > 0
      && (place + 1 == sorted.count || sorted[place + 1].element.replica != entry.replica)
    { entries.append(entry) }
  }

  package func contains(_ dot: Dot) -> Bool { self[dot.replica] >= dot.seq }

  /// Whether every operation of `other` is in this set.
  package func contains(_ other: VersionVector) -> Bool {
    var place = 0
    for entry in other.entries {
      while place < entries.count, entries[place].replica < entry.replica { place += 1 }
      guard place < entries.count, entries[place].replica == entry.replica,
        entries[place].seq >= entry.seq
      else { return false }
    }
    return true
  }

  package mutating func insert(_ dot: Dot) {
    if self[dot.replica] < dot.seq { self[dot.replica] = dot.seq }
  }

  /// Union: the pointwise maximum.
  package mutating func merge(_ other: VersionVector) {
    guard !contains(other) else { return }
    set(other.entries.filter { self[$0.replica] < $0.seq })
  }
}

/// What a writer had been shown when its edit began; always the vector of a real earlier state of
/// its replica, so that "happened before" is transitive.
///
/// Its own replica stands apart, because it moves with each operation while `others`, whose
/// storage is shared between operations, usually does not.
package struct Context: Hashable, Sendable {
  /// How many of its own replica's operations; may be below the operation's seq less 1, where two
  /// forms of one device are open at once.
  package var own: UInt64
  /// Without an entry for its own replica.
  package var others: VersionVector

  package init(own: UInt64, others: VersionVector = VersionVector()) {
    self.own = own
    self.others = others
  }

  /// The context that `vector` is for operations of `replica`.
  package init(_ vector: VersionVector, of replica: ReplicaID) {
    own = vector[replica]
    others = vector
    others[replica] = 0
  }

  /// The same set as one vector.
  package func vector(of replica: ReplicaID) -> VersionVector {
    var vector = others
    vector[replica] = own
    return vector
  }
}
