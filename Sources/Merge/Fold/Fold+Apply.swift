import Wire

extension Fold {
  func perform(_ action: Action, _ operation: Operation, _ place: Record.Place) {
    if case .unknown = action.body {
      unknownActions += 1
      return
    }
    var isCreate = false
    if case .create = action.body { isCreate = true }
    if isCreate, let tombstone = tombstoneOfHome(action, operation) {
      recovered.append(place)
      return markGone(action.target, tombstone)
    }
    guard isOpen(action.target, to: operation, creating: isCreate), hasAnchor(action) else {
      return recovered.append(place)
    }
    let index = index(of: action.target)
    switch action.body {
    case .create:
      records[index].isCreated = true
      noteID(action.target)
      if tombstones[action.target] != nil { records[index].recreations.append(operation.dot) }
    case .restore, .unknown: break
    case .delete: records[index].delete(place, operation)
    case .write(let field, _): write(field, index, place, operation)
    case .move(let field, let anchor):
      guard insertSlot(action, anchor, operation, place) else { return recovered.append(place) }
      write(field, index, place, operation)
    case .insert(let field, let anchor, let text):
      guard insert(text, field, anchor, index, operation, place) else {
        return recovered.append(place)
      }
    case .erase(let field, let runs): erase(runs, field, index, operation.dot)
    }
    records[index].changes.insert(operation.dot)
    if action.touches {
      records[index].touch(operation, inside: false)
      if let home = action.home, home != action.target { touchInside(home, operation) }
    }
    noteOrder(index)
    if let into = action.into, into != action.home, into != action.target {
      touchInside(into, operation)
    }
  }

  /// Whether an operation may change a record. A tombstone is changed only by creating it
  /// anew, later than it was deleted, and by operations that have seen that: so it is a matter of
  /// what was seen, and not of what came first.
  private func isOpen(_ target: Target, to operation: Operation, creating: Bool = false) -> Bool {
    guard !tombstones.isEmpty, let tombstone = tombstones[target] else { return true }
    if creating, tombstone.stamp < operation.stamp { return true }
    guard let index = recordIndices[target] else { return false }
    return records[index].recreations.contains { $0 == operation.dot || operation.follows($0) }
  }

  /// The tombstone of the record in which another one is made; nil where that is no tombstone.
  private func tombstoneOfHome(_ create: Action, _ operation: Operation) -> Mark? {
    guard !tombstones.isEmpty, let home = create.home, home != create.target,
      let tombstone = tombstones[home], !isOpen(home, to: operation)
    else { return nil }
    return tombstone
  }

  /// A record was to be made in one that is a tombstone, and becomes one too: whatever else is done to it
  /// by who has seen no other create of it finds no record either.
  ///
  /// Where another create came first, it is as if that had come behind this one. One that lies within the base
  /// has been seen by all that is still to come.
  private func markGone(_ target: Target, _ tombstone: Mark) {
    guard tombstones[target] == nil else { return }
    if let index = recordIndices[target], records[index].isCreated {
      let creates = creates(of: target)
      guard !creates.isEmpty else { return }
      records[index].recreations = creates
    }
    tombstones[target] = tombstone
    noteID(target)
  }

  /// The operations above the base that made a record, in the order in which they came. O(n) in those.
  private func creates(of target: Target) -> [Dot] {
    operations.enumerated().filter { position, operation in
      operation.actions.enumerated().contains { index, action in
        action.target == target && action.body == .create
          && !recovered.contains { Int($0.operation) == position && Int($0.action) == index }
      }
    }.map(\.element.dot)
  }

  /// Whether the parent of what an action inserts is here, rather than purged.
  private func hasAnchor(_ action: Action) -> Bool {
    let anchor: Anchor
    switch action.body {
    case .move(_, let to): anchor = to
    case .insert(_, let at, let text) where !text.utf8.isEmpty: anchor = at
    default: return true
    }
    guard let parent = anchor.parent, let name = SequenceName(action) else { return true }
    return element(parent).map { contains($0, in: name) } ?? false
  }

  private func touchInside(_ container: Target, _ operation: Operation) {
    guard isOpen(container, to: operation) else { return }
    let index = index(of: container)
    records[index].changes.insert(operation.dot)
    records[index].touch(operation, inside: true)
    noteOrder(index)
  }

  private func write(
    _ field: Name, _ index: Int, _ place: Record.Place, _ operation: Operation
  ) {
    if let known = records[index].registers.firstIndex(where: { $0.name == field }) {
      records[index].registers[known].add(place, operation, operations)
    } else {
      var register = Register(shared(field))
      register.add(place, operation, operations)
      records[index].registers.append(register)
    }
  }

  // MARK: Sequences

  /// Siblings in the same order on every replica: rank descending, then replica and position.
  func precedes(_ left: Sibling, _ right: Sibling) -> Bool {
    Sibling.precedes(left, right) { replicas[$0].id < replicas[$1].id }
  }

  func element(_ id: ElementID) -> Element? {
    replicas.known(id.dot.replica).map {
      Element(replica: $0, seq: id.dot.seq, index: Int(id.index))
    }
  }

  private func first(_ place: Record.Place, _ operation: Operation) -> Element {
    Element(
      replica: replicas.number(operation.dot.replica), seq: operation.dot.seq,
      index: Int(place.element))
  }

  private func origin(_ anchor: Anchor) -> Origin? {
    guard let parent = anchor.parent else { return .root }
    return element(parent).map { Origin($0, anchor.side) }
  }

  private func insertSlot(
    _ action: Action, _ anchor: Anchor, _ operation: Operation, _ place: Record.Place
  ) -> Bool {
    let list = ListName(kind: action.target.kind, container: action.into)
    guard let origin = origin(anchor) else { return false }
    do throws(FugueError) {
      try lists[list, default: Fugue()].insert(
        first(place, operation), slots: 1, rank: operation.stamp.rank, at: origin,
        before: precedes)
      return true
    } catch {
      return false
    }
  }

  private func insert(
    _ text: Name, _ field: Name, _ anchor: Anchor, _ index: Int, _ operation: Operation,
    _ place: Record.Place
  ) -> Bool {
    guard !text.utf8.isEmpty else { return true }
    guard let origin = origin(anchor) else { return false }
    let sequence = textIndex(field, index)
    do throws(FugueError) {
      try records[index].texts[sequence].sequence.insert(
        first(place, operation), text: text.text, rank: operation.stamp.rank, at: origin,
        before: precedes)
      return true
    } catch {
      return false
    }
  }

  private func textIndex(_ field: Name, _ index: Int) -> Int {
    if let known = records[index].texts.firstIndex(where: { $0.field == field }) { return known }
    records[index].texts.append((field, Fugue()))
    return records[index].texts.count - 1
  }

  /// Characters that are no longer here have been purged, and are as dead as can be.
  func erase(_ runs: [ElementRun], _ field: Name, _ index: Int, _ dot: Dot) {
    let by = replicas.number(dot.replica)
    let sequence = textIndex(field, index)
    let ranges = runs.compactMap { run in
      element(run.first).map { ElementRange($0, count: Int(run.count)) }
    }
    records[index].texts[sequence].sequence.delete(present: ranges, by: by, seq: dot.seq)
  }
}
