/// A failure made small, and looked at closely.
package struct Examination {
  package var trace: Trace
  package var outcome: Outcome
  package var finding: Finding
  /// How many events the schedule had at first.
  package var eventsBefore: Int
  package var tries: Int

  package init(
    trace: Trace, outcome: Outcome, finding: Finding, eventsBefore: Int, tries: Int
  ) {
    self.trace = trace
    self.outcome = outcome
    self.finding = finding
    self.eventsBefore = eventsBefore
    self.tries = tries
  }

  /// Runs a schedule again, shrinks it, and records the smallest that fails in the same way.
  ///
  /// - Parameters:
  ///   - outcome: of the run that failed.
  ///   - slug: which of its findings is meant.
  ///   - mayGoOn: whether there is time left to make it smaller.
  /// - Returns: where the failure does not come again, a finding that says so.
  package static func examine(
    _ outcome: Outcome, _ slug: String, by harness: any Harness, limit: Int = 4000,
    mayGoOn: @escaping () -> Bool = { true }
  ) throws(HarnessFailure) -> Examination {
    guard harness.isReproducible else {
      return observe(outcome, slug, by: harness, limit: limit, mayGoOn: mayGoOn)
    }
    func find(_ outcome: Outcome) -> Finding? { outcome.findings.first { $0.slug == slug } }
    let first = try harness.play(outcome.trace, isRecorded: true)
    let second = mayGoOn() ? try harness.play(outcome.trace, isRecorded: true) : first
    if let fault = difference(first, second) ?? missing(find(first), slug) {
      return Examination(
        trace: outcome.trace, outcome: first, finding: fault,
        eventsBefore: outcome.trace.events.count, tries: 0)
    }
    var failure: HarnessFailure?
    var shrinker = Shrinker(outcome.trace, limit: limit) { trace in
      guard failure == nil, mayGoOn() else { return nil }
      do throws(HarnessFailure) {
        let outcome = try harness.play(trace, isRecorded: false)
        return find(outcome) == nil ? nil : outcome.trace
      } catch {
        failure = error
        return nil
      }
    }
    shrinker.shrink()
    if let failure { throw failure }
    let isSmaller = shrinker.trace != outcome.trace
    let last = isSmaller ? try harness.play(shrinker.trace, isRecorded: true) : first
    return Examination(
      trace: shrinker.trace, outcome: last, finding: find(last) ?? find(first)!,
      eventsBefore: outcome.trace.events.count, tries: shrinker.tries)
  }

  /// What differs between two runs of one schedule; nil where nothing does.
  package static func difference(_ one: Outcome, _ other: Outcome) -> Finding? {
    guard one.behaviour != other.behaviour else { return nil }
    let count = max(one.lines.count, other.lines.count)
    let index =
      (0..<count).first { index in
        index >= one.lines.count || index >= other.lines.count
          || one.lines[index] != other.lines[index]
      } ?? 0
    func line(_ outcome: Outcome) -> String {
      index < outcome.lines.count ? outcome.lines[index] : "(nothing more)"
    }
    return Finding(
      invariant: "I44", slug: "nondeterminism",
      headline: "The same schedule went differently the second time.",
      story: [
        "Nothing was changed between the two runs; they part at line \(index + 1).",
        "first   \(line(one))",
        "second  \(line(other))",
      ])
  }

  private static func missing(_ finding: Finding?, _ slug: String) -> Finding? {
    guard finding == nil else { return nil }
    return Finding(
      invariant: "I44", slug: "nondeterminism",
      headline: "A failure did not come again on the same schedule.",
      story: ["The first run ended with \(slug); the same events, played again, did not."])
  }
}
