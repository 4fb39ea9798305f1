/// How many deliveries are in flight at most, and what is known of those that had to go.
extension Track {
  /// Deliveries that have made room.
  package struct Room: Equatable {
    /// The number of the first of them, and its date.
    package var seq: UInt64
    package var earliest: Double
    /// The latest date of them.
    package var latest: Double
    /// The position of the log that the oldest of what the device may hold of them shows.
    package var position: UInt64

    package init(seq: UInt64, earliest: Double, latest: Double, position: UInt64) {
      self.seq = seq
      self.earliest = earliest
      self.latest = latest
      self.position = position
    }
  }

  package var hasRoom: Bool { inFlight.count < Self.limit }

  /// Makes room, where a delivery has been acknowledged in a way that proves nothing: of what the device may have
  /// started from the oldest stays.
  package mutating func makeRoom(processed: UInt64) {
    guard !hasRoom, let first = inFlight.first, first.seq <= processed else { return }
    // Above what it holds it has taken nothing that is dated below.
    let isBelow = held.map { $0.updatedAt > first.record?.updatedAt ?? .infinity } ?? false
    guard !isBelow || first.seq <= doubt else {
      inFlight.removeFirst()
      return
    }
    guard let index = inFlight.indices.dropFirst().first(where: { inFlight[$0].record != nil }),
      let record = inFlight[index].record, inFlight[index].seq <= processed
    else { return }
    let delivery = inFlight.remove(at: index)
    madeRoom = Room(
      seq: madeRoom?.seq ?? delivery.seq, earliest: madeRoom?.earliest ?? record.updatedAt,
      latest: record.updatedAt, position: madeRoom?.position ?? delivery.position)
  }

  /// Whether a copy may be one of those that have made room, or made upon one.
  package func mayBeUponRoom(_ copy: WholeRecord) -> Bool {
    madeRoom.map { copy.updatedAt >= $0.earliest } ?? false
  }
}
