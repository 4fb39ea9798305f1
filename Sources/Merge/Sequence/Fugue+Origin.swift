extension Fugue {
  /// Where a local insertion after `offset` visible elements hangs (the paper, algorithm 1): at the
  /// right of the element before, if nothing hangs there, else at the left of the element that
  /// follows, be it visible or not.
  ///
  /// - Parameter isPassed: whether an element may not be the origin, because it is dead. Such ones are passed over,
  ///   also at the offset: slots that nothing stands in are visible ones. It is true of all elements of a run that is
  ///   not visible, or of none.
  /// - Precondition: 0 … `count`.
  package func origin(at offset: Int, passing isPassed: (Element) -> Bool = { _ in false })
    -> Origin
  {
    var offset = offset
    while offset > 0 {
      let (run, inner) = tree.find(offset - 1)
      let place = Place(contributor: runs[run].contributor, ordinal: runs[run].start + inner)
      if !isPassed(element(at: place)) {
        return origin(after: place, in: run, isKnown: { _ in true }, passing: isPassed)
      }
      offset -= 1
    }
    return origin(after: .root, in: .none, isKnown: { _ in true }, passing: isPassed)
  }

  /// Where an insertion right after an element hangs, be it visible or not; nil is the start.
  /// - Throws: `unknown`.
  package func origin(
    after element: Element?, passing isPassed: (Element) -> Bool = { _ in false }
  ) throws(FugueError) -> Origin {
    try origin(after: element, isKnown: { _ in true }, passing: isPassed)
  }

  /// Where an insertion after `offset` elements that were visible at an older version hangs. The
  /// tree is taken as it was then: what was inserted since is passed over.
  ///
  /// - Throws: `unknown` when the element before has been purged since.
  /// - Precondition: 0 … the view's `count`.
  package func origin(
    at offset: Int, in view: OldView, passing isPassed: (Element) -> Bool = { _ in false }
  ) throws(FugueError) -> Origin {
    var offset = offset
    while offset > 0, isPassed(view[offset - 1]) { offset -= 1 }
    return try origin(after: offset == 0 ? nil : view[offset - 1], in: view, passing: isPassed)
  }

  /// Where an insertion right after an element hung at an older version; nil is the start.
  /// - Throws: `unknown`.
  package func origin(
    after element: Element?, in view: OldView, passing isPassed: (Element) -> Bool = { _ in false }
  ) throws(FugueError) -> Origin {
    try origin(after: element, within: view.version, passing: isPassed)
  }

  func origin(
    after element: Element?, within version: Version, passing isPassed: (Element) -> Bool
  ) throws(FugueError) -> Origin {
    try origin(after: element, isKnown: version.contains, passing: isPassed)
  }

  private func origin(
    after element: Element?, isKnown: (Element) -> Bool, passing isPassed: (Element) -> Bool
  ) throws(FugueError) -> Origin {
    guard let element else {
      return origin(after: .root, in: .none, isKnown: isKnown, passing: isPassed)
    }
    guard let place = place(of: element) else { throw .unknown(element) }
    return origin(after: place, in: run(at: place), isKnown: isKnown, passing: isPassed)
  }

  /// The first element in the right subtree that counts is the parent; where none counts, the place
  /// itself is. An element is known only if its parent is, so the first known one has no known
  /// left children.
  private func origin(
    after place: Place, in run: Handle, isKnown: (Element) -> Bool,
    passing isPassed: (Element) -> Bool
  ) -> Origin {
    let atPlace = Origin(place == .root ? nil : element(at: place), .right)
    var current = run
    var ordinal = place.ordinal + 1
    if run == .none || ordinal == runs[run].end {
      guard (run == .none ? rootChild : runs[run].rightChild) != .none,
        let next = run == .none ? tree.first : tree.next(run)
      else { return atPlace }
      current = next
      ordinal = runs[current].start
    }
    var end: Handle?
    while true {
      while ordinal < runs[current].end {
        let element = element(at: Place(contributor: runs[current].contributor, ordinal: ordinal))
        guard isKnown(element) else { break }
        if !isPassed(element) { return Origin(element, .left) }
        ordinal = runs[current].isVisible ? ordinal + 1 : runs[current].end
      }
      let last = end ?? (run == .none ? tree.last : lastDescendant(of: run))
      end = last
      guard current != last, let next = tree.next(current) else { return atPlace }
      current = next
      ordinal = runs[current].start
    }
  }
}
