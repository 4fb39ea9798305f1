/// A run's number; `none` stands for no run.
typealias Handle = Int32

extension Handle {
  static var none: Handle { -1 }
}

/// An element, named by its contributor and its ordinal there.
struct Place: Hashable {
  /// Index in `Fugue.contributions`; negative: the root of the tree.
  var contributor: Int32
  var ordinal: Int32

  static let root = Place(contributor: -1, ordinal: -1)
}

/// Elements of one contributor with consecutive ordinals, each the only right child of the one
/// before and without left children: a node of the tree, run-length encoded.
///
/// Left children hang at the first element, right children at the last: an insertion elsewhere
/// splits the run first.
struct Run {
  var contributor: Int32
  /// Ordinal of the first element.
  var start: Int32
  var count: Int32
  var parent: Place
  /// First children, in sibling order.
  var leftChild = Handle.none
  var rightChild = Handle.none
  var nextSibling = Handle.none
  /// Of a first child: the last in its list.
  var lastSibling = Handle.none
  /// The run that holds the contributor's next ordinal.
  var nextByOrdinal = Handle.none
  var rank: UInt8
  var side: Side
  var isVisible: Bool

  /// The most elements of a run, so that splitting one is cheap: its entries in the table of its
  /// contributor, one for every 32nd element, are written anew.
  static let limit: Int32 = 4096

  var end: Int32 { start + count }
  var weight: Int32 { isVisible ? count : 0 }
  var firstPlace: Place { Place(contributor: contributor, ordinal: start) }
  var lastPlace: Place { Place(contributor: contributor, ordinal: end - 1) }
}

/// The runs by handle; freed handles are used again.
struct RunTable {
  private var runs = ContiguousArray<Run>()
  private var free = Handle.none

  var capacity: Int { runs.capacity }
  /// Handles are below.
  var bound: Int { runs.count }

  subscript(_ handle: Handle) -> Run {
    @inline(__always) _read { yield runs[Int(handle)] }
    @inline(__always) _modify { yield &runs[Int(handle)] }
  }

  mutating func add(_ run: Run) -> Handle {
    guard free != .none else {
      runs.append(run)
      return Handle(runs.count - 1)
    }
    let handle = free
    free = self[handle].nextByOrdinal
    self[handle] = run
    return handle
  }

  mutating func remove(_ handle: Handle) {
    self[handle].nextByOrdinal = free
    free = handle
  }
}
