import Testing

@testable import Simulation

/// What the judges of messages, budgets and answers say of what is right, and of what is not.
@Suite struct PromiseLedgerTests {
  // MARK: Messages

  private static func ledger(expectsReply: Bool = true) -> MessageLedger {
    var ledger = MessageLedger()
    _ = ledger.add(from: "phone", session: 1, to: "watch", expectsReply: expectsReply)
    return ledger
  }

  private static func words(_ findings: [Finding]) -> [String] { findings.map(\.slug) }

  @Test func aMessageAndItsReply() {
    var ledger = Self.ledger()
    ledger.delivered(0, from: "phone", to: "watch", isPhone: false)
    ledger.replied(0)
    ledger.ended(0, session: 1, reply: .some(0), isDefinite: false)
    ledger.check("phone", session: 1)
    #expect(ledger.findings == [])
  }

  @Test func twice() {
    var ledger = Self.ledger()
    ledger.delivered(0, from: "phone", to: "watch", isPhone: false)
    ledger.delivered(0, from: "phone", to: "watch", isPhone: false)
    #expect(Self.words(ledger.findings) == ["message-twice"])
  }

  @Test func toSomebodyElse() {
    var ledger = Self.ledger()
    ledger.delivered(0, from: "phone", to: "second", isPhone: false)
    #expect(Self.words(ledger.findings) == ["message-misdelivered"])
  }

  @Test func inAnotherOrder() {
    var ledger = Self.ledger()
    _ = ledger.add(from: "phone", session: 1, to: "watch", expectsReply: false)
    ledger.delivered(1, from: "phone", to: "watch", isPhone: false)
    ledger.delivered(0, from: "phone", to: "watch", isPhone: false)
    #expect(Self.words(ledger.findings) == ["messages-reordered"])
  }

  @Test func aReplyThatIsNotItsOwn() {
    var ledger = Self.ledger()
    ledger.delivered(0, from: "phone", to: "watch", isPhone: false)
    ledger.replied(0)
    ledger.ended(0, session: 1, reply: .some(3), isDefinite: false)
    #expect(Self.words(ledger.findings) == ["reply-mixed"])
  }

  @Test func aReplyThatNobodyGave() {
    var ledger = Self.ledger()
    ledger.delivered(0, from: "phone", to: "watch", isPhone: false)
    ledger.ended(0, session: 1, reply: .some(0), isDefinite: false)
    #expect(Self.words(ledger.findings) == ["reply-mixed"])
  }

  @Test func anErrorAndAReply() {
    var ledger = Self.ledger()
    ledger.delivered(0, from: "phone", to: "watch", isPhone: false)
    ledger.replied(0)
    ledger.ended(0, session: 1, reply: nil, isDefinite: false)
    ledger.ended(0, session: 1, reply: .some(0), isDefinite: false)
    #expect(Self.words(ledger.findings) == ["message-ended-twice"])
  }

  @Test func certainlyNotDoneAndDone() {
    var ledger = Self.ledger()
    ledger.delivered(0, from: "phone", to: "watch", isPhone: false)
    ledger.ended(0, session: 1, reply: nil, isDefinite: true)
    #expect(Self.words(ledger.findings) == ["refused-delivered"])
    ledger = Self.ledger()
    ledger.ended(0, session: 1, reply: nil, isDefinite: true)
    ledger.delivered(0, from: "phone", to: "watch", isPhone: false)
    #expect(Self.words(ledger.findings) == ["refused-delivered"])
  }

  @Test func inALaterSession() {
    var ledger = Self.ledger()
    ledger.ended(0, session: 2, reply: nil, isDefinite: false)
    #expect(Self.words(ledger.findings) == ["message-outlived"])
  }

  @Test func nothingHeard() {
    var ledger = Self.ledger()
    ledger.check("phone", session: 1)
    #expect(Self.words(ledger.findings) == ["message-unanswered"])
    ledger = Self.ledger()
    ledger.forget("phone")
    ledger.check("phone", session: 1)
    #expect(ledger.findings == [])
    ledger = Self.ledger(expectsReply: false)
    ledger.check("phone", session: 1)
    #expect(ledger.findings == [])
  }

  // MARK: The complication's budget

  @Test func aBudgetIsUsedUp() {
    var ledger = ComplicationLedger()
    ledger.budget = 1
    for id in 0..<2 {
      ledger.asked(id, "watch")
      ledger.accepted(id, remaining: 0)
    }
    ledger.tagged(0)
    #expect(ledger.findings == [])
    ledger.tagged(1)
    #expect(Self.words(ledger.findings) == ["over-budget"])
  }

  @Test func aBudgetIsForgotten() {
    var ledger = ComplicationLedger()
    ledger.budget = 2
    ledger.asked(0, "watch")
    ledger.accepted(0, remaining: 1)
    ledger.asked(1, "watch")
    ledger.accepted(1, remaining: 1)
    #expect(Self.words(ledger.findings) == ["budget-forgotten"])
  }

  @Test func anotherDayOrWatchHasItsOwn() {
    var ledger = ComplicationLedger()
    ledger.budget = 1
    ledger.asked(0, "watch")
    ledger.accepted(0, remaining: 0)
    ledger.tagged(0)
    ledger.asked(1, "second")
    ledger.accepted(1, remaining: 0)
    ledger.tagged(1)
    ledger.day = 1
    ledger.asked(2, "watch")
    ledger.accepted(2, remaining: 0)
    ledger.tagged(2)
    // Asked for on one day and answered on the next: who knows when it was charged.
    ledger.asked(3, "watch")
    ledger.day = 2
    ledger.accepted(3, remaining: 1)
    ledger.tagged(3)
    // Nor whose it was, where it was asked for with two watches.
    ledger.asked(4, "watch")
    ledger.asked(4, "second")
    ledger.accepted(4, remaining: 1)
    #expect(ledger.findings == [])
  }

  // MARK: Transfers

  @Test func anEndIsToldOnce() {
    let ledger = LaneLedger()
    let id = ledger.add(.userInfo, from: "phone", number: 1)
    ledger.asked(id, isPhone: true, attached: "watch")
    ledger.told(id)
    ledger.told(id)
    #expect(ledger.findings == [])
    ledger.asked(id, isPhone: true, attached: "watch")
    ledger.told(id)
    #expect(ledger.findings == [])
    ledger.told(id)
    #expect(Self.words(ledger.findings) == ["told-twice"])
  }

  @Test func eachWatchGetsItsOwn() {
    let ledger = LaneLedger()
    let id = ledger.add(.userInfo, from: "phone", number: 1)
    ledger.asked(id, isPhone: true, attached: "watch")
    ledger.delivered(id, to: "second", isPhone: false)
    #expect(Self.words(ledger.findings) == ["wrong-watch"])
    let other = ledger.add(.userInfo, from: "phone", number: 2)
    ledger.asked(other, isPhone: true, attached: "watch")
    ledger.asked(other, isPhone: true, attached: "second")
    ledger.delivered(other, to: "second", isPhone: false)
    #expect(ledger.findings.count == 1)
    let own = ledger.add(.userInfo, from: "watch", number: 1)
    ledger.asked(own, isPhone: false, attached: nil)
    ledger.delivered(own, to: "second", isPhone: false)
    #expect(Self.words(ledger.findings) == ["wrong-watch", "wrong-watch"])
  }
}
