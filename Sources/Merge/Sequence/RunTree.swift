/// The runs in document order: a B+ tree of handles that counts visible elements.
///
/// ```
///   node   [ child | child | … ]   weights [ visible below | visible below | … ]
///   leaf   [ run   | run   | … ]   weights [ visible       | visible       | … ]
/// ```
/// Every operation is O(log n) with at most `fanout` steps a level. Nodes are not joined when they
/// get small; an empty one is removed.
struct RunTree {
  static let fanout = 32

  /// `fanout` places a node.
  private var items = ContiguousArray<Int32>()
  private var weights = ContiguousArray<Int32>()
  private var nodes = ContiguousArray<Node>()
  /// Negative before the first run.
  private var root: Int32 = -1
  private var freeNode: Int32 = -1
  /// The leaf of each run.
  private var leaves = ContiguousArray<Int32>()
  /// Visible elements in all.
  private(set) var weight: Int32 = 0

  private struct Node {
    var parent: Int32
    var size: Int32
    var isLeaf: Bool
  }

  /// Bytes allocated.
  var byteCount: Int {
    (items.capacity + weights.capacity + leaves.capacity) * 4
      + nodes.capacity * MemoryLayout<Node>.stride
  }

  var isEmpty: Bool { root < 0 || nodes[Int(root)].size == 0 }

  var first: Handle? { isEmpty ? nil : edge(of: root, last: false) }
  var last: Handle? { isEmpty ? nil : edge(of: root, last: true) }

  /// The run that holds the visible element at an offset, and the offset within it.
  /// - Precondition: 0 ..< `weight`.
  func find(_ offset: Int) -> (run: Handle, offset: Int32) {
    precondition(offset >= 0 && offset < weight, "an offset outside of the sequence")
    var rest = Int32(truncatingIfNeeded: offset)
    var node = root
    while true {
      var at = Int(node) * Self.fanout
      while rest >= weights[at] {
        rest -= weights[at]
        at += 1
      }
      if nodes[Int(node)].isLeaf { return (items[at], rest) }
      node = items[at]
    }
  }

  /// Visible elements before a run.
  func offset(of run: Handle) -> Int {
    var sum = 0
    var item = run
    var node = leaves[Int(run)]
    while node >= 0 {
      let base = Int(node) * Self.fanout
      var at = base
      while items[at] != item {
        sum += Int(weights[at])
        at += 1
      }
      item = node
      node = nodes[Int(node)].parent
    }
    return sum
  }

  func next(_ run: Handle) -> Handle? { neighbour(of: run, by: 1) }
  func previous(_ run: Handle) -> Handle? { neighbour(of: run, by: -1) }

  // MARK: Changes

  mutating func append(_ run: Handle, weight: Int32) {
    if let last { return insert(run, weight: weight, after: last) }
    if root < 0 { root = addNode(isLeaf: true) }
    insert(run, weight: weight, into: root, at: 0)
  }

  mutating func insert(_ run: Handle, weight: Int32, after other: Handle) {
    let leaf = leaves[Int(other)]
    insert(run, weight: weight, into: leaf, at: slot(of: other, in: leaf) + 1)
  }

  mutating func insert(_ run: Handle, weight: Int32, before other: Handle) {
    let leaf = leaves[Int(other)]
    insert(run, weight: weight, into: leaf, at: slot(of: other, in: leaf))
  }

  mutating func remove(_ run: Handle, weight: Int32) {
    add(-weight, to: run)
    removeItem(run, from: leaves[Int(run)])
  }

  /// Changes a run's count of visible elements.
  mutating func add(_ delta: Int32, to run: Handle) {
    guard delta != 0 else { return }
    let leaf = leaves[Int(run)]
    weights[Int(leaf) * Self.fanout + slot(of: run, in: leaf)] += delta
    spread(delta, from: leaf)
  }

  // MARK: Nodes

  @inline(__always)
  private func slot(of item: Int32, in node: Int32) -> Int {
    let base = Int(node) * Self.fanout
    var at = base
    while items[at] != item { at += 1 }
    return at - base
  }

  private func edge(of node: Int32, last: Bool) -> Handle {
    var node = node
    while true {
      let item = items[Int(node) * Self.fanout + (last ? Int(nodes[Int(node)].size) - 1 : 0)]
      if nodes[Int(node)].isLeaf { return item }
      node = item
    }
  }

