import Seeded
import Load
import Testing

@Suite struct DeliveryCheckTests {
  private func faults(_ numbers: [Int], sent: Int, isSettled: Bool = true) -> [Int] {
    var check = DeliveryCheck()
    for number in numbers { check.note(number) }
    var faults = Faults()
    faults.add(check, sent: sent, isSettled: isSettled)
    return [faults.lost, faults.duplicated, faults.reordered, faults.inFlight]
  }

  /// Numbers, how many were sent, and what is wrong: lost, duplicated, reordered, under way.
  static let cases: [(numbers: [Int], sent: Int, faults: [Int])] = [
    ([], 0, [0, 0, 0, 0]),
    ([1, 2, 3], 3, [0, 0, 0, 0]),
    ([], 3, [3, 0, 0, 0]),
    ([1, 2], 3, [1, 0, 0, 0]),
    ([1, 3], 3, [1, 0, 0, 0]),
    ([2, 3], 3, [1, 0, 0, 0]),
    ([1, 1, 2, 3], 3, [0, 1, 0, 0]),
    ([1, 2, 3, 2, 2], 3, [0, 2, 0, 0]),
    ([1, 3, 2], 3, [0, 0, 1, 0]),
    ([3, 2, 1], 3, [0, 0, 2, 0]),
    ([1, 5, 3, 3], 5, [2, 1, 1, 0]),
    ([1, 9, 5, 3, 7], 9, [4, 0, 3, 0]),
    ([4, 4, 1, 1], 5, [3, 2, 1, 0]),
  ]

  @Test(arguments: cases) func finds(_ test: (numbers: [Int], sent: Int, faults: [Int])) {
    #expect(faults(test.numbers, sent: test.sent) == test.faults)
  }

  /// Before a run has settled, what is behind the highest number is under way, not lost.
  @Test func whatIsUnderWay() {
    #expect(faults([1, 3], sent: 10, isSettled: false) == [1, 0, 0, 7])
    #expect(faults([1, 3], sent: 10, isSettled: true) == [8, 0, 0, 0])
  }

  /// Faults put into a long sequence are counted one by one.
  @Test(arguments: 1...30) func countsWhatWasDone(_ seed: UInt64) {
    var numbers = SplitMix64(seed: seed)
    var delivered = Array(1...500)
    // Each fault in a block of its own, so that they do not meet.
    var expected = [0, 0, 0, 0]
    for block in stride(from: 480, through: 0, by: -20) {
      let at = block + Int.random(in: 2...10, using: &numbers)
      switch Int.random(in: 0...3, using: &numbers) {
      case 0:
        delivered.remove(at: at)
        expected[0] += 1
      case 1:
        delivered.insert(delivered[at], at: at + Int.random(in: 1...5, using: &numbers))
        expected[1] += 1
      case 2:
        delivered.swapAt(at, at + 1)
        expected[2] += 1
      default: break
      }
    }
    #expect(faults(delivered, sent: 500) == expected, "seed \(seed)")
  }
}
