import Seeded
import Oracle

/// Everything random about a schedule is drawn here.
package struct Draw {
  private var random: SplitMix64

  package init(seed: UInt64) {
    random = SplitMix64(seed: seed)
    // Seeds in a row begin alike otherwise.
    random = SplitMix64(seed: random.next())
  }

  package mutating func next() -> UInt64 { random.next() }

  /// From 0 up to, and without, `count`.
  ///
  /// - Precondition: `count` is above 0.
  package mutating func below(_ count: Int) -> Int { Int(next() % UInt64(count)) }

  /// True so many times in a hundred.
  package mutating func percent(_ chance: Int) -> Bool { below(100) < chance }

  /// - Precondition: there is one.
  package mutating func pick<Element>(_ elements: some RandomAccessCollection<Element>) -> Element {
    elements[elements.index(elements.startIndex, offsetBy: below(elements.count))]
  }

  /// One of the choices, by weight.
  ///
  /// - Precondition: the weights add up to more than 0.
  package mutating func pick<Choice>(_ choices: [(weight: Int, choice: Choice)]) -> Choice {
    var place = below(choices.reduce(0) { $0 + $1.weight })
    for (weight, choice) in choices {
      if place < weight { return choice }
      place -= weight
    }
    fatalError("the weights add up")
  }
}
