import Merge

/// The Fugue tree as the paper has it: a node an element, and a recursive traversal each time.
struct NaiveFugue {
  struct Node {
    var sibling: Sibling
    var scalar: Unicode.Scalar
    var left: [Element] = []
    var right: [Element] = []
    /// The operations that deleted it.
    var deletions: [Element] = []
  }

  private(set) var nodes: [Element: Node] = [:]
  private var roots: [Element] = []

  /// - Parameter known: what counts as there.
  func order(_ known: (Element) -> Bool = { _ in true }) -> [Element] {
    var result: [Element] = []
    func visit(_ element: Element) {
      guard known(element), let node = nodes[element] else { return }
      node.left.forEach(visit)
      result.append(element)
      node.right.forEach(visit)
    }
    roots.forEach(visit)
    return result
  }

  func isVisible(_ element: Element, _ known: (Element) -> Bool = { _ in true }) -> Bool {
    !nodes[element]!.deletions.contains(where: known)
  }

  func visible(_ known: (Element) -> Bool = { _ in true }) -> [Element] {
    order(known).filter { isVisible($0, known) }
  }

  func text(_ known: (Element) -> Bool = { _ in true }) -> String {
    String(String.UnicodeScalarView(visible(known).map { nodes[$0]!.scalar }))
  }

  func origin(at offset: Int, _ known: (Element) -> Bool = { _ in true }) -> Origin {
    let parent = offset == 0 ? nil : visible(known)[offset - 1]
    let children = parent.map { nodes[$0]!.right } ?? roots
    guard children.contains(where: known) else { return Origin(parent, .right) }
    let all = order(known)
    return Origin(all[parent.map { all.firstIndex(of: $0)! + 1 } ?? 0], .left)
  }

  mutating func insert(
    _ first: Element, _ text: String, rank: UInt8, at origin: Origin,
    before: (Sibling, Sibling) -> Bool
  ) {
    var origin = origin
    for (offset, scalar) in text.unicodeScalars.enumerated() {
      let element = ElementRange(first, count: offset + 1)[offset]
      let sibling = Sibling(element, rank: rank)
      nodes[element] = Node(sibling: sibling, scalar: scalar)
      var siblings = roots
      if let parent = origin.parent {
        siblings = origin.side == .left ? nodes[parent]!.left : nodes[parent]!.right
      }
      let at = siblings.firstIndex { before(sibling, nodes[$0]!.sibling) } ?? siblings.count
      siblings.insert(element, at: at)
      switch (origin.parent, origin.side) {
      case (nil, _): roots = siblings
      case (let parent?, .left): nodes[parent]!.left = siblings
      case (let parent?, .right): nodes[parent]!.right = siblings
      }
      origin = Origin(element, .right)
    }
  }

  mutating func delete(_ elements: ElementRange, by replica: UInt32, seq: UInt64) {
    for offset in 0..<elements.count {
      nodes[elements[offset]]!.deletions.append(Element(replica: replica, seq: seq))
    }
  }

  /// Drops what is purgeable until all of it has at least two children; an only child takes the
  /// place of its parent.
  mutating func purge(_ isPurgeable: (Element) -> Bool) {
    while let (gone, node) = nodes.first(where: {
      isPurgeable($0) && !isVisible($0) && $1.left.count + $1.right.count < 2
    }) {
      nodes[gone] = nil
      let child = node.left + node.right
      if let child = child.first { nodes[child]!.sibling = node.sibling }
      func replace(in siblings: [Element]) -> [Element] {
        siblings.flatMap { $0 == gone ? child : [$0] }
      }
      roots = replace(in: roots)
      for element in nodes.keys {
        nodes[element]!.left = replace(in: nodes[element]!.left)
        nodes[element]!.right = replace(in: nodes[element]!.right)
      }
    }
  }
}
