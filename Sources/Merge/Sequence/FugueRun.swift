/// Elements of one replica that follow each other in order, each the right child of the one before.
package struct FugueRun: Hashable, Sendable {
  package var elements: ElementRange
  package var rank: UInt8
  package var isVisible: Bool
  /// Where the first element hangs.
  package var origin: Origin
  /// The characters, also of dead elements; empty for slots.
  package var text: String

  package init(
    _ elements: ElementRange, rank: UInt8, isVisible: Bool, origin: Origin, text: String
  ) {
    self.elements = elements
    self.rank = rank
    self.isVisible = isVisible
    self.origin = origin
    self.text = text
  }
}
