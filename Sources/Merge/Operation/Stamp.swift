import Wire

/// When an operation was written, in a total order that every replica shares.
///
/// A hybrid logical clock (Kulkarni et al., "Logical Physical Clocks", OPODIS 2014, section 3)
/// with the writer's rank between its time and its counter: causal order is always respected,
/// otherwise the later millisecond wins, and of concurrent writes of one millisecond the phone's.
package struct Stamp: Hashable, Comparable, Sendable {
  /// Milliseconds since 1970, below 2^48.
  package var ms: UInt64
  /// 2 for the phone, 1 for others; frozen at writing.
  package var rank: UInt8
  package var counter: UInt16
  package var replica: ReplicaID

  package init(ms: UInt64, rank: UInt8, counter: UInt16, replica: ReplicaID) {
    self.ms = ms
    self.rank = rank
    self.counter = counter
    self.replica = replica
  }

  package static let msLimit: UInt64 = 1 << 48

  package static func < (left: Stamp, right: Stamp) -> Bool {
    if left.ms != right.ms { return left.ms < right.ms }
    if left.rank != right.rank { return left.rank < right.rank }
    if left.counter != right.counter { return left.counter < right.counter }
    return left.replica < right.replica
  }

  /// The stamp of a replica's next operation: strictly above `latest`.
  ///
  /// - Parameters:
  ///   - time: the writer's own clock, offset included, in milliseconds since 1970.
  ///   - latest: the highest stamp that it holds, shown or not.
  ///   - counterBits: the counter's width; smaller than 16 in campaigns that look for overflows.
  package static func mint(
    time: UInt64, rank: UInt8, replica: ReplicaID, after latest: Stamp?, counterBits: Int = 16
  ) -> Stamp {
    guard let latest, time <= latest.ms else {
      return Stamp(ms: time, rank: rank, counter: 0, replica: replica)
    }
    if rank > latest.rank {
      return Stamp(ms: latest.ms, rank: rank, counter: 0, replica: replica)
    }
    if rank == latest.rank, Int(latest.counter) + 1 < 1 << counterBits {
      return Stamp(ms: latest.ms, rank: rank, counter: latest.counter + 1, replica: replica)
    }
    return Stamp(ms: latest.ms + 1, rank: rank, counter: 0, replica: replica)
  }
}

extension Stamp {
  /// `<ms>.<rank>.<counter>`, in decimal; the replica is the operation's.
  package var spelled: String { String(utf8: 24) { $0.append(spelled: self) } }

  package init?(_ text: some BidirectionalCollection<UInt8>, replica: ReplicaID) {
    guard let first = text.firstIndex(of: 0x2E), let last = text.lastIndex(of: 0x2E), first < last,
      let ms = UInt64(decimal: text[..<first]), ms < Self.msLimit,
      let rank = UInt64(decimal: text[text.index(after: first)..<last]),
      let rank = UInt8(exactly: rank),
      let counter = UInt64(decimal: text[text.index(after: last)...]),
      let counter = UInt16(exactly: counter)
    else { return nil }
    self.init(ms: ms, rank: rank, counter: counter, replica: replica)
  }
}

extension [UInt8] {
  /// As `Stamp.spelled`.
  mutating func append(spelled stamp: Stamp) {
    append(decimal: stamp.ms)
    append(0x2E)
    append(decimal: stamp.rank)
    append(0x2E)
    append(decimal: stamp.counter)
  }
}
