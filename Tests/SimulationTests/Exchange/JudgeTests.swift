import Testing

@testable import Simulation

/// Which merges are caught at which level, and that none is accused falsely.
@Suite struct JudgeTests {
  private func slugs(
    _ rule: RegisterMerge.Rule, _ level: LossLevel, seeds: Range<UInt64> = 0..<1500,
    faults: Set<Fault>? = nil, phoneWinsTies: Bool = false
  ) throws -> [String: Int] {
    let harness = ExchangeHarness(
      RegisterMerge(rule), level: level, phoneWinsTies: phoneWinsTies)
    var found: [String: Int] = [:]
    for seed in seeds {
      var plan = Plan(seed: seed)
      plan.faults = faults
      for finding in try harness.run(plan).findings { found[finding.slug, default: 0] += 1 }
    }
    return found
  }

  @Test func wholeRecordsLoseEdits() throws {
    #expect(try slugs(.wholeRecord, .fields, seeds: 0..<300)["lost-edit"] ?? 0 > 0)
  }

  @Test func fieldsLoseNothingThatNobodyOverwrote() throws {
    #expect(try slugs(.fields, .fields) == [:])
  }

  @Test func fieldsLoseWhatADeleteHides() throws {
    let found = try slugs(.fields, .deletes, seeds: 0..<300)
    #expect(found["delete-hid-edit"] ?? 0 > 0)
    #expect(Set(found.keys) == ["delete-hid-edit"])
  }

  @Test func fieldsWithoutArchiveLoseConflicts() throws {
    #expect(try slugs(.fields, .everything, seeds: 0..<300)["lost-to-conflict"] ?? 0 > 0)
  }

  @Test func whoHearsLastBringsOldValuesBack() throws {
    #expect(try slugs(.arrival, .fields, seeds: 0..<300)["lost-edit"] ?? 0 > 0)
  }

  @Test func rawClocksLoseWhereTheyAreWrong() throws {
    #expect(try slugs(.wallClock, .fields, seeds: 0..<600, faults: [.clock])["lost-edit"] ?? 0 > 0)
  }

  @Test func theWatchMayNotWinTies() throws {
    let found = try slugs(.watchFirst, .fields, seeds: 0..<600, phoneWinsTies: true)
    #expect(Set(found.keys) == ["watch-wins-tie"])
    #expect(try slugs(.fields, .fields, seeds: 0..<600, phoneWinsTies: true) == [:])
  }

  @Test func ourMergeLosesNothing() throws {
    let harness = ExchangeHarness()
    var coverage = Coverage()
    for seed in 0..<800 as Range<UInt64> {
      let outcome = try harness.run(Plan(seed: seed))
      #expect(outcome.findings == [], "seed \(seed)")
      coverage.add(outcome.coverage)
    }
    for event in [
      "tie", "concurrentSameField", "deleteAgainstEdit", "deleteAgainstEdit3", "revive",
      "concurrentMove", "concurrentText", "staleForm", "restart", "duplicate", "reorder", "loss",
      "undelivered", "echo", "cut", "replaced",
    ] {
      #expect(coverage[event] > 0, "\(event)")
    }
  }

  /// What was found is found again in the trace, also when it went through its bytes.
  @Test func tracesPlayAsTheyWereDrawn() throws {
    let harness = ExchangeHarness(RegisterMerge(.wholeRecord), level: .fields)
    let ours = ExchangeHarness()
    for seed in 0..<100 as Range<UInt64> {
      let drawn = try harness.run(Plan(seed: seed))
      let read = try Trace(ndjson: drawn.trace.ndjson)
      #expect(read == drawn.trace)
      let played = try harness.play(read, isRecorded: true)
      #expect(played.findings.map(\.slug) == drawn.findings.map(\.slug), "seed \(seed)")
      #expect(played.recording?.steps.isEmpty == false)
      for finding in played.findings {
        #expect(finding.path.allSatisfy { $0 < played.recording!.steps.count })
        #expect(!finding.story.isEmpty)
      }
      let mine = try ours.run(Plan(seed: seed))
      let again = try ours.play(try Trace(ndjson: mine.trace.ndjson), isRecorded: false)
      #expect(again.behaviour == mine.behaviour, "seed \(seed)")
      #expect(again.findings == mine.findings, "seed \(seed)")
    }
  }

  /// Whatever is taken out of a trace, the rest plays to its end.
  @Test func tracesWithHolesPlay() throws {
    let harness = ExchangeHarness()
    for seed in 0..<60 as Range<UInt64> {
      let trace = try harness.run(Plan(seed: seed)).trace
      for index in trace.events.indices {
        var rest = trace
        rest.events.remove(at: index)
        #expect(try harness.play(rest, isRecorded: false).findings == [], "seed \(seed)")
      }
    }
  }
}
