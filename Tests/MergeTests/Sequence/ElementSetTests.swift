import Merge
import Seeded
import Testing

@Suite struct ElementSetTests {
  /// A slot of a list lies between the characters of a text that is typed by the same replica.
  @Test func rangesMayLieBetweenOneAnother() {
    let typed = ElementRange(Element(replica: 0, seq: 1, index: 0), count: 3, step: .seq)
    let slot = ElementRange(Element(replica: 0, seq: 2, index: 1), count: 1)
    let set = ElementSet([slot, typed])
    #expect(set.contains(Element(replica: 0, seq: 3, index: 0)))
    #expect(set.contains(Element(replica: 0, seq: 2, index: 1)))
    #expect(!set.contains(Element(replica: 0, seq: 3, index: 1)))
    #expect(!set.contains(Element(replica: 0, seq: 4, index: 0)))
    #expect(!set.contains(Element(replica: 1, seq: 2, index: 0)))
  }

  @Test func aSetHasWhatItsRangesHave() {
    for seed in 0..<500 {
      var random = SplitMix64(seed: UInt64(seed))
      var known: Set<Element> = []
      var ranges: [ElementRange] = []
      for _ in 0..<12 {
        let first = Element(
          replica: UInt32(random.below(2)), seq: UInt64(1 + random.below(8)),
          index: random.below(4))
        let range = ElementRange(
          first, count: 1 + random.below(4), step: random.percent(50) ? .index : .seq)
        let elements = (0..<range.count).map { range[$0] }
        guard known.isDisjoint(with: elements) else { continue }
        known.formUnion(elements)
        ranges.append(range)
      }
      let set = ElementSet(ranges)
      for replica in 0..<2 as Range<UInt32> {
        for seq in 1..<14 as Range<UInt64> {
          for index in 0..<9 {
            let element = Element(replica: replica, seq: seq, index: index)
            #expect(set.contains(element) == known.contains(element), "seed \(seed): \(element)")
          }
        }
      }
    }
  }
}
