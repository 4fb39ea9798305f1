/// Evicted pairs, by how long nobody has been connected to them.
struct PairsByAge<Value> {
  private struct Entry {
    let number: UInt32
    let value: Value
    let ticket: UInt64
  }

  /// Of those that are still there.
  private var tickets: [UInt32: UInt64] = [:]
  private var order = Deque<Entry>()
  private var nextTicket: UInt64 = 0

  var isEmpty: Bool { tickets.isEmpty }

  /// A pair has left the memory.
  mutating func add(_ number: UInt32, _ value: Value) {
    if order.count > 2 * tickets.count + 64 { dropStale() }
    tickets[number] = nextTicket
    order.append(Entry(number: number, value: value, ticket: nextTicket))
    nextTicket += 1
  }

  /// It is being read back.
  mutating func remove(_ number: UInt32) { tickets[number] = nil }

  /// Takes the one that was added before all others, where it is one that is meant.
  mutating func takeOldest(
    where isMeant: (Value) -> Bool = { _ in true }
  ) -> (number: UInt32, value: Value)? {
    while let first = order.first {
      if tickets[first.number] == first.ticket {
        guard isMeant(first.value) else { return nil }
        tickets[first.number] = nil
        _ = order.removeFirst()
        return (first.number, first.value)
      }
      _ = order.removeFirst()
    }
    return nil
  }

  /// Those that came back have left their places in the order.
  private mutating func dropStale() {
    var kept = Deque<Entry>()
    for index in 0..<order.count where tickets[order[index].number] == order[index].ticket {
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
  /// `Pair.used` as of its row.
  var used: Int64
  /// `Pair.held` as of its row.
  var held: Int
}

extension Pair {
  var known: KnownPair {
    KnownPair(
      name: Relay.PairName(app: app, name: name), number: number, maker: maker,
      used: used, held: held.all)
  }

  /// Whether only one device has ever activated in it, and nothing was ever accepted, set or opened.
  /// What a pair that came back has of merged records is not known; then it is not blank.
  var isBlank: Bool {
    devices.count == 1 && records.isEmpty && nextFile == 1
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
