/// SplitMix64 (Steele, Lea and Flood, "Fast Splittable Pseudorandom Number Generators", OOPSLA
/// 2014): the same numbers for a seed on every machine.
package struct SplitMix64: RandomNumberGenerator, Sendable {
  private var state: UInt64

  package init(seed: UInt64) { state = seed }

  /// Seeds in a row begin alike otherwise.
  ///
  /// - Parameter stream: what it is for; streams of one seed have nothing to do with each other.
  package init(seed: UInt64, stream: Int) {
    var first = SplitMix64(seed: seed)
    self.init(seed: first.next() ^ UInt64(truncatingIfNeeded: stream) &* 0x9E37_79B9_7F4A_7C15)
    _ = next()
  }

  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// From 0 to below `bound`; of bounds far below 2³² all about as often.
  ///
  /// - Precondition: `bound` is positive.
  package mutating func below(_ bound: Int) -> Int {
    // The product's high half is as good as even for bounds as small as these.
    Int(next().multipliedFullWidth(by: UInt64(bound)).high)
  }

  package mutating func within(_ range: ClosedRange<Int>) -> Int {
    range.lowerBound + below(range.upperBound - range.lowerBound + 1)
  }

  /// True so many times in a hundred.
  package mutating func percent(_ chance: Int) -> Bool { below(100) < chance }

  /// True one time in `count`.
  package mutating func oneIn(_ count: Int) -> Bool { below(count) == 0 }

  /// - Parameter probability: from 0 to 1.
  package mutating func chance(_ probability: Double) -> Bool {
    Double.random(in: 0..<1, using: &self) < probability
  }

  /// - Precondition: there is one.
  package mutating func pick<Element>(_ elements: some RandomAccessCollection<Element>) -> Element {
    elements[elements.index(elements.startIndex, offsetBy: below(elements.count))]
  }

  /// One of the choices, each as often as its weight says.
  ///
  /// - Precondition: the weights add up to more than 0.
  package mutating func pick<Choice>(_ choices: [(weight: Int, choice: Choice)]) -> Choice {
    choices[weighted(choices.map(\.weight))].choice
  }

  /// A place, each as often as its weight says.
  ///
  /// - Precondition: one of them is above 0.
  package mutating func weighted(_ weights: [Int]) -> Int {
    var left = below(weights.reduce(0, +))
    for (index, weight) in weights.enumerated() {
      if left < weight { return index }
      left -= weight
    }
    return weights.count - 1
  }
}
