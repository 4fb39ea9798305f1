import Testing
import Wire

@testable import Simulation

/// That the ledger of short sessions notices what a wrong server would do.
@Suite struct QueueLedgerTests {
  private var ledger = QueueLedger()

  init() { _ = ledger.watchActivation }

  private mutating func watch(_ line: String, isOnDisk: Bool = true) throws -> [String] {
    let members = try Members(line.utf8)
    return ledger.watchGets(members.string("type") ?? "", members, isRead: true) { _ in isOnDisk }
      .map(\.slug)
  }

  private mutating func phone(_ line: String) throws -> [String] {
    let members = try Members(line.utf8)
    return ledger.phoneGets(members.string("type") ?? "", members, isRead: true).map(\.slug)
  }

  private static func delivery(_ number: Int, seq: Int, more: String = "") -> String {
    #"{"type":"didReceiveUserInfo","from":"phone","payload":{"item":"item-\#(number)"},"#
      + #""seq":\#(seq)\#(more)}"#
  }

  private mutating func send(_ count: Int) {
    for _ in 0..<count { _ = ledger.request(.transfer(complication: false)) }
  }

  @Test mutating func whatIsRightRaisesNothing() throws {
    send(2)
    #expect(try phone(#"{"type":"accepted","re":"t1","transfer":"phone:0.1"}"#) == [])
    #expect(try phone(#"{"type":"accepted","re":"t2","transfer":"phone:0.2"}"#) == [])
    #expect(try watch(Self.delivery(1, seq: 1)) == [])
    #expect(try watch(Self.delivery(2, seq: 2)) == [])
    for number in 1...2 {
      #expect(
        try phone(#"{"type":"didFinishUserInfoTransfer","n":\#(number),"re":"t\#(number)"}"#) == [])
    }
    #expect(ledger.endFaults().isEmpty)
  }

  @Test mutating func lostAndUnanswered() {
    send(1)
    #expect(ledger.endFaults().map(\.slug) == ["lost", "unanswered"])
  }

  @Test mutating func duplicated() throws {
    send(1)
    _ = try watch(Self.delivery(1, seq: 1))
    #expect(try watch(Self.delivery(1, seq: 2)) == ["renumbered", "duplicated"])
  }

  @Test mutating func reordered() throws {
    send(2)
    _ = try watch(Self.delivery(2, seq: 1))
    #expect(try watch(Self.delivery(1, seq: 2)) == ["reordered"])
  }

  @Test mutating func beforeItsCommit() throws {
    send(1)
    #expect(try watch(Self.delivery(1, seq: 1), isOnDisk: false) == ["before-commit"])
  }

  @Test mutating func comesAgainWithoutSayingSo() throws {
    send(1)
    _ = try watch(Self.delivery(1, seq: 1))
    _ = ledger.watchActivation
    #expect(try watch(Self.delivery(1, seq: 1)) == ["redelivered-unsaid"])
    _ = ledger.watchActivation
    #expect(try watch(Self.delivery(1, seq: 1, more: #","redelivered":true"#)) == [])
  }

  @Test mutating func numbersAreNotGivenTwice() throws {
    send(2)
    _ = try watch(Self.delivery(1, seq: 1))
    #expect(try watch(Self.delivery(2, seq: 1)).contains("number-reused"))
  }

  @Test mutating func cancelledAndDelivered() throws {
    send(1)
    _ = ledger.request(.cancel(1))
    #expect(try phone(#"{"type":"accepted","re":"x1"}"#) == [])
    #expect(try watch(Self.delivery(1, seq: 1)) == ["cancelled-delivered"])
  }

  @Test mutating func finishedAndNotDelivered() throws {
    send(1)
    let line = #"{"type":"didFinishUserInfoTransfer","n":1,"re":"t1"}"#
    #expect(try phone(line) == ["finished-undelivered"])
    #expect(try phone(line) == ["finished-undelivered"])
    #expect(ledger.endFaults().map(\.slug) == ["lost", "finished-twice"])
  }

  @Test mutating func anOlderContext() throws {
    _ = ledger.request(.context)
    _ = ledger.request(.context)
    func line(_ number: Int, _ seq: Int) -> String {
      #"{"type":"didReceiveApplicationContext","payload":{"context":"context-\#(number)"},"#
        + #""seq":\#(seq)}"#
    }
    _ = try watch(line(2, 1))
    #expect(try watch(line(1, 2)) == ["older-context"])
    #expect(ledger.endFaults().map(\.slug) == ["context-lost"])
  }
}
