import Load
import Testing

@Suite struct ComparisonTests {
  @Test func spreads() {
    #expect(Comparison.Spread([3]).median == 3)
    #expect(Comparison.Spread([3, 1, 2]).median == 2)
    #expect(Comparison.Spread([4, 1, 2, 3]).median == 2.5)
    #expect(Comparison.Spread([4, 1, 2, 3]).range == 1...4)
  }

  /// Ranges that meet in one point overlap.
  /// Ranges that meet in one point overlap.
  @Test(arguments: [
    ([10.0, 11], [12.0, 13], false), ([10, 12], [12, 13], true), ([10, 13], [11, 12], true),
    ([12, 13], [10, 11], false),
  ])
  func overlaps(_ old: [Double], _ new: [Double], _ isNone: Bool) throws {
    let comparison = Comparison(
      old.map { [.messagesPerSecond: $0] }, new.map { [.messagesPerSecond: $0] })
    let row = try #require(comparison.rows.first)
    #expect(comparison.rows.count == 1)
    #expect(row.isNoDifference == isNone)
    #expect(comparison.text("a", "b").contains("no difference") == isNone)
    if !isNone {
      #expect(comparison.text("a", "b").contains(fixed(row.new.median / row.old.median, 2)))
    }
  }

  private func saved(_ name: String, _ results: [LoadResult]) throws -> SavedRuns {
    var bytes: [UInt8] = []
    for result in results { bytes += result.json + [0x0A] }
    return try SavedRuns(name, bytes)
  }

  private func run(messages: Int) -> LoadResult {
    finishedRun { $0.figures.messages = messages }
  }

  @Test func savedRuns() throws {
    let old = try saved("old", [100, 300, 200].map(run))
    let new = try saved("new", [800, 600].map(run))
    let comparison = try old.compared(with: new)
    let row = try #require(comparison.rows.first { $0.metric == .messagesPerSecond })
    #expect(row.old.range == 50...150)
    #expect(row.old.median == 100)
    #expect(row.new.range == 300...400)
    #expect(row.ratio == 3.5)
    let latency = try #require(comparison.rows.first { $0.metric == .deliveryP99 })
    #expect(latency.isNoDifference)
  }

  /// Of one run alone the seconds are what varies.
  @Test func oneRun() throws {
    let old = try saved("old", [run(messages: 3_000)])
    let row = try #require(try old.compared(with: old).rows.first)
    #expect(row.metric == .messagesPerSecond)
    #expect(row.old.range == 1_400...1_600)
  }

  static let changes: [(name: String, change: @Sendable (inout LoadResult) -> Void)] = [
    ("pairs", { $0.options.pairs = 51 }), ("window", { $0.options.pace = .window(1) }),
    ("window", { $0.options.pace = .rate(10) }), ("payload", { $0.options.payload = 201 }),
    ("seconds", { $0.options.seconds = 6 }), ("warmUp", { $0.options.warmUp = 2 }),
    ("workload", { $0.options.workload = .message }), ("serverCPU", { $0.options.serverCPU = 0 }),
    ("clientCPU", { $0.options.clientCPU = 1 }), ("machine cpu", { $0.machine.cpu = "another" }),
    ("machine cpus", { $0.machine.cpus = 3 }),
  ]

  @Test(arguments: changes.indices) func refusesTheUnlike(_ index: Int) throws {
    let (name, change) = Self.changes[index]
    let (old, new) = (try saved("old", [finishedRun()]), try saved("new", [finishedRun(change)]))
    let failure = #expect(throws: LoadFailure.self) { try old.compared(with: new) }
    #expect(failure?.description.contains("not alike: \(name) is ") == true, "\(failure!)")
    #expect(throws: LoadFailure.self) { try saved("both", [finishedRun(), finishedRun(change)]) }
  }

  /// Another time-out is no other measurement.
  @Test func passesTheTimeoutOver() throws {
    let new = try saved("new", [finishedRun { $0.options.timeout = 3 }])
    #expect(throws: Never.self) { try saved("old", [finishedRun()]).compared(with: new) }
  }

  @Test(arguments: [
    ("", "no runs"), ("nonsense\n", "no result"), ("{\"a\":1}\n", "no options"),
    ("[]\n", "no result"),
  ])
  func refusesWhatIsNone(_ text: String, _ words: String) {
    let failure = #expect(throws: LoadFailure.self) { try SavedRuns("a.json", Array(text.utf8)) }
    #expect(failure?.description.contains(words) == true, "\(failure?.description ?? "")")
    #expect(failure?.description.contains("a.json") == true)
  }

  @Test func refusesRunsThatFailed() {
    let result = finishedRun { $0.ending = .interrupted }
    let failure = #expect(throws: LoadFailure.self) { try saved("a.json", [result]) }
    #expect(failure?.description.contains("interrupted") == true)
  }
}
