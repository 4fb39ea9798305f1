package import Wire

/// Operations in the order in which they were taken in, with what they amount to.
///
/// Both ends keep one: the hub, whose order is the log that all devices read, and each device.
package final class Replica {
  package private(set) var fold: Fold
  /// What was taken in after position `base`, in order.
  package private(set) var log: [Entry] = []
  /// The position before the first of `log`.
  package private(set) var base: UInt64 = 0
  /// What had been taken in at `base`.
  package private(set) var baseVector = VersionVector()
  /// Of the operations that are read here.
  let names = NameCache()
  private var writers: [ReplicaID: Writer] = [:]

  /// What was taken in of one replica.
  private struct Writer {
    var chain = GrowingChain()
    /// The first operation of it that is in the log.
    var first: UInt64 = 1
    /// Where those from that one on stand in the log, without gaps.
    var positions: [UInt64] = []

    mutating func append(_ written: Written, at position: UInt64) {
      note(written.operation.dot.seq, at: position)
      chain.append(written.operation, written.bytes)
    }

    /// An operation stands in the log.
    mutating func note(_ seq: UInt64, at position: UInt64) {
      if positions.isEmpty { first = seq }
      positions.append(position)
    }

    /// How many stand up to a position.
    func count(through position: UInt64) -> Int {
      var low = 0
      var high = positions.count
      while low < high {
        let middle = (low + high) / 2
        if positions[middle] <= position { low = middle + 1 } else { high = middle }
      }
      return low
    }
  }

  /// An operation and its canonical bytes. Logs, folds, batches and whoever passes it on share one.
  package final class Written: Sendable {
    package let operation: Operation
    /// Part of what came with others by one line, where it did.
    package let bytes: ArraySlice<UInt8>

    package init(operation: Operation, bytes: ArraySlice<UInt8>) {
      self.operation = operation
      self.bytes = bytes
    }

    package convenience init(operation: Operation, bytes: [UInt8]) {
      self.init(operation: operation, bytes: bytes[...])
    }

    /// One that nobody passes on, without bytes.
    convenience init(_ operation: Operation) { self.init(operation: operation, bytes: []) }

    var dot: Dot { operation.dot }
    var stamp: Stamp { operation.stamp }
    var context: Context { operation.context }
    var actions: [Action] { operation.actions }

    func follows(_ other: Dot) -> Bool { operation.follows(other) }
  }

  /// Something of the log. Each takes a position, counted from 1.
  package enum Entry: Sendable {
    case operation(Written)
    /// What is stable is collected, by every replica at this place of the log.
    case purge(Purge)

    package var operation: Written? {
      guard case .operation(let written) = self else { return nil }
      return written
    }
  }

  /// Collection up to a position of the log.
  package struct Purge: Hashable, Sendable {
    /// The vector at the position that every device had acknowledged.
    package var frontier: VersionVector
    /// What was archived or deleted before it goes, in milliseconds since 1970.
    package var horizon: UInt64

    package init(frontier: VersionVector, horizon: UInt64) {
      self.frontier = frontier
      self.horizon = horizon
    }

    /// Whether it takes away all that another one does.
    package func contains(_ other: Self) -> Bool {
      frontier.contains(other.frontier) && horizon >= other.horizon
    }
  }

  package init() { fold = Fold() }

  /// A replica that starts from a snapshot, which stands for the log up to `position`.
  package init(_ fold: Fold, position: UInt64, chains: [ReplicaID: Chain]) {
    self.fold = fold
    writers = chains.mapValues { Writer(chain: GrowingChain($0)) }
    base = position
    baseVector = fold.vector
  }

  package var vector: VersionVector { fold.vector }

  /// The position of the newest entry.
  package var position: UInt64 { base + UInt64(log.count) }

  package func chain(_ replica: ReplicaID) -> Chain { writers[replica]?.chain.settled() ?? Chain() }

  /// The number and the context of a replica's last operation, without its chain's hash.
  package func end(of replica: ReplicaID) -> (seq: UInt64, context: Context?) {
    writers[replica].map { ($0.chain.seq, $0.chain.context) } ?? (0, nil)
  }

  package var replicas: [ReplicaID] { writers.keys.sorted() }

  /// Takes in an operation that is the next of its replica.
  ///
  /// - Throws: as `Fold.apply`; nothing has changed then.
  package func append(_ written: Written) throws(WireError) {
    try fold.apply(written)
    log.append(.operation(written))
    writers[written.operation.dot.replica, default: Writer()].append(written, at: position)
  }

  /// Reads the next operation of its replica.
  package func read(_ text: OperationText) throws(WireError) -> Written {
    try text.read(names: names) { writers[$0]?.chain.context }
  }

  /// The position of the last purge; nil where the log has none.
  package var lastPurge: UInt64? {
    log.lastIndex { $0.operation == nil }.map { base + UInt64($0) + 1 }
  }

  /// What had been taken in at a position.
  ///
  /// - Returns: nil where the position is ahead of the log or no longer known.
  package func vector(at position: UInt64) -> VersionVector? {
    guard position >= base, position <= self.position else { return nil }
    if position == self.position { return vector }
    var vector = baseVector
    for (replica, writer) in writers {
      let count = writer.count(through: position)
      if count > 0 { vector[replica] = writer.first + UInt64(count) - 1 }
    }
    return vector
  }

  /// An operation that is in the log.
  package func written(_ dot: Dot) -> Written? {
    operations(of: dot.replica, after: dot.seq - 1).first.flatMap {
      $0.operation.dot == dot ? $0 : nil
    }
  }

  /// The operations of a replica that are in the log, in order, from one on.
  package func operations(
    of replica: ReplicaID, after seq: UInt64
  ) -> some RandomAccessCollection<Written> {
    let writer = writers[replica] ?? Writer()
    let passed = seq < writer.first ? 0 : min(Int(seq - writer.first) + 1, writer.positions.count)
    return writer.positions[passed...].lazy.map { [log, base] position in
      log[Int(position - base) - 1].operation!
    }
  }

  /// Collects what every device has acknowledged, here in the log.
  package func purge(_ purge: Purge) {
    fold.purge(frontier: purge.frontier, horizon: purge.horizon)
    log.append(.purge(purge))
  }

  /// Forgets the log up to a position; what it amounted to stays.
  package func forgetLog(through position: UInt64) {
    guard position > base, let vector = vector(at: position) else { return }
    log.removeFirst(Int(position - base))
    for replica in writers.keys {
      let count = writers[replica]!.count(through: position)
      guard count > 0 else { continue }
      writers[replica]!.positions.removeFirst(count)
      writers[replica]!.first += UInt64(count)
    }
    base = position
    baseVector = vector
  }

  /// Puts back entries that a snapshot already stands for, for those who have yet to read them.
  ///
  /// - Precondition: the log is empty and they end where the snapshot does.
  package func restoreLog(_ entries: [Entry], baseVector: VersionVector) {
    log = entries
    base -= UInt64(entries.count)
    self.baseVector = baseVector
    for (index, entry) in entries.enumerated() {
      guard let dot = entry.operation?.operation.dot else { continue }
      writers[dot.replica, default: Writer()].note(dot.seq, at: base + UInt64(index) + 1)
    }
  }

  // MARK: Writing

  /// Makes the next operation of a replica, without taking it in.
  ///
  /// - Parameters:
  ///   - shown: what the writer had been shown when the edit began.
  ///   - time: its clock, in milliseconds since 1970.
  ///   - latest: the highest stamp that it holds.
  package func mint(
    _ actions: [Action], by replica: ReplicaID, rank: UInt8, shown: VersionVector,
    time: UInt64, wall: Int64, after latest: Stamp?
  ) -> Written {
    let end = end(of: replica)
    let operation = Operation(
      dot: Dot(replica, end.seq + 1),
      stamp: Stamp.mint(time: time, rank: rank, replica: replica, after: latest),
      context: Context(shown, of: replica), wall: wall, actions: actions)
    return Written(
      operation: operation, bytes: operation.canonical(after: end.context))
  }
}
