import Testing
import Wire

@testable import WatchlineDevices

/// Which `n` a transfer has (clause 5.3 of the protocol), where several are on their way.
@Suite struct OutboxTests {
  private func outbox(_ count: UInt64) -> Outbox {
    var outbox = Outbox()
    for number in 1...count {
      outbox[number] = Outbox.Transfer(kind: .userInfo, shown: [], members: [], sent: .init())
    }
    return outbox
  }

  private func accept(_ number: UInt64, _ outbox: inout Outbox) -> [UInt64] {
    outbox.accepted(number, as: "phone:0.\(number)")
    return outbox.answered(number)
  }

  private func refuse(
    _ number: UInt64, _ code: ErrorCode, _ outbox: inout Outbox
  ) -> (isBehind: Bool, again: [UInt64]) {
    let isBehind = outbox.refused(number, DeviceError(code, ""))
    if !isBehind { outbox[number] = nil }
    return (isBehind, outbox.answered(number))
  }

  private func send(_ numbers: ClosedRange<UInt64>, _ outbox: inout Outbox) -> [UInt64] {
    numbers.map { outbox.send($0) }
  }

  /// What had no answer goes again under the number that it had, and what is new gets another.
  @Test func aLostConnectionGivesNoNumberTwice() {
    var outbox = outbox(4)
    #expect(send(1...3, &outbox) == [1, 2, 3])
    #expect(accept(1, &outbox) == [])
    outbox.forgetPosts()
    #expect(send(2...4, &outbox) == [2, 3, 4])
  }

  /// Behind a refused one all go again, in their order, once all are answered.
  @Test func aRefusedOneMakesRoom() {
    var outbox = outbox(4)
    #expect(send(1...4, &outbox) == [1, 2, 3, 4])
    #expect(accept(1, &outbox) == [])
    #expect(refuse(2, .payloadTooLarge, &outbox) == (false, []))
    #expect(refuse(3, .sequenceGap, &outbox) == (true, []))
    #expect(refuse(4, .sequenceGap, &outbox) == (true, [3, 4]))
    #expect(send(3...4, &outbox) == [2, 3])
  }

  /// A server that wants another number than the one behind the last is no case for sending again.
  @Test func aGapThatIsNobodysFaultEndsTheTransfer() {
    var outbox = outbox(1)
    #expect(send(1...1, &outbox) == [1])
    #expect(refuse(1, .sequenceGap, &outbox) == (false, []))
  }
}
