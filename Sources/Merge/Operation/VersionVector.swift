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

  package init(_ entries: some Sequence<Entry>) {
    for entry in entries { self[entry.replica] = entry.seq }
  }

  package var isEmpty: Bool { entries.isEmpty }

  package subscript(replica: ReplicaID) -> UInt64 {
    get {
      for entry in entries where entry.replica == replica { return entry.seq }
      return 0
    }
    set {
      // In order, as they come where many are read.
      guard let last = entries.last, !(last.replica < replica) else {
        if newValue > 0 { entries.append(Entry(replica, newValue)) }
        return
      }
      let index = entries.firstIndex { !($0.replica < replica) } ?? entries.endIndex
      let isKnown = index < entries.endIndex && entries[index].replica == replica
      switch (isKnown, newValue) {
      case (true, 0): entries.remove(at: index)
      case (true, _): entries[index].seq = newValue
      case (false, 0): break
      case (false, _): entries.insert(Entry(replica, newValue), at: index)
      }
    }
  }

  package func contains(_ dot: Dot) -> Bool { self[dot.replica] >= dot.seq }

  /// Whether every operation of `other` is in this set.
  package func contains(_ other: VersionVector) -> Bool {
    other.entries.allSatisfy { self[$0.replica] >= $0.seq }
  }

  package mutating func insert(_ dot: Dot) {
    for index in entries.indices where entries[index].replica == dot.replica {
      if entries[index].seq < dot.seq { entries[index].seq = dot.seq }
      return
    }
    self[dot.replica] = dot.seq
  }

  /// Union: the pointwise maximum.
  package mutating func merge(_ other: VersionVector) {
    for entry in other.entries where self[entry.replica] < entry.seq {
      self[entry.replica] = entry.seq
    }
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
