package import Wire

/// A device's replica, and what of it the hub has yet to accept.
///
/// ```
///                 write                 push, accepted
/// (nothing) ─────────────► pending ────────────────────► accepted
///                            ▲  │ retime: new stamps, same dots
///                            └──┘
/// ```
/// It is pure: clocks come in, and what is to be sent is asked for.
package final class DeviceReplica {
  package let id: ReplicaID
  /// 2 for the phone, 1 for others.
  package let rank: UInt8
  /// Everything that the device holds: the hub's log as far as it was read, and its own operations.
  package private(set) var replica: Replica
  /// The chain's end at its last operation that the hub has accepted.
  private var acceptedChain = Chain()
  /// How far the hub's log was read.
  package private(set) var position: UInt64 = 0
  /// What is added to the device's clock, in milliseconds.
  package private(set) var offset: Int64 = 0
  /// What it has acknowledged: no purge that this contains takes away what an operation of its own needs that is still to
  /// come.
  package private(set) var promise = Replica.Purge(frontier: VersionVector(), horizon: 0)
  /// What the oldest open form was opened on; nil where none is open. A save must have seen what is
  /// collected, so that nothing newer is acknowledged meanwhile.
  package var formShown: VersionVector?
  /// What the replica began with: pieces of a snapshot.
  private(set) var origin: [[UInt8]] = []

  package init(id: ReplicaID, rank: UInt8) {
    self.id = id
    self.rank = rank
    replica = Replica()
  }

  package var fold: Fold { replica.fold }

  /// Its last operation that the hub has accepted.
  package var accepted: UInt64 { acceptedChain.seq }

  // MARK: Writing

  /// Takes in an edit of the device's own.
  ///
  /// - Parameters:
  ///   - shown: what the writer had been shown when the edit began; everything held where nil.
  ///   - clock: the device's clock, in milliseconds since 1970.
  /// - Throws: 4004 where that was shown before what is being collected, or is not held any more; as
  ///   `Fold.apply`.
  @discardableResult
  package func write(
    _ actions: [Action], shown: VersionVector? = nil, clock: Int64
  ) throws(WireError) -> Operation {
    if let shown, !shown.contains(promise.frontier) || !replica.vector.contains(shown) {
      throw WireError(
        .invalidField,
        "this edit's base version has been garbage-collected; view the record again and edit that")
    }
    let written = replica.mint(
      actions, by: id, rank: rank, shown: shown ?? replica.vector, time: time(clock),
      wall: clock, after: fold.latest)
    try replica.append(written)
    return written.operation
  }

  /// Far enough below the limit of stamps that those above it can be made.
  private func time(_ clock: Int64) -> UInt64 {
    min(UInt64(max(0, clock + offset)), Stamp.msLimit - (1 << 32))
  }

  /// Its operations that the hub has yet to accept, in order.
  package var pending: some RandomAccessCollection<Replica.Written> {
    replica.operations(of: id, after: accepted)
  }

  // MARK: The hub's answers

  package enum Standing: Hashable, Sendable {
    /// The hub's chain of this replica is a beginning of the device's own.
    case inStep
    /// The device was set back, or is away for too long: it goes on as a new incarnation.
    case setBack
  }

  /// Compares the hub's head of this replica with the device's own chain at that operation.
  package func opened(_ head: Head) -> Standing {
    guard let chain = chain(at: head.seq), chain.head == head else { return .setBack }
    acceptedChain = chain
    return .inStep
  }

  /// The end of its own chain at an operation; nil where it has none.
  private func chain(at seq: UInt64) -> Chain? {
    let end = replica.chain(id)
    guard seq < end.seq else { return seq == end.seq ? end : nil }
    var chain = seq < accepted ? originChain : acceptedChain
    guard seq >= chain.seq else { return nil }
    for written in replica.operations(of: id, after: chain.seq) {
      if chain.seq == seq { break }
      chain.append(written.operation, written.bytes)
    }
    return chain
  }

  /// Where its own chain was when the replica began.
  private var originChain: Chain {
    guard !origin.isEmpty, let start = try? ReplicaReader(pieces: origin, position: 0).all() else {
      return Chain()
    }
    return start.chain(id)
  }

  /// Takes in the answer to a push.
  ///
  /// - Returns: `setBack` where what the hub has at this place is not what is here.
  @discardableResult
  package func accepted(_ head: Head) -> Standing {
    head.seq > accepted ? opened(head) : .inStep
  }

  /// Takes in operations of the hub's log, which end at `position`. Those that are here are passed
  /// over.
  package func receive(
    _ items: [OperationText], through position: UInt64
  ) throws(WireError) {
    for item in items {
      let written = try replica.read(item)
      if fold.vector.contains(written.operation.dot) { continue }
      try replica.append(written)
    }
    self.position = max(self.position, position)
  }

  /// Begins with a snapshot of the hub's log up to `position`.
  package func receive(snapshot pieces: [[UInt8]], position: UInt64) throws(WireError) {
    guard !pieces.isEmpty else {
      throw WireError(.invalidField, "a snapshot has at least the ends of its chains")
    }
    replica = try ReplicaReader(pieces: pieces, position: position).all()
    origin = pieces
    self.position = position
    keep(promise)
  }

  // MARK: Acknowledging

  /// Acknowledges what it has read, and promises that whatever it writes from now on has seen that, and leaves alone what
  /// was deleted before the horizon: 30 days ago by its clock.
  ///
  /// - Parameter clock: the device's clock, in milliseconds since 1970.
  /// - Returns: the position and the horizon to be sent; nil while it has operations of its own that the hub has yet to
  ///   accept, or a form is open that was opened on less.
  package func acknowledge(clock: Int64) -> (position: UInt64, horizon: UInt64)? {
    guard pending.isEmpty, formShown?.contains(replica.vector) ?? true else { return nil }
    let now = time(clock)
    keep(
      Replica.Purge(
        frontier: replica.vector,
        horizon: max(promise.horizon, now > Self.retention ? now - Self.retention : 0)))
    return (position, promise.horizon)
  }

  /// How long what was deleted can be restored, in milliseconds.
  private static let retention: UInt64 = 30 * 86_400_000

  private func keep(_ promise: Replica.Purge) {
    self.promise = promise
    replica.fold.promisedHorizon = promise.horizon
  }

  /// Begins where a saved replica had begun.
  func begin(_ pieces: [[UInt8]], at position: UInt64) throws(WireError) {
    replica = try ReplicaReader(pieces: pieces, position: position).all()
    origin = pieces
    acceptedChain = replica.chain(id)
  }

  /// Goes on where a saved replica had stopped.
  func takeUp(
    accepted: UInt64, position: UInt64, offset: Int64, promise: Replica.Purge
  ) throws(WireError) {
    guard let chain = chain(at: accepted) else {
      throw WireError(.invalidField, "a saved replica lacks operations that were accepted")
    }
    guard fold.vector.contains(promise.frontier) else {
      throw WireError(.invalidField, "a saved replica has acknowledged what it does not hold")
    }
    acceptedChain = chain
    self.position = position
    self.offset = offset
    keep(promise)
  }

  /// Collects what all devices have acknowledged, at a position of the log.
  ///
  /// - Precondition: `promise` contains it; else it goes on as a new incarnation.
  package func purge(_ purge: Replica.Purge, position: UInt64) {
    replica.purge(purge)
    self.position = max(self.position, position)
  }

  // MARK: Clocks

  package enum Retiming: Hashable, Sendable {
    /// The pending operations have new stamps; push them again.
    case restamped
    /// The stamps are right, being just above accepted ones; push again after so many milliseconds.
    case wait(UInt64)
  }

  /// The hub takes no operation so far from its clock: the device's offset is corrected and what is
  /// pending is stamped anew, in order, with the times that the right clock would have shown.
  ///
  /// - Parameters:
  ///   - now: the hub's clock.
  ///   - clock: the device's.
  package func retime(now: UInt64, clock: Int64) throws(WireError) -> Retiming {
    let error = clock + offset - Int64(now)
    let pending = self.pending.map(\.operation)
    offset -= error
    var stamps: [UInt64: Stamp] = [:]
    var last = fold.stamp(of: Dot(id, accepted))
    for operation in pending {
      var seen = operation.context.others
      seen[id] = min(operation.context.own, accepted)
      let latest = [fold.latest(within: seen), last].compactMap { $0 }.max()
      let corrected = max(Int64(operation.stamp.ms) - error, Int64(Replica.earliest))
      let time = min(UInt64(corrected), now)
      let stamp = Stamp.mint(time: time, rank: rank, replica: id, after: latest)
      stamps[operation.dot.seq] = stamp
      last = stamp
    }
    if pending.allSatisfy({ stamps[$0.dot.seq] == $0.stamp }) {
      let ahead = pending.map(\.stamp.ms).max() ?? now
      return .wait(ahead > now + Replica.maximumAhead ? ahead - now - Replica.maximumAhead : 1)
    }
    try rebuild { operation in
      guard operation.dot.replica == self.id, let stamp = stamps[operation.dot.seq] else {
        return operation
      }
      var operation = operation
      operation.stamp = stamp
      return operation
    }
    return .restamped
  }

  /// Folds everything anew with some operations changed.
  private func rebuild(_ change: (Operation) -> Operation) throws(WireError) {
    let log = replica.log
    replica = try ReplicaReader(pieces: origin, position: replica.base).all()
    for entry in log {
      switch entry {
      case .operation(let written):
        let operation = change(written.operation)
        let bytes =
          operation == written.operation
          ? written.bytes
          : operation.canonical(after: replica.end(of: operation.dot.replica).context)[...]
        try replica.append(Replica.Written(operation: operation, bytes: bytes))
      case .purge(let purge): replica.purge(purge)
      }
    }
    keep(promise)
  }

  // MARK: A new incarnation

  /// Takes over from the incarnation before, which goes on until then: issues anew what the hub
  /// lacks of it, with new dots and the same stamps and contexts but for the replica. What it had in
  /// common with the hub keeps its dots.
  ///
  /// - Precondition: this one has read the hub's log and written nothing.
  /// - Returns: operations that can no longer take place, because the hub has lost what they had
  ///   seen.
  package func takeOver(from old: DeviceReplica) throws(WireError) -> [Operation] {
    offset = old.offset
    let divergent = divergent(of: old)
    guard let first = divergent.first else { return [] }
    let renaming = Renaming(from: old.id, after: first.dot.seq - 1, to: id)
    var left: [Operation] = []
    for operation in divergent {
      var renamed = renaming.rename(operation)
      close(&renamed.context, over: old.id)
      guard left.isEmpty, fold.vector.contains(renamed.context.others) else {
        left.append(operation)
        continue
      }
      lift(&renamed, above: old.id)
      let bytes = renamed.canonical(after: replica.end(of: id).context)
      try replica.append(Replica.Written(operation: renamed, bytes: bytes))
    }
    return left
  }

  /// What others had seen of the old incarnation is seen with theirs, also where it is not known that both have that.
  private func close(_ context: inout Context, over old: ReplicaID) {
    let others = context.others.entries
    for entry in others {
      guard let seen = fold.context(of: Dot(entry.replica, entry.seq)) else { continue }
      context.others[old] = max(context.others[old], seen.others[old])
    }
  }

  /// What it has in common with the hub may have been stamped anew there, and higher. What others
  /// wrote may not, and its own stamps were above that.
  private func lift(_ operation: inout Operation, above old: ReplicaID) {
    let common = VersionVector([.init(old, operation.context.others[old])])
    let seen = fold.latest(within: common)
    guard let latest = [seen, fold.lastStamp(of: id)].compactMap({ $0 }).max(),
      !(latest < operation.stamp)
    else { return }
    operation.stamp = Stamp.mint(
      time: operation.stamp.ms, rank: rank, replica: id, after: latest)
  }

  /// What the hub does not hold of the incarnation before, also where that had been accepted.
  private func divergent(of old: DeviceReplica) -> [Operation] {
    let common = replica.chain(old.id)
    if old.chain(at: common.seq)?.hash == common.hash {
      return old.replica.operations(of: old.id, after: common.seq).map(\.operation)
    }
    return Array(
      old.replica.operations(of: old.id, after: 0).map(\.operation).drop { operation in
        guard fold.vector.contains(operation.dot) else { return false }
        // What a snapshot stands for cannot be compared: what the device knows to be accepted is
        // there, and of the rest an edit that takes place twice is better than one that is lost.
        return replica.written(operation.dot)?.operation.isSame(as: operation)
          ?? (operation.dot.seq <= old.accepted)
      })
  }
}

