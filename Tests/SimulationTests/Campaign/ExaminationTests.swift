import Simulation
import Testing

/// What becomes of failures that may come again or not.
@Suite struct ExaminationTests {
  /// Fails at the runs that it is told to, and where a schedule has two events at least.
  private final class Moody: Harness {
    var fails: [Bool]
    private(set) var plays = 0
    let rareEvents: [String] = []
    let isReproducible = false

    init(_ fails: [Bool]) { self.fails = fails }

    func run(_ plan: Plan) throws(HarnessFailure) -> Outcome {
      throw HarnessFailure("it only plays")
    }

    func play(_ trace: Trace, isRecorded: Bool) throws(HarnessFailure) -> Outcome {
      plays += 1
      var outcome = Outcome(trace: trace)
      outcome.recording = ExaminationTests.recording(["run \(plays)"])
      if plays > fails.count { throw HarnessFailure("it is gone") }
      if fails[plays - 1], trace.events.count >= 2 { outcome.findings = [ExaminationTests.finding] }
      return outcome
    }
  }

  private static let finding = Finding(
    invariant: "I36", slug: "lost-transfer", headline: "A transfer is lost.", story: ["It was."])

  private static func recording(_ texts: [String]) -> Recording {
    Recording(
      places: ["phone"], start: 0,
      steps: (["connects"] + texts).map { Recording.Step(at: 0, "phone", .note, $0) })
  }

  private static var failure: Outcome {
    var outcome = Outcome(
      trace: Trace(
        world: .server, seed: 1, schema: "none", devices: [.init("phone", isPhone: true)],
        events: (0..<8).map { TraceEvent(at: Int64($0), "phone", .connect) }))
    outcome.findings = [finding]
    outcome.recording = recording(["the first run"])
    return outcome
  }

  @Test func whatDoesNotComeAgainIsToldAsSuch() throws {
    let harness = Moody([false, false, false, false])
    let found = try Examination.examine(Self.failure, "lost-transfer", by: harness)
    #expect(harness.plays == 3)
    #expect(found.finding.slug == "nondeterminism")
    let story = found.finding.story.joined(separator: "\n")
    #expect(story.contains("A transfer is lost."))
    #expect(story.contains("It was."))
    #expect(story.contains("first   phone: the first run"))
    #expect(story.contains("last    phone: run 3"))
    // What is shown is the run that failed.
    #expect(found.outcome.recording == Self.failure.recording)
    #expect(found.trace == Self.failure.trace)
  }

  @Test func whatComesAgainIsMadeSmaller() throws {
    let harness = Moody([false] + Array(repeating: true, count: 500))
    let found = try Examination.examine(Self.failure, "lost-transfer", by: harness)
    #expect(found.finding == Self.finding)
    #expect(found.trace.events.count == 2)
    #expect(found.outcome.trace == found.trace)
    #expect(found.tries > 0)
  }

  @Test func noTimeNothingSmaller() throws {
    let harness = Moody(Array(repeating: true, count: 500))
    let found = try Examination.examine(Self.failure, "lost-transfer", by: harness) { false }
    #expect(found.trace.events.count == 8)
    #expect(harness.plays == 1)
  }

  /// A server that is gone for good after it has failed leaves what is known of it.
  @Test func whatIsGoneIsNotTriedAgain() throws {
    let harness = Moody([])
    let found = try Examination.examine(Self.failure, "lost-transfer", by: harness)
    #expect(found.finding == Self.finding)
    #expect(found.trace == Self.failure.trace)
    #expect(harness.plays == 1)
  }
}
