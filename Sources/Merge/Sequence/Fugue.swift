/// A replicated sequence of characters or slots: the Fugue tree.
///
/// Matthew Weidner and Martin Kleppmann, "The Art of the Fugue: Minimizing Interleaving in
/// Collaborative Text Editing", arXiv 2305.00583, section 4 (the basic tree, not FugueMax).
package struct Fugue: Sendable {
  struct Node {
    var element: Element
    var rank: UInt8
    var scalar: Unicode.Scalar?
    var origin: Origin
    var deletions: [Element] = []
    var left: [Int] = []
    var right: [Int] = []
  }
  var nodes: [Node] = []
  var roots: [Int] = []
  var index: [Element: Int] = [:]
  var order: [Int] = []

  package init() {}

  package var count: Int { order.count { nodes[$0].deletions.isEmpty } }
  package var isEmpty: Bool { count == 0 }
  package func contains(_ element: Element) -> Bool { index[element] != nil }
  package func isVisible(_ element: Element) -> Bool {
    index[element].map { nodes[$0].deletions.isEmpty } ?? false
  }

  private var visible: [Int] { order.filter { nodes[$0].deletions.isEmpty } }
  package var utf8: [UInt8] { Array(text.utf8) }
  package var text: String {
    var result = String.UnicodeScalarView()
    for node in visible { if let scalar = nodes[node].scalar { result.append(scalar) } }
    return String(result)
  }

  /// Where a local insertion after `offset` visible elements hangs.
  /// - Precondition: 0 … `count`.
  package func origin(at offset: Int, sealed: (Element) -> Bool = { _ in false }) -> Origin {
    origin(after: offset == 0 ? nil : nodes[visible[offset - 1]].element, sealed: sealed)
  }

  /// Where an insertion right after an element hangs, be it visible or not; nil is the start.
  package func origin(
    after element: Element?, sealed: (Element) -> Bool = { _ in false }
  ) -> Origin {
    let at = element.flatMap { index[$0] }
    if (at.map { nodes[$0].right } ?? roots).isEmpty { return Origin(element, .right) }
    let rest = order.drop { at != nil && $0 != at }.dropFirst(at == nil ? 0 : 1)
    guard
      let next = rest.first(where: {
        nodes[$0].deletions.isEmpty || !sealed(nodes[$0].element)
      })
    else { return Origin(element, .right) }
    return Origin(nodes[next].element, .left)
  }

  @discardableResult
  package mutating func insert(
    _ first: Element, text: String, rank: UInt8, at origin: Origin,
    before: (Sibling, Sibling) -> Bool
  ) throws(FugueError) -> Bool {
    try insert(first, text.unicodeScalars.map { $0 }, rank, origin, before)
  }

  @discardableResult
  package mutating func insert(
    _ first: Element, slots: Int, rank: UInt8, at origin: Origin,
    before: (Sibling, Sibling) -> Bool
  ) throws(FugueError) -> Bool {
    try insert(first, Array(repeating: nil, count: max(0, slots)), rank, origin, before)
  }

  private mutating func insert(
    _ first: Element, _ scalars: [Unicode.Scalar?], _ rank: UInt8, _ origin: Origin,
    _ before: (Sibling, Sibling) -> Bool
  ) throws(FugueError) -> Bool {
    guard !scalars.isEmpty, first.index + scalars.count <= Element.indexLimit else {
      throw .count(scalars.count)
    }
    if let parent = origin.parent {
      guard index[parent] != nil else { throw .unknown(parent) }
    } else {
      guard origin.side == .right else { throw .leftOfRoot }
    }
    let range = ElementRange(first, count: scalars.count)
    let known = (0..<range.count).count { index[range[$0]] != nil }
    if known == range.count { return false }
    if known > 0 { throw .overlapping(first) }
    var origin = origin
    for (offset, scalar) in scalars.enumerated() {
      let element = range[offset]
      let node = Node(element: element, rank: rank, scalar: scalar, origin: origin)
      index[element] = nodes.count
      nodes.append(node)
      place(nodes.count - 1, origin, before)
      origin = Origin(element, .right)
    }
    order = []
    for root in roots { traverse(root) }
    return true
  }

  private mutating func place(
    _ node: Int, _ origin: Origin, _ before: (Sibling, Sibling) -> Bool
  ) {
    func insert(into list: inout [Int]) {
      let me = Sibling(nodes[node].element, rank: nodes[node].rank)
      let at =
        list.firstIndex { before(me, Sibling(nodes[$0].element, rank: nodes[$0].rank)) }
        ?? list.count
      list.insert(node, at: at)
    }
    guard let parent = origin.parent.map({ index[$0]! }) else { return insert(into: &roots) }
    var list = origin.side == .left ? nodes[parent].left : nodes[parent].right
    insert(into: &list)
    if origin.side == .left { nodes[parent].left = list } else { nodes[parent].right = list }
  }

  private mutating func traverse(_ node: Int) {
    for child in nodes[node].left { traverse(child) }
    order.append(node)
    for child in nodes[node].right { traverse(child) }
  }

  /// Marks elements dead for the operation `seq` of a replica; what is dead stays dead.
  @discardableResult
  package mutating func delete(
    _ elements: ElementRange, by replica: UInt32, seq: UInt64
  ) throws(FugueError) -> Bool {
    guard elements.count > 0 else { throw .count(elements.count) }
    for offset in 0..<elements.count where index[elements[offset]] == nil {
      throw .unknown(elements[offset])
    }
    var changed = false
    for offset in 0..<elements.count {
      let node = index[elements[offset]]!
      changed = changed || nodes[node].deletions.isEmpty
      nodes[node].deletions.append(Element(replica: replica, seq: seq))
    }
    return changed
  }

  /// The elements at visible offsets, for a delete action.
  package func elements(in range: Range<Int>) -> [ElementRange] {
    visible[range].map { ElementRange(nodes[$0].element, count: 1) }
  }
}
