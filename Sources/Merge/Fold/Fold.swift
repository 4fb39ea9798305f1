package import Wire

/// What a set of operations amounts to, kept up operation by operation.
///
/// Equal sets give equal folds, whatever the order in which they came, as long as each operation
/// comes after those that it had seen. The fold knows no schema; `view` shows it through one.
package final class Fold {
  /// The operations folded; of those within `base`, what is left of them. What is left has no bytes.
  var operations: [Replica.Written] = []
  /// All operations.
  package internal(set) var vector = VersionVector()
  /// The set of which only what matters is left; empty where nothing was ever purged.
  package internal(set) var base = VersionVector()
  /// The highest stamp.
  package internal(set) var latest: Stamp?

  var records: [Record] = []
  var recordIndices: [Target: Int] = [:]
  /// The record that was changed last; the next action is mostly about it too.
  private var lastIndex = 0
  var lists: [ListName: Fugue] = [:]
  /// Deleted for so long that only this is known: by target, the last delete.
  package internal(set) var tombstones: [Target: Mark] = [:]
  /// Actions on what had been purged when they came.
  var recovered: [Record.Place] = []
  /// The highest horizon of a purge, in milliseconds since 1970.
  package internal(set) var horizon: UInt64 = 0
  /// What was deleted before it is left alone here, in milliseconds since 1970: see `isLongDeleted`.
  package internal(set) var promisedHorizon: UInt64 = 0
  /// How many actions no build of this version knows; they are kept and have no effect.
  var unknownActions = 0

  var replicas = ReplicaTable()
  /// By kind: where its records are shown; only of kinds of which a place was asked for.
  var orders: [Name: ShownOrder] = [:]
  /// How many such orders were made.
  var ordersMade = 0
  /// By kind: the ids that `ids(_:startingWith:)` goes through; only of kinds of which it was asked.
  var ids: [Name: [Name]] = [:]
  /// How many records were looked at to answer: what the tests hold an edit to.
  package internal(set) var looked = 0
  /// The names of kinds and fields, each in one copy, so that comparing them stays in the cache.
  private var names: Set<Name> = []

  package init() {}

  /// The items of one kind in one container, or at the root.
  struct ListName: Hashable, Comparable {
    var kind: Name
    var container: Target?

    init(kind: Name, container: Target?) {
      self.kind = kind
      self.container = container
    }

    /// The list that a move goes to.
    init(_ move: Action) { self.init(kind: move.target.kind, container: move.into) }

    /// By kind; the root's first, then by container.
    static func < (left: ListName, right: ListName) -> Bool {
      if left.kind != right.kind { return left.kind < right.kind }
      guard let one = left.container, let other = right.container else {
        return left.container == nil && right.container != nil
      }
      return one < other
    }
  }

  /// Applies an operation, all of it or nothing.
  ///
  /// - Throws: 4007 where it is not the next of its replica; 4004 where it has seen what is not
  ///   here, or names elements that never were.
  package func apply(_ operation: Operation) throws(WireError) {
    try apply(Replica.Written(operation))
  }

  func apply(_ written: Replica.Written) throws(WireError) {
    let operation = written.operation
    let replica = operation.dot.replica
    let number = replicas.number(replica)
    let next = replicas[number].seq + 1
    guard operation.dot.seq == next else {
      throw WireError(
        .sequenceGap,
        "operation \(operation.dot.seq) of \(replica) cannot follow \(next - 1); \(next) is next")
    }
    guard operation.context.own < next, vector.contains(operation.context.others) else {
      throw WireError(
        .invalidField,
        "the context of operation \(operation.dot.seq) of \(replica) names operations that are not here"
      )
    }
    if let last = replicas[number].stamp, !(last < operation.stamp) {
      throw WireError(
        .invalidField,
        "the stamp of operation \(next) of \(replica) must be above that of the one before it")
    }
    if let coming = Coming.of(operation) { try checkElements(coming) }
    let position = Int32(operations.count)
    operations.append(written)
    replicas.append(position, operation.stamp, to: number)
    vector[replica] = next
    if latest.map({ $0 < operation.stamp }) ?? true { latest = operation.stamp }
    var element: UInt32 = 0
    for index in operation.actions.indices {
      let place = Record.Place(
        operation: position, action: Int32(index), index: UInt32(index), element: element)
      perform(operation.actions[index], operation, place)
      if index + 1 < operation.actions.count {
        element += UInt32(operation.actions[index].elements)
      }
    }
  }

  // MARK: Records

  func index(of target: Target) -> Int {
    if let index = knownIndex(of: target) {
      lastIndex = index
      return index
    }
    let target = Target(shared(target.kind), target.record)
    lastIndex = records.count
    records.append(Record(target))
    recordIndices[target] = lastIndex
    return lastIndex
  }

  private func knownIndex(of target: Target) -> Int? {
    lastIndex < records.count && records[lastIndex].target == target
      ? lastIndex : recordIndices[target]
  }

  func shared(_ name: Name) -> Name { names.insert(name).memberAfterInsert }

  /// How many records it holds, deleted ones that are not collected included.
  package var recordCount: Int { records.count }

  func record(_ target: Target) -> Record? { recordIndices[target].map { records[$0] } }

  /// Whether anything was ever done to it, or it is a tombstone.
  package func isKnown(_ target: Target) -> Bool {
    recordIndices[target] != nil || tombstones[target] != nil
  }

  /// All records of a kind to which anything was ever done, but for tombstones.
  package func records(of kind: Name) -> some Sequence<Target> {
    records.lazy.map(\.target).filter { $0.kind == kind }
  }

  /// Whether a create of it is here.
  package func isCreated(_ target: Target) -> Bool {
    knownIndex(of: target).map { records[$0].isCreated } ?? false
  }

  /// Whether it shows wherever what it stands in does: it is there, and no delete is above its touches.
  package func isAlive(_ target: Target) -> Bool { record(target)?.isAlive ?? false }

  // MARK: Operations

  /// The stamp of an operation; nil where it is not here, or lies below the end of `base`.
  package func stamp(of dot: Dot) -> Stamp? {
    if let position = replicas.position(of: dot) { return operations[Int(position)].stamp }
    guard let number = replicas.known(dot.replica), replicas[number].base == dot.seq else {
      return nil
    }
    return replicas[number].baseStamp
  }

  /// The stamp of a replica's last operation.
  package func lastStamp(of replica: ReplicaID) -> Stamp? {
    replicas.known(replica).flatMap { replicas[$0].stamp }
  }

  /// The highest stamp within a vector, which has all of `base`.
  package func latest(within vector: VersionVector) -> Stamp? {
    var latest: Stamp?
    for entry in vector.entries {
      guard let number = replicas.known(entry.replica) else { continue }
      let seq = max(min(entry.seq, replicas[number].seq), replicas[number].base)
      guard let stamp = stamp(of: Dot(entry.replica, seq)) else { continue }
      if latest.map({ $0 < stamp }) ?? true { latest = stamp }
    }
    return latest
  }
}

