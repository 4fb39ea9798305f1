/// Evicted pairs that say nothing but that one device has activated once: those that may be let go where
/// there are as many pairs as there may be (PROTOCOL.md clause 4.1).
struct BlankPairs {
  /// Of those that are still evicted and blank.
  private var tickets: [UInt32: UInt64] = [:]
  private var order = Deque<(pair: KnownPair, ticket: UInt64)>()
  private var nextTicket: UInt64 = 0

  var isEmpty: Bool { tickets.isEmpty }

  /// A blank pair has left the memory.
  mutating func add(_ pair: KnownPair) {
    if order.count > 2 * tickets.count + 64 { dropStale() }
    tickets[pair.number] = nextTicket
    order.append((pair, nextTicket))
    nextTicket += 1
  }

  /// It is being read back.
  mutating func remove(_ number: UInt32) { tickets[number] = nil }

  /// Takes the one to which nobody has been connected for the longest.
  mutating func takeOldest() -> KnownPair? {
    while !order.isEmpty {
      let first = order.removeFirst()
      guard tickets[first.pair.number] == first.ticket else { continue }
      tickets[first.pair.number] = nil
      return first.pair
    }
    return nil
  }

  /// Those that came back have left their places in the order.
  private mutating func dropStale() {
    var kept = Deque<(pair: KnownPair, ticket: UInt64)>()
    for index in 0..<order.count where tickets[order[index].pair.number] == order[index].ticket {
      kept.append(order[index])
    }
    order = kept
  }
}

/// What is known of a pair that is not in memory.
struct KnownPair {
  var name: Relay.PairName
  var number: UInt32
  /// The id of the token that it was made with; nil where there was none.
  var maker: String?
}

extension Pair {
  var known: KnownPair {
    KnownPair(name: Relay.PairName(app: app, name: name), number: number, maker: maker)
  }

  /// Whether only one device has ever activated in it, and nothing was ever accepted, set or opened.
  /// What a pair that came back has of merged records is not known; then it is not blank.
  var isBlank: Bool {
    devices.count == 1 && hubs?.isEmpty == true && absentHubs.isEmpty && nextFile == 1
      && knobs == Knobs() && devices[0].isBlank
  }
}

extension Device {
  fileprivate var isBlank: Bool {
    order == 0 && state == DeviceState() && complicationsUsed == 0 && failures.isEmpty
      && contexts.isEmpty && lanes.allSatisfy { $0.next == 1 && $0.acknowledged == 0 }
      && incarnations.count == 1 && incarnations[0].lastNumber == 0
      && incarnations[0].lastCount == 0
  }
}
