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
    guard range.count > 0, range.count <= Self.limit - elementCount,
      first.index + (range.step == .index ? range.count : 1) <= Element.indexLimit
    else { throw .count(range.count) }
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
    let start = contributions[index].count
    let count = Int32(range.count)

    // Typing: the parent is the last element of a run that can grow.
    var parentRun = Handle.none
    if parent != .root {
      parentRun = run(at: parent)
      if side == .right, parent.contributor == index, parent.ordinal == start - 1,
        runs[parentRun].rightChild == .none, runs[parentRun].isVisible,
        runs[parentRun].rank == rank
      {
        _ = contributions[index].append(range, text: text, run: parentRun)
        runs[parentRun].count += count
        tree.add(count, to: parentRun)
        return
      }
    }

    let new = runs.add(
      Run(
        contributor: Int32(index), start: start, count: count, parent: parent, rank: rank,
        side: side, isVisible: true))
    if start > 0 {
      runs[run(at: Place(contributor: Int32(index), ordinal: start - 1))].nextByOrdinal = new
    }
    _ = contributions[index].append(range, text: text, run: new)
    switch side {
    case .right: insert(new, rightOf: parentRun, at: parent, before: before)
    case .left: insert(new, leftOf: parentRun, at: parent, before: before)
    }
  }

  private mutating func insert(
    _ new: Handle, rightOf parent: Handle, at place: Place, before: (Sibling, Sibling) -> Bool
  ) {
    if parent != .none && place.ordinal != runs[parent].end - 1 {
      split(parent, at: place.ordinal + 1)
    }
    let first = parent == .none ? rootChild : runs[parent].rightChild
    let (previous, next) = neighbours(of: new, from: first, before: before)
    runs[new].nextSibling = next
    if previous != .none {
      runs[previous].nextSibling = new
      tree.insert(new, weight: runs[new].weight, after: lastDescendant(of: previous))
      return
    }
    if parent != .none {
      runs[parent].rightChild = new
      tree.insert(new, weight: runs[new].weight, after: parent)
    } else {
      rootChild = new
      if let first = tree.first {
        tree.insert(new, weight: runs[new].weight, before: first)
      } else {
        tree.append(new, weight: runs[new].weight)
      }
    }
  }

  private mutating func insert(
    _ new: Handle, leftOf parent: Handle, at place: Place, before: (Sibling, Sibling) -> Bool
  ) {
    let parent = place.ordinal == runs[parent].start ? parent : split(parent, at: place.ordinal)
    let (previous, next) = neighbours(of: new, from: runs[parent].leftChild, before: before)
    runs[new].nextSibling = next
    if previous != .none {
      runs[previous].nextSibling = new
    } else {
      runs[parent].leftChild = new
    }
    let follower = next == .none ? parent : firstDescendant(of: next)
    tree.insert(new, weight: runs[new].weight, before: follower)
  }

  /// The siblings between which a new one belongs.
  private func neighbours(
    of new: Handle, from first: Handle, before: (Sibling, Sibling) -> Bool
  ) -> (previous: Handle, next: Handle) {
    var (previous, next) = (Handle.none, first)
    guard first != .none else { return (previous, next) }
    let me = sibling(new)
    while next != .none, !before(me, sibling(next)) {
      (previous, next) = (next, runs[next].nextSibling)
    }
    return (previous, next)
  }

  private func sibling(_ run: Handle) -> Sibling {
    Sibling(element(at: runs[run].firstPlace), rank: runs[run].rank)
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
      run = runs[run].rightChild
      while runs[run].nextSibling != .none { run = runs[run].nextSibling }
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
    runs[run].count -= rest
    runs[run].rightChild = new
    runs[run].nextByOrdinal = new
    contributions[Int(old.contributor)].setRun(new, of: ordinal..<old.end)
    tree.add(old.isVisible ? -rest : 0, to: run)
    tree.insert(new, weight: runs[new].weight, after: run)
    return new
  }
}
