/// Whether what was numbered 1, 2, 3 … comes in that order and once.
package struct DeliveryCheck: Equatable, Sendable {
  /// The number that comes next where all is well.
  package private(set) var expected = 1
  /// Numbers that were passed over, lowest first.
  private var missing: [Range<Int>] = []
  package private(set) var duplicated = 0
  /// How many came behind a later one.
  package private(set) var reordered = 0

  package init() {}

  @inline(__always)
  package mutating func note(_ number: Int) {
    if number == expected {
      expected &+= 1
    } else {
      noteUnexpected(number)
    }
  }

  /// How many of the numbers up to the highest one that came have not come.
  package var passedOver: Int { missing.reduce(0) { $0 + $1.count } }

  /// How many have come, each counted once.
  package var arrived: Int { expected - 1 - passedOver }

  @inline(never)
  private mutating func noteUnexpected(_ number: Int) {
    if number > expected {
      missing.append(expected..<number)
      expected = number + 1
      return
    }
    guard let index = missing.firstIndex(where: { $0.contains(number) }) else {
      duplicated += 1
      return
    }
    reordered += 1
    let range = missing[index]
    let rests = [range.lowerBound..<number, number + 1..<range.upperBound]
    missing.replaceSubrange(index...index, with: rests.filter { !$0.isEmpty })
  }
}

/// What was wrong with the deliveries of a run.
package struct Faults: Equatable, Sendable {
  package var lost = 0
  package var duplicated = 0
  package var reordered = 0
  /// Sent, and neither come nor known to be lost when the run ended.
  package var inFlight = 0

  package init() {}

  /// Adds what a sequence of numbers showed.
  ///
  /// - Parameters:
  ///   - sent: how many numbers were given out.
  ///   - isSettled: the run had waited until nothing more came, so what has not come is lost.
  package mutating func add(_ check: DeliveryCheck, sent: Int, isSettled: Bool) {
    duplicated += check.duplicated
    reordered += check.reordered
    lost += check.passedOver
    let rest = sent - (check.expected - 1)
    if isSettled { lost += rest } else { inFlight += rest }
  }
}
