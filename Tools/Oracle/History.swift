package import Merge
package import Seeded

/// Operations that devices could have written, in an order in which they could have written them.
package struct History: Sendable {
  package var operations: [Operation]

  package init(_ operations: [Operation]) { self.operations = operations }

  /// Whether an operation can be taken in by who holds `held`: everything that it had seen, and its
  /// replica's operation before it, are there.
  package static func isReady(_ operation: Operation, _ held: VersionVector) -> Bool {
    held[operation.dot.replica] == operation.dot.seq - 1 && held.contains(operation.context.others)
      && operation.context.own < operation.dot.seq
  }

  /// How the next operation of an order is chosen.
  package enum Delivery: CaseIterable, Sendable {
    /// Any that is ready.
    case any
    /// The one written last, so that one device's work comes as far ahead as it can.
    case newestFirst
    /// Of one replica as many as can be, then of the next: offline batches.
    case batches
  }

  /// The operations in another order in which a device could have got them.
  package func delivered(
    _ delivery: Delivery, using random: inout SplitMix64
  ) -> [Operation] {
    var waiting = operations
    var held = VersionVector()
    var order: [Operation] = []
    while !waiting.isEmpty {
      let ready = waiting.indices.filter { Self.isReady(waiting[$0], held) }
      precondition(
        !ready.isEmpty, "an operation was written by one who had not seen what it follows")
      let previous = order.last?.dot.replica
      let index =
        switch delivery {
        case .any: random.pick(ready)
        case .newestFirst: ready[ready.count - 1]
        case .batches:
          ready.first { waiting[$0].dot.replica == previous } ?? random.pick(ready)
        }
      let next = waiting.remove(at: index)
      held.insert(next.dot)
      order.append(next)
    }
    return order
  }

  /// Every order in which a device could have got the operations.
  package func deliveries() -> [[Operation]] {
    func orders(_ waiting: [Operation], _ held: VersionVector) -> [[Operation]] {
      guard !waiting.isEmpty else { return [[]] }
      return waiting.indices.filter { Self.isReady(waiting[$0], held) }.flatMap { index in
        var (rest, held) = (waiting, held)
        let next = rest.remove(at: index)
        held.insert(next.dot)
        return orders(rest, held).map { [next] + $0 }
      }
    }
    return orders(operations, VersionVector())
  }
}

/// How a random history is made.
package struct HistoryOptions: Sendable {
  package var devices = 3
  package var operations = 24
  /// The width of the stamps' counter.
  package var counterBits = 16
  /// How often, of a hundred times, the clock stands still between two steps.
  package var sameMillisecond = 60
  /// How often a step is a delivery and no edit.
  package var deliveries = 45
  /// How often an edit began in an earlier state than its device is in.
  package var stale = 20
  /// How often an edit is about a record that its device does not see.
  package var blind = 5
  /// How often an edit is about what the schema does not know.
  package var unknown = 5
  /// How often a device starts a new incarnation before it writes.
  package var reinstalls = 2
  /// Whether operations travel over a hub, or from any device to any other.
  package var hasHub = true
  /// How many records of a kind there may be at most.
  package var records = 3

  package init() {}

  /// Options that are themselves drawn, so that each seed has its own emphasis.
  package static func random(using random: inout SplitMix64) -> HistoryOptions {
    var options = HistoryOptions()
    options.devices = random.within(2...4)
    options.operations = random.within(6...30)
    options.counterBits = random.pick([2, 16])
    options.sameMillisecond = random.pick([0, 50, 90])
    options.deliveries = random.pick([20, 45, 70])
    options.stale = random.pick([0, 20, 50])
    options.blind = random.pick([0, 0, 10])
    options.unknown = random.pick([0, 5, 20])
    options.reinstalls = random.pick([0, 0, 5])
    options.hasHub = random.oneIn(2)
    options.records = random.within(1...4)
    return options
  }
}
