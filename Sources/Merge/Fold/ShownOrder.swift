/// The living records of one ordered kind, list by list, in the order of their slots: so that the
/// place of one is found without a look at the others. Of deleted ones the slots are known.
///
/// It is made when a place is first asked for. From then on the fold notes what has changed, and the
/// next question files that anew.
struct ShownOrder {
  /// The register that holds a record's place.
  let register: Name
  /// The number of its making: no other order of the fold has it.
  let made: Int
  /// Records by their index in the fold, in the order of the slots that they stand in.
  private(set) var lists: [Fold.ListName: [Int32]] = [:]
  /// Those without a slot, by id.
  private(set) var placeless: [Int32] = []
  /// Deleted records by the slots that they stand in.
  private var deleted: [Element: Int32] = [:]
  /// Where each record stands in these.
  private var filings: [Int32: Filing] = [:]
  private var changed: [Int32] = []

  private enum Filing {
    case slot(Fold.ListName, Element)
    case placeless
    case deleted(Element)
  }

  init(_ register: Name, of kind: Name, in fold: Fold) {
    self.register = register
    fold.ordersMade += 1
    made = fold.ordersMade
    for index in fold.records.indices where fold.records[index].target.kind == kind {
      fold.looked += 1
      guard let filing = filing(of: Int32(index), in: fold) else { continue }
      filings[Int32(index)] = filing
      switch filing {
      case .slot(let list, _): lists[list, default: []].append(Int32(index))
      case .placeless: placeless.append(Int32(index))
      case .deleted(let slot): deleted[slot] = Int32(index)
      }
    }
    for (list, members) in lists {
      // Each list by itself: the order in which they come is of no consequence.
      lists[list] =
        members.map { (offset(of: $0, in: list, fold), $0) }.sorted { $0.0 < $1.0 }.map(\.1)
    }
    placeless.sort {
      fold.records[Int($0)].target.record < fold.records[Int($1)].target.record
    }
  }

  /// Notes that something was done to a record.
  ///
  /// - Returns: false where so much has changed that it is better made anew.
  mutating func note(_ record: Int) -> Bool {
    if changed.last != Int32(record) { changed.append(Int32(record)) }
    return changed.count <= 64 + filings.count / 4
  }

  /// Files anew what has changed.
  mutating func update(_ fold: Fold) {
    for index in changed { refile(index, fold) }
    changed.removeAll(keepingCapacity: true)
  }

  /// The place among the records of its list, from 0; nil where the record is not alive.
  mutating func place(of record: Int, in fold: Fold) -> Int? {
    update(fold)
    switch filings[Int32(record)] {
    case .slot(let list, let slot):
      guard let offset = fold.lists[list]?.offset(of: slot) else { return nil }
      return rank(of: offset, list, fold)
    case .placeless:
      // Behind all that have a slot.
      return lists.longest + rank(of: fold.records[record].target.record, fold)
    case .deleted, nil: return nil
    }
  }

  /// The record that stands in a slot of a list, be it deleted or not.
  mutating func record(in slot: Element, _ list: Fold.ListName, _ fold: Fold) -> Int32? {
    update(fold)
    if let record = deleted[slot] { return record }
    guard let members = lists[list], let offset = fold.lists[list]?.offset(of: slot) else {
      return nil
    }
    let rank = rank(of: offset, list, fold)
    guard rank < members.count, case .slot(_, slot) = filings[members[rank]] else { return nil }
    return members[rank]
  }

  private mutating func refile(_ record: Int32, _ fold: Fold) {
    fold.looked += 1
    switch filings[record] {
    case .slot(let list, let slot):
      if let offset = fold.lists[list]?.offset(of: slot) {
        let rank = rank(of: offset, list, fold)
        lists[list]!.remove(at: rank)
      }
    case .placeless:
      let rank = rank(of: fold.records[Int(record)].target.record, fold)
      placeless.remove(at: rank)
    case .deleted(let slot): deleted[slot] = nil
    case nil: break
    }
    filings[record] = nil
    guard let filing = filing(of: record, in: fold) else { return }
    switch filing {
    case .slot(let list, let slot):
      guard let offset = fold.lists[list]?.offset(of: slot) else { return }
      let rank = rank(of: offset, list, fold)
      lists[list, default: []].insert(record, at: rank)
    case .placeless:
      let rank = rank(of: fold.records[Int(record)].target.record, fold)
      placeless.insert(record, at: rank)
    case .deleted(let slot): deleted[slot] = record
    }
    filings[record] = filing
  }

  private func filing(of record: Int32, in fold: Fold) -> Filing? {
    let isAlive = fold.records[Int(record)].isAlive
    guard let write = fold.write(Int(record), register),
      let slot = fold.element(fold.slot(write.place))
    else { return isAlive ? .placeless : nil }
    guard isAlive else { return .deleted(slot) }
    let kind = fold.records[Int(record)].target.kind
    return .slot(Fold.ListName(kind: kind, container: fold.list(of: write.place)), slot)
  }

  // MARK: Ranks

  /// How many records of a list stand before an offset in its sequence.
  private func rank(of offset: Int, _ list: Fold.ListName, _ fold: Fold) -> Int {
    guard let members = lists[list] else { return 0 }
    return members.countBelow { self.offset(of: $0, in: list, fold) < offset }
  }

  private func rank(of id: Name, _ fold: Fold) -> Int {
    placeless.countBelow { fold.records[Int($0)].target.record < id }
  }

