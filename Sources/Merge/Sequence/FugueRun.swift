/// Elements of one replica that follow each other in order, each the right child of the one before.
package struct FugueRun: Hashable, Sendable {
  package var elements: ElementRange
  package var rank: UInt8
  package var isVisible: Bool
  /// Where the first element hangs.
  package var origin: Origin
  /// What the first element is ordered by among its siblings, where that is not itself: it has
  /// taken the place of a purged element.
  package var key: Sibling?
  /// The characters, also of dead elements; empty for slots.
  package var text: String

  package init(
    _ elements: ElementRange, rank: UInt8, isVisible: Bool, origin: Origin, key: Sibling? = nil,
    text: String
  ) {
    self.elements = elements
    self.rank = rank
    self.isVisible = isVisible
    self.origin = origin
    self.key = key
    self.text = text
  }

  /// The same elements in runs that are not too long.
  var parts: [FugueRun] {
    guard elements.count > Run.limit else { return [self] }
    var parts: [FugueRun] = []
    var part = self
    var rest = text.unicodeScalars[...]
    for start in stride(from: 0, to: elements.count, by: Int(Run.limit)) {
      part.elements.first = elements[start]
      part.elements.count = min(Int(Run.limit), elements.count - start)
      part.text = String(rest.prefix(part.elements.count))
      rest = rest.dropFirst(part.elements.count)
      parts.append(part)
      part.origin = Origin(part.elements[part.elements.count - 1], .right)
      part.key = nil
    }
    return parts
  }
}
