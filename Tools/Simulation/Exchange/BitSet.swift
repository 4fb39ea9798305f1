/// A set of small numbers, as bits: the writes that somebody has seen.
struct BitSet: Hashable, Sendable {
  /// Those below 64, apart from the others so that short schedules allocate nothing.
  private var low: UInt64 = 0
  private var rest: [UInt64] = []

  mutating func insert(_ number: Int) {
    guard number >= 64 else { return low |= 1 << UInt64(number) }
    let word = number / 64 - 1
    while rest.count <= word { rest.append(0) }
    rest[word] |= 1 << UInt64(number % 64)
  }

  func contains(_ number: Int) -> Bool {
    if number < 64 { return low >> UInt64(number) & 1 != 0 }
    let word = number / 64 - 1
    return word < rest.count && rest[word] >> UInt64(number % 64) & 1 != 0
  }

  var isEmpty: Bool { low == 0 && rest.allSatisfy { $0 == 0 } }

  func subtracting(_ other: BitSet) -> BitSet {
    var left = self
    left.low &= ~other.low
    for index in rest.indices where index < other.rest.count {
      left.rest[index] &= ~other.rest[index]
    }
    return left
  }

  mutating func formUnion(_ other: BitSet) {
    low |= other.low
    while rest.count < other.rest.count { rest.append(0) }
    for index in other.rest.indices { rest[index] |= other.rest[index] }
  }
}
