import Seeded
package import Merge
package import Oracle

/// A merge as the comparison sees it: operations one by one, what they show, what lost.
package protocol FoldUnderTest {
  /// - Parameter operation: new, and everything that it follows was applied before.
  mutating func apply(_ operation: Operation) throws
  func view(_ schema: Schema) -> Datum
  func feed() -> [OracleFeedEntry]
}

/// The project's merge.
package struct MergeFold: FoldUnderTest {
  private let fold = Fold()

  package init() {}

  package func apply(_ operation: Operation) throws { try fold.apply(operation) }

  package func view(_ schema: Schema) -> Datum { fold.view(schema).canonical }

  package func feed() -> [OracleFeedEntry] {
    fold.feed().map {
      OracleFeedEntry(
        target: $0.target, field: $0.field, dot: $0.dot, actionIndex: Int($0.actionIndex),
        stamp: $0.stamp, wall: $0.wall, value: $0.value, lostTo: $0.lostTo)
    }
  }
}

/// The oracle's answers for the parts of one history; a part is causally closed, so that its vector
/// names it.
package final class HistoryJudge {
  private let history: History
  private let schema: Schema
  private var verdicts: [VersionVector: (view: Datum, feed: [OracleFeedEntry])] = [:]

  package init(_ history: History, _ schema: Schema) {
    self.history = history
    self.schema = schema
  }

  private func verdict(_ vector: VersionVector) -> (view: Datum, feed: [OracleFeedEntry]) {
    if let verdict = verdicts[vector] { return verdict }
    let oracle = Oracle(history.operations.filter { vector.contains($0.dot) })
    let verdict = (oracle.view(schema), oracle.feed())
    verdicts[vector] = verdict
    return verdict
  }

  /// Applies the operations in this order and compares after each.
  package func disagreement(
    _ order: [Operation], _ make: () -> any FoldUnderTest, feeds: Bool = true
  ) -> Disagreement? {
    var fold = make()
    var vector = VersionVector()
    func applied(_ step: Int) -> History { History(Array(order.prefix(step + 1))) }
    for (step, operation) in order.enumerated() {
      do {
        try fold.apply(operation)
      } catch {
        return Disagreement(applied(step), refused: "\(error)")
      }
      vector.insert(operation.dot)
      let (view, feed) = verdict(vector)
      let found = fold.view(schema)
      if found != view { return Disagreement(applied(step), expected: view, found: found) }
      guard feeds else { continue }
      let listed = fold.feed()
      if listed != feed { return Disagreement(applied(step), expected: feed, found: listed) }
    }
    return nil
  }
}

/// Looks for a disagreement in some or, where there are few, all orders of a history.
package func disagreement(
  _ history: History, _ schema: Schema, seed: UInt64, feeds: Bool = true,
  _ make: () -> any FoldUnderTest
) -> Disagreement? {
  var random = SplitMix64(seed: seed)
  let judge = HistoryJudge(history, schema)
  var orders = [history.operations]
  if history.operations.count <= 4 {
    orders = history.deliveries()
  } else {
    for delivery in History.Delivery.allCases {
      orders.append(history.delivered(delivery, using: &random))
    }
  }
  for order in orders {
    if let found = judge.disagreement(order, make, feeds: feeds) { return found }
  }
  return nil
}

/// The smallest history that shows a disagreement, where this one does.
package func smallestDisagreement(
  _ history: History, _ schema: Schema, seed: UInt64, feeds: Bool = true,
  _ make: () -> any FoldUnderTest
) -> Disagreement? {
  guard disagreement(history, schema, seed: seed, feeds: feeds, make) != nil else { return nil }
  let smallest = history.shrunk {
    disagreement($0, schema, seed: seed, feeds: feeds, make) != nil
  }
  return disagreement(smallest, schema, seed: seed, feeds: feeds, make)
}
