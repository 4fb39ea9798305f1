import Seeded
import Oracle

/// Where every choice of a schedule is drawn.
struct Dice {
  private var random: SplitMix64

  init(seed: UInt64) { random = SplitMix64(seed: seed) }

  mutating func next() -> UInt64 { random.next() }

  /// True so many times in a hundred.
  mutating func percent(_ chance: Int) -> Bool { below(100) < chance }

  /// A number from 0 to one less than `limit`.
  mutating func below(_ limit: Int) -> Int {
    // The product's high half is as good as even for limits as small as these.
    Int(random.next().multipliedFullWidth(by: UInt64(limit)).high)
  }

  mutating func within(_ range: ClosedRange<Int>) -> Int {
    range.lowerBound + below(range.upperBound - range.lowerBound + 1)
  }

  /// - Precondition: there is one.
  mutating func pick<Element>(_ elements: [Element]) -> Element { elements[below(elements.count)] }

  /// A place, each as often as its weight says.
  ///
  /// - Precondition: one of them is above 0.
  mutating func weighted(_ weights: [Int]) -> Int {
    var left = below(weights.reduce(0, +))
    for (index, weight) in weights.enumerated() {
      if left < weight { return index }
      left -= weight
    }
    return weights.count - 1
  }
}
