import Seeded
import Testing

@testable import Merge

@Suite struct BitsTests {
  /// Words at a time is the same as bit by bit.
  @Test func theEndOfLikeBits() {
    for seed in 0..<300 {
      var random = SplitMix64(seed: UInt64(seed))
      let count = random.below(300) + 1
      var bits = Bits(count: count)
      for _ in 0..<random.below(6) {
        let start = random.below(count)
        bits.insert(Int32(start)..<Int32(start + random.below(count - start) + 1))
      }
      for bit in 0..<count {
        let end = bit + random.below(count - bit) + 1
        let wanted = (bit..<end).first { bits[Int32($0)] != bits[Int32(bit)] } ?? end
        #expect(bits.endOfLike(Int32(bit), before: Int32(end)) == Int32(wanted))
      }
    }
  }
}
