extension Fugue {
  /// What the sequence showed at a version. One pass over runs and deletions.
  ///
  /// - Parameter known: the version vector: the last sequence number of a replica within it.
  package func view(at known: (UInt32) -> UInt64) -> OldView {
    var view = OldView(version: Version(of: self, known: known))
    forEachPart(at: known) { run, part, isVisible in
      guard isVisible else { return }
      let contribution = Int(run.contributor)
      contributions[contribution].forEachRange(in: part) { view.append($0) }
      contributions[contribution].withText(of: part) { view.utf8.append(contentsOf: $0) }
    }
    return view
  }

  /// All elements of a version in order, alive and dead: what `init(restoring:)` takes.
  package func snapshot(at known: (UInt32) -> UInt64) -> [FugueRun] {
    var result: [FugueRun] = []
    forEachPart(at: known) { run, part, isVisible in
      append(part, of: run, isVisible: isVisible, to: &result)
    }
    return result
  }

  /// All elements in order, alive and dead.
  package func snapshot() -> [FugueRun] {
    var result: [FugueRun] = []
    forEachRun { _, run in
      append(run.start..<run.end, of: run, isVisible: run.isVisible, to: &result)
    }
    return result
  }

  /// The elements that were dead at a version.
  package func deadElements(at known: (UInt32) -> UInt64) -> ElementSet {
    var ranges: [ElementRange] = []
    forEachPart(at: known) { run, part, isVisible in
      guard !isVisible else { return }
      contributions[Int(run.contributor)].forEachRange(in: part) { ranges.append($0) }
    }
    return ElementSet(ranges)
  }

  // MARK: Parts of runs

  /// The parts of the runs that lie within a version, cut where their liveness then changes.
  private func forEachPart(
    at known: (UInt32) -> UInt64, _ body: (Run, Range<Int32>, _ isVisible: Bool) -> Void
  ) {
    let version = Version(of: self, known: known)
    let dead = deadOrdinals(at: known)
    let ends = contributions.map { contribution in
      version.last(of: contribution.replica).map(contribution.ordinals(through:)) ?? 0
    }
    forEachRun { _, run in
      let contributor = Int(run.contributor)
      let end = min(run.end, ends[contributor])
      guard run.start < end else { return }
      if run.isVisible { return body(run, run.start..<end, true) }
      var start = run.start
      while start < end {
        let next = dead[contributor].endOfLike(start, before: end)
        body(run, start..<next, !dead[contributor][start])
        start = next
      }
    }
  }

  /// For each contributor, the ordinals with a deletion within a version.
  func deadOrdinals(at known: (UInt32) -> UInt64) -> [Bits] {
    var dead = contributions.map { Bits(count: Int($0.count)) }
    for entry in deletions.entries {
      dead[Int(entry.contributor)].insert(entry.ordinals(within: known))
    }
    return dead
  }

  /// Appends a part of a run as its elements are named.
  func append(
    _ part: Range<Int32>, of run: Run, isVisible: Bool, to result: inout [FugueRun]
  ) {
    let index = Int(run.contributor)
    var origin = Origin(
      run.parent == .root ? nil : element(at: run.parent), run.side)
    if part.lowerBound > run.start {
      origin = Origin(contributions[index].element(part.lowerBound - 1), .right)
    }
    var key = part.lowerBound == run.start ? key(of: run) : nil
    var start = part.lowerBound
    contributions[index].forEachRange(in: part) { range in
      let end = start + Int32(range.count)
      let text = contributions[index].withText(of: start..<end) {
        String(decoding: $0, as: UTF8.self)
      }
      result.append(
        FugueRun(
          range, rank: run.rank, isVisible: isVisible, origin: origin, key: key, text: text))
      key = nil
      origin = Origin(range[range.count - 1], .right)
      start = end
    }
  }
}

/// A set of small numbers.
struct Bits {
  private var words: [UInt64]

  init(count: Int) {
    words = Array(repeating: 0, count: (count + 63) / 64)
  }

  subscript(_ bit: Int32) -> Bool { words[Int(bit) / 64] >> UInt64(bit % 64) & 1 == 1 }

  /// Where those end that are like one bit and follow it.
  func endOfLike(_ bit: Int32, before end: Int32) -> Int32 {
    let others: UInt64 = self[bit] ? ~0 : 0
    var at = Int(bit)
    while at < Int(end) {
      // Those that differ, from this one on.
      let rest = (words[at / 64] ^ others) >> UInt64(at % 64)
      if rest != 0 { return min(end, Int32(at + rest.trailingZeroBitCount)) }
      at = (at / 64 + 1) * 64
    }
    return end
  }

  mutating func insert(_ bits: Range<Int32>) {
    var bit = Int(bits.lowerBound)
    let end = Int(bits.upperBound)
    while bit < end {
      let next = min(end, (bit / 64 + 1) * 64)
      words[bit / 64] |= (~0 >> UInt64(64 - (next - bit))) << UInt64(bit % 64)
      bit = next
    }
  }
}
