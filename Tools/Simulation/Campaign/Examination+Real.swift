/// Failures of what runs in real time: they may come again, or not.
extension Examination {
  /// How often a schedule is played again before a failure counts as one that does not come again.
  private static let repeats = 3

  /// Plays a schedule again, and makes it smaller for as long as it fails and there is time.
  ///
  /// Where the subject cannot be tried any more, what is known is told.
  static func observe(
    _ outcome: Outcome, _ slug: String, by harness: any Harness, limit: Int,
    mayGoOn: @escaping () -> Bool
  ) -> Examination {
    func find(_ outcome: Outcome) -> Finding? { outcome.findings.first { $0.slug == slug } }
    let before = outcome.trace.events.count
    var isGone = false
    var plays = 0
    var other: Outcome?
    func play(_ trace: Trace) -> Outcome? {
      guard !isGone else { return nil }
      do throws(HarnessFailure) {
        plays += 1
        return try harness.play(trace, isRecorded: true)
      } catch {
        isGone = true
        return nil
      }
    }
    var failing: Outcome?
    for _ in 0..<repeats where failing == nil {
      guard let again = play(outcome.trace) else { break }
      if find(again) != nil { failing = again } else { other = again }
    }
    guard failing != nil else {
      let finding = find(outcome)!
      return Examination(
        trace: outcome.trace, outcome: outcome,
        finding: other.map { notAgain(finding, outcome, $0, plays) } ?? finding,
        eventsBefore: before, tries: 0)
    }
    plays = 0
    var shrinker = Shrinker(outcome.trace, limit: limit) { trace in
      guard mayGoOn(), let again = play(trace), find(again) != nil else { return nil }
      failing = again
      return again.trace
    }
    shrinker.shrink()
    return Examination(
      trace: shrinker.trace, outcome: failing!, finding: find(failing!)!, eventsBefore: before,
      tries: plays)
  }

  private static func notAgain(
    _ finding: Finding, _ one: Outcome, _ other: Outcome, _ plays: Int
  ) -> Finding {
    func steps(_ outcome: Outcome) -> [String] {
      outcome.recording?.steps.map { "\($0.place): \($0.text)" } ?? []
    }
    let (first, second) = (steps(one), steps(other))
    let index = zip(first, second).prefix { $0 == $1 }.count
    func line(_ steps: [String]) -> String {
      index < steps.count ? steps[index] : "(nothing more)"
    }
    return Finding(
      invariant: "I44", slug: "nondeterminism",
      headline: "A failure did not come again on the same schedule.",
      story: ["The first run ended with \(finding.slug): \(finding.headline)"] + finding.story + [
        "The same events were played \(plays) times more, and it did not come again.",
        "The first run and the last one part at step \(index + 1):",
        "first   \(line(first))",
        "last    \(line(second))",
      ])
  }
}
