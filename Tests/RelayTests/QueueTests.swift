import Seeded
import Journal
import Testing

@testable import Relay

@Suite struct DequeTests {
  @Test func behavesLikeAnArray() {
    var random = SplitMix64(seed: 1)
    var deque = Deque<Int>()
    var array: [Int] = []
    for number in 0..<5_000 {
      switch random.below(5) {
      case 0, 1, 2:
        deque.append(number)
        array.append(number)
      case 3 where !array.isEmpty: #expect(deque.removeFirst() == array.removeFirst())
      case 4 where !array.isEmpty && random.oneIn(4):
        deque.removeLast()
        array.removeLast()
      default: break
      }
      #expect(deque.count == array.count && deque.first == array.first && deque.last == array.last)
      if let index = array.indices.randomElement(using: &random) {
        #expect(deque[index] == array[index])
        let key = UInt64(array[index])
        #expect(deque.lowerBound(key, by: { UInt64($0) }) == index)
      }
    }
    #expect((0..<deque.count).map { deque[$0] } == array)
  }

  @Test func lowerBoundPastTheEnd() {
    var deque = Deque<UInt64>()
    #expect(deque.lowerBound(1, by: \.self) == 0)
    for number in [2, 4, 6] as [UInt64] { deque.append(number) }
    #expect(deque.lowerBound(1, by: \.self) == 0)
    #expect(deque.lowerBound(5, by: \.self) == 2)
    #expect(deque.lowerBound(7, by: \.self) == 3)
  }
}

@Suite struct HolesTests {
  /// Against a plain set, with the ranges canonical after each step.
  @Test func behavesLikeASet() {
    var random = SplitMix64(seed: 2)
    for _ in 0..<50 {
      var holes = Holes()
      var set: Set<UInt64> = []
      var watermark: UInt64 = 0
      for _ in 0..<60 {
        let number = watermark + 1 + UInt64(random.below(40))
        if random.oneIn(8) {
          watermark += UInt64(random.below(10))
          holes.removeThrough(watermark)
          set = set.filter { $0 > watermark }
        } else if set.insert(number).inserted {
          holes.insert(number)
        }
        for number in watermark..<(watermark + 45) {
          #expect(holes.contains(number) == set.contains(number))
        }
        for (left, right) in zip(holes.ranges, holes.ranges.dropFirst()) {
          #expect(left.upperBound + 1 < right.lowerBound)
        }
      }
    }
  }

  @Test func watermarkCutsARange() {
    var holes = Holes(ranges: [3...6, 9...9])
    holes.removeThrough(4)
    #expect(holes.ranges == [5...6, 9...9])
    holes.removeThrough(9)
    #expect(holes.ranges == [])
  }
}

@Suite struct LaneTests {
  private func lane(_ count: UInt64) -> Lane {
    var lane = Lane()
    for seq in 1...count {
      lane.append(makeItem(seq))
      lane.next = seq + 1
    }
    return lane
  }

  @Test func acknowledgesInOrder() {
    var lane = lane(4)
    lane.cursor = 3
    #expect(lane.acknowledgeNext(through: 2)?.seq == 1)
    #expect(lane.acknowledgeNext(through: 2)?.seq == 2)
    #expect(lane.acknowledgeNext(through: 2) == nil)
    #expect(lane.acknowledged == 2 && lane.cursor == 1 && lane.count == 2 && lane.bytes == 20)
  }

  @Test func removedInTheMiddleIsAHole() {
    var lane = lane(3)
    #expect(lane.remove(at: 1).seq == 2)
    #expect(lane.holes.ranges == [2...2] && lane.acknowledged == 0 && lane.count == 2)
    #expect(lane.index(of: 2) == nil)
    #expect(lane.nextToHandOut()?.seq == 1)
    lane.cursor += 1
    #expect(lane.nextToHandOut()?.seq == 3)
    #expect(lane.acknowledgeNext(through: 1)?.seq == 1)
    #expect(lane.acknowledgeNext(through: 1) == nil)
    #expect(lane.acknowledged == 2 && lane.holes.ranges.isEmpty)
  }

  @Test func removedAtTheFrontMovesTheWatermark() {
    var lane = lane(3)
    _ = lane.remove(at: 1)
    _ = lane.remove(at: 0)
    #expect(lane.acknowledged == 2 && lane.items.count == 1 && lane.holes.ranges.isEmpty)
    _ = lane.remove(at: 0)
    #expect(lane.acknowledged == 3 && lane.items.isEmpty && lane.count == 0 && lane.bytes == 0)
  }

