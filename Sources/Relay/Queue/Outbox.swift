/// A life of a device's storage: its own line of `n`, and the transfers that it has outstanding.
struct Incarnation {
  let name: String
  /// The last `n` received of it.
  var lastNumber: UInt64 = 0
  /// The last number given to a transfer that came without `n`.
  var lastCount: UInt64 = 0
  var numbered = Outbox()
  var counted = Outbox()

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
      count -= 1
      return dropFinished()
    }
    let index = entries.lowerBound(number) { $0.number }
    guard index < entries.count, entries[index].number == number, !entries[index].isFinished
    else { return }
    entries[index].isFinished = true
    count -= 1
    dropFinished()
  }

  private mutating func dropFinished() {
    while !entries.isEmpty, entries[0].isFinished { _ = entries.removeFirst() }
  }
}
