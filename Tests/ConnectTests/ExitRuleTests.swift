import Testing
import watchline

@Suite struct ExitRuleTests {
  private let accepted = LineSummary(type: "accepted")
  private let error = LineSummary(type: "error", error: "7007 notReachable: It is away.")

  @Test func untilIsMetByALineOfThatType() {
    var rule = ExitRule(until: "accepted", count: nil, timeout: nil)
    #expect(rule.received(LineSummary(type: "hello")) == nil)
    #expect(rule.received(LineSummary(type: nil)) == nil)
    #expect(rule.received(accepted)?.status == 0)
  }

  @Test func countCountsLinesOfTheType() {
    var rule = ExitRule(until: "accepted", count: 3, timeout: nil)
    #expect(rule.received(accepted) == nil)
    #expect(rule.received(LineSummary(type: "pong")) == nil)
    #expect(rule.received(accepted) == nil)
    #expect(
      rule.received(accepted) == Ending(0, "3 lines of type accepted came, as asked for"))
  }

  @Test func countAloneCountsAllLines() {
    var rule = ExitRule(until: nil, count: 2, timeout: nil)
    #expect(rule.received(LineSummary(type: "hello")) == nil)
    #expect(rule.received(LineSummary(type: nil))?.status == 0)
  }

  @Test(arguments: ["accepted", nil] as [String?])
  func anErrorThatIsNotWaitedForEndsTheWait(until: String?) {
    var rule = ExitRule(until: until, count: 2, timeout: nil)
    let ending = rule.received(error)
    #expect(ending?.status == 1)
    #expect(ending?.reason?.contains("7007 notReachable: It is away;") == true)
  }

  @Test func anErrorMayBeWaitedFor() {
    var rule = ExitRule(until: "error", count: nil, timeout: nil)
    #expect(rule.received(error)?.status == 0)
  }

  @Test func withoutAWaitLinesEndNothing() {
    var rule = ExitRule(until: nil, count: nil, timeout: 1)
    #expect(rule.received(error) == nil)
    #expect(rule.received(accepted) == nil)
    #expect(!rule.waitsForLines)
  }

  @Test func theServersCloseIsTheEndAfterOurs() {
    var rule = ExitRule(until: nil, count: nil, timeout: nil)
    #expect(rule.closed() == Ending(1, "the server closed the connection"))
    rule.inputEnded()
    #expect(rule.closed() == Ending(0))
    #expect(rule.failed("connection reset by peer").status == 1)
  }

  @Test func theServersCloseDoesNotMeetAWait() {
    var rule = ExitRule(until: "accepted", count: 2, timeout: nil)
    rule.inputEnded()
    #expect(
      rule.closed().reason
        == "the server closed the connection; 2 lines of type accepted were waited for")
    _ = rule.received(accepted)
    #expect(
      rule.closed()
        == Ending(
          1, "the server closed the connection; 1 of 2 lines of type accepted had come"))
  }

  @Test func timeUpAndLeaving() {
    #expect(
      ExitRule(until: nil, count: nil, timeout: 2_000_000).timedOut()
        == Ending(1, "time is up after 2 s"))
    #expect(
      ExitRule(until: "x", count: nil, timeout: 250_000).timedOut()
        == Ending(1, "time is up after 0.25 s; 1 line of type x was waited for"))
    #expect(ExitRule(until: nil, count: nil, timeout: nil).left() == Ending(0))
    #expect(ExitRule(until: "x", count: nil, timeout: nil).left().status == 1)
  }

  @Test func backoffDoublesUpToHalfAMinute() {
    var backoff = Backoff()
    #expect((0..<7).map { _ in backoff.next() } == [1, 2, 4, 8, 16, 30, 30])
    backoff.reset()
    #expect(backoff.next() == 1)
  }
}