  @Test func restoresOutOfOrder() {
    var lane = Lane()
    for seq in [2, 5, 3, 9, 1] as [UInt64] { lane.append(makeItem(seq)) }
    lane.sortRestored()
    #expect((0..<lane.items.count).map { lane.items[$0].seq } == [1, 2, 3, 5, 9])
  }

  @Test func ofTwoRecordsTheLaterHolds() {
    var lane = Lane()
    for (seq, home) in [(1, 1), (2, 1), (3, 2), (2, 3)] as [(UInt64, UInt64)] {
      var item = makeItem(seq)
      item.home = home
      lane.append(item)
    }
    lane.sortRestored()
    #expect((0..<lane.items.count).map { lane.items[$0].home } == [1, 3, 2])
    #expect(lane.count == 3 && lane.bytes == 3 * Int(makeItem(1).reference.length))
  }

  @Test func itemsBehindAnUncommittedRemovalWait() {
    var lane = lane(4)
    _ = lane.remove(at: 1)
    lane.noteRemoval(2, in: 7, committed: 6)
    #expect(!lane.isBehindRemoval(makeItem(1), committed: 6))
    #expect(lane.isBehindRemoval(makeItem(3), committed: 6))
    #expect(!lane.isBehindRemoval(makeItem(3), committed: 7))
    lane.noteRemoval(4, in: 8, committed: 6)
    #expect(lane.isBehindRemoval(makeItem(3), committed: 7))
    lane.noteRemoval(4, in: 9, committed: 8)
    #expect(!lane.isBehindRemoval(makeItem(3), committed: 8))
  }
}

@Suite struct OutboxTests {
  private func entry(_ number: UInt64) -> Outbox.Entry {
    Outbox.Entry(number: number, receiver: 0, lane: .userInfo, seq: number)
  }

  @Test func finishesInAnyOrder() {
    var outbox = Outbox()
    for number in 1...4 as ClosedRange<UInt64> { outbox.append(entry(number)) }
    outbox.finish(2)
    #expect(outbox.find(2) == nil && outbox.find(1) != nil && outbox.count == 3)
    #expect(outbox.entries.count == 4)
    outbox.finish(2)
    outbox.finish(9)
    #expect(outbox.count == 3)
    outbox.finish(1)
    #expect(outbox.entries.count == 2 && outbox.count == 2)
    outbox.move(3, to: .file, receiver: 2, seq: 8)
    #expect(outbox.find(3)?.lane == .file && outbox.find(3)?.seq == 8)
  }

  @Test func restoresOutOfOrder() {
    var outbox = Outbox()
    for number in [3, 1, 2] as [UInt64] { outbox.append(entry(number)) }
    outbox.sortRestored()
    #expect((0..<3).map { outbox.entries[$0].number } == [1, 2, 3])
  }
}

@Suite struct DeadlineQueueTests {
  @Test func comesByTimeAndThenByOrder() {
    var random = SplitMix64(seed: 3)
    var queue = DeadlineQueue()
    var expected: [(time: Int64, reply: UInt64)] = []
    for reply in 0..<500 as Range<UInt64> {
      let time = Int64(random.below(50))
      queue.add(.reply(reply), at: time)
      expected.append((time, reply))
    }
    queue.filter { if case .reply(let reply) = $0.event { reply % 3 != 0 } else { true } }
    expected = expected.filter { $0.reply % 3 != 0 }.sorted {
      ($0.time, $0.reply) < ($1.time, $1.reply)
    }
    #expect(queue.next == expected[0].time)
    var found: [UInt64] = []
    for time in 0..<60 as Range<Int64> {
      while let deadline = queue.popDue(time) {
        #expect(deadline.time <= time)
        if case .reply(let reply) = deadline.event { found.append(reply) }
      }
    }
    // The filter keeps times, and the order only where the heap had it.
    #expect(found.count == expected.count && Set(found) == Set(expected.map(\.reply)))
    #expect(queue.count == 0 && queue.next == nil)
  }

  @Test func equalTimesKeepTheirOrder() {
    var queue = DeadlineQueue()
    for reply in 0..<20 as Range<UInt64> { queue.add(.reply(reply), at: 5) }
    queue.filter { _ in true }
    for expected in 0..<20 as Range<UInt64> {
      guard case .reply(let reply)? = queue.popDue(5)?.event else { return #expect(Bool(false)) }
      #expect(reply == expected)
    }
  }
}

/// An item of ten bytes.
func makeItem(_ seq: UInt64) -> Item {
  Item(
    seq: seq, order: seq,
    transfer: TransferKey(sender: 0, incarnation: 0, isNumbered: true, number: seq),
    reference: Reference(segment: 1, offset: 0, length: 10), home: 1, batch: 1, flags: [],
    target: .userInfo)
}
