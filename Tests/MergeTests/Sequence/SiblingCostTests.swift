import Testing

@testable import Merge

/// Siblings are found without going through all of them: steps are counted, not seconds.
@Suite struct SiblingCostTests {
  private static func before(_ one: Sibling, _ other: Sibling) -> Bool {
    Sibling.precedes(one, other, replicas: <)
  }

  /// Two replicas insert at one place, of which a third one's sibling is the last.
  private func steps(_ count: Int, at side: Side) throws -> Int {
    var fugue = Fugue()
    func insert(_ replica: UInt32, _ seq: UInt64, _ origin: Origin) throws {
      try fugue.insert(
        Element(replica: replica, seq: seq), text: "x", rank: 1, at: origin, before: Self.before)
    }
    try insert(0, 1, .root)
    let origin = Origin(Element(replica: 0, seq: 1), side)
    try insert(9, 1, origin)
    for number in 0..<count {
      for replica: UInt32 in [1, 2] { try insert(replica, UInt64(number + 1), origin) }
    }
    let expected =
      (0..<count).map { Element(replica: 1, seq: UInt64($0 + 1)) }
      + (0..<count).map { Element(replica: 2, seq: UInt64($0 + 1)) } + [
        Element(replica: 9, seq: 1)
      ]
    let found = fugue.snapshot().flatMap { run in
      (0..<run.elements.count).map { run.elements[$0] }
    }.filter { $0.replica != 0 }
    #expect(found == expected)
    return fugue.siblingSteps
  }

  @Test(arguments: [Side.left, .right]) func siblingsOfOneContributor(side: Side) throws {
    let (few, many) = (try steps(250, at: side), try steps(1_000, at: side))
    #expect(few > 0, "the steps are not counted")
    // A bounded number for each.
    #expect(many <= 3 * Siblings.few * 1_000)
    #expect(many <= 5 * few)
  }
}
