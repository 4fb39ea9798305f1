/// The figures of a server with several relays.
extension RelayFigures {
  /// Adds those of a relay whose connections are this one's guests.
  package mutating func addGuests(of other: RelayFigures) {
    sessions += other.sessions
    pairsInMemory += other.pairsInMemory
    pairsStored += other.pairsStored
    uncommittedBytes += other.uncommittedBytes
    bufferedBytes += other.bufferedBytes
    liveBytes += other.liveBytes
    storedBytes += other.storedBytes
    waiting = Self.sum(waiting, other.waiting)
    oldest = zip(oldest, other.oldest).map { ($0.lane, max($0.microseconds, $1.microseconds)) }
    storeTrouble = storeTrouble ?? other.storeTrouble
    addCounts(of: other)
  }

  /// Adds what a relay has counted that there is no more.
  package mutating func addCounts(of other: RelayFigures) {
    accepted = Self.sum(accepted, other.accepted)
    delivered = Self.sum(delivered, other.delivered)
    failed = Self.sum(failed, other.failed)
    refused = Self.sum(refused, other.refused)
    limits.merge(other.limits, uniquingKeysWith: +)
    redelivered += other.redelivered
    messages += other.messages
    finished += other.finished
    slowed += other.slowed
    activationsEver += other.activationsEver
  }

  /// In each list the lanes are the same.
  private static func sum(
    _ a: [(lane: String, count: Int)], _ b: [(lane: String, count: Int)]
  ) -> [(lane: String, count: Int)] {
    a.isEmpty ? b : b.isEmpty ? a : zip(a, b).map { ($0.lane, $0.count + $1.count) }
  }

  private static func sum(
    _ a: [(code: Int, count: Int)], _ b: [(code: Int, count: Int)]
  ) -> [(code: Int, count: Int)] {
    let counts = Dictionary((a + b).map { ($0.code, $0.count) }, uniquingKeysWith: +)
    return counts.map { (code: $0.key, count: $0.value) }.sorted { $0.code < $1.code }
  }
}