  private func neighbour(of run: Handle, by step: Int) -> Handle? {
    var item = run
    var node = leaves[Int(run)]
    while node >= 0 {
      let at = slot(of: item, in: node) + step
      if at >= 0 && at < Int(nodes[Int(node)].size) {
        let found = items[Int(node) * Self.fanout + at]
        return nodes[Int(node)].isLeaf ? found : edge(of: found, last: step < 0)
      }
      item = node
      node = nodes[Int(node)].parent
    }
    return nil
  }

  /// Adds to the weights of all that a node hangs under.
  private mutating func spread(_ delta: Int32, from node: Int32) {
    var item = node
    var node = nodes[Int(node)].parent
    while node >= 0 {
      weights[Int(node) * Self.fanout + slot(of: item, in: node)] += delta
      item = node
      node = nodes[Int(node)].parent
    }
    weight += delta
  }

  private mutating func addNode(isLeaf: Bool) -> Int32 {
    if freeNode >= 0 {
      let node = freeNode
      freeNode = nodes[Int(node)].parent
      nodes[Int(node)] = Node(parent: -1, size: 0, isLeaf: isLeaf)
      return node
    }
    nodes.append(Node(parent: -1, size: 0, isLeaf: isLeaf))
    items.append(contentsOf: repeatElement(-1, count: Self.fanout))
    weights.append(contentsOf: repeatElement(0, count: Self.fanout))
    return Int32(nodes.count - 1)
  }

  private mutating func adopt(_ item: Int32, by node: Int32) {
    guard nodes[Int(node)].isLeaf else {
      nodes[Int(item)].parent = node
      return
    }
    while leaves.count <= Int(item) { leaves.append(-1) }
    leaves[Int(item)] = node
  }

  private mutating func insert(_ item: Int32, weight: Int32, into node: Int32, at slot: Int) {
    var node = node
    var slot = slot
    if Int(nodes[Int(node)].size) == Self.fanout {
      // An edge is split at the edge: what grows at one end fills its nodes.
      let at = slot == 0 || slot == Self.fanout ? slot : Self.fanout / 2
      let right = split(node, at: at)
      if slot > at || slot == Self.fanout {
        node = right
        slot -= at
      }
    }
    let base = Int(node) * Self.fanout
    let size = Int(nodes[Int(node)].size)
    var at = base + size
    while at > base + slot {
      items[at] = items[at - 1]
      weights[at] = weights[at - 1]
      at -= 1
    }
    items[at] = item
    weights[at] = weight
    nodes[Int(node)].size += 1
    adopt(item, by: node)
    spread(weight, from: node)
  }

  /// Moves a full node's items from `slot` on to a new node at its right.
  private mutating func split(_ node: Int32, at slot: Int) -> Int32 {
    let right = addNode(isLeaf: nodes[Int(node)].isLeaf)
    let (from, to) = (Int(node) * Self.fanout, Int(right) * Self.fanout)
    var moved: Int32 = 0
    for at in slot..<Self.fanout {
      items[to + at - slot] = items[from + at]
      weights[to + at - slot] = weights[from + at]
      moved += weights[from + at]
      adopt(items[from + at], by: right)
    }
    nodes[Int(right)].size = Int32(Self.fanout - slot)
    nodes[Int(node)].size = Int32(slot)
    if nodes[Int(node)].parent < 0 {
      root = addNode(isLeaf: false)
      let base = Int(root) * Self.fanout
      items[base] = node
      weights[base] = weight
      nodes[Int(root)].size = 1
      nodes[Int(node)].parent = root
    }
    spread(-moved, from: node)
    let parent = nodes[Int(node)].parent
    insert(right, weight: moved, into: parent, at: self.slot(of: node, in: parent) + 1)
    return right
  }

  /// - Precondition: the item's weight is 0.
  private mutating func removeItem(_ item: Int32, from node: Int32) {
    let base = Int(node) * Self.fanout
    let size = Int(nodes[Int(node)].size)
    for at in base + slot(of: item, in: node)..<base + size - 1 {
      items[at] = items[at + 1]
      weights[at] = weights[at + 1]
    }
    nodes[Int(node)].size -= 1
    guard size == 1 else { return }
    let parent = nodes[Int(node)].parent
    guard parent >= 0 else {
      nodes[Int(node)].isLeaf = true
      return
    }
    removeItem(node, from: parent)
    nodes[Int(node)].parent = freeNode
    freeNode = node
  }
}
