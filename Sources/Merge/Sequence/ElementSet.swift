/// A set of elements, as ranges.
///
/// Ranges of several sequences may lie between one another: of one replica's characters 1/0, 2/0, 3/0 the list of
/// timers may have the slot 2/1. So ranges are looked up by what stays the same within them: those that grow by index by
/// their operation, and those that grow by operation by their index.
package struct ElementSet: Sendable {
  /// None overlaps another.
  package let ranges: [ElementRange]
  /// Where the first of each step stands in `ranges`.
  private let split: Int

  /// - Parameter ranges: in any order, none overlapping another.
  package init(_ ranges: [ElementRange] = []) {
    let byIndex = ranges.filter { $0.step == .index }
    let bySeq = ranges.filter { $0.step == .seq }
    let rows = byIndex.sorted { Self.key($0.first, .index) < Self.key($1.first, .index) }
    split = rows.count
    self.ranges = rows + bySeq.sorted { Self.key($0.first, .seq) < Self.key($1.first, .seq) }
  }

  package var isEmpty: Bool { ranges.isEmpty }

  package func contains(_ element: Element) -> Bool {
    contains(element, ranges[..<split], .index) || contains(element, ranges[split...], .seq)
  }

  private static func key(
    _ element: Element, _ step: ElementRange.Step
  ) -> (UInt32, Int, UInt64) {
    (element.replica, step == .index ? 0 : element.index, element.position)
  }

  private func contains(
    _ element: Element, _ ranges: ArraySlice<ElementRange>, _ step: ElementRange.Step
  ) -> Bool {
    let wanted = Self.key(element, step)
    var low = ranges.startIndex
    var high = ranges.endIndex
    while low < high {
      let middle = (low + high) / 2
      if Self.key(ranges[middle].first, step) <= wanted { low = middle + 1 } else { high = middle }
    }
    guard low > ranges.startIndex else { return false }
    let range = ranges[low - 1]
    let first = Self.key(range.first, step)
    guard (first.0, first.1) == (wanted.0, wanted.1) else { return false }
    let (steps, rest) = (element.position - range.first.position).quotientAndRemainder(
      dividingBy: step.distance)
    return rest == 0 && steps < UInt64(range.count)
  }
}
