/// A set of elements, as ranges.
package struct ElementSet: Sendable {
  /// By replica and position; they do not overlap.
  package let ranges: [ElementRange]

  /// - Parameter ranges: in any order, none overlapping another.
  package init(_ ranges: [ElementRange] = []) {
    let sorted = ranges.sorted {
      ($0.first.replica, $0.first.position) < ($1.first.replica, $1.first.position)
    }
    self.ranges = sorted.reduce(into: []) { $0.append(joining: $1) }
  }

  package var isEmpty: Bool { ranges.isEmpty }

  package func contains(_ element: Element) -> Bool {
    var low = 0
    var high = ranges.count
    while low < high {
      let middle = (low + high) / 2
      let first = ranges[middle].first
      if (first.replica, first.position) <= (element.replica, element.position) {
        low = middle + 1
      } else {
        high = middle
      }
    }
    guard low > 0, ranges[low - 1].first.replica == element.replica else { return false }
    let range = ranges[low - 1]
    let (steps, rest) = (element.position - range.first.position).quotientAndRemainder(
      dividingBy: range.step.distance)
    return rest == 0 && steps < UInt64(range.count)
  }
}