  private func offset(of record: Int32, in list: Fold.ListName, _ fold: Fold) -> Int {
    fold.looked += 1
    guard case .slot(_, let slot) = filings[record] else { return 0 }
    return fold.lists[list]?.offset(of: slot) ?? 0
  }
}

/// What stood where in an ordered kind, by the records' indices in the fold.
package struct Arrangement {
  /// Which making of the order it is of: a later one may have other indices.
  let made: Int
  let lists: [Fold.ListName: [Int32]]
  private let placeless: [Int32]

  init(_ order: ShownOrder) {
    made = order.made
    lists = order.lists
    placeless = order.placeless
  }

  func moved(since old: Arrangement?) -> [Int32] {
    var moved: [Int32] = []
    for (list, members) in lists {
      let before = old?.lists[list] ?? []
      guard members != before else { continue }
      for (place, member) in members.enumerated()
      where place >= before.count || before[place] != member {
        moved.append(member)
      }
    }
    // These stand behind all that have a slot.
    if old?.lists.longest != lists.longest || old?.placeless != placeless { moved += placeless }
    return moved
  }
}

extension [Fold.ListName: [Int32]] {
  /// How many records the longest list has.
  fileprivate var longest: Int { values.map(\.count).max() ?? 0 }
}

extension RandomAccessCollection where Index == Int {
  /// How many elements satisfy a condition that holds up to some element and not after.
  package func countBelow(_ isBelow: (Element) -> Bool) -> Int {
    var low = startIndex
    var high = endIndex
    while low < high {
      let middle = low + (high - low) / 2
      if isBelow(self[middle]) { low = middle + 1 } else { high = middle }
    }
    return low - startIndex
  }
}

extension Fold {
  /// The place of a living record among those of its list.
  ///
  /// - Parameter order: the register that holds it, of a kind whose records all show while they are
  ///   alive and what they stand in shows.
  func place(of record: Int, _ order: Name) -> Int? {
    let kind = records[record].target.kind
    makeOrder(of: kind, order)
    return orders[kind]!.place(of: record, in: self)
  }

  /// The record that stands in a slot of a list, be it deleted or not; nil where none does.
  ///
  /// - Parameter order: the register that holds the places of the list's kind.
  func record(in slot: Element, _ list: ListName, by order: Name) -> Target? {
    makeOrder(of: list.kind, order)
    return orders[list.kind]!.record(in: slot, list, self).map { records[Int($0)].target }
  }

  private func makeOrder(of kind: Name, _ order: Name) {
    guard orders[kind]?.register != order else { return }
    orders[kind] = ShownOrder(order, of: kind, in: self)
  }

  /// Makes anew what a purge has dropped, so that the next question need not.
  package func makeOrders(_ schema: Schema) {
    for kind in schema.kinds {
      if let order = kind.order { makeOrder(of: kind.name, order) }
      _ = ids(kind.name, startingWith: Name(utf8: []))
    }
  }

  /// The lists of an ordered kind as they are, with living records only.
  package func arrangement(_ kind: Name, by order: Name) -> Arrangement {
    makeOrder(of: kind, order)
    orders[kind]!.update(self)
    return Arrangement(orders[kind]!)
  }

  /// The records whose place is another than it was in an older arrangement, and those that came; all of them where that
  /// is not known.
  package func moved(in new: Arrangement, since old: Arrangement?) -> [Target] {
    let old = old?.made == new.made ? old : nil
    return new.moved(since: old).map { records[Int($0)].target }
  }

  /// The living records of a list in their order.
  package func records(of kind: Name, by order: Name, in container: Target?) -> [Target] {
    let list = ListName(kind: kind, container: container)
    return arrangement(kind, by: order).lists[list]?.map { records[Int($0)].target } ?? []
  }

  /// The living records of an ordered kind that stand in a container, with that.
  package func contained(_ kind: Name, by order: Name) -> [(record: Target, container: Target)] {
    arrangement(kind, by: order).lists.flatMap { list, members in
      list.container.map { container in
        members.map { (records[Int($0)].target, container) }
      } ?? []
    }
  }

  /// Something was done to a record.
  func noteOrder(_ record: Int) {
    guard !orders.isEmpty, let index = orders.index(forKey: records[record].target.kind),
      !orders.values[index].note(record)
    else { return }
    orders.remove(at: index)
  }

  // MARK: Ids

  /// The ids of a kind's records, also deleted ones, that start so, by id.
  package func ids(_ kind: Name, startingWith start: Name) -> ArraySlice<Name> {
    if ids[kind] == nil {
      // One that was made anew after it had been collected is in both.
      let known = Set(records.lazy.filter(\.isCreated).map(\.target)).union(tombstones.keys)
      looked += records.count
      ids[kind] = known.filter { $0.kind == kind }.map(\.record).sorted()
    }
    let ids = ids[kind]!
    let first = ids.countBelow {
      looked += 1; return $0 < start
    }
    let count = ids[first...].countBelow {
      looked += 1; return $0.utf8.starts(with: start.utf8)
    }
    return ids[first..<first + count]
  }

  /// A record was created, or became a tombstone.
  func noteID(_ target: Target) {
    guard !ids.isEmpty, ids[target.kind] != nil else { return }
    let place = ids[target.kind]!.countBelow { $0 < target.record }
    guard place == ids[target.kind]!.count || ids[target.kind]![place] != target.record else {
      return
    }
    ids[target.kind]!.insert(target.record, at: place)
  }
}
