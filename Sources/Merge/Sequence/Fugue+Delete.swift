extension Fugue {
  /// Marks elements dead for the operation `seq` of a replica; what is dead stays dead.
  ///
  /// - Returns: whether any was visible.
  /// - Throws: `unknown` for the first element that is not there; nothing is deleted then.
  @discardableResult
  package mutating func delete(
    _ elements: ElementRange, by replica: UInt32, seq: UInt64
  ) throws(FugueError) -> Bool {
    guard elements.isValid else { throw .count(elements.count) }
    guard let index = contributor(elements.first.replica) else { throw .unknown(elements.first) }
    let ranges = contributions[index].ordinals(of: elements)
    guard ranges.reduce(0, { $0 + $1.count }) == elements.count else {
      throw .unknown(firstUnknown(of: elements))
    }
    let before = count
    for range in ranges { delete(range, of: index, by: replica, seq: seq) }
    return count < before
  }

  /// Marks those elements of some ranges dead that are here. What the ranges name more than once is
  /// dead once.
  package mutating func delete(
    present ranges: [ElementRange], by replica: UInt32, seq: UInt64
  ) {
    var found: [(contributor: Int, ordinals: Range<Int32>)] = []
    for range in ranges where range.isValid {
      guard let index = contributor(range.first.replica) else { continue }
      for ordinals in contributions[index].ordinals(of: range) { found.append((index, ordinals)) }
    }
    for (index, ordinals) in Self.once(found) {
      delete(ordinals, of: index, by: replica, seq: seq)
    }
  }

  /// Ranges as they are where no two overlap; else sorted, with those that overlap as one.
  private static func once(
    _ ranges: [(contributor: Int, ordinals: Range<Int32>)]
  ) -> [(contributor: Int, ordinals: Range<Int32>)] {
    let sorted = ranges.sorted {
      ($0.contributor, $0.ordinals.lowerBound) < ($1.contributor, $1.ordinals.lowerBound)
    }
    var joined: [(contributor: Int, ordinals: Range<Int32>)] = []
    for range in sorted {
      if let last = joined.last, last.contributor == range.contributor,
        range.ordinals.lowerBound < last.ordinals.upperBound
      {
        let end = max(last.ordinals.upperBound, range.ordinals.upperBound)
        joined[joined.count - 1].ordinals = last.ordinals.lowerBound..<end
      } else {
        joined.append(range)
      }
    }
    return joined.count == ranges.count ? ranges : joined
  }

  private mutating func delete(
    _ ordinals: Range<Int32>, of index: Int, by replica: UInt32, seq: UInt64
  ) {
    deletions.append(
      DeletionLog.Entry(
        kind: .whole, replica: replica, seq: seq, contributor: Int32(index),
        start: ordinals.lowerBound, count: Int32(ordinals.count)))
    kill(ordinals, of: Int32(index))
  }

  private func firstUnknown(of elements: ElementRange) -> Element {
    for offset in 0..<elements.count where !contains(elements[offset]) { return elements[offset] }
    return elements.first
  }

  private mutating func kill(_ ordinals: Range<Int32>, of contributor: Int32) {
    var start = ordinals.lowerBound
    while start < ordinals.upperBound {
      let run = run(at: Place(contributor: contributor, ordinal: start))
      let end = min(ordinals.upperBound, runs[run].end)
      if runs[run].isVisible { kill(start..<end, in: run) }
      start = end
    }
  }

  /// Kills a part of a visible run. A dead neighbour takes the part over if it can.
  private mutating func kill(_ part: Range<Int32>, in run: Handle) {
    var run = run
    if part.lowerBound > runs[run].start {
      if part.upperBound == runs[run].end, let next = successor(of: run),
        canGrow(next, by: part.count)
      {
        return moveBoundary(between: run, and: next, by: -Int32(part.count))
      }
      run = split(run, at: part.lowerBound)
    } else if part.upperBound < runs[run].end, let previous = predecessor(of: run),
      canGrow(previous, by: part.count)
    {
      return moveBoundary(between: previous, and: run, by: Int32(part.count))
    }
    if part.upperBound < runs[run].end { split(run, at: part.upperBound) }

    tree.add(-runs[run].count, to: run)
    runs[run].isVisible = false
    if let next = successor(of: run), canGrow(next, by: part.count) { absorb(next, into: run) }
    if let previous = predecessor(of: run), canGrow(previous, by: Int(runs[run].count)) {
      absorb(run, into: previous)
    }
  }

  /// Whether a dead run may take over more elements.
  private func canGrow(_ run: Handle, by count: Int) -> Bool {
    !runs[run].isVisible && Int(runs[run].count) + count <= Run.limit
  }

  // MARK: Runs that could be one

  /// The run that continues a run, so that they could be one if both were alive or dead.
  private func successor(of run: Handle) -> Handle? {
    let next = runs[run].rightChild
    guard next != .none, runs[next].contributor == runs[run].contributor,
      runs[next].start == runs[run].end, runs[next].leftChild == .none,
      runs[next].nextSibling == .none, runs[next].rank == runs[run].rank,
      key(of: runs[next]) == nil
    else { return nil }
    return next
  }

  private func predecessor(of run: Handle) -> Handle? {
    let first = runs[run]
    guard first.side == .right, first.start > 0, first.parent.contributor == first.contributor,
      first.parent.ordinal == first.start - 1
    else { return nil }
    let previous = self.run(at: first.parent)
    return successor(of: previous) == run ? previous : nil
  }

  /// Moves the border between a run and its successor to the right; neither gets empty.
  private mutating func moveBoundary(
    between left: Handle, and right: Handle, by distance: Int32
  ) {
    let old = runs[right].start
    let new = old + distance
    runs[left].count += distance
    runs[right].start = new
    runs[right].count -= distance
    runs[right].parent.ordinal = new - 1
    let moved = min(old, new)..<max(old, new)
    contributions[Int(runs[left].contributor)].setRun(distance > 0 ? left : right, of: moved)
    if runs[left].isVisible { tree.add(distance, to: left) }
    if runs[right].isVisible { tree.add(-distance, to: right) }
  }

  /// Makes a dead run a part of the dead run that it continues.
  private mutating func absorb(_ next: Handle, into run: Handle) {
    let old = runs[next]
    runs[run].count += old.count
    runs[run].rightChild = old.rightChild
    runs[run].nextByOrdinal = old.nextByOrdinal
    contributions[Int(old.contributor)].setRun(run, of: old.start..<old.end)
    tree.remove(next, weight: 0)
    runs.remove(next)
  }
}
