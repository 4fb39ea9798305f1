/// What is to happen at a time, should it still be wanted then. Of a pair it has the number alone,
/// since the pair may be evicted meanwhile.
struct Deadline {
  var time: Int64
  /// Breaks ties: the earlier set comes first.
  var order: UInt64
  var event: Event

  enum Event {
    case reply(UInt64)
    case fullReceiver(Connection, since: Int64)
    case uploadsIdle(pair: UInt32)
    case backgroundTask(pair: UInt32, device: UInt16, session: UInt64, woken: Int64)
    case notActivated(Connection)
    case tokenExpires(Connection)
    case delayOver(Connection)
    case pairIdle
    case pairsUnused
  }
}

/// Deadlines by time: a binary heap. One that is no longer wanted stays until it is due.
struct DeadlineQueue {
  private var heap: [Deadline] = []
  private var orders: UInt64 = 0

  var next: Int64? { heap.first?.time }
  var count: Int { heap.count }

  mutating func add(_ event: Deadline.Event, at time: Int64) {
    orders += 1
    heap.append(Deadline(time: time, order: orders, event: event))
    var child = heap.count - 1
    while child > 0 {
      let parent = (child - 1) / 2
      guard isBefore(child, parent) else { break }
      heap.swapAt(child, parent)
      child = parent
    }
  }

  /// Takes the first deadline at or before `time`.
  mutating func popDue(_ time: Int64) -> Deadline? {
    guard let first = heap.first, first.time <= time else { return nil }
    heap.swapAt(0, heap.count - 1)
    heap.removeLast()
    var parent = 0
    while true {
      var least = parent
      for child in [2 * parent + 1, 2 * parent + 2] where child < heap.count {
        if isBefore(child, least) { least = child }
      }
      guard least != parent else { return first }
      heap.swapAt(parent, least)
      parent = least
    }
  }

  /// Drops those that are no longer wanted.
  mutating func filter(_ isWanted: (Deadline) -> Bool) {
    let kept = heap.filter(isWanted)
    heap = []
    for deadline in kept { add(deadline.event, at: deadline.time) }
  }

  private func isBefore(_ a: Int, _ b: Int) -> Bool {
    (heap[a].time, heap[a].order) < (heap[b].time, heap[b].order)
  }
}

extension Relay {
  /// Now and then takes out the deadlines that are no longer wanted and would wait for long.
  func pruneDeadlines() {
    let wanted = replies.count + uploadDeadlines.count + connectionCount + 256
    guard deadlines.count > 1024, deadlines.count > 4 * wanted else { return }
    deadlines.filter { deadline in
      switch deadline.event {
      case .reply(let number): replies[number] != nil
      case .uploadsIdle(let pair): uploadDeadlines[pair] == deadline.time
      case .notActivated(let connection): !connection.isClosed && !connection.hasActivated
      case .delayOver(let connection): !connection.isClosed
      case .tokenExpires(let connection): !connection.isClosed && connection.token != nil
      default: true
      }
    }
  }
}
