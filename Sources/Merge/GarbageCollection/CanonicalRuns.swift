/// The elements of a sequence as runs that depend on nothing but the elements: each run is as long
/// as it can be, from the start on, however the sequence itself had cut them. Within a run each
/// element is the only right child of the one before, and the next one of its replica.
struct CanonicalRuns {
  private(set) var runs: [FugueRun] = []
  private let sequence: Fugue
  /// Elements with several right children.
  private var forks: Set<Element> = []

  /// Takes the elements that are dead at a version as dead, and all others as alive.
  init(_ sequence: Fugue, deadAt known: (UInt32) -> UInt64) {
    self.sequence = sequence
    let dead = sequence.deadElements(at: known)
    let snapshot = sequence.snapshot()
    var parents: Set<Element> = []
    for run in snapshot where run.origin.side == .right {
      if let parent = run.origin.parent, !parents.insert(parent).inserted {
        forks.insert(parent)
      }
    }
    for run in snapshot {
      if run.isVisible {
        add(run)
        continue
      }
      var start = 0
      while start < run.elements.count {
        let isDead = dead.contains(run.elements[start])
        var end = start + 1
        while end < run.elements.count, dead.contains(run.elements[end]) == isDead { end += 1 }
        var part = run.part(start..<end)
        part.isVisible = !isDead
        add(part)
        start = end
      }
    }
  }

  private mutating func add(_ run: FugueRun) {
    guard let last = runs.last, let step = last.step(to: run), isNext(run, after: last) else {
      return runs.append(run)
    }
    let fits = run.elements.count == 1 || run.elements.step == step
    // What goes on in another step than it came in starts a run after its first element.
    let head = fits ? run : run.part(0..<1)
    runs[runs.count - 1].elements.step = step
    runs[runs.count - 1].elements.count += head.elements.count
    runs[runs.count - 1].text += head.text
    if !fits { runs.append(run.part(1..<run.elements.count)) }
  }

  private func isNext(_ run: FugueRun, after last: FugueRun) -> Bool {
    let end = last.elements[last.elements.count - 1]
    guard !forks.contains(end), let one = sequence.place(of: end),
      let other = sequence.place(of: run.elements.first)
    else { return false }
    return one.ordinal + 1 == other.ordinal
  }
}

extension FugueRun {
  /// The step with which a run goes on in the next one; nil where it does not.
  fileprivate func step(to next: FugueRun) -> ElementRange.Step? {
    guard next.key == nil, next.rank == rank, next.isVisible == isVisible,
      next.text.isEmpty == text.isEmpty,
      next.origin == Origin(elements[elements.count - 1], .right),
      next.elements.first.replica == elements.first.replica
    else { return nil }
    let step: ElementRange.Step
    switch next.elements.first.position &- elements[elements.count - 1].position {
    case ElementRange.Step.index.distance where next.elements.first.index > 0: step = .index
    case ElementRange.Step.seq.distance: step = .seq
    default: return nil
    }
    return elements.count == 1 || elements.step == step ? step : nil
  }

  /// A part of a run, hung to the element before it.
  func part(_ offsets: Range<Int>) -> FugueRun {
    if offsets == 0..<elements.count { return self }
    var part = self
    part.elements = ElementRange(
      elements[offsets.lowerBound], count: offsets.count,
      step: offsets.count == 1 ? .index : elements.step)
    if offsets.lowerBound > 0 {
      part.origin = Origin(elements[offsets.lowerBound - 1], .right)
      part.key = nil
    }
    if !text.isEmpty {
      let scalars = text.unicodeScalars
      let start = scalars.index(scalars.startIndex, offsetBy: offsets.lowerBound)
      let end = scalars.index(start, offsetBy: offsets.count)
      part.text = String(scalars[start..<end])
    }
    return part
  }

  /// The run in parts of at most so many elements.
  func parts(of count: Int) -> [FugueRun] {
    if elements.count <= count { return [self] }
    var parts: [FugueRun] = []
    var rest = self
    while rest.elements.count > count {
      parts.append(rest.part(0..<count))
      rest = rest.part(count..<rest.elements.count)
    }
    return parts + [rest]
  }
}
