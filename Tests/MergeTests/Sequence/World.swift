import Seeded
import Merge
import TextTraces

/// An operation and what its author had seen.
struct Operation {
  var replica: UInt32
  var seq: UInt64
  var rank: UInt8
  /// The last number of each replica that comes before.
  var context: [UInt64]
  var changes: [Change]
}

/// A replica that holds both trees, which must agree.
struct Device {
  var fugue = Fugue()
  var naive = NaiveFugue()
  var vector: [UInt64]

  static func before(_ a: Sibling, _ b: Sibling) -> Bool {
    Sibling.precedes(a, b, replicas: >)
  }

  func isReady(for operation: Operation) -> Bool {
    vector[Int(operation.replica)] + 1 == operation.seq
      && zip(operation.context, vector).allSatisfy { $0 <= $1 }
  }

  mutating func apply(_ operation: Operation) throws {
    for change in operation.changes {
      switch change {
      case .insert(let first, let text, let origin):
        try fugue.insert(first, text: text, rank: operation.rank, at: origin, before: Self.before)
        naive.insert(first, text, rank: operation.rank, at: origin, before: Self.before)
      case .delete(let ranges, let replica, let seq):
        for range in ranges {
          try fugue.delete(range, by: replica, seq: seq)
          naive.delete(range, by: replica, seq: seq)
        }
      }
    }
    vector[Int(operation.replica)] = operation.seq
  }
}

func within(_ vector: [UInt64]) -> (Element) -> Bool {
  { $0.seq <= vector[Int($0.replica)] }
}

extension Fugue {
  /// All elements in order, one by one.
  var flattened: [Element] {
    snapshot().flatMap { run in (0..<run.elements.count).map { run.elements[$0] } }
  }

  var visibleElements: [Element] {
    elements(in: 0..<count).flatMap { range in (0..<range.count).map { range[$0] } }
  }
}

/// Replicas that edit, some of it against what they showed earlier, and hand their operations to
/// each other in any causal order.
struct World {
  var devices: [Device]
  var operations: [Operation] = []
  var chance: SplitMix64

  static let letters = ["a", "b", "é", "字", "🙂", "\u{301}", "xy", "hello", "привет мир", "🙂é字"]

  init(devices count: Int, seed: Int) {
    chance = SplitMix64(seed: UInt64(seed))
    devices = Array(
      repeating: Device(vector: Array(repeating: 0, count: count)), count: count)
  }

  /// One device makes one operation with up to two changes.
  /// - Parameter contexts: older versions of the device that it may refer to.
  mutating func edit(_ at: Int, contexts: [[UInt64]] = []) throws {
    let device = devices[at]
    let context =
      contexts.isEmpty || chance.below(3) > 0
      ? device.vector : contexts[chance.below(contexts.count)]
    let seq = device.vector[at] + 1
    let isCurrent = context == device.vector
    let view = device.fugue.view { context[Int($0)] }
    let count = isCurrent ? device.fugue.count : view.count
    var changes: [Change] = []
    if count > 0, chance.below(5) < 2 {
      let start = chance.below(count)
      let end = min(count, start + 1 + chance.below(chance.below(4) == 0 ? 10 : 2))
      let ranges =
        isCurrent ? device.fugue.elements(in: start..<end) : view.elements(in: start..<end)
      changes.append(.delete(ranges, replica: UInt32(at), seq: seq))
    }
    if changes.isEmpty || chance.below(3) == 0 {
      // Near the end more often than not, so that runs grow.
      let offset = chance.below(2) == 0 ? count : chance.below(count + 1)
      let origin =
        isCurrent
        ? device.fugue.origin(at: offset) : try device.fugue.origin(at: offset, in: view)
      guard origin == device.naive.origin(at: offset, within(context)) else {
        throw Failure.origin
      }
      changes.append(
        .insert(
          Element(replica: UInt32(at), seq: seq), Self.letters[chance.below(Self.letters.count)],
          origin))
    }
    let operation = Operation(
      replica: UInt32(at), seq: seq, rank: chance.below(4) == 0 ? 2 : 1, context: context,
      changes: changes)
    operations.append(operation)
    try devices[at].apply(operation)
  }

  /// Hands a device any operation that it can take; false when there is none.
  mutating func deliver(to at: Int) throws -> Bool {
    let ready = operations.filter { devices[at].isReady(for: $0) }
    guard !ready.isEmpty else { return false }
    try devices[at].apply(ready[chance.below(ready.count)])
    return true
  }

  enum Failure: Error { case origin }
}
