/// When and by whom something was done.
package struct Mark: Hashable, Sendable {
  package var stamp: Stamp
  package var dot: Dot

  package init(_ stamp: Stamp, _ dot: Dot) {
    self.stamp = stamp
    self.dot = dot
  }
}

/// What is known of one record, kept up with every operation.
struct Record {
  let target: Target
  // What every write needs comes first, so that it is close together in memory.
  var registers: [Register] = []
  /// Those within the fold's base are left out.
  var changes = Changes()
  var deletes: [Delete] = []
  /// Its newest create, restore or content write.
  var touch: Mark?
  /// Whether a create of it is known.
  var isCreated = false
  /// The newest touch of what it contains, and the newest arrival from another container.
  var touchInside: Mark?
  /// What created it anew after it had been purged.
  var recreations: [Dot] = []
  var texts: [(field: Name, sequence: Fugue)] = []

  init(_ target: Target) { self.target = target }

  /// The newest touch of the record or of what it contains.
  var newestTouch: Mark? {
    guard let touch, let touchInside else { return touch ?? touchInside }
    return touch.stamp < touchInside.stamp ? touchInside : touch
  }

  var newestDelete: Delete? { deletes.max { $0.mark.stamp < $1.mark.stamp } }

  /// Created, and touched since its last delete; its container is looked at apart.
  var isAlive: Bool {
    guard isCreated else { return false }
    guard let delete = newestDelete else { return true }
    return newestTouch.map { delete.mark.stamp < $0.stamp } ?? false
  }

  /// Notes a touch; a delete below it that it had not seen has lost to it.
  mutating func touch(_ operation: Operation, inside: Bool) {
    let mark = Mark(operation.stamp, operation.dot)
    if inside {
      if touchInside.map({ $0.stamp < mark.stamp }) ?? true { touchInside = mark }
    } else {
      if touch.map({ $0.stamp < mark.stamp }) ?? true { touch = mark }
    }
    for index in deletes.indices where deletes[index].mark.stamp < mark.stamp {
      if !operation.follows(deletes[index].mark.dot),
        deletes[index].lostTo.map({ $0.stamp < mark.stamp }) ?? true
      {
        deletes[index].lostTo = mark
      }
    }
  }

  /// A touch that is known and higher than the new delete cannot have been seen by it.
  mutating func delete(_ place: Place, _ operation: Operation) {
    let lostTo = newestTouch.flatMap { operation.stamp < $0.stamp ? $0 : nil }
    deletes.append(
      Delete(place: place, mark: Mark(operation.stamp, operation.dot), lostTo: lostTo))
  }

  /// The last operation of each replica that changed a record or touched what it contains.
  struct Changes {
    /// Apart from the others, because operations of one replica mostly come in a row.
    private var newest: Dot?
    private var others = VersionVector()

    init(_ vector: VersionVector = VersionVector()) { others = vector }

    var vector: VersionVector {
      var vector = others
      if let newest { vector.insert(newest) }
      return vector
    }

    mutating func insert(_ dot: Dot) {
      if let newest, newest.replica != dot.replica { others.insert(newest) }
      newest = dot
    }
  }

  /// Where an action stands.
  struct Place {
    /// Position in the fold's operations.
    var operation: Int32
    /// Position in that operation's actions.
    var action: Int32
    /// Which action of the operation it was when it was written.
    var index: UInt32
    /// The first element that the action inserts.
    var element: UInt32
  }

  struct Delete {
    var place: Place
    var mark: Mark
    /// The newest touch that had not seen it and stands above it.
    var lostTo: Mark?
  }
}

/// All writes of one register, by stamp, rising; the last one is its value.
struct Register {
  struct Write {
    var place: Record.Place
    /// `ms << 1 | isArchived`: a replica has as many of these as operations.
    private var bits: UInt64

    init(place: Record.Place, ms: UInt64, isArchived: Bool = false) {
      self.place = place
      bits = ms << 1 | (isArchived ? 1 : 0)
    }

    /// The stamp's milliseconds. They nearly always decide, without a look at the operation.
    var ms: UInt64 { bits >> 1 }

    /// Whether a concurrent write stands above it.
    var isArchived: Bool {
      get { bits & 1 != 0 }
      set { bits = bits & ~1 | (newValue ? 1 : 0) }
    }
  }

  let name: Name
  /// - Invariant: never empty but at first.
  var writes: [Write] = []
  var hasArchive = false

  init(_ name: Name) { self.name = name }

  var value: Write? { writes.last }

  /// Adds a write.
  ///
  /// Operations come in causal order, so none that is here has seen it, and whatever stands above
  /// it is concurrent with it. O(log n), and O(n) where there are concurrent ones.
  mutating func add(_ place: Record.Place, _ operation: Operation, _ all: [Replica.Written]) {
    let at = self.place(of: operation.stamp, all)
    archive(below: at, besides: operation, all)
    let isArchived = at < writes.count
    if isArchived { hasArchive = true }
    writes.insert(
      Write(place: place, ms: operation.stamp.ms, isArchived: isArchived), at: at)
  }

  /// How many writes are not above a stamp.
  private func place(of stamp: Stamp, _ all: [Replica.Written]) -> Int {
    var low = 0
    var high = writes.count
    // Most are the newest, or nearly.
    var step = 1
    while low < high {
      let middle = max(low, high - step)
      let write = writes[middle]
      let isAbove =
        write.ms != stamp.ms
        ? stamp.ms < write.ms : stamp < all[Int(write.place.operation)].stamp
      if isAbove {
        high = middle
        step *= 2
      } else {
        low = middle + 1
        step = max(1, (high - low) / 2)
      }
    }
    return low
  }

  /// Archives what stands below and was not seen.
  ///
  /// Of those that are not archived each has seen the ones below it, so all that are below one that
  /// was seen were seen too.
  private mutating func archive(
    below end: Int, besides operation: Operation, _ all: [Replica.Written]
  ) {
    // Its own come last: no other has its stamp.
    var others = end
    if end > 0, all[Int(writes[end - 1].place.operation)].dot == operation.dot {
      others = writes[..<end].countBelow {
        all[Int($0.place.operation)].stamp < operation.stamp
      }
    }
    for index in (0..<others).reversed() where !writes[index].isArchived {
      let dot = all[Int(writes[index].place.operation)].dot
      if operation.follows(dot) { return }
      writes[index].isArchived = true
      hasArchive = true
    }
  }
}
