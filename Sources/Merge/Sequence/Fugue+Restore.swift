extension Fugue {
  /// A sequence of the elements of a snapshot: all its runs, in order. The dead ones count as dead
  /// at every version.
  ///
  /// - Throws: when elements occur twice, a parent does not occur, or the runs are not in the order
  ///   of a tree.
  package init(restoring snapshot: [FugueRun]) throws(FugueError) {
    self.init()
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
      _ = contributions[Int(index)].append(
        run.elements, text: run.text.isEmpty ? nil : run.text, run: handle)
      if start > 0 { runs[previous].nextByOrdinal = handle }
      previous = handle
      handles[at] = handle
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
        runs[handle].nextSibling = rootChild
        rootChild = handle
        continue
      }
      guard let place = place(of: element) else { throw .unknown(element) }
      runs[handle].parent = place
      var parent = self.run(at: place)
      switch run.origin.side {
      case .left:
        if place.ordinal > runs[parent].start { parent = split(parent, at: place.ordinal) }
        runs[handle].nextSibling = runs[parent].leftChild
        runs[parent].leftChild = handle
      case .right:
        if place.ordinal < runs[parent].end - 1 { split(parent, at: place.ordinal + 1) }
        runs[handle].nextSibling = runs[parent].rightChild
        runs[parent].rightChild = handle
      }
    }
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

  // MARK: Purging

  /// Drops the dead elements that satisfy a predicate and have no descendants that stay. One pass;
  /// what stays is numbered anew.
  ///
  /// Views and their versions stay valid for what is left.
  package mutating func purge(where isPurgeable: (Element) -> Bool) {
    let kept = keptCounts(isPurgeable)
    var snapshot: [FugueRun] = []
    var all: [Run] = []
    forEachRun { all.append($0) }
    for run in all {
      let count = kept[run.firstPlace] ?? 0
      if count > 0 {
        append(run.start..<run.start + count, of: run, isVisible: run.isVisible, to: &snapshot)
      }
    }
    var purged: Fugue
    do throws(FugueError) {
      purged = try Fugue(restoring: snapshot)
    } catch {
      preconditionFailure("a part of a tree is not a tree: \(error)")
    }
    purged.deletions = DeletionLog()
    for entry in deletions.entries { purged.deletions.append(entry, of: self, in: purged) }
    self = purged
  }

  /// How many elements of each run stay, by its first element: all up to the last that is alive,
  /// not purgeable, or the parent of one that stays.
  private func keptCounts(_ isPurgeable: (Element) -> Bool) -> [Place: Int32] {
    var kept: [Place: Int32] = [:]
    forEachRun { run in
      var last = run.end - 1
      if !run.isVisible {
        while last >= run.start,
          isPurgeable(element(at: Place(contributor: run.contributor, ordinal: last)))
        { last -= 1 }
      }
      var current = run
      while last >= current.start {
        let count = last - current.start + 1
        let known = kept[current.firstPlace] ?? 0
        if known >= count { break }
        kept[current.firstPlace] = count
        guard known == 0, current.parent != .root else { break }
        last = current.parent.ordinal
        current = runs[self.run(at: current.parent)]
      }
    }
    return kept
  }
}
