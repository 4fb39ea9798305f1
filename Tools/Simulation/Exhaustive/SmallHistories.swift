package import Merge
package import Oracle

/// Every history of a few operations, and every order in which a device can get them: after each
/// operation of each order, what a merge shows and lists is compared with the oracle.
///
/// Histories are walked as a tree, each with those that go on from it. What is new at one are the
/// sequences that have its last operation in them: all others belong to a history above, whose
/// verdicts are kept along the path. Of histories that are the same set of operations but for names
/// one is walked:
///
/// - watches that have written nothing are alike;
/// - operations that know nothing of each other and share a millisecond were written in either
///   order, and the one by device is taken;
/// - what a device held without showing it changes at most an operation's stamp. Where it does not,
///   the least that it may have held stands for the rest;
/// - of the last operation's stamp nothing matters but which stamps are below it.
package struct SmallHistories: Sendable {
  package let enumeration: HistoryEnumeration
  package let schema: Schema
  /// Operations in all, besides the common first one.
  package let operations: Int
  /// Of how many parts which one, from 0: the histories of two operations are dealt out in turn,
  /// each with all that go on from it.
  package var part = 0
  package var parts = 1

  package init(_ enumeration: HistoryEnumeration, _ schema: Schema, operations: Int) {
    self.enumeration = enumeration
    self.schema = schema
    self.operations = operations
  }

  /// What was walked.
  package struct Count: Equatable, Sendable {
    /// By number of operations, from none.
    package var histories: [Int]
    /// Sequences of operations after which a merge was compared.
    package var states = 0
  }

  /// A set of operations of a history, as bits by their places in it.
  typealias Bits = UInt16

  struct Node {
    var operations: [Operation]
    /// Of each operation those that come before it wherever it is taken in.
    var before: [Bits]
    var writers: [Int]
    /// What each device holds.
    var held: [Bits]
    /// What each device was shown when its last edit began; nil before its first.
    var began: [Bits?]
    var time: UInt64
    /// The oracle's answers, by set.
    var known: [Known?]
  }

  /// A set of operations as the oracle sees it.
  final class Known {
    let oracle: Oracle
    private(set) lazy var view = oracle.view(schema)
    private(set) lazy var feed = oracle.feed()
    private let schema: Schema

    init(_ operations: [Operation], _ schema: Schema) {
      oracle = Oracle(operations)
      self.schema = schema
    }
  }

  private var cut: Int { min(2, operations) }

  /// Compares a merge with the oracle on all of them.
  ///
  /// - Parameters:
  ///   - make: the merge, empty.
  ///   - progress: is given how many of how many histories of two operations are done.
  /// - Throws: the first disagreement.
  package func run<Subject: FoldUnderTest>(
    _ make: @escaping () -> Subject, progress: (Int, Int) -> Void = { _, _ in }
  ) throws(Disagreement) -> Count {
    var walk = Walk(
      make, operations: operations, cut: cut, part: part, parts: parts,
      total: parts > 1 || operations > cut ? dealt() : 0)
    try visit(root(), 0, &walk, progress)
    return walk.count
  }

  /// How many histories there are at which the tree is cut into parts.
  private func dealt() -> Int {
    func count(_ node: Node, _ rest: Int) -> Int {
      guard rest > 0 else { return 1 }
      var total = 0
      var node = node
      for next in successors(&node, isLast: rest + operations - cut == 1) {
        total += count(next, rest - 1)
      }
      return total
    }
    return count(root(), cut)
  }

  private struct Walk<Subject: FoldUnderTest> {
    let make: () -> Subject
    let cut: Int
    let part: Int
    let parts: Int
    let total: Int
    var number = 0
    var count: Count

    init(
      _ make: @escaping () -> Subject, operations: Int, cut: Int, part: Int, parts: Int, total: Int
    ) {
      self.make = make
      self.cut = cut
      self.part = part
      self.parts = parts
      self.total = total
      count = Count(histories: Array(repeating: 0, count: operations + 1))
    }
  }

  private func visit<Subject: FoldUnderTest>(
    _ node: Node, _ depth: Int, _ walk: inout Walk<Subject>, _ progress: (Int, Int) -> Void
  ) throws(Disagreement) {
    var node = node
    if depth == cut {
      walk.number += 1
      guard (walk.number - 1) % walk.parts == walk.part else { return }
    }
    if depth >= cut || walk.part == 0 {
      walk.count.histories[depth] += 1
      try compare(&node, walk.make, &walk.count)
    }
    if depth < operations {
      for next in successors(&node, isLast: depth + 1 == operations) {
        try visit(next, depth + 1, &walk, progress)
      }
    }
    if depth == cut { progress(walk.number, walk.total) }
  }

  // MARK: Histories

  private func root() -> Node {
    let phone = HistoryEnumeration.replicas[0]
    let first = Operation(
      dot: Dot(phone, 1),
      stamp: Stamp(ms: 1_790_000_000_000, rank: 2, counter: 0, replica: phone),
      context: Context(own: 0), wall: 1_790_000_000_000, actions: enumeration.setup)
    return Node(
      operations: [first], before: [0], writers: [0], held: [1, 1, 1], began: [nil, nil, nil],
      time: first.stamp.ms + 1, known: [Known([], schema), nil])
  }

  /// One way in which a device may write: with what it holds, what it has been shown, and when.
  private struct Occasion {
    var device: Int
    var held: Bits
    var shown: Bits
    var time: UInt64
    var stamp: Stamp
    /// How many stamps are below it.
    var below: Int

    /// Whether it can stand for another one of which it is known that the device and what it has
    /// been shown are the same.
    func covers(_ other: Occasion, isLast: Bool) -> Bool {
      isLast
        ? below == other.below
        : stamp == other.stamp && time == other.time && held & other.held == held
    }
  }

  private func successors(_ node: inout Node, isLast: Bool) -> [Node] {
    let occasions = occasions(node, isLast: isLast)
    var nodes: [Node] = []
    nodes.reserveCapacity(occasions.count * enumeration.alphabet.count)
    var edits: [Bits: [[Action]]] = [:]
    let value = Name("\(node.operations.count)")
    for occasion in occasions {
      if edits[occasion.shown] == nil {
        let seen = known(&node, occasion.shown).oracle
        edits[occasion.shown] = enumeration.alphabet.map { $0(seen, value) }
      }
      for actions in edits[occasion.shown]! { nodes.append(written(node, occasion, actions)) }
    }
    return nodes
  }

  private func occasions(_ node: Node, isLast: Bool) -> [Occasion] {
    var occasions: [Occasion] = []
    let last = node.operations.count - 1
    for device in HistoryEnumeration.replicas.indices {
      if device == 2, node.began[1] == nil { continue }
      for held in states(node, node.held[device]) {
        let earlier = node.began[device].flatMap { $0 == held ? nil : $0 }
        for wait in last == 0 ? [0] : [0, 1] as [UInt64] {
          if wait == 0, held & 1 << Bits(last) == 0, device < node.writers[last] { continue }
          let time = node.time + wait
          let latest = node.operations.indices.filter { held & 1 << Bits($0) != 0 }
            .map { node.operations[$0].stamp }.max()
          let stamp = Stamp.mint(
            time: time, rank: device == 0 ? 2 : 1, replica: HistoryEnumeration.replicas[device],
            after: latest)
          let below = node.operations.count { $0.stamp < stamp }
          for shown in [held] + (earlier.map { [$0] } ?? []) {
            let occasion = Occasion(
              device: device, held: held, shown: shown, time: time, stamp: stamp, below: below)
            let isCovered = occasions.contains {
              $0.device == device && $0.shown == shown && $0.covers(occasion, isLast: isLast)
            }
            if !isCovered { occasions.append(occasion) }
          }
        }
      }
    }
    return occasions
  }

  /// Every closed set that a device can come to hold, smaller ones first.
  private func states(_ node: Node, _ held: Bits) -> [Bits] {
    let all = Bits(1) << Bits(node.operations.count) - 1
    return (held...all).filter { set in
      set & held == held
        && node.operations.indices.allSatisfy {
          set & 1 << Bits($0) == 0 || node.before[$0] & ~set == 0
        }
    }.sorted { $0.nonzeroBitCount < $1.nonzeroBitCount }
  }

  private func written(_ node: Node, _ occasion: Occasion, _ actions: [Action]) -> Node {
    let replica = HistoryEnumeration.replicas[occasion.device]
    var shown = VersionVector()
    var seq: UInt64 = 1
    var before = occasion.shown
    for (index, operation) in node.operations.enumerated() {
      if occasion.shown & 1 << Bits(index) != 0 { shown.insert(operation.dot) }
      if node.writers[index] == occasion.device {
        seq += 1
        before |= 1 << Bits(index) | node.before[index]
      }
    }
    let bit = Bits(1) << Bits(node.operations.count)
    var next = node
    next.operations.append(
      Operation(
        dot: Dot(replica, seq), stamp: occasion.stamp, context: Context(shown, of: replica),
        wall: Int64(occasion.time), actions: actions))
    next.before.append(before)
    next.writers.append(occasion.device)
    next.held[occasion.device] = occasion.held | bit
    next.began[occasion.device] = occasion.shown
    next.time = occasion.time
    next.known += Array(repeating: nil, count: node.known.count)
    return next
  }

  private func known(_ node: inout Node, _ set: Bits) -> Known {
    if let known = node.known[Int(set)] { return known }
    let operations = node.operations.indices.filter { set & 1 << Bits($0) != 0 }
      .map { node.operations[$0] }
    let known = Known(operations, schema)
    node.known[Int(set)] = known
    return known
  }

  // MARK: Orders

  private func compare<Subject: FoldUnderTest>(
    _ node: inout Node, _ make: () -> Subject, _ count: inout Count
  ) throws(Disagreement) {
    try go(on: [], 0, make(), &node, make, &count)
  }

  /// Takes in each operation that can come next, and what can come after it.
  private func go<Subject: FoldUnderTest>(
    on path: [Int], _ taken: Bits, _ subject: Subject, _ node: inout Node,
    _ make: () -> Subject, _ count: inout Count
  ) throws(Disagreement) {
    let last = Bits(1) << Bits(node.operations.count - 1)
    var subject: Subject? = subject
    for index in node.operations.indices
    where taken & 1 << Bits(index) == 0 && node.before[index] & ~taken == 0 {
      var next = subject ?? make()
      var path = path
      let set = taken | 1 << Bits(index)
      do {
        if subject == nil { for step in path { try next.apply(node.operations[step]) } }
        subject = nil
        path.append(index)
        try next.apply(node.operations[index])
      } catch {
        throw Disagreement(history(node, path), refused: "\(error)")
      }
      if set & last != 0 {
        count.states += 1
        let known = known(&node, set)
        let view = next.view(schema)
        if view != known.view {
          throw Disagreement(history(node, path), expected: known.view, found: view)
        }
        let feed = next.feed()
        if feed != known.feed {
          throw Disagreement(history(node, path), expected: known.feed, found: feed)
        }
      }
      try go(on: path, set, next, &node, make, &count)
    }
  }

  private func history(_ node: Node, _ path: [Int]) -> History {
    History(path.map { node.operations[$0] })
  }
}
