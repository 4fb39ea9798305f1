extension Fugue {
  /// A sequence of the elements of a snapshot: all its runs, in order. The dead ones count as dead
  /// at every version.
  ///
  /// - Throws: when elements occur twice, a parent does not occur, or the runs are not in the order
  ///   of a tree.
  package init(restoring snapshot: [FugueRun]) throws(FugueError) {
    self.init()
    for run in snapshot where !run.elements.isValid || run.elements.count > Self.limit {
      throw .count(run.elements.count)
    }
    let snapshot = snapshot.flatMap(\.parts)
    let handles = try addRuns(of: snapshot)
    try link(handles, snapshot)
    try checkOrder()
  }

  /// Gives ordinals and handles to runs.
  /// - Returns: the handles, in the order of the snapshot.
  private mutating func addRuns(of snapshot: [FugueRun]) throws(FugueError) -> [Handle] {
    var handles = Array(repeating: Handle.none, count: snapshot.count)
    let byPosition = snapshot.indices.sorted {
      let (a, b) = (snapshot[$0].elements.first, snapshot[$1].elements.first)
      return (a.replica, a.position) < (b.replica, b.position)
    }
    var previous = Handle.none
    for at in byPosition {
      let run = snapshot[at]
      let first = run.elements.first
      guard run.text.isEmpty || run.text.unicodeScalars.count == run.elements.count else {
        throw .count(run.text.unicodeScalars.count)
      }
      guard try isNew(run.elements, hasText: !run.text.isEmpty) else { throw .overlapping(first) }
      let index = Int32(addContributor(first.replica))
      let start = contributions[Int(index)].count
      let handle = runs.add(
        Run(
          contributor: index, start: start, count: Int32(run.elements.count), parent: .root,
          rank: run.rank, side: run.origin.side, isVisible: run.isVisible))
      contributions[Int(index)].append(
        run.elements, text: run.text.isEmpty ? nil : run.text)
      contributions[Int(index)].setRun(handle, of: start..<contributions[Int(index)].count)
      if start > 0 { runs[previous].nextByOrdinal = handle }
      previous = handle
      handles[at] = handle
      keys[first] = run.key
      elementCount += run.elements.count
      if !run.isVisible {
        deletions.append(
          DeletionLog.Entry(
            kind: .always, replica: 0, seq: 0, contributor: index, start: start,
            count: Int32(run.elements.count)))
      }
    }
    return handles
  }

  /// Puts the runs into the tree in their order, and hangs each under its parent: siblings come in
  /// the order of the snapshot, so each is the first of those that are left, from the end.
  private mutating func link(_ handles: [Handle], _ snapshot: [FugueRun]) throws(FugueError) {
    for handle in handles { tree.append(handle, weight: runs[handle].weight) }
    for (handle, run) in zip(handles, snapshot).reversed() {
      guard let element = run.origin.parent else {
        guard run.origin.side == .right else { throw .leftOfRoot }
        rootChild = prepend(handle, to: rootChild)
        continue
      }
      guard let place = place(of: element) else { throw .unknown(element) }
      runs[handle].parent = place
      var parent = self.run(at: place)
      switch run.origin.side {
      case .left:
        if place.ordinal > runs[parent].start { parent = split(parent, at: place.ordinal) }
        runs[parent].leftChild = prepend(handle, to: runs[parent].leftChild)
      case .right:
        if place.ordinal < runs[parent].end - 1 { split(parent, at: place.ordinal + 1) }
        runs[parent].rightChild = prepend(handle, to: runs[parent].rightChild)
      }
    }
  }

  private mutating func prepend(_ run: Handle, to first: Handle) -> Handle {
    runs[run].nextSibling = first
    runs[run].lastSibling = first == .none ? run : runs[first].lastSibling
    return run
  }

  /// Compares the order with the tree's in-order traversal, on a stack of its own.
  private func checkOrder() throws(FugueError) {
    var expected = tree.first
    var stack: [(run: Handle, isOpen: Bool)] = []
    func push(_ first: Handle) {
      let start = stack.count
      var run = first
      while run != .none {
        stack.append((run, false))
        run = runs[run].nextSibling
      }
      stack[start...].reverse()
    }
    push(rootChild)
    while let (run, isOpen) = stack.popLast() {
      if !isOpen {
        stack.append((run, true))
        push(runs[run].leftChild)
        continue
      }
      guard expected == run else { throw .outOfOrder(element(at: runs[run].firstPlace)) }
      expected = tree.next(run)
      push(runs[run].rightChild)
    }
    if let expected { throw .outOfOrder(element(at: runs[expected].firstPlace)) }
  }
}
