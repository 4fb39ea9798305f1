import Merge

/// The order of timers that a person made, and what it tells of how it was made from the one before.
struct Arrangement {
  /// The last one that they made; nil where they made none.
  private(set) var order: [Target]?
  /// Behind which timers its person may have put one last: where others move such a one, the one goes with it.
  private(set) var behind: [Target: Set<Target>] = [:]
  /// Of which two timers their person put one before the other as they had been shown before: that may be taken
  /// for an echo (clause 13.4).
  private var echoed: Set<Set<Target>> = []
  /// Of which two timers their person put one before the other, while what it had been sent of one was not
  /// acknowledged: with an unknown base that is no move (clause 13.4).
  private var unsettled: Set<Set<Target>> = []
  /// Pairs that are settled as soon as the server has taken what was acknowledged.
  private var hoped: Set<Set<Target>> = []
  /// Of which two timers the first was ever shown before the second.
  private var before: Set<[Target]> = []

  mutating func show(_ order: [Target]) {
    for (index, second) in order.enumerated() {
      for first in order[..<index] { before.insert([first, second]) }
    }
  }

  /// The server has taken all that was acknowledged.
  mutating func settle() { hoped = [] }

  /// A session begins.
  ///
  /// - Parameter isSettled: whether the server has taken all that was acknowledged in the last one.
  mutating func begin(isSettled: Bool) {
    if !isSettled { unsettled.formUnion(hoped) }
    hoped = []
  }

  /// What they had stored is gone.
  mutating func reset() {
    order = nil
    echoed = []
    unsettled = []
    behind = [:]
  }

  /// They have put timers into another order.
  ///
  /// - Parameters:
  ///   - isWaiting: whether the server has yet to take what was acknowledged.
  ///   - isSettled: whether what was sent of a timer was acknowledged.
  mutating func arrange(
    from order: [Target], to new: [Target], isWaiting: Bool, _ isSettled: (Target) -> Bool
  ) {
    func before(_ target: Target, _ list: [Target]) -> Target? {
      list.firstIndex(of: target).flatMap { $0 == 0 ? nil : list[$0 - 1] }
    }
    let unmoved = Self.unmoved(from: order, to: new)
    for (index, second) in new.enumerated() {
      let neighbour = before(second, new)
      if !order.contains(second) || neighbour != before(second, order) {
        let others = unmoved.contains(second) ? behind[second] ?? [] : []
        behind[second] = others.union([neighbour].compactMap(\.self))
      }
      guard let place = order.firstIndex(of: second) else { continue }
      for first in new[..<index] {
        guard order[place...].contains(first) else {
          // What a delivery has brought or turned round since is not its person's doing.
          let was = self.order?.firstIndex(of: second) ?? 0
          if self.order?[..<was].contains(first) != true { echoed.insert([first, second]) }
          continue
        }
        if self.before.contains([first, second]) {
          echoed.insert([first, second])
        } else {
          echoed.remove([first, second])
        }
        if isSettled(first), isSettled(second) {
          unsettled.remove([first, second])
          if isWaiting { hoped.insert([first, second]) }
        } else {
          unsettled.insert([first, second])
        }
      }
    }
    self.order = new
  }

  /// Whether two timers may stand otherwise than their person put them: what that says of one of them, or of one that
  /// it stands behind, may be taken for an echo or for nothing.
  ///
  /// - Parameter isAlone: whether nobody else placed a timer.
  func mayDiffer(_ first: Target, _ second: Target, isAlone: Bool) -> Bool {
    line(from: first).contains { one in
      line(from: second).contains { other in
        echoed.contains([one, other]) || !isAlone && unsettled.contains([one, other])
      }
    }
  }

  /// A timer, those behind which its person may have put it, those behind which they put these, and so on.
  func line(from target: Target) -> Set<Target> {
    var (line, next): (Set<Target>, Set<Target>) = ([], [target])
    while !next.isEmpty {
      line.formUnion(next)
      next = Set(next.flatMap { behind[$0] ?? [] }).subtracting(line)
    }
    return line
  }

  /// What may have stayed where it was, as with the fewest moves others went: of two that change places nobody can say
  /// which did. It is what lies on some longest rising subsequence.
  static func unmoved(from order: [Target], to new: [Target]) -> Set<Target> {
    let places = new.map { order.firstIndex(of: $0) }
    let ending = rises(places)
    let beginning = Array(rises(places.reversed().map { $0.map { -$0 } }).reversed())
    let longest = ending.max() ?? 0
    return Set(
      new.indices.filter { places[$0] != nil && ending[$0] + beginning[$0] - 1 == longest }
        .map { new[$0] })
  }

  /// The length of the longest rise that ends with each; 0 where there is no place.
  private static func rises(_ places: [Int?]) -> [Int] {
    var rises: [Int] = []
    for (index, place) in places.enumerated() {
      let earlier = (0..<index).filter { earlier in
        guard let place, let before = places[earlier] else { return false }
        return before < place
      }
      rises.append(place == nil ? 0 : 1 + (earlier.map { rises[$0] }.max() ?? 0))
    }
    return rises
  }
}