/// The replicas that have written, by a number that stands for them within this fold.
struct ReplicaTable {
  struct Entry {
    let id: ReplicaID
    /// The last operation, and its stamp.
    var seq: UInt64 = 0
    var stamp: Stamp?
    /// The last within the fold's `base`, and its stamp.
    var base: UInt64 = 0
    var baseStamp: Stamp?
    /// Positions of the operations after `base`.
    var positions: [Int32] = []
  }

  private(set) var entries: [Entry] = []
  private var last: UInt32 = 0

  subscript(number: UInt32) -> Entry { entries[Int(number)] }

  func known(_ id: ReplicaID) -> UInt32? {
    if Int(last) < entries.count, entries[Int(last)].id == id { return last }
    return entries.firstIndex { $0.id == id }.map { UInt32($0) }
  }

  mutating func number(_ id: ReplicaID) -> UInt32 {
    let number = known(id) ?? add(id)
    last = number
    return number
  }

  private mutating func add(_ id: ReplicaID) -> UInt32 {
    entries.append(Entry(id: id))
    return UInt32(entries.count - 1)
  }

  mutating func append(_ position: Int32, _ stamp: Stamp, to number: UInt32) {
    entries[Int(number)].seq += 1
    entries[Int(number)].stamp = stamp
    entries[Int(number)].positions.append(position)
  }

  /// Moves the base up.
  ///
  /// - Parameter moved: where operations after the new base now stand, by where they stood.
  mutating func rebase(
    to base: VersionVector, _ operations: [Replica.Written], moved: [Int32]
  ) {
    for index in entries.indices {
      let new = base[entries[index].id]
      let count = Int(new - entries[index].base)
      if count > 0 {
        entries[index].baseStamp = operations[Int(entries[index].positions[count - 1])].stamp
      }
      entries[index].base = new
      entries[index].positions = entries[index].positions.dropFirst(count).map { moved[Int($0)] }
    }
  }

  /// Adds a replica of a snapshot, without operations after its base.
  mutating func restore(_ id: ReplicaID, base: UInt64, baseStamp: Stamp?) {
    entries.append(
      Entry(id: id, seq: base, stamp: baseStamp, base: base, baseStamp: baseStamp))
  }

  func position(of dot: Dot) -> Int32? {
    guard let number = known(dot.replica) else { return nil }
    let entry = entries[Int(number)]
    guard dot.seq > entry.base, dot.seq <= entry.seq else { return nil }
    return entry.positions[Int(dot.seq - entry.base) - 1]
  }
}
