/// A life of a device's storage: its own line of `n`, and the transfers that it has outstanding.
struct Incarnation {
  let name: String
  /// The last `n` received of it.
  var lastNumber: UInt64 = 0
  /// The last number given to a transfer that came without `n`.
  var lastCount: UInt64 = 0
  var numbered = Outbox()
  var counted = Outbox()
  /// The last batch that carries its row.
  var dirtyBatch: UInt64 = 0

  init(name: String) { self.name = name }

  subscript(isNumbered: Bool) -> Outbox {
    _read { if isNumbered { yield numbered } else { yield counted } }
    _modify { if isNumbered { yield &numbered } else { yield &counted } }
  }
}

/// Where each unfinished transfer of one line of numbers stands, by rising number.
struct Outbox {
  struct Entry {
    var number: UInt64
    var receiver: UInt16
    var lane: LaneName
    /// Its number in the receiver's lane; for a file still being uploaded, 0.
    var seq: UInt64
    var isFinished = false
  }

  private(set) var entries = Deque<Entry>()
  private(set) var count = 0
  /// Entries that have gone from the front.
  private var gone = 0
  /// Finished entries that are still here, by block of entries counted from the very first; blocks
  /// without one are left out.
  private var finished: [Int: Int] = [:]
  private static let block = 256

  /// Adds an entry; numbers rise while the server runs.
  mutating func append(_ entry: Entry) {
    entries.append(entry)
    count += 1
  }

  /// After a restart's `append`s, which come in any order.
  mutating func sortRestored() { entries.sort { $0.number < $1.number } }

  func find(_ number: UInt64) -> Entry? {
    let index = entries.lowerBound(number) { $0.number }
    guard index < entries.count, entries[index].number == number, !entries[index].isFinished
    else { return nil }
    return entries[index]
  }

  mutating func move(_ number: UInt64, to lane: LaneName, receiver: UInt16, seq: UInt64) {
    let index = entries.lowerBound(number) { $0.number }
    guard index < entries.count, entries[index].number == number else { return }
    entries[index].lane = lane
    entries[index].receiver = receiver
    entries[index].seq = seq
  }

  mutating func finish(_ number: UInt64) {
    // Mostly they finish in their order.
    if !entries.isEmpty, entries[0].number == number, !entries[0].isFinished {
      _ = entries.removeFirst()
      gone += 1
      count -= 1
      return dropFinished()
    }
    let index = entries.lowerBound(number) { $0.number }
    guard index < entries.count, entries[index].number == number, !entries[index].isFinished
    else { return }
    entries[index].isFinished = true
    finished[(gone + index) / Self.block, default: 0] += 1
    count -= 1
    dropFinished()
  }

  private mutating func dropFinished() {
    while !entries.isEmpty, entries[0].isFinished {
      _ = entries.removeFirst()
      let block = gone / Self.block
      finished[block]! -= 1
      if finished[block] == 0 { finished[block] = nil }
      gone += 1
    }
  }

  /// Goes through entries that have not finished, in their order.
  ///
  /// - Parameters:
  ///   - skipped: how many of them to pass over first.
  ///   - limit: how many to give at most.
  /// - Returns: how many entries and blocks of entries were looked at.
  @discardableResult
  func forEachUnfinished(after skipped: Int, limit: Int, _ body: (Entry) -> Void) -> Int {
    guard skipped < count, limit > 0 else { return 0 }
    var (index, skipped, given, looks) = (0, skipped, 0, 0)
    if finished.isEmpty { (index, skipped) = (skipped, 0) }
    while skipped > 0 {
      let block = (gone + index) / Self.block
      let end = (block + 1) * Self.block - gone
      let unfinished = end - index - (finished[block] ?? 0)
      if unfinished > skipped { break }
      looks += 1
      (index, skipped) = (end, skipped - unfinished)
    }
    while given < limit, index < entries.count {
      looks += 1
      defer { index += 1 }
      if entries[index].isFinished { continue }
      if skipped > 0 {
        skipped -= 1
      } else {
        given += 1
        body(entries[index])
      }
    }
    return looks
  }
}
