internal import Seeded

/// Where the decisions of a generator come from: a seed, or bytes that libFuzzer chose.
package struct Choices {
  private var random: SplitMix64?
  private var bytes: ArraySlice<UInt8> = []

  package init(seed: UInt64) { random = SplitMix64(seed: seed, stream: 0) }

  /// Decides by the bytes, and for the first of everything when they are used up.
  package init(bytes: [UInt8]) { self.bytes = bytes[...] }

  /// Whether there is nothing left to decide by.
  package var isExhausted: Bool { random == nil && bytes.isEmpty }

  /// From 0 to below `bound`.
  ///
  /// - Precondition: `bound` is positive.
  package mutating func below(_ bound: Int) -> Int {
    if random != nil { return random!.below(bound) }
    var (value, reach) = (0, 1)
    while reach < bound, let byte = bytes.popFirst() {
      value = value << 8 | Int(byte)
      reach <<= 8
    }
    return value % bound
  }

  /// True so many times in a hundred.
  mutating func percent(_ chance: Int) -> Bool { 99 - below(100) < chance }

  /// - Precondition: there is one.
  mutating func one<Element>(of elements: some RandomAccessCollection<Element>) -> Element {
    elements[elements.index(elements.startIndex, offsetBy: below(elements.count))]
  }

  mutating func within(_ range: ClosedRange<Int>) -> Int {
    range.lowerBound + below(range.count)
  }

  /// In any order.
  mutating func shuffled<Element>(_ elements: [Element]) -> [Element] {
    var elements = elements
    for last in elements.indices.dropFirst().reversed() {
      elements.swapAt(last, below(last + 1))
    }
    return elements
  }
}
