/// The numbers above a watermark that are dead all the same: cancelled, refused, replaced, moved.
/// Kept as rising, disjoint, non-touching closed ranges.
struct Holes: Equatable {
  private(set) var ranges: [ClosedRange<UInt64>]

  init(ranges: [ClosedRange<UInt64>] = []) { self.ranges = ranges }

  /// How many ranges there are.
  var count: Int { ranges.count }

  func contains(_ number: UInt64) -> Bool {
    let index = firstRange(endingAtOrAfter: number)
    return index < ranges.count && ranges[index].lowerBound <= number
  }

  /// Adds a number that is not in it yet.
  mutating func insert(_ number: UInt64) {
    let index = firstRange(endingAtOrAfter: number)
    let joinsLeft = index > 0 && ranges[index - 1].upperBound + 1 == number
    let joinsRight = index < ranges.count && ranges[index].lowerBound == number + 1
    switch (joinsLeft, joinsRight) {
    case (true, true):
      ranges[index - 1] = ranges[index - 1].lowerBound...ranges[index].upperBound
      ranges.remove(at: index)
    case (true, false): ranges[index - 1] = ranges[index - 1].lowerBound...number
    case (false, true): ranges[index] = number...ranges[index].upperBound
    case (false, false): ranges.insert(number...number, at: index)
    }
  }

  /// Forgets what is at or below a watermark.
  mutating func removeThrough(_ watermark: UInt64) {
    guard let first = ranges.first, first.lowerBound <= watermark else { return }
    let kept = firstRange(endingAtOrAfter: watermark + 1)
    ranges.removeFirst(kept)
    if let next = ranges.first, next.lowerBound <= watermark {
      ranges[0] = (watermark + 1)...next.upperBound
    }
  }

  private func firstRange(endingAtOrAfter number: UInt64) -> Int {
    var low = 0
    var high = ranges.count
    while low < high {
      let middle = (low + high) / 2
      if ranges[middle].upperBound < number { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
