/// What is live in each segment, and the bodies that are still at hand.
struct SegmentTable {
  /// Live payloads of a segment.
  struct Tally {
    /// Records or payloads that need it.
    var live = 0
    /// Bytes of its body that are live, and all of them.
    var liveBytes = 0
    var bytes = 0

    /// Whether less than a quarter of it is live.
    var isSparse: Bool { liveBytes * 4 < bytes }
  }

  private var tallies: [UInt64: Tally] = [:]
  /// The tally that changed last, which is not among `tallies`: one segment is filled or emptied for
  /// a while before it is another's turn.
  private var current: (segment: UInt64, tally: Tally)?
  private(set) var liveBytes = 0
  private(set) var bytes = 0
  /// Segments that fell under a quarter, by number; looked at when the store is mostly dead.
  var sparse: [UInt64] = []
  /// The one being read back for copying.
  var compacting: UInt64?

  /// Bodies of recent segments by number, so that what is handed out at once is not read back.
  private var bodies: [UInt64: [UInt8]] = [:]
  /// The one that was added last, again: mostly it is handed out at once.
  private var latest: (segment: UInt64, body: [UInt8])?
  private var kept = Deque<UInt64>()
  private var keptBytes = 0
  /// Bodies kept at most, in bytes; uncommitted ones are always kept.
  static let maximumKept = 32 << 20

  /// What is live in a segment; nil where nothing is known of it.
  func tally(_ segment: UInt64) -> Tally? {
    if let current, current.segment == segment { return current.tally }
    return tallies[segment]
  }

  /// Makes a segment's tally the current one. Returns false where there is none.
  private mutating func select(_ segment: UInt64) -> Bool {
    if current?.segment == segment { return true }
    guard let tally = tallies.removeValue(forKey: segment) else { return false }
    keepCurrent()
    current = (segment, tally)
    return true
  }

  private mutating func keepCurrent() {
    if let current { tallies[current.segment] = current.tally }
  }

  private mutating func selectOrAdd(_ segment: UInt64) {
    if select(segment) { return }
    keepCurrent()
    current = (segment, Tally())
  }

  mutating func add(_ segment: UInt64, bytes count: Int) {
    selectOrAdd(segment)
    current!.tally.live += 1
    current!.tally.liveBytes += count
    liveBytes += count
  }

  mutating func size(_ segment: UInt64, _ count: Int) {
    selectOrAdd(segment)
    current!.tally.bytes += count
    bytes += count
  }

  /// Takes a payload out. Returns true where nothing in the segment is live any more.
  mutating func remove(_ segment: UInt64, bytes count: Int) -> Bool {
    guard select(segment) else { return false }
    let wasSparse = current!.tally.isSparse
    current!.tally.live -= 1
    current!.tally.liveBytes -= count
    liveBytes -= count
    if current!.tally.live == 0 { return true }
    if !wasSparse, current!.tally.isSparse { sparse.append(segment) }
    return false
  }

  /// Finds those under a quarter among segments that were there at the start.
  mutating func findSparse(_ numbers: [UInt64]) {
    sparse = numbers.filter { number in
      tally(number)?.isSparse == true
    }
  }

  mutating func forget(_ segment: UInt64) {
    if select(segment) {
      bytes -= current!.tally.bytes
      current = nil
    }
    dropBody(segment)
  }

  private mutating func dropBody(_ segment: UInt64) {
    if let body = bodies.removeValue(forKey: segment) { keptBytes -= body.count }
    if latest?.segment == segment { latest = nil }
  }

  mutating func keep(_ segment: UInt64, _ body: [UInt8], committed: UInt64) {
    bodies[segment] = body
    latest = (segment, body)
    kept.append(segment)
    keptBytes += body.count
    while keptBytes > Self.maximumKept, let oldest = kept.first, oldest <= committed {
      _ = kept.removeFirst()
      dropBody(oldest)
    }
    while let oldest = kept.first, bodies[oldest] == nil { _ = kept.removeFirst() }
  }

  func body(_ segment: UInt64) -> [UInt8]? {
    if let latest, latest.segment == segment { return latest.body }
    return bodies[segment]
  }

  func hasBody(_ segment: UInt64) -> Bool { bodies[segment] != nil }
}
