/// The longest rising part of a sequence: what may stay where it is while the rest is moved.
package enum RisingSubsequence {
  /// The positions of one of the longest strictly rising subsequences, in order (Fredman, "On
  /// computing the length of longest increasing subsequences", Discrete Mathematics 11, 1975).
  package static func positions(_ values: [Int]) -> [Int] {
    // tails[k]: where the smallest end of a subsequence of k + 1 values stands.
    var tails: [Int] = []
    var previous = Array(repeating: -1, count: values.count)
    for (index, value) in values.enumerated() {
      var low = 0
      var high = tails.count
      while low < high {
        let middle = (low + high) / 2
        if values[tails[middle]] < value { low = middle + 1 } else { high = middle }
      }
      if low > 0 { previous[index] = tails[low - 1] }
      if low == tails.count { tails.append(index) } else { tails[low] = index }
    }
    var positions: [Int] = []
    var at = tails.last ?? -1
    while at >= 0 {
      positions.append(at)
      at = previous[at]
    }
    return positions.reversed()
  }

  /// Most values of which the best of several longest subsequences is looked for: that takes the square of their number.
  package static let choiceLimit = 512

  /// The positions of one of the longest strictly rising subsequences, in order: of several, one with the most that is
  /// rather kept, and of these one with the most neighbours that also rise in a second row of values.
  ///
  /// - Parameters:
  ///   - second: as many as `values`. With more than `choiceLimit` values neither it nor `isKept` counts.
  ///   - isKept: whether what stands at a position is rather kept.
  static func positions(
    _ values: [Int], preferring second: [Int], keeping isKept: (Int) -> Bool
  ) -> [Int] {
    guard values.count <= choiceLimit else { return positions(values) }
    typealias Weight = (length: Int, kept: Int, agreeing: Int)
    var best: [(weight: Weight, previous: Int)] = []
    for (index, value) in values.enumerated() {
      let kept = isKept(index) ? 1 : 0
      var entry = (weight: Weight(1, kept, 0), previous: -1)
      for earlier in 0..<index where values[earlier] < value {
        let (before, _) = best[earlier]
        let rises = second[earlier] < second[index] ? 1 : 0
        let weight = Weight(before.length + 1, before.kept + kept, before.agreeing + rises)
        if entry.weight < weight { entry = (weight, earlier) }
      }
      best.append(entry)
    }
    var at = best.indices.max { best[$0].weight < best[$1].weight } ?? -1
    var positions: [Int] = []
    while at >= 0 {
      positions.append(at)
      at = best[at].previous
    }
    return positions.reversed()
  }

  /// What has to be moved to bring one order into another, and behind what each goes, nil for the
  /// front; in the order in which the moves are to be made, each upon the ones before it.
  ///
  /// - Parameters:
  ///   - old: has all of `new`, and nothing twice.
  ///   - rank: where a third order has each: of several ways with as few moves it is one that moves the least of what
  ///     is not free, and then one that fits there best.
  ///   - isFree: whether nobody else has moved it in the third order.
  package static func moves<ID: Hashable>(
    from old: [ID], to new: [ID], fitting rank: ((ID) -> Int)? = nil,
    isFree: (ID) -> Bool = { _ in true }
  ) -> [(id: ID, after: ID?)] {
    var places: [ID: Int] = [:]
    for (index, id) in old.enumerated() { places[id] = index }
    let values = new.map { places[$0] ?? 0 }
    let free = rank == nil ? [] : new.map(isFree)
    let kept = Set(
      rank.map { positions(values, preferring: new.map($0), keeping: { !free[$0] }) }
        ?? positions(values))
    return new.indices.filter { !kept.contains($0) }.map {
      (new[$0], $0 == 0 ? nil : new[$0 - 1])
    }
  }

  /// The moves from the one of several orders that takes the fewest; none where one of them is what
  /// came. What only one side has does not count.
  package static func fewestMoves<ID: Hashable>(
    from orders: [[ID]], to new: [ID]
  ) -> [(id: ID, after: ID?)] {
    orders.map { moves(from: $0, toMembersOf: new, fitting: nil, isFree: { _ in true }).moves }
      .min { $0.count < $1.count } ?? []
  }

  /// The same, for a third order that is to be changed: rather those that make the new order there, too, of what is
  /// free to be moved; and of several ways with as few moves one that does. Where the moves from one of the orders are
  /// all free, what is free may also go from where it is in the third order straight to where it is in the new one.
  ///
  /// - Parameters:
  ///   - rank: where the third order has each.
  ///   - isFree: whether nobody else has moved it there. With more than `choiceLimit` values it does not count.
  /// - Returns: the moves, and from which of the orders they are: their number for the third.
  package static func fewestMoves<ID: Hashable>(
    from orders: [[ID]], to new: [ID], fitting rank: @escaping (ID) -> Int, isFree: (ID) -> Bool
  ) -> (moves: [(id: ID, after: ID?)], from: Int) {
    let isChoice = new.count <= choiceLimit
    var ways = orders.enumerated().map { index, order in
      let way = moves(from: order, toMembersOf: new, fitting: rank, isFree: isFree)
      guard isChoice else {
        return (moves: way.moves, from: index, weight: (0, way.moves.count, 0))
      }
      let fits = moved(way.new.sorted { rank($0) < rank($1) }, by: way.moves) == way.new
      let isFit = fits && way.moves.allSatisfy { isFree($0.id) && $0.after.map(isFree) ?? true }
      return (way.moves, index, (isFit ? 0 : 2, way.moves.count, fits ? 0 : 1))
    }
    if isChoice, ways.contains(where: { $0.moves.allSatisfy { isFree($0.id) } }) {
      let free = new.filter(isFree)
      let moves = moves(from: free.sorted { rank($0) < rank($1) }, to: free)
      ways.append((moves, orders.count, (free.count == new.count ? 0 : 1, moves.count, 0)))
    }
    return ways.min { $0.weight < $1.weight }.map { ($0.moves, $0.from) } ?? ([], 0)
  }

  private static func moves<ID: Hashable>(
    from order: [ID], toMembersOf new: [ID], fitting rank: ((ID) -> Int)?, isFree: (ID) -> Bool
  ) -> (moves: [(id: ID, after: ID?)], new: [ID]) {
    let known = Set(new)
    let old = order.filter(known.contains)
    let both = Set(old)
    let new = new.filter(both.contains)
    return (moves(from: old, to: new, fitting: rank, isFree: isFree), new)
  }

  private static func moved<ID: Hashable>(_ order: [ID], by moves: [(id: ID, after: ID?)]) -> [ID] {
    var order = order
    for move in moves {
      order.removeAll { $0 == move.id }
      order.insert(move.id, at: move.after.flatMap(order.firstIndex(of:)).map { $0 + 1 } ?? 0)
    }
    return order
  }
}
