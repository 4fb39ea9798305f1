package import Wire

/// Operations that a device pushed, found to be right as a whole.
package struct Admission: Sendable {
  /// Those that were not here, in order.
  package var operations: [Replica.Written] = []
  /// How many were here already.
  package var repeated = 0
}

/// Why a push was not taken in. Nothing of it was.
package enum PushRefusal: Error {
  case error(WireError)
  /// The device's clock is wrong: it corrects its stamps, or waits, and pushes again.
  case retime(ahead: Stamp)
}

extension Replica {
  /// The most that a stamp may be ahead of the hub's clock, in milliseconds.
  package static let maximumAhead: UInt64 = 60_000
  /// 2020-01-01: no device of ours wrote anything before it. A hub whose own clock stands lower, as
  /// one set by hand may, takes what there is.
  package static let earliest: UInt64 = 1_577_836_800_000

  /// Looks at a push as a whole before any of it is taken in.
  ///
  /// - Parameters:
  ///   - replica: the one that the session has opened.
  ///   - rank: that of the session's role.
  ///   - now: the hub's clock, in milliseconds since 1970.
  package func admit(
    _ items: [OperationText], from replica: ReplicaID, rank: UInt8, now: UInt64, schema: Schema
  ) throws(PushRefusal) -> Admission {
    var admission = Admission()
    var chain = end(of: replica)
    let known = chain.seq
    var batch = Batch(fold, replica)
    batch.operations.reserveCapacity(items.count)
    var ahead: Stamp?
    do throws(WireError) {
      for item in items {
        let written = try item.read(names: names) { $0 == replica ? chain.context : nil }
        let operation = written.operation
        try check(operation, from: replica, rank: rank)
        let seq = operation.dot.seq
        if seq <= known {
          try checkRepeat(item, operation)
          admission.repeated += 1
          continue
        }
        guard seq == chain.seq + 1 else {
          throw WireError(
            .sequenceGap,
            "operation \(seq) cannot follow \(chain.seq); push from \(known + 1) on without a gap"
          )
        }
        try batch.check(written, schema)
        if operation.stamp.ms > now + Self.maximumAhead
          || operation.stamp.ms < Self.earliest && now >= Self.earliest
        {
          ahead = ahead ?? operation.stamp
        }
        chain = (seq, operation.context)
      }
    } catch {
      throw .error(error)
    }
    if let ahead { throw .retime(ahead: ahead) }
    admission.operations = batch.operations
    if admission.repeated > 0 {
      // What was here already would be kept with the rest.
      admission.operations = admission.operations.map {
        Written(operation: $0.operation, bytes: Array($0.bytes))
      }
    }
    return admission
  }

  private func check(
    _ operation: Operation, from replica: ReplicaID, rank: UInt8
  ) throws(WireError) {
    guard operation.dot.replica == replica else {
      throw WireError(
        .invalidField,
        "operation \(operation.dot.seq) is of replica \(operation.dot.replica); this session has opened \(replica)"
      )
    }
    guard operation.stamp.rank == rank else {
      throw WireError(
        .invalidField,
        "the stamp of operation \(operation.dot.seq) has rank \(operation.stamp.rank); this session's role has \(rank)"
      )
    }
  }

  /// The same operation comes again after an answer was lost; another one of the same name is a
  /// fork, which only a device that was set back makes.
  private func checkRepeat(_ item: OperationText, _ operation: Operation) throws(WireError) {
    guard let known = written(operation.dot) else { return }
    guard known.bytes == item.bytes else {
      throw WireError(
        .replicaRetired,
        "operation \(operation.dot.seq) of \(operation.dot.replica) is here with other content; take a new incarnation and issue yours anew"
      )
    }
  }

  /// The operations of a push that have been looked at so far, on top of what is here.
  private struct Batch {
    let fold: Fold
    let replica: ReplicaID
    /// Those of them that were not here, one after the other.
    var operations: [Written] = []
    /// What they insert: by place among them, up to the last that inserts anything.
    var comings: [Fold.Coming?] = []
    var created: Set<Target> = []

    init(_ fold: Fold, _ replica: ReplicaID) {
      self.fold = fold
      self.replica = replica
    }

    private var first: UInt64? { operations.first?.dot.seq }

    mutating func check(_ written: Written, _ schema: Schema) throws(WireError) {
      let operation = written.operation
      let seq = operation.dot.seq
      // What the one before had seen, and that one, was looked at with it.
      let before = context(of: Dot(operation.dot.replica, seq - 1))
      if operation.context.own != seq - 1 || operation.context.others != before?.others {
        try checkContext(operation)
      }
      let last = operations.last?.stamp ?? fold.lastStamp(of: operation.dot.replica)
      if let last, !(last < operation.stamp) {
        throw WireError(
          .invalidField,
          "the stamp of operation \(seq) must be above that of the one before it, \(last.spelled)")
      }
      try schema.check(operation)
      if let coming = Fold.Coming.of(operation) {
        comings += repeatElement(nil, count: operations.count - comings.count)
        try fold.checkElements(coming, after: comings, from: first ?? seq)
        comings.append(coming)
      }
      for index in operation.actions.indices {
        try checkRecord(operation.actions[index], index, seq, schema)
      }
      operations.append(written)
    }

    private func checkContext(_ operation: Operation) throws(WireError) {
      let seq = operation.dot.seq
      guard fold.vector.contains(operation.context.others) else {
        throw WireError(
          .invalidField, "the context of operation \(seq) names operations that are not here")
      }
      let context = operation.context.vector(of: operation.dot.replica)
      guard Fold.isClosed(context, context(of:)) else {
        throw WireError(
          .invalidField,
          "the context of operation \(seq) lacks operations that those in it had seen; it must be a set that this replica once held"
        )
      }
      if let seen = fold.latest(below: operation), !(seen < operation.stamp) {
        throw WireError(
          .invalidField,
          "the stamp of operation \(seq) must be above those of all that it has seen, of which \(seen.spelled) is the highest"
        )
      }
    }

    private func context(of dot: Dot) -> Context? {
      guard let first, dot.replica == replica, dot.seq >= first else {
        return fold.context(of: dot)
      }
      return operations[Int(dot.seq - first)].context
    }

    /// A known kind's record is created before it is changed.
    private mutating func checkRecord(
      _ action: Action, _ index: Int, _ seq: UInt64, _ schema: Schema
    ) throws(WireError) {
      if case .unknown = action.body { return }
      if case .create = action.body { created.insert(action.target) }
      func check(_ target: Target?) throws(WireError) {
        guard let target, !fold.isCreated(target), schema[target.kind] != nil,
          !created.contains(target), fold.tombstones[target] == nil
        else { return }
        throw WireError(
          .invalidField,
          "action \(index + 1) of operation \(seq) names \(target.kind) \(target.record), which was never created"
        )
      }
      try check(action.target)
      try check(action.home)
      try check(action.into)
      try check(action.via)
    }
  }
}
