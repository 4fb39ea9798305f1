import Seeded
import Testing

@testable import Relay

/// A list of unfinished transfers starts at its `after`: looks are counted, not seconds.
@Suite struct OutstandingTests {
  private func outbox(_ numbers: ClosedRange<UInt64>) -> Outbox {
    var outbox = Outbox()
    for number in numbers {
      outbox.append(Outbox.Entry(number: number, receiver: 0, lane: .userInfo, seq: number))
    }
    return outbox
  }

  @Test(arguments: [false, true]) func startsAtAfter(hasGaps: Bool) {
    var outbox = outbox(1...100_000)
    if hasGaps {
      for number in stride(from: 2, to: 100_000, by: 3) { outbox.finish(UInt64(number)) }
    }
    for after in [0, 1, 255, 256, 40_000, outbox.count - 10] {
      var given: [UInt64] = []
      let looks = outbox.forEachUnfinished(after: after, limit: 10) { given.append($0.number) }
      #expect(given.count == 10)
      #expect(looks >= 10, "the looks are not counted")
      // A look for each block of 256, and for the entries of one.
      #expect(looks <= 100_000 / 256 + 256 + 16, "\(looks) looks after \(after)")
    }
  }

  @Test func listsWhatHasNotFinished() {
    var chance = SplitMix64(seed: 3)
    for _ in 0..<50 {
      var outbox = outbox(1...2_000)
      var left = Set(UInt64(1)...2_000)
      for _ in 0..<chance.below(1_900) {
        let number = UInt64(1 + chance.below(chance.below(3) == 0 ? 2_000 : 700))
        outbox.finish(number)
        left.remove(number)
      }
      let wanted = left.sorted()
      #expect(outbox.count == wanted.count)
      for _ in 0..<20 {
        let (after, limit) = (chance.below(2_100), 1 + chance.below(300))
        var given: [UInt64] = []
        outbox.forEachUnfinished(after: after, limit: limit) { given.append($0.number) }
        #expect(given == Array(wanted.dropFirst(after).prefix(limit)))
      }
    }
  }
}
