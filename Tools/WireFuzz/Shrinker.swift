/// Makes a failing run small: as few steps as show the same, and lines with as few members.
///
/// Delta debugging (Zeller and Hildebrandt, "Simplifying and Isolating Failure-Inducing Input", IEEE TSE
/// 2002): ever smaller pieces are left out, as long as what is left still fails.
package struct Shrinker {
  private let isOver: () -> Bool
  private let fails: ([Step]) -> Bool

  /// - Parameters:
  ///   - isOver: whether nothing more may be tried: what a machine's load decides may show itself or not, and then
  ///     every piece is tried for long.
  ///   - fails: whether steps show what is looked for.
  package init(until isOver: @escaping () -> Bool, fails: @escaping ([Step]) -> Bool) {
    self.isOver = isOver
    self.fails = fails
  }

  package func shrink(_ steps: [Step]) -> [Step] {
    var steps = shrink(steps) { $0 }
    let single = Self.split(steps)
    if single.count > steps.count, test(single) { steps = shrink(single) { $0 } }
    for place in steps.indices {
      guard case .send(let name, let bytes) = steps[place], let line = JSON(line: bytes) else {
        continue
      }
      // The type stays.
      let members = line.members
      let kept = shrink(Array(members.dropFirst())) { members in
        var changed = steps
        let line = JSON.object([line.members[0]] + members)
        changed[place] = .send(on: name, line.bytes + [0x0A])
        return changed
      }
      steps[place] = .send(on: name, JSON.object([members[0]] + kept).bytes + [0x0A])
    }
    return steps
  }

  /// The lines of each step as steps of their own, where that still fails.
  private static func split(_ steps: [Step]) -> [Step] {
    steps.flatMap { step -> [Step] in
      guard case .send(let name, let bytes) = step, bytes.last == 0x0A else { return [step] }
      return bytes.dropLast().split(separator: 0x0A, omittingEmptySubsequences: false).map {
        .send(on: name, Array($0) + [0x0A])
      }
    }
  }

  /// Leaves out what may be left out.
  ///
  /// - Parameter whole: the steps that a list of pieces stands for.
  private func shrink<Piece>(
    _ pieces: [Piece], _ whole: ([Piece]) -> [Step]
  ) -> [Piece] {
    var pieces = pieces
    var size = max(1, pieces.count / 2)
    while !pieces.isEmpty {
      var at = 0
      var hasShrunk = false
      while at < pieces.count {
        var fewer = pieces
        fewer.removeSubrange(at..<min(pieces.count, at + size))
        if test(whole(fewer)) {
          pieces = fewer
          hasShrunk = true
        } else {
          at += size
        }
      }
      if size == 1, !hasShrunk { break }
      if !hasShrunk || size > pieces.count { size = max(1, size / 2) }
    }
    return pieces
  }

  private func test(_ steps: [Step]) -> Bool {
    !isOver() && fails(steps)
  }
}
