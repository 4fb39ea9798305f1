/// What is to happen at a time, should it still be wanted then.
struct Deadline {
  var time: Int64
  /// Breaks ties: the earlier set comes first.
  var order: UInt64
  var event: Event

  enum Event {
    case reply(UInt64)
    case fullReceiver(Connection, since: Int64)
    case uploadIdle(Pair, FileTransfer)
    case backgroundTask(Device, session: UInt64, woken: Int64)
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
  mutating func filter(_ isWanted: (Deadline.Event) -> Bool) {
    let kept = heap.filter { isWanted($0.event) }
    heap = []
    for deadline in kept { add(deadline.event, at: deadline.time) }
  }

  private func isBefore(_ a: Int, _ b: Int) -> Bool {
    (heap[a].time, heap[a].order) < (heap[b].time, heap[b].order)
  }
}
