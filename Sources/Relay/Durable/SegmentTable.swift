/// What is live in each segment, and the bodies that are still at hand.
struct SegmentTable {
  /// Live payloads of a segment.
  struct Tally {
    /// Records or payloads that need it.
    var live = 0
    /// Bytes of its body that are live, and all of them.
    var liveBytes = 0
    var bytes = 0
  }

  private(set) var tallies: [UInt64: Tally] = [:]
  private(set) var liveBytes = 0
  private(set) var bytes = 0
  /// Segments that fell under a quarter, by number; looked at when the store is mostly dead.
  var sparse: [UInt64] = []
  /// The one being read back for copying.
  var compacting: UInt64?

  /// Bodies of recent segments by number, so that what is handed out at once is not read back.
  private var bodies: [UInt64: [UInt8]] = [:]
  private var kept = Deque<UInt64>()
  private var keptBytes = 0
  /// Bodies kept at most, in bytes; uncommitted ones are always kept.
  static let maximumKept = 32 << 20

  mutating func add(_ segment: UInt64, bytes count: Int) {
    tallies[segment, default: Tally()].live += 1
    tallies[segment]!.liveBytes += count
    liveBytes += count
  }

  mutating func size(_ segment: UInt64, _ count: Int) {
    tallies[segment, default: Tally()].bytes += count
    bytes += count
  }

  /// Takes a payload out. Returns true where nothing in the segment is live any more.
  mutating func remove(_ segment: UInt64, bytes count: Int) -> Bool {
    guard var tally = tallies[segment] else { return false }
    let wasSparse = tally.liveBytes * 4 < tally.bytes
    tally.live -= 1
    tally.liveBytes -= count
    liveBytes -= count
    tallies[segment] = tally
    if tally.live == 0 { return true }
    if !wasSparse, tally.liveBytes * 4 < tally.bytes { sparse.append(segment) }
    return false
  }

  /// Finds those under a quarter among segments that were there at the start.
  mutating func findSparse(_ numbers: [UInt64]) {
    sparse = numbers.filter { number in
      tallies[number].map { $0.liveBytes * 4 < $0.bytes } ?? false
    }
  }

  mutating func forget(_ segment: UInt64) {
    if let tally = tallies.removeValue(forKey: segment) { bytes -= tally.bytes }
    if let body = bodies.removeValue(forKey: segment) { keptBytes -= body.count }
  }

  mutating func keep(_ segment: UInt64, _ body: [UInt8], committed: UInt64) {
    bodies[segment] = body
    kept.append(segment)
    keptBytes += body.count
    while keptBytes > Self.maximumKept, let oldest = kept.first, oldest <= committed {
      _ = kept.removeFirst()
      if let body = bodies.removeValue(forKey: oldest) { keptBytes -= body.count }
    }
    while let oldest = kept.first, bodies[oldest] == nil { _ = kept.removeFirst() }
  }

  func body(_ segment: UInt64) -> [UInt8]? { bodies[segment] }
}
