internal import Oracle

/// The small scopes, tried whole: our merge on every history of a few operations, and our relay on
/// every course of a few short sessions.
package struct Exhaustive: Sendable {
  /// Operations in all of a history, besides the common first one.
  package var operations: Int
  /// Of how many parts which one, from 0. Sessions are part of the first.
  package var part = 0
  package var parts = 1
  /// Whether it ends with the first finding.
  package var endsAtFirst = false

  package init(operations: Int) { self.operations = operations }

  /// What was tried and what came of it.
  package struct Report: Sendable {
    /// What can happen, for people.
    package var alphabet: [String] = []
    /// How much of what was tried, for people; a line each.
    package var covered: [String] = []
    /// How many histories and runs of sessions there were.
    package var count = 0
    /// Of each sort the smallest.
    package var findings: [Finding] = []
  }

  /// - Parameter progress: is given what is being tried, how much of it is done and how much there
  ///   is.
  package func run(_ progress: (String, Int, Int) -> Void = { _, _, _ in }) -> Report {
    var report = Report()
    let scopes = [
      ("records that live and die", HistoryEnumeration.life), ("places and texts", .order),
    ]
    for (name, enumeration) in scopes where !isDone(report) {
      tryHistories(name, enumeration, &report, progress)
    }
    if part == 0 { trySessions(&report, progress) }
    return report
  }

  private func isDone(_ report: Report) -> Bool { endsAtFirst && !report.findings.isEmpty }

  private func tryHistories(
    _ name: String, _ enumeration: HistoryEnumeration, _ report: inout Report,
    _ progress: (String, Int, Int) -> Void
  ) {
    report.alphabet.append("\(name), by a phone and two watches:")
    report.alphabet += enumeration.words.map { "  \($0)" }
    var histories = SmallHistories(enumeration, HistorySchemas.timers, operations: operations)
    histories.part = part
    histories.parts = parts
    do {
      let count = try histories.run({ MergeFold() }, progress: { progress(name, $0, $1) })
      let sum = count.histories.dropFirst().reduce(0, +)
      report.count += sum
      report.covered.append(
        "\(name): \(sum) histories of up to \(operations) operations, "
          + "compared in \(count.states) states")
    } catch {
      report.covered.append("\(name): ended by the first finding")
      report.findings.append(error.smallest().finding)
    }
  }

  private func trySessions(_ report: inout Report, _ progress: (String, Int, Int) -> Void) {
    report.alphabet.append("sessions, in every order of their steps and the disk's:")
    for (index, script) in QueueScript.all.enumerated() where !isDone(report) {
      progress("sessions", index, QueueScript.all.count)
      report.alphabet += script.words.map { "  \($0)" }
      let (count, findings) = QueueExploration(script).run(endsAtFirst: endsAtFirst)
      report.count += count.runs
      report.covered.append(
        "\(script.name): \(count.complete) orders, \(count.runs) runs with a crash or a lost "
          + "connection after each step")
      for finding in findings where !report.findings.contains(where: { $0.slug == finding.slug }) {
        report.findings.append(finding)
      }
    }
  }
}

extension Disagreement {
  /// One of a history with nothing in it that could be left out.
  fileprivate func smallest() -> Disagreement {
    smallestDisagreement(history, HistorySchemas.timers, seed: 1) { MergeFold() } ?? self
  }
}
