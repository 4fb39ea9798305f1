/// What goes from one device of a pair to the other, numbered from 1.
final class Lane {
  /// From 0; of an open loop, its place in the round.
  let index: Int
  unowned(unsafe) var sender: Link
  unowned(unsafe) var receiver: Link
  /// How many may be sent now.
  var credits = 0
  /// How many have been sent.
  private(set) var sent = 0
  var deliveries = DeliveryCheck()
  /// Of transfers: their ends, as the sender hears of them.
  var ends = DeliveryCheck()
  var times = SendTimes()

  init(index: Int, sender: Link, receiver: Link) {
    self.index = index
    self.sender = sender
    self.receiver = receiver
  }

  /// The number of the next one to be sent, which then is.
  @inline(__always)
  func next() -> Int {
    credits &-= 1
    sent &+= 1
    return sent
  }
}

/// When those under way were sent, in microseconds since the run began, by their numbers.
///
/// A ring that grows: what has ended is dropped from its start.
struct SendTimes {
  private var times: [Int] = []
  private var first = 1
  private var next = 1

  /// The next number was sent at this time.
  @inline(__always)
  mutating func append(_ time: Int) {
    if next &- first == times.count { grow() }
    times[next & (times.count &- 1)] = time
    next &+= 1
  }

  /// When a number was sent; nil where it was not, or is dropped.
  @inline(__always)
  subscript(number: Int) -> Int? {
    number >= first && number < next ? times[number & (times.count &- 1)] : nil
  }

  /// Drops the numbers up to this one.
  @inline(__always)
  mutating func drop(through number: Int) {
    if number >= first { first = min(number &+ 1, next) }
  }

  private mutating func grow() {
    var grown = [Int](repeating: 0, count: max(16, times.count * 2))
    for number in first..<next {
      grown[number & (grown.count &- 1)] = times[number & (times.count &- 1)]
    }
    times = grown
  }
}
