extension Fugue {
  /// Drops dead elements that satisfy a predicate: those without descendants that stay, and those
  /// with one child that stays, which takes their place. One pass; what stays is numbered anew.
  ///
  /// ```
  ///   p                      p
  ///   ├─ a                   ├─ a
  ///   ├─ d    d, e dead  →   ├─ x, still ordered among its siblings as d
  ///   │  └─ e                └─ z
  ///   │     └─ x
  ///   └─ z
  /// ```
  /// In order, x stands where d stood, and whatever is inserted later beside it at p goes to the
  /// side of x to which it would have gone of d. So a tree from which something was purged orders
  /// all that is inserted later as the whole tree does, as long as nothing names a purged element;
  /// and the elements that are dead and stay are fewer than those that have a reason to.
  ///
  /// Views and their versions stay valid for what is left.
  package mutating func purge(where isPurgeable: (Element) -> Bool) {
    let plan = PurgePlan(self, isPurgeable)
    var snapshot: [FugueRun] = []
    forEachRun { handle, run in
      for part in plan.parts(of: handle) {
        let first = snapshot.count
        append(part, of: run, isVisible: run.isVisible, to: &snapshot)
        if let place = plan.place(of: part.lowerBound, in: run) {
          snapshot[first].origin = place.origin
          snapshot[first].key = place.key
        }
      }
    }
    if snapshot.reduce(0, { $0 + $1.elements.count }) == elementCount { return }
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
}

/// What a purge leaves of a sequence.
private struct PurgePlan {
  private let fugue: Fugue
  /// By handle: the elements that stay, in order.
  private var parts: [[Range<Int32>]]

  init(_ fugue: Fugue, _ isPurgeable: (Element) -> Bool) {
    self.fugue = fugue
    parts = Array(repeating: [], count: fugue.runs.bound)
    let kept = Self.kept(fugue, isPurgeable)
    let children = Self.children(fugue, kept)
    fugue.forEachRun { handle, run in
      let end = run.start + kept[Int(handle)]
      guard !run.isVisible else { return parts[Int(handle)] = [run.start..<end] }
      for ordinal in run.start..<end {
        let place = Place(contributor: run.contributor, ordinal: ordinal)
        let right = ordinal + 1 < end ? 1 : ordinal + 1 < run.end ? 0 : children[Int(handle)].right
        let count = right + (ordinal == run.start ? children[Int(handle)].left : 0)
        if count == 1, isPurgeable(fugue.element(at: place)) { continue }
        if let last = parts[Int(handle)].last, last.upperBound == ordinal {
          parts[Int(handle)][parts[Int(handle)].count - 1] = last.lowerBound..<ordinal + 1
        } else {
          parts[Int(handle)].append(ordinal..<ordinal + 1)
        }
      }
    }
  }

  func parts(of handle: Handle) -> [Range<Int32>] { parts[Int(handle)] }

  /// Where an element goes whose parent does not stay: to the place of the highest of the ancestors
  /// that go. Each of them has no other child, so all these walks together are one pass.
  ///
  /// - Returns: nil where the parent stays.
  func place(of ordinal: Int32, in run: Run) -> (origin: Origin, key: Sibling)? {
    var (parent, side) = (run.parent, run.side)
    if ordinal > run.start {
      (parent, side) = (Place(contributor: run.contributor, ordinal: ordinal - 1), .right)
    }
    var key: Sibling?
    while parent != .root {
      let handle = fugue.run(at: parent)
      let run = fugue.runs[handle]
      let stay = parts[Int(handle)].last { $0.lowerBound <= parent.ordinal }
      if let stay, stay.contains(parent.ordinal) { break }
      let top = Place(contributor: run.contributor, ordinal: stay?.upperBound ?? run.start)
      key = Sibling(fugue.element(at: top), rank: run.rank)
      if top.ordinal > run.start {
        (parent, side) = (Place(contributor: run.contributor, ordinal: top.ordinal - 1), .right)
      } else {
        key = fugue.key(of: run) ?? key
        (parent, side) = (run.parent, run.side)
      }
    }
    return key.map { key in
      (Origin(parent == .root ? nil : fugue.element(at: parent), side), key)
    }
  }

  /// By handle: how many elements of a run stay or have descendants that do: all up to the last that
  /// is alive, not purgeable, or the parent of one that stays.
  private static func kept(_ fugue: Fugue, _ isPurgeable: (Element) -> Bool) -> [Int32] {
    var kept: [Int32] = Array(repeating: 0, count: fugue.runs.bound)
    fugue.forEachRun { handle, run in
      var last = run.end - 1
      if !run.isVisible {
        while last >= run.start,
          isPurgeable(fugue.element(at: Place(contributor: run.contributor, ordinal: last)))
        { last -= 1 }
      }
      var handle = handle
      while last - fugue.runs[handle].start + 1 > kept[Int(handle)] {
        let isFirst = kept[Int(handle)] == 0
        kept[Int(handle)] = last - fugue.runs[handle].start + 1
        let parent = fugue.runs[handle].parent
        guard isFirst, parent != .root else { break }
        last = parent.ordinal
        handle = fugue.run(at: parent)
      }
    }
    return kept
  }

  /// By handle: how many children with something to stay hang at the left of a run's first element,
  /// and at the right of its last.
  private static func children(_ fugue: Fugue, _ kept: [Int32]) -> [(left: Int, right: Int)] {
    var children = Array(repeating: (left: 0, right: 0), count: fugue.runs.bound)
    fugue.forEachRun { handle, run in
      guard kept[Int(handle)] > 0, run.parent != .root else { return }
      let parent = Int(fugue.run(at: run.parent))
      switch run.side {
      case .left: children[parent].left += 1
      case .right: children[parent].right += 1
      }
    }
    return children
  }
}
