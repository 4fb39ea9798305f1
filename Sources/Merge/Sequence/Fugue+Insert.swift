extension Fugue {
  /// Integrates characters: the first hangs at the origin, each next is the right child of the one
  /// before.
  ///
  /// - Parameters:
  ///   - rank: frozen in the operation; elements of different ranks are not in one run.
  ///   - before: the strict order of siblings, asked only among siblings.
  /// - Returns: false when all are there already; nothing happens then.
  @discardableResult
  package mutating func insert(
    _ first: Element, text: String, rank: UInt8, at origin: Origin,
    before: (Sibling, Sibling) -> Bool
  ) throws(FugueError) -> Bool {
    let range = ElementRange(first, count: text.unicodeScalars.count)
    return try insert(range, text: text, rank: rank, at: origin, before: before)
  }

  /// Integrates elements without content, like `insert(_:text:rank:at:before:)`.
  @discardableResult
  package mutating func insert(
    _ first: Element, slots: Int, rank: UInt8, at origin: Origin,
    before: (Sibling, Sibling) -> Bool
  ) throws(FugueError) -> Bool {
    let range = ElementRange(first, count: slots)
    return try insert(range, text: nil, rank: rank, at: origin, before: before)
  }

  private mutating func insert(
    _ range: ElementRange, text: String?, rank: UInt8, at origin: Origin,
    before: (Sibling, Sibling) -> Bool
  ) throws(FugueError) -> Bool {
    guard try isNew(range, hasText: text != nil) else { return false }
    var parent = Place.root
    if let element = origin.parent {
      guard let place = place(of: element) else { throw .unknown(element) }
      parent = place
    } else if origin.side == .left {
      throw .leftOfRoot
    }
    add(range, text: text, rank: rank, under: parent, origin.side, before: before)
    return true
  }

  /// Whether none of the elements is there, rather than all.
  func isNew(_ range: ElementRange, hasText: Bool) throws(FugueError) -> Bool {
    let first = range.first
    guard range.isValid, range.count <= Self.limit - elementCount else {
      throw .count(range.count)
    }
    guard let index = contributor(first.replica), let last = contributions[index].last else {
      return true
    }
    if first.position > last {
      guard contributions[index].hasText == hasText else { throw .mixed(first) }
      return true
    }
    var known = 0
    for offset in 0..<range.count
    where contributions[index].ordinal(of: range[offset].position) != nil { known += 1 }
    if known == range.count { return false }
    throw known == 0 ? .outOfOrder(first) : .overlapping(first)
  }

  private mutating func add(
    _ range: ElementRange, text: String?, rank: UInt8, under parent: Place, _ side: Side,
    before: (Sibling, Sibling) -> Bool
  ) {
    elementCount += range.count
    let index = addContributor(range.first.replica)
    let contributor = Int32(index)
    let start = contributions[index].count
    let end = start + Int32(range.count)
    let previous =
      start > 0 ? run(at: Place(contributor: contributor, ordinal: start - 1)) : .none
    contributions[index].append(range, text: text)

    var last: Handle
    if previous != .none, side == .right,
      parent == Place(contributor: contributor, ordinal: start - 1),
      runs[previous].rightChild == .none, runs[previous].isVisible,
      runs[previous].rank == rank, runs[previous].count < Run.limit
    {
      // Typing: the parent is the last element of a run that can grow.
      let added = min(end - start, Run.limit - runs[previous].count)
      contributions[index].setRun(previous, of: start..<start + added)
      runs[previous].count += added
      tree.add(added, to: previous)
      last = previous
    } else {
      last = addRun(from: start, to: end, of: contributor, under: parent, side, rank: rank)
      if previous != .none { runs[previous].nextByOrdinal = last }
      let parentRun = parent == .root ? .none : run(at: parent)
      switch side {
      case .right: insert(last, rightOf: parentRun, at: parent, before: before)
      case .left: insert(last, leftOf: parentRun, at: parent, before: before)
      }
    }
    while runs[last].end < end {
      let next = addRun(
        from: runs[last].end, to: end, of: contributor, under: runs[last].lastPlace, .right,
        rank: rank)
      runs[next].lastSibling = next
      runs[last].rightChild = next
      runs[last].nextByOrdinal = next
      tree.insert(next, weight: runs[next].count, after: last)
      last = next
    }
  }

  /// A run of as many of the elements as one may hold; it hangs nowhere yet.
  private mutating func addRun(
    from start: Int32, to end: Int32, of contributor: Int32, under parent: Place, _ side: Side,
    rank: UInt8
  ) -> Handle {
    let count = min(end - start, Run.limit)
    let new = runs.add(
      Run(
        contributor: contributor, start: start, count: count, parent: parent, rank: rank,
        side: side, isVisible: true))
    contributions[Int(contributor)].setRun(new, of: start..<start + count)
    return new
  }

  private mutating func insert(
    _ new: Handle, rightOf parent: Handle, at place: Place, before: (Sibling, Sibling) -> Bool
  ) {
    if parent != .none && place.ordinal != runs[parent].end - 1 {
      split(parent, at: place.ordinal + 1)
    }
    let (first, previous) = link(
      new, into: parent == .none ? rootChild : runs[parent].rightChild, before: before)
    if parent == .none { rootChild = first } else { runs[parent].rightChild = first }
    if previous != .none {
      tree.insert(new, weight: runs[new].weight, after: lastDescendant(of: previous))
    } else if parent != .none {
      tree.insert(new, weight: runs[new].weight, after: parent)
    } else if let start = tree.first {
      tree.insert(new, weight: runs[new].weight, before: start)
    } else {
      tree.append(new, weight: runs[new].weight)
    }
  }

  private mutating func insert(
    _ new: Handle, leftOf parent: Handle, at place: Place, before: (Sibling, Sibling) -> Bool
  ) {
    let parent = place.ordinal == runs[parent].start ? parent : split(parent, at: place.ordinal)
    runs[parent].leftChild = link(new, into: runs[parent].leftChild, before: before).first
    let next = runs[new].nextSibling
    let follower = next == .none ? parent : firstDescendant(of: next)
    tree.insert(new, weight: runs[new].weight, before: follower)
  }

  /// Links a run into a list of siblings: at once where it is the last, after a search from the
  /// first else.
  /// - Returns: the first sibling then, and the one before the new one.
  private mutating func link(
    _ new: Handle, into first: Handle, before: (Sibling, Sibling) -> Bool
  ) -> (first: Handle, previous: Handle) {
    guard first != .none else {
      runs[new].lastSibling = new
      return (new, .none)
    }
    let me = sibling(new)
    let last = runs[first].lastSibling
    guard before(me, sibling(last)) else {
      runs[last].nextSibling = new
      runs[first].lastSibling = new
      return (first, last)
    }
    var (previous, next) = (Handle.none, first)
    // Those of one contributor and rank stand together and come in their order.
    let place = Siblings(runs[new])
    let newest = self.newest.isEmpty ? nil : self.newest[place]
    if let newest, !before(me, sibling(newest)) {
      (previous, next) = (newest, runs[newest].nextSibling)
    }
    var steps = 0
    while !before(me, sibling(next)) {
      (previous, next) = (next, runs[next].nextSibling)
      steps += 1
    }
    siblingSteps += steps
    if newest != nil || steps > Siblings.few { self.newest[place] = new }
    runs[new].nextSibling = next
    guard previous == .none else {
      runs[previous].nextSibling = new
      return (first, previous)
    }
    runs[new].lastSibling = last
    return (new, .none)
  }

  private func sibling(_ run: Handle) -> Sibling {
    key(of: runs[run]) ?? Sibling(element(at: runs[run].firstPlace), rank: runs[run].rank)
  }

  /// The first run of a subtree in order.
  private func firstDescendant(of run: Handle) -> Handle {
    var run = run
    while runs[run].leftChild != .none { run = runs[run].leftChild }
    return run
  }

  /// The last run of a subtree in order.
  func lastDescendant(of run: Handle) -> Handle {
    var run = run
    while runs[run].rightChild != .none {
      run = runs[runs[run].rightChild].lastSibling
    }
    return run
  }

  /// Splits a run in two; the second starts with the ordinal and is returned.
  @discardableResult
  mutating func split(_ run: Handle, at ordinal: Int32) -> Handle {
    let old = runs[run]
    let rest = old.end - ordinal
    var second = old
    second.start = ordinal
    second.count = rest
    second.parent = Place(contributor: old.contributor, ordinal: ordinal - 1)
    second.side = .right
    second.leftChild = .none
    second.nextSibling = .none
    let new = runs.add(second)
    runs[new].lastSibling = new
    runs[run].count -= rest
    runs[run].rightChild = new
    runs[run].nextByOrdinal = new
    contributions[Int(old.contributor)].setRun(new, of: ordinal..<old.end)
    tree.add(old.isVisible ? -rest : 0, to: run)
    tree.insert(new, weight: runs[new].weight, after: run)
    return new
  }
}

/// A place where runs hang beside one another, and whose of them are meant.
struct Siblings: Hashable {
  private var parent: Place
  private var side: Side
  private var contributor: Int32
  private var rank: UInt8

  /// As many are gone through without more ado.
  static let few = 32

  init(_ run: Run) {
    parent = run.parent
    side = run.side
    contributor = run.contributor
    rank = run.rank
  }
}
