package import Merge

// Sequences are trees whose in-order traversal is the sequence: Weidner and Kleppmann, "The Art of
// the Fugue: Minimizing Interleaving in Collaborative Text Editing" (2023), section 4. A list is a
// sequence of slots, and an item stands where the last move put it: Kleppmann, "Moving Elements in
// List CRDTs" (PaPoC 2020), section 3.

extension Oracle {
  /// A character of a text, or a slot of a list.
  package struct Element: Sendable {
    package var id: ElementID
    package var anchor: Anchor
    package var rank: UInt8
    /// nil for a slot.
    package var scalar: Unicode.Scalar?

    /// The order of siblings: the phone's first, then by the name of what wrote them.
    static func precedes(_ left: Element, _ right: Element) -> Bool {
      if left.rank != right.rank { return left.rank > right.rank }
      let (one, other) = (left.id, right.id)
      if one.dot.replica != other.dot.replica { return one.dot.replica < other.dot.replica }
      if one.dot.seq != other.dot.seq { return one.dot.seq < other.dot.seq }
      return one.index < other.index
    }
  }

  /// The elements in the order of the sequence: of each, what hangs on its left, the element, what
  /// hangs on its right.
  static func traversal(_ elements: [Element]) -> [Element] {
    enum Step {
      case visit(Element)
      case emit(Element)
    }
    let byAnchor = Dictionary(grouping: elements, by: \.anchor)
    func visits(_ parent: ElementID?, _ side: Side) -> [Step] {
      (byAnchor[Anchor(parent, side)] ?? []).sorted(by: Element.precedes).map { .visit($0) }
    }
    var result: [Element] = []
    // What is to be done, last step first.
    var steps = Array((visits(nil, .left) + visits(nil, .right)).reversed())
    while let step = steps.popLast() {
      switch step {
      case .emit(let element): result.append(element)
      case .visit(let element):
        let inner = visits(element.id, .left) + [.emit(element)] + visits(element.id, .right)
        steps.append(contentsOf: inner.reversed())
      }
    }
    return result
  }

  /// Where a new element hangs that is to come right after `left`, at the front where that is nil:
  /// on the right of `left`, or on the left of what follows it where something hangs there already.
  package static func anchor(after left: ElementID?, in sequence: [Element]) -> Anchor {
    guard sequence.contains(where: { $0.anchor == Anchor(left, .right) }) else {
      return Anchor(left, .right)
    }
    let next = left.flatMap { left in sequence.firstIndex { $0.id == left } }.map { $0 + 1 } ?? 0
    return Anchor(sequence[next].id, .left)
  }
}

// MARK: Texts

extension Oracle {
  /// Every character ever inserted into a text, in order.
  package func characters(_ target: Target, _ field: Name) -> [Element] {
    let elements = entries(of: target).flatMap { entry -> [Element] in
      guard case .insert(field, let anchor, let text) = entry.action.body else { return [] }
      var hook = anchor
      return text.text.unicodeScalars.enumerated().map { offset, scalar in
        let id = ElementID(entry.dot, entry.firstElement + UInt32(offset))
        defer { hook = Anchor(id, .right) }
        return Element(id: id, anchor: hook, rank: entry.stamp.rank, scalar: scalar)
      }
    }
    return Self.traversal(elements)
  }

  /// The characters of a text that somebody has erased; nothing brings one back.
  package func erased(_ target: Target, _ field: Name) -> Set<ElementID> {
    var erased: Set<ElementID> = []
    for entry in entries(of: target) {
      guard case .erase(field, let runs) = entry.action.body else { continue }
      for run in runs {
        for index in run.first.index..<run.first.index + run.count {
          erased.insert(ElementID(run.first.dot, index))
        }
      }
    }
    return erased
  }

  /// What a text reads.
  package func text(_ target: Target, _ field: Name) -> Name {
    let erased = erased(target, field)
    var text = String.UnicodeScalarView()
    for character in characters(target, field) where !erased.contains(character.id) {
      if let scalar = character.scalar { text.append(scalar) }
    }
    return Name(String(text))
  }
}

// MARK: Lists

extension Oracle {
  /// Every slot of the list that holds records of a kind in a container, or at the root.
  package func slots(_ kind: Name, in container: Target?) -> [Element] {
    let slots = entries.compactMap { entry -> Element? in
      guard case .move(_, let anchor) = entry.action.body, entry.action.target.kind == kind,
        entry.action.into == container
      else { return nil }
      let id = ElementID(entry.dot, entry.firstElement)
      return Element(id: id, anchor: anchor, rank: entry.stamp.rank)
    }
    return Self.traversal(slots)
  }

  /// The move that put a record where it is.
  package func place(_ target: Target, _ register: Name) -> Entry? {
    writes(target, register).filter { $0.action.insertedElements == 1 }.max(by: <)
  }

  /// Where a record is in the list that it stands in; nil where it was never put anywhere.
  package func slot(_ target: Target, _ register: Name) -> ElementID? {
    place(target, register).map { ElementID($0.dot, $0.firstElement) }
  }
}
