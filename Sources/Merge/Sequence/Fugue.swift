/// A replicated sequence of characters or of slots: the text of a note, the order of a list.
///
/// Matthew Weidner and Martin Kleppmann, "The Art of the Fugue: Minimizing Interleaving in
/// Collaborative Text Editing", arXiv 2305.00583: the basic tree, not FugueMax. An element hangs
/// at the left or right side of its parent, siblings are ordered by the caller's comparison, and
/// the sequence is the tree's in-order traversal. The result depends on the set of operations
/// alone, as long as each comes after those that it builds upon.
///
/// ```
///   contributions   replica → ordinals, text        (id → place)
///   runs            nodes of the Fugue tree         (place → run)
///   tree            runs in order, visible counts   (run ↔ offset)
///   deletions       who deleted what, when          (older versions)
/// ```
/// An edit is O(log n) in the number of runs; a deletion is that for each run that it covers, and
/// a view, a snapshot or a purge is one pass. Concurrent insertions at one place make siblings: the
/// first of a contributor that is not the last of k is found in O(k) steps, its next ones at once, and
/// one beside a subtree in O(depth) more.
package struct Fugue: Sendable {
  var contributions = ContiguousArray<Contribution>()
  /// Indices of `contributions` by ascending replica.
  var directory = ContiguousArray<Int32>()
  var runs = RunTable()
  var tree = RunTree()
  var deletions = DeletionLog()
  /// What elements are ordered by that have taken the place of purged ones.
  var keys: [Element: Sibling] = [:]
  /// The newest sibling of a contributor at a place where there are many.
  var newest: [Siblings: Handle] = [:]
  /// The first child of the root.
  var rootChild = Handle.none
  /// Elements, dead ones too.
  var elementCount = 0
  /// How many siblings were passed to find the place of others: what the tests hold to their number.
  var siblingSteps = 0

  /// The most elements of a sequence. Counts of elements and of their UTF-8 fit 31 bits.
  static let limit = 1 << 29

  package init() {}

  /// Visible elements.
  package var count: Int { Int(tree.weight) }
  package var isEmpty: Bool { count == 0 }

  package func contains(_ element: Element) -> Bool { place(of: element) != nil }

  package func isVisible(_ element: Element) -> Bool {
    place(of: element).map { runs[run(at: $0)].isVisible } ?? false
  }

  /// How many visible elements come before an element, be it visible or not; nil when unknown.
  package func offset(of element: Element) -> Int? {
    guard let place = place(of: element) else { return nil }
    let run = run(at: place)
    return tree.offset(of: run) + (runs[run].isVisible ? Int(place.ordinal - runs[run].start) : 0)
  }

  /// The visible characters as UTF-8.
  package var utf8: [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count)
    forEachRun { _, run in
      guard run.isVisible else { return }
      contributions[Int(run.contributor)].withText(of: run.start..<run.end) {
        bytes.append(contentsOf: $0)
      }
    }
    return bytes
  }

  /// The visible characters.
  package var text: String { String(decoding: utf8, as: UTF8.self) }

  /// The elements at visible offsets, in order: what a delete action names.
  /// - Precondition: within 0 ..< `count`.
  package func elements(in range: Range<Int>) -> [ElementRange] {
    var ranges: [ElementRange] = []
    guard !range.isEmpty else { return ranges }
    precondition(range.lowerBound >= 0 && range.upperBound <= count)
    var (handle, inner) = tree.find(range.lowerBound)
    var rest = Int32(range.count)
    while true {
      let run = runs[handle]
      if run.isVisible {
        let start = run.start + inner
        let end = min(run.end, start + rest)
        contributions[Int(run.contributor)].forEachRange(in: start..<end) {
          ranges.append(joining: $0)
        }
        rest -= end - start
      }
      guard rest > 0, let next = tree.next(handle) else { return ranges }
      (handle, inner) = (next, 0)
    }
  }

  /// Bytes that the sequence has allocated.
  package var byteCount: Int {
    contributions.reduce(runs.capacity * MemoryLayout<Run>.stride + tree.byteCount) {
      $0 + $1.byteCount
    } + deletions.byteCount
  }

  // MARK: Places

  /// Index in `contributions`.
  func contributor(_ replica: UInt32) -> Int? {
    let at = directoryIndex(replica)
    guard at < directory.count else { return nil }
    let index = Int(directory[at])
    return contributions[index].replica == replica ? index : nil
  }

  mutating func addContributor(_ replica: UInt32) -> Int {
    if let index = contributor(replica) { return index }
    directory.insert(Int32(contributions.count), at: directoryIndex(replica))
    contributions.append(Contribution(replica: replica))
    return contributions.count - 1
  }

  /// The first place in the directory whose replica is not below.
  private func directoryIndex(_ replica: UInt32) -> Int {
    var low = 0
    var high = directory.count
    while low < high {
      let middle = (low + high) / 2
      if contributions[Int(directory[middle])].replica < replica {
        low = middle + 1
      } else {
        high = middle
      }
    }
    return low
  }

  func place(of element: Element) -> Place? {
    guard let index = contributor(element.replica),
      let ordinal = contributions[index].ordinal(of: element.position)
    else { return nil }
    return Place(contributor: Int32(index), ordinal: ordinal)
  }

  func element(at place: Place) -> Element {
    contributions[Int(place.contributor)].element(place.ordinal)
  }

  func run(at place: Place) -> Handle {
    var run = contributions[Int(place.contributor)].runs[Int(place.ordinal / Contribution.block)]
    while runs[run].end <= place.ordinal { run = runs[run].nextByOrdinal }
    return run
  }

  /// What a run is ordered by among its siblings, where that is not its own first element.
  func key(of run: Run) -> Sibling? {
    keys.isEmpty ? nil : keys[element(at: run.firstPlace)]
  }

  /// All runs in order, dead ones too.
  func forEachRun(_ body: (Handle, Run) -> Void) {
    var handle = tree.first
    while let run = handle {
      body(run, runs[run])
      handle = tree.next(run)
    }
  }
}

extension [ElementRange] {
  /// Appends a range, as a part of the last one where it continues it.
  mutating func append(joining range: ElementRange) {
    if let last, last.first.replica == range.first.replica, last.continues(with: range) {
      self[count - 1].step = last.count == 1 ? last.stepTo(range.first)! : last.step
      self[count - 1].count += range.count
    } else {
      append(range)
    }
  }
}

extension ElementRange {
  /// The step from a single element to the next.
  fileprivate func stepTo(_ next: Element) -> Step? {
    if next.position == first.position &+ 1 && next.index > 0 { return .index }
    return next.position == first.position &+ Element.indexLimit ? .seq : nil
  }

  fileprivate func continues(with next: ElementRange) -> Bool {
    if count == 1 {
      guard let step = stepTo(next.first) else { return false }
      return next.count == 1 || next.step == step
    }
    return next.first.position == first.position &+ UInt64(count) &* step.distance
      && (step == .seq || next.first.index > 0) && (next.count == 1 || next.step == step)
  }
}
