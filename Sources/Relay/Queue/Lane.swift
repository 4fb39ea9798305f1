import Journal

/// One numbered line of deliveries to one receiver.
///
/// ```
///            acknowledged                highestHandedOut          next
///                 │                             │                   │
///   … gone …      ▼   [ handed out, unacknowledged ][ waiting      ]▼
///                     ▲ items[0]                    ▲ items[cursor]
/// ```
struct Lane {
  /// The number that the next item gets.
  var next: UInt64 = 1
  /// Everything at or below it is done.
  var acknowledged: UInt64 = 0
  /// Dead numbers above the watermark.
  var holes = Holes()
  /// Everything at or below it may have been handed out: durable before it happens.
  var offered: UInt64 = 0
  /// The largest number ever handed out; after a restart, `offered`.
  var highestHandedOut: UInt64 = 0

  var items = Deque<Item>()
  /// The senders' correlation ids as JSON text, by the number of the item; only where one was given.
  private var identifiers: [UInt64: String] = [:]
  /// How many items at the front have been handed out on the present connection.
  var cursor = 0
  /// Live items and their payload bytes.
  var count = 0
  var bytes = 0
  /// The batch after whose commit everything up to `offered` may be handed out.
  var offerBatch: UInt64 = 0
  /// The batch that takes a waiting item out, and the lowest number that it and earlier uncommitted
  /// ones take out.
  private var removal: (batch: UInt64, seq: UInt64) = (0, 0)

  var isHeld = false
  /// How many more items may pass a hold.
  var allowance = 0

  /// The live item with this number.
  func index(of seq: UInt64) -> Int? {
    let index = items.lowerBound(seq) { $0.seq }
    guard index < items.count, items[index].seq == seq, !items[index].flags.contains(.removed)
    else { return nil }
    return index
  }

  /// The number of the last of so many items from the front; nil where there are fewer.
  func seq(after count: Int) -> UInt64? { count < items.count ? items[count - 1].seq : nil }

  /// - Parameter re: the sender's correlation id as JSON text, or empty.
  mutating func append(_ item: Item, re: String = "") {
    items.append(item)
    if !re.isEmpty { identifiers[item.seq] = re }
    count += 1
    bytes += Int(item.reference.length)
  }

  /// The sender's correlation id of an item, or empty.
  func identifier(_ seq: UInt64) -> String { identifiers.isEmpty ? "" : identifiers[seq] ?? "" }

  /// The same, of an item that goes.
  mutating func takeIdentifier(_ seq: UInt64) -> String {
    identifiers.isEmpty ? "" : identifiers.removeValue(forKey: seq) ?? ""
  }

  /// Whether anything is left to hand out, dead or not.
  @inline(__always)
  var hasRest: Bool { cursor < items.count }

  /// After a restart's `append`s: items that were copied forward came late, and twice where their
  /// old segment has not gone yet. Of two the later record holds.
  mutating func sortRestored() {
    let isRising = (1..<max(1, items.count)).allSatisfy { items[$0 - 1].seq < items[$0].seq }
    guard !isRising else { return }
    items.sort { ($0.seq, $0.home) < ($1.seq, $1.home) }
    var kept = Deque<Item>()
    for index in 0..<items.count {
      let item = items[index]
      if index + 1 < items.count, items[index + 1].seq == item.seq {
        count -= 1
        bytes -= Int(item.reference.length)
      } else {
        kept.append(item)
      }
    }
    items = kept
  }

  /// Notes that batch `batch` takes an item out that nobody was handed.
  mutating func noteRemoval(_ seq: UInt64, in batch: UInt64, committed: UInt64) {
    removal = (batch, removal.batch <= committed ? seq : min(seq, removal.seq))
  }

  /// Whether an item before this one may yet come back: its removal is not committed. Whoever was
  /// handed a later number could not be given it any more.
  func isBehindRemoval(_ item: Item, committed: UInt64) -> Bool {
    removal.batch > committed && item.seq > removal.seq
  }

  /// Takes the item at `index` out for good: it becomes a hole, or the watermark passes it.
  mutating func remove(at index: Int) -> Item {
    let item = items[index]
    items[index].flags.insert(.removed)
    _ = takeIdentifier(item.seq)
    count -= 1
    bytes -= Int(item.reference.length)
    holes.insert(item.seq)
    trim()
    return item
  }

  /// Takes the first live item at or below `seq` for good. Called until it returns nil; then the
  /// watermark has moved.
  mutating func acknowledgeNext(through seq: UInt64) -> Item? {
    while let first = items.first, first.seq <= seq {
      _ = items.removeFirst()
      if cursor > 0 { cursor -= 1 }
      guard !first.flags.contains(.removed) else { continue }
      count -= 1
      bytes -= Int(first.reference.length)
      acknowledged = first.seq
      return first
    }
    if seq > acknowledged { acknowledged = seq }
    holes.removeThrough(acknowledged)
    trim()
    return nil
  }

  /// The next item to hand out, past the dead ones.
  mutating func nextToHandOut() -> Item? {
    while cursor < items.count, items[cursor].flags.contains(.removed) { cursor += 1 }
    return cursor < items.count ? items[cursor] : nil
  }

  /// Whether something committed waits that was never handed out, and no hold keeps it.
  func hasNews(_ committed: UInt64) -> Bool {
    guard !isHeld || allowance > 0 else { return false }
    var index = items.lowerBound(highestHandedOut + 1) { $0.seq }
    while index < items.count, items[index].flags.contains(.removed) { index += 1 }
    return index < items.count && items[index].batch <= committed
  }

  /// Drops dead items from the front. The watermark follows where everything below was handed
  /// out or died, so that a hole at the front costs nothing.
  private mutating func trim() {
    while let first = items.first, first.flags.contains(.removed) {
      _ = items.removeFirst()
      if cursor > 0 { cursor -= 1 }
    }
    let reach = items.first.map { $0.seq - 1 } ?? (next - 1)
    while let hole = holes.ranges.first, hole.lowerBound == acknowledged + 1,
      hole.upperBound <= reach
    {
      acknowledged = hole.upperBound
      holes.removeThrough(acknowledged)
    }
  }
}
