import Testing

import LaneModel

/// What the judges of messages, budgets and answers say of what is right, and of what is not.
@Suite struct DeliveryCheckerTests {
  // MARK: Messages

  private static func checker(expectsReply: Bool = true) -> MessageChecker {
    var checker = MessageChecker()
    _ = checker.add(from: "phone", session: 1, to: "watch", expectsReply: expectsReply)
    return checker
  }

  private static func words(_ findings: [Violation]) -> [String] { findings.map(\.slug) }

  @Test func aMessageAndItsReply() {
    var checker = Self.checker()
    checker.delivered(0, from: "phone", to: "watch", isPhone: false)
    checker.replied(0)
    checker.ended(0, session: 1, reply: .some(0), isDefinite: false)
    checker.check("phone", session: 1)
    #expect(checker.violations == [])
  }

  @Test func twice() {
    var checker = Self.checker()
    checker.delivered(0, from: "phone", to: "watch", isPhone: false)
    checker.delivered(0, from: "phone", to: "watch", isPhone: false)
    #expect(Self.words(checker.violations) == ["message-twice"])
  }

  @Test func toSomebodyElse() {
    var checker = Self.checker()
    checker.delivered(0, from: "phone", to: "second", isPhone: false)
    #expect(Self.words(checker.violations) == ["message-misdelivered"])
  }

  @Test func inAnotherOrder() {
    var checker = Self.checker()
    _ = checker.add(from: "phone", session: 1, to: "watch", expectsReply: false)
    checker.delivered(1, from: "phone", to: "watch", isPhone: false)
    checker.delivered(0, from: "phone", to: "watch", isPhone: false)
    #expect(Self.words(checker.violations) == ["messages-reordered"])
  }

  @Test func aReplyThatIsNotItsOwn() {
    var checker = Self.checker()
    checker.delivered(0, from: "phone", to: "watch", isPhone: false)
    checker.replied(0)
    checker.ended(0, session: 1, reply: .some(3), isDefinite: false)
    #expect(Self.words(checker.violations) == ["reply-mixed"])
  }

  @Test func aReplyThatNobodyGave() {
    var checker = Self.checker()
    checker.delivered(0, from: "phone", to: "watch", isPhone: false)
    checker.ended(0, session: 1, reply: .some(0), isDefinite: false)
    #expect(Self.words(checker.violations) == ["reply-mixed"])
  }

  @Test func anErrorAndAReply() {
    var checker = Self.checker()
    checker.delivered(0, from: "phone", to: "watch", isPhone: false)
    checker.replied(0)
    checker.ended(0, session: 1, reply: nil, isDefinite: false)
    checker.ended(0, session: 1, reply: .some(0), isDefinite: false)
    #expect(Self.words(checker.violations) == ["message-ended-twice"])
  }

  @Test func certainlyNotDoneAndDone() {
    var checker = Self.checker()
    checker.delivered(0, from: "phone", to: "watch", isPhone: false)
    checker.ended(0, session: 1, reply: nil, isDefinite: true)
    #expect(Self.words(checker.violations) == ["refused-delivered"])
    checker = Self.checker()
    checker.ended(0, session: 1, reply: nil, isDefinite: true)
    checker.delivered(0, from: "phone", to: "watch", isPhone: false)
    #expect(Self.words(checker.violations) == ["refused-delivered"])
  }

  @Test func inALaterSession() {
    var checker = Self.checker()
    checker.ended(0, session: 2, reply: nil, isDefinite: false)
    #expect(Self.words(checker.violations) == ["message-outlived"])
  }

  @Test func nothingHeard() {
    var checker = Self.checker()
    checker.check("phone", session: 1)
    #expect(Self.words(checker.violations) == ["message-unanswered"])
    checker = Self.checker()
    checker.forget("phone")
    checker.check("phone", session: 1)
    #expect(checker.violations == [])
    checker = Self.checker(expectsReply: false)
    checker.check("phone", session: 1)
    #expect(checker.violations == [])
  }

  // MARK: The complication's budget

  /// - Parameter count: how many items were accepted, 0, 1, 2 …
  private static func complications(budget: Int, accepted count: Int = 0) -> ComplicationChecker {
    var checker = ComplicationChecker()
    checker.wanted = budget
    checker.configured()
    for id in 0..<count {
      checker.asked(id, "watch")
      checker.accepted(id, remaining: 0)
    }
    return checker
  }

