/// Every way in which a script's two sides and the disk can come between each other; after every
/// step every trouble, once with the last step's lines read and once with them lost, and what comes
/// of it when all recover.
package struct QueueExploration {
  package let script: QueueScript

  package init(_ script: QueueScript) { self.script = script }

  /// What was tried.
  package struct Count: Equatable, Sendable {
    /// Sequences of steps, complete or not.
    package var prefixes = 0
    /// Sequences that end because nothing is left to do.
    package var complete = 0
    /// Runs, each with one trouble or none, and a recovery.
    package var runs = 0
  }

  /// Tries them all.
  ///
  /// - Parameter endsAtFirst: whether nothing more is tried once something was found.
  /// - Returns: how many there were, and of each sort of finding the one with the fewest steps.
  package func run(endsAtFirst: Bool = false) -> (count: Count, findings: [Finding]) {
    var count = Count()
    var found: [String: (steps: Int, finding: Finding)] = [:]
    func keep(_ session: QueueSession, _ steps: Int) {
      for finding in session.findings {
        if let known = found[finding.slug], known.steps <= steps { continue }
        found[finding.slug] = (steps, finding)
      }
    }
    func extend(_ turns: [QueueScript.Turn]) {
      if endsAtFirst, !found.isEmpty { return }
      let session = QueueSession(script)
      for turn in turns { session.play(turn) }
      let next = session.possible
      if !turns.isEmpty {
        count.prefixes += 1
        for trouble in QueueScript.Trouble.allCases {
          for isRead in [true, false] {
            let session = QueueSession(script)
            for (index, turn) in turns.enumerated() {
              session.play(turn, isRead: isRead || index + 1 < turns.count)
            }
            session.meet(trouble)
            session.recover()
            keep(session, turns.count + 1)
            count.runs += 1
          }
        }
      }
      if next.isEmpty {
        count.complete += 1
        count.runs += 1
        session.recover()
        keep(session, turns.count)
      }
      for turn in next { extend(turns + [turn]) }
    }
    extend([])
    return (count, found.keys.sorted().map { found[$0]!.finding })
  }
}
