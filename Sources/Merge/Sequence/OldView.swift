/// What a sequence showed at an older version.
package struct OldView: Sendable {
  struct Piece {
    var elements: ElementRange
    var isVisible: Bool
    /// Whether its last element has a right child in that version.
    var hasRightChild: Bool
  }
  var pieces: [Piece] = []
  package internal(set) var text = ""

  package var count: Int { pieces.reduce(0) { $0 + ($1.isVisible ? $1.elements.count : 0) } }

  package func origin(at offset: Int, sealed: (Element) -> Bool = { _ in false }) -> Origin {
    fatalError("to come")
  }

  package func elements(in range: Range<Int>) -> [ElementRange] {
    fatalError("to come")
  }
}

extension Fugue {
  /// The sequence at a version: `known` is the version vector, the last sequence number of each
  /// replica within it.
  package func view(at known: (UInt32) -> UInt64) -> OldView {
    fatalError("to come")
  }

  /// All elements in order, alive and dead.
  package var runs: [FugueRun] {
    fatalError("to come")
  }

  /// A sequence of all these runs, which are in order.
  package init(restoring runs: [FugueRun]) throws(FugueError) {
    fatalError("to come")
  }

  /// Drops dead elements that satisfy the predicate and have no remaining descendants.
  package mutating func purge(where isPurgeable: (Element) -> Bool) {
    fatalError("to come")
  }
}