  @Test func aBudgetIsUsedUp() {
    var checker = Self.complications(budget: 1, accepted: 2)
    checker.tagged(0)
    #expect(checker.violations == [])
    checker.tagged(1)
    #expect(Self.words(checker.violations) == ["over-budget"])
  }

  /// One that had come with the tag before may lose it; the other way round it was told wrongly.
  @Test func whatWasSaidToBeOrdinaryComesWithoutTheTag() {
    var checker = Self.complications(budget: 9, accepted: 2)
    checker.tagged(0)
    checker.untagged(0)
    checker.tagged(0)
    #expect(checker.violations == [])
    checker.untagged(1)
    checker.tagged(1)
    #expect(Self.words(checker.violations) == ["untagged-is-current"])
  }

  @Test func aBudgetIsForgotten() {
    var checker = Self.complications(budget: 2)
    checker.asked(0, "watch")
    checker.accepted(0, remaining: 1)
    checker.asked(1, "watch")
    checker.accepted(1, remaining: 1)
    #expect(Self.words(checker.violations) == ["budget-forgotten"])
  }

  @Test func aBudgetCountsFromItsConfirmationOn() {
    var checker = Self.complications(budget: 1)
    checker.began()
    checker.asked(0, "watch")
    checker.accepted(0, remaining: 49)
    checker.tagged(0)
    checker.configured()
    checker.asked(1, "watch")
    checker.accepted(1, remaining: 0)
    checker.tagged(1)
    #expect(checker.violations == [])
    checker.asked(2, "watch")
    checker.accepted(2, remaining: 1)
    #expect(Self.words(checker.violations) == ["budget-forgotten"])
  }

  @Test func anotherDayOrWatchHasItsOwn() {
    var checker = Self.complications(budget: 1)
    checker.asked(0, "watch")
    checker.accepted(0, remaining: 0)
    checker.tagged(0)
    checker.asked(1, "second")
    checker.accepted(1, remaining: 0)
    checker.tagged(1)
    checker.day = 1
    checker.asked(2, "watch")
    checker.accepted(2, remaining: 0)
    checker.tagged(2)
    // Asked for on one day and answered on the next: who knows when it was charged.
    checker.asked(3, "watch")
    checker.day = 2
    checker.accepted(3, remaining: 1)
    checker.tagged(3)
    // Nor whose it was, where it was asked for with two watches.
    checker.asked(4, "watch")
    checker.asked(4, "second")
    checker.accepted(4, remaining: 1)
    #expect(checker.violations == [])
  }

  // MARK: Transfers

  @Test func anEndIsToldOnce() {
    let checker = DeliveryChecker()
    let id = checker.add(.userInfo, from: "phone", number: 1)
    checker.asked(id, isPhone: true, attached: "watch")
    checker.told(id)
    checker.told(id)
    #expect(checker.violations == [])
    checker.asked(id, isPhone: true, attached: "watch")
    checker.told(id)
    #expect(checker.violations == [])
    checker.told(id)
    #expect(Self.words(checker.violations) == ["told-twice"])
  }

  @Test func eachWatchGetsItsOwn() {
    let checker = DeliveryChecker()
    let id = checker.add(.userInfo, from: "phone", number: 1)
    checker.asked(id, isPhone: true, attached: "watch")
    checker.delivered(id, to: "second", isPhone: false, "userInfo", 1)
    #expect(Self.words(checker.violations) == ["wrong-watch"])
    let other = checker.add(.userInfo, from: "phone", number: 2)
    checker.asked(other, isPhone: true, attached: "watch")
    checker.asked(other, isPhone: true, attached: "second")
    checker.delivered(other, to: "second", isPhone: false, "userInfo", 1)
    #expect(checker.violations.count == 1)
    let own = checker.add(.userInfo, from: "watch", number: 1)
    checker.asked(own, isPhone: false, attached: nil)
    checker.delivered(own, to: "second", isPhone: false, "userInfo", 1)
    #expect(Self.words(checker.violations) == ["wrong-watch", "wrong-watch"])
  }
}