extension Operation {
  /// Whether it is the same edit, stamped anew perhaps.
  fileprivate func isSame(as other: Operation) -> Bool {
    dot == other.dot && context == other.context && wall == other.wall && actions == other.actions
  }
}

/// Dots of one incarnation's divergent part, as dots of the next one.
private struct Renaming {
  let from: ReplicaID
  /// The last operation that both sides have.
  let after: UInt64
  let to: ReplicaID

  init(from: ReplicaID, after: UInt64, to: ReplicaID) {
    self.from = from
    self.after = after
    self.to = to
  }

  func rename(_ operation: Operation) -> Operation {
    var renamed = operation
    renamed.dot = Dot(to, operation.dot.seq - after)
    renamed.stamp.replica = to
    renamed.context = Context(own: 0, others: operation.context.others)
    renamed.context.others[from] = min(operation.context.own, after)
    if operation.context.own > after { renamed.context.own = operation.context.own - after }
    renamed.actions = operation.actions.map(rename)
    return renamed
  }

  private func rename(_ action: Action) -> Action {
    var renamed = action
    switch action.body {
    case .move(let field, let anchor): renamed.body = .move(field: field, to: rename(anchor))
    case .insert(let field, let anchor, let text):
      renamed.body = .insert(field: field, at: rename(anchor), text: text)
    case .erase(let field, let runs):
      renamed.body = .erase(
        field: field, runs.map { ElementRun(rename($0.first), count: $0.count) })
    default: break
    }
    return renamed
  }

  private func rename(_ anchor: Anchor) -> Anchor {
    Anchor(anchor.parent.map(rename), anchor.side)
  }

  private func rename(_ element: ElementID) -> ElementID {
    guard element.dot.replica == from, element.dot.seq > after else { return element }
    return ElementID(Dot(to, element.dot.seq - after), element.index)
  }
}
