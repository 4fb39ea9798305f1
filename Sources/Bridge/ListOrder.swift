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
  /// rather kept.
  ///
  /// - Parameter isKept: whether what stands at a position is rather kept. With more than `choiceLimit` values it does not
  ///   count.
  static func positions(_ values: [Int], keeping isKept: (Int) -> Bool) -> [Int] {
    guard values.count <= choiceLimit else { return positions(values) }
    typealias Weight = (length: Int, kept: Int)
    var best: [(weight: Weight, previous: Int)] = []
    for (index, value) in values.enumerated() {
      let kept = isKept(index) ? 1 : 0
      var entry = (weight: Weight(1, kept), previous: -1)
      for earlier in 0..<index where values[earlier] < value {
        let before = best[earlier].weight
        let weight = Weight(before.length + 1, before.kept + kept)
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
  ///   - isKept: of several ways with as few moves it is one that leaves the most of this where it is; nil for any.
  package static func moves<ID: Hashable>(
    from old: [ID], to new: [ID], keeping isKept: ((ID) -> Bool)? = nil
  ) -> [(id: ID, after: ID?)] {
    var places: [ID: Int] = [:]
    for (index, id) in old.enumerated() { places[id] = index }
    let values = new.map { places[$0] ?? 0 }
    let kept = Set(
      isKept.map { isKept in positions(values, keeping: { isKept(new[$0]) }) } ?? positions(values))
    return new.indices.filter { !kept.contains($0) }.map {
      (new[$0], $0 == 0 ? nil : new[$0 - 1])
    }
  }

  /// The moves from the one of several orders that takes the fewest; none where one of them is what
  /// came. What only one side has does not count.
  package static func fewestMoves<ID: Hashable>(
    from orders: [[ID]], to new: [ID]
  ) -> [(id: ID, after: ID?)] {
    orders.map { order in
      let both = Set(order).intersection(new)
      return moves(from: order.filter(both.contains), to: new.filter(both.contains))
    }.min { $0.count < $1.count } ?? []
  }
}
