/// An element of a sequence: the `index`-th element that operation `seq` of a replica inserted.
///
/// `replica` is an interned number: local to a process, without a meaningful order.
package struct Element: Hashable, Sendable {
  package var replica: UInt32
  /// `seq << 20 | index`
  package var position: UInt64

  /// An operation inserts at most this many elements: 20 bits of index, about a million characters.
  package static let indexLimit: UInt64 = 1 << 20

  /// The other 44 bits.
  package static let seqLimit: UInt64 = 1 << 44

  package init(replica: UInt32, position: UInt64) {
    self.replica = replica
    self.position = position
  }

  /// - Precondition: `seq` is below `seqLimit` and `index` below `indexLimit`.
  package init(replica: UInt32, seq: UInt64, index: Int = 0) {
    precondition(seq < Self.seqLimit && index >= 0 && index < Self.indexLimit)
    self.init(replica: replica, position: seq << 20 | UInt64(index))
  }

  package var seq: UInt64 { position >> 20 }
  package var index: Int { Int(position & (Self.indexLimit - 1)) }
}

/// Elements of one replica with evenly spaced positions.
package struct ElementRange: Hashable, Sendable {
  /// What grows from one element to the next.
  package enum Step: UInt8, Sendable {
    /// Elements of one operation, as a paste makes them.
    case index
    /// One element from each of consecutive operations, as typing makes them.
    case seq

    package var distance: UInt64 { self == .index ? 1 : Element.indexLimit }
    /// What grows stays below.
    var limit: UInt64 { self == .index ? Element.indexLimit : Element.seqLimit }
  }

  package var first: Element
  package var count: Int
  package var step: Step

  package init(_ first: Element, count: Int, step: Step = .index) {
    self.first = first
    self.count = count
    self.step = step
  }

  /// Whether there can be such elements. What comes from outside may be anything.
  var isValid: Bool {
    count > 0
      && (step == .index ? UInt64(first.index) : first.seq) + UInt64(count) <= step.limit
  }

  /// - Precondition: the offset lies within the range.
  package subscript(offset: Int) -> Element {
    Element(
      replica: first.replica, position: first.position + UInt64(offset) * step.distance)
  }
}

/// The side of its parent on which an element hangs.
package enum Side: UInt8, Sendable {
  case left, right
}

/// Where an element hangs in the Fugue tree; without a parent, at the root.
package struct Origin: Hashable, Sendable {
  package var parent: Element?
  package var side: Side

  package init(_ parent: Element?, _ side: Side) {
    self.parent = parent
    self.side = side
  }

  /// Where the first element of an empty sequence hangs.
  package static let root = Origin(nil, .right)
}

/// What siblings are ordered by.
package struct Sibling: Hashable, Sendable {
  package var element: Element
  /// Frozen in the operation that inserted the element.
  package var rank: UInt8

  package init(_ element: Element, rank: UInt8) {
    self.element = element
    self.rank = rank
  }

  /// Rank descending, then the replica in the caller's order, then the position.
  package static func precedes(
    _ a: Sibling, _ b: Sibling, replicas: (UInt32, UInt32) -> Bool
  ) -> Bool {
    if a.rank != b.rank { return a.rank > b.rank }
    if a.element.replica != b.element.replica {
      return replicas(a.element.replica, b.element.replica)
    }
    return a.element.position < b.element.position
  }
}

/// Why an operation cannot be integrated. The sequence is as it was before.
package enum FugueError: Error, Hashable, Sendable {
  /// The element is not in the sequence: its insertion did not arrive, or it is purged.
  case unknown(Element)
  /// A replica's insertions come in the order of their positions.
  case outOfOrder(Element)
  /// A part of the run is already there, and another part is not.
  case overlapping(Element)
  /// No elements, or more than an operation, or the sequence, can hold.
  case count(Int)
  /// The root has right children only.
  case leftOfRoot
  /// Characters and slots of one replica in one sequence.
  case mixed(Element)
}
