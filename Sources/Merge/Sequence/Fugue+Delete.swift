extension Fugue {
  /// Marks elements dead for the operation `seq` of a replica; what is dead stays dead.
  ///
  /// - Returns: whether any was visible.
  /// - Throws: `unknown` for the first element that is not there; nothing is deleted then.
  @discardableResult
  package mutating func delete(
    _ elements: ElementRange, by replica: UInt32, seq: UInt64
  ) throws(FugueError) -> Bool {
    let ranges = try ordinals(of: elements)
    let index = contributor(elements.first.replica)!
    let before = count
    for range in ranges {
      deletions.append(
        DeletionLog.Entry(
          kind: .whole, replica: replica, seq: seq, contributor: Int32(index),
          start: range.lowerBound, count: Int32(range.count)))
      kill(range, of: Int32(index))
    }
    return count < before
  }

  /// The ordinals of a range of elements, all of which are there.
  private func ordinals(of elements: ElementRange) throws(FugueError) -> [Range<Int32>] {
    guard elements.isValid else { throw .count(elements.count) }
    guard let index = contributor(elements.first.replica) else { throw .unknown(elements.first) }
    var ranges: [Range<Int32>] = []
    for offset in 0..<elements.count {
      guard let ordinal = contributions[index].ordinal(of: elements[offset].position) else {
        throw .unknown(elements[offset])
      }
      if let last = ranges.last, last.upperBound == ordinal {
        ranges[ranges.count - 1] = last.lowerBound..<ordinal + 1
      } else {
        ranges.append(ordinal..<ordinal + 1)
      }
    }
    return ranges
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
