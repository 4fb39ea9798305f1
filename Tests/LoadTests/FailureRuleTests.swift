import Load
import Testing

@Suite struct FailureRuleTests {
  @Test func reads() throws {
    let rules = try FailureRule.rules("p99>5, lost >= 1,messagesPerSecond<1e5,p50<=0.25")
    #expect(rules.map(\.metric) == [.p99, .lost, .messagesPerSecond, .p50])
    #expect(rules.map(\.comparison) == [.above, .atLeast, .below, .atMost])
    #expect(rules.map(\.bound) == [5, 1, 100_000, 0.25])
  }

  @Test(arguments: [
    ("", "not nothing"), ("p99", "not p99"), ("p99>", "not p99>"), ("p99>x", "not p99>x"),
    (">5", "not >5"), ("p99=5", "not p99=5"), ("p99>5,", "not nothing"), ("p99>inf", "p99>inf"),
    ("p98>5", "did you mean p99?"), ("losst>0", "did you mean lost?"),
    ("weather>1", "there is messagesPerSecond, p50"),
  ])
  func refuses(_ text: String, _ words: String) {
    let failure = #expect(throws: LoadFailure.self) { try FailureRule.rules(text) }
    #expect(failure?.description.contains(words) == true, "\(failure?.description ?? "")")
  }

  /// At the bound and to both sides of it.
  @Test(arguments: [
    (">", [false, false, true]), (">=", [false, true, true]), ("<", [true, false, false]),
    ("<=", [true, true, false]),
  ])
  func judges(_ sign: String, _ broken: [Bool]) throws {
    let rule = try #require(try FailureRule.rules("p99\(sign)5").first)
    let found = [4.9, 5, 5.1].map { rule.violation([.p99: $0]) != nil }
    #expect(found == broken)
  }

  @Test func whatIsNotKnownFails() throws {
    let rule = try #require(try FailureRule.rules("serverCPUSecondsPerMillion>5").first)
    #expect(rule.violation([:])?.contains("is not known") == true)
    #expect(rule.violation([.serverCPUSecondsPerMillion: 4]) == nil)
  }

  /// Of several runs the median counts, and of faults the worst.
  @Test func severalRuns() throws {
    let runs: [Measures] = [[.p99: 1, .lost: 0], [.p99: 90, .lost: 7], [.p99: 3, .lost: 0]]
    #expect(runs.judged[.p99] == 3)
    #expect(runs.judged[.lost] == 7)
  }
}
