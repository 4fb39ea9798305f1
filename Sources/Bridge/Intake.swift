package import Merge

/// What a bridged device sends, carried out: it has been checked, and nothing fails from here on.
package struct Intake {
  package let device: BridgedDevice
  let replica: Replica
  let schema: Schema
  let shape: RecordShape
  /// The hub's own replica for the device.
  let author: ReplicaID
  /// Whether a replica is the hub's own for such a device.
  let isBridge: (ReplicaID) -> Bool
  /// 2 for a phone, 1 for a watch (clause 12.1).
  let rank: UInt8
  /// Milliseconds since 1970.
  let now: UInt64
  /// What is said came in the device's lane of transfers, with a number.
  let isInOrder: Bool
  /// The oldest position that an edit may begin at.
  let oldest: UInt64
  /// Takes an operation in, or logs why it cannot.
  let append: (Replica.Written) -> Void
  /// What the hub shows of a record.
  let present: (Target) -> WholeRecord?

  package init(
    _ device: BridgedDevice, _ replica: Replica, _ schema: Schema, _ shape: RecordShape,
    author: ReplicaID, isBridge: @escaping (ReplicaID) -> Bool, rank: UInt8, now: UInt64,
    isInOrder: Bool, oldest: UInt64, present: @escaping (Target) -> WholeRecord?,
    append: @escaping (Replica.Written) -> Void
  ) {
    self.device = device
    self.replica = replica
    self.schema = schema
    self.shape = shape
    self.author = author
    self.isBridge = isBridge
    self.rank = rank
    self.now = now
    self.isInOrder = isInOrder
    self.oldest = oldest
    self.present = present
    self.append = append
  }

  var fold: Fold { replica.fold }

  // MARK: What comes in

  /// - Parameter refused: records of a list that are not taken. They are there nevertheless.
  package func ingest(_ message: Incoming, without refused: Set<Target> = []) {
    device.forgetLost()
    device.settle()
    if !refused.isEmpty { device.refuse(nil) }
    switch message {
    case .request: device.owed = .all
    case .all(let list, let date): ingest(list, madeAt: date, without: refused)
    case .copy(let copy, let isMade): ingest([copy], areMade: isMade)
    case .deleted(let target, let held): delete(target, held: held)
    case .acted(let field, let value, let root): act(field, value, in: root)
    }
  }

  private func ingest(_ list: [WholeRecord], madeAt date: Double, without refused: Set<Target>) {
    if device.lastList.map({ date >= $0 }) ?? true {
      device.lastList = date
      deleteAbsent(Set(list.map(\.target)), madeAt: date)
    }
    ingest(list.filter { !refused.contains($0.target) }, areAll: true)
  }

  /// - Parameter held: the copy that some devices send with the delete.
  private func delete(_ target: Target, held: WholeRecord?) {
    guard var track = device[target] else { return }
    if let held { _ = track.prove(held) }
    device[target] = track
    delete(target)
  }

  /// The device has changed one field, and does not say when.
  ///
  /// - Parameter root: the record that is sent whole.
  private func act(_ field: WholeRecord.Field, _ value: Datum, in root: Target) {
    var track = device[root] ?? Track(.unknown)
    let starts = track.starts(before: nil)
    let isHeld = field.target == root || starts.contains { $0.record.child(field.target) != nil }
    // What was done last may have been dated by a clock that is ahead, or above what it was done to.
    let assumed = RecordDate.date(milliseconds: now + BridgedDevice.margin)
    let latest = starts.map { RecordDate.after($0.record.updatedAt) }.reduce(assumed, max)
    guard !isCollected(root), !isCollected(field.target), !isDeleted(track),
      starts.isEmpty || isHeld,
      fold.isKnown(field.target)
    else {
      track.mayHaveDated(latest, isPhone: rank == 2)
      track.beInDoubt()
      device[root] = track
      return
    }
    let shown = vector(at: starts.first?.position)
    if schema[field.target.kind]?[field.name]?.form == .text {
      // What was on its way may have come since its last action.
      let texts =
        [track.acted[field]?.text].compactMap(\.self) + starts.compactMap { $0.record[field]?.text }
      let new = value.text ?? ""
      let old = Changes.nearest(texts, to: new)
      if old != new {
        write(Changes.Text(field: field, old: old, new: new), isNewer: true, shown, now)
      }
    } else if fold.value(field.target, field.name, within: replica.vector) != value
      || !fold.isVisible(field.target, schema)
    {
      var draft = draft(shown)
      draft.set(field.target, [field.name: value])
      mint(draft.actions, shown, time: now, above: track.newestPosition(of: starts))
    }
    track.act(field, value, latest: latest, isPhone: rank == 2)
    device[root] = track
  }

  // MARK: Copies

  /// - Parameters:
  ///   - areAll: they are all that the device held.
  ///   - areMade: the device says that it had none of them.
  private func ingest(_ copies: [WholeRecord], areAll: Bool = false, areMade: Bool = false) {
    let old = copies.map { ($0.target, device.tracks[$0.target]) }
    var moved: Set<Name> = []
    for copy in shape.sorted(copies) where ingest(one: copy, isMade: areMade) {
      moved.insert(copy.target.kind)
    }
    guard !moved.isEmpty || areAll else { return }
    var tracks = device.tracks
    for (target, track) in old { tracks[target] = track }
    for kind in shape.roots where schema[kind]?.order != nil {
      guard moved.contains(kind) || areAll && !isKnown(copies, of: kind, in: tracks) else {
        continue
      }
      move(from: order(of: kind, in: tracks), to: copies.filter { $0.target.kind == kind })
    }
  }

  /// - Parameter isMade: the device says that it had no copy.
  /// - Returns: whether the copy has another place than it was known to have.
  private func ingest(one copy: WholeRecord, isMade: Bool) -> Bool {
    guard var track = device[copy.target] else {
      if fold.isKnown(copy.target), !(isMade && isCollected(copy.target)) {
        device[copy.target] = Track(fold.isCreated(copy.target) ? .unknown : .absent)
        guard device[copy.target] != nil else { return false }
        return ingest(one: copy, isMade: isMade)
      }
      device[copy.target] = create(copy, Track(.unknown))
      return false
    }
    defer { device[copy.target] = track }
    // A record of which there is one has the same name when it is made again.
    let isUnique = schema[copy.target.kind]?.fixedID != nil
    if isMade, isUnique, isInOrder, track.deletedAt != nil { track.isAnew = true }
    guard !track.isLate(copy, isInOrder: isInOrder) else {
      // Should it be what the device holds after all, it is told otherwise.
      if present(copy.target)?.showsSame(as: copy) != true { track.isOwed = true }
      return false
    }
    guard !track.prove(copy) else {
      track.note(copy, isInOrder: isInOrder)
      return false
    }
    var starts = track.starts(of: copy)
    let shown = present(copy.target)
    let isGone =
      isUnique
      ? shown == nil || track.deletedAt != nil
      : track.base == .absent && track.isUntouched && isCollected(copy.target)
    if isMade, isGone {
      track = create(copy, track)
      return false
    }
    let knowsDelete =
      track.base == .absent && !track.isUntouched && starts.isEmpty && shown == nil
    guard !isCollected(copy.target), !knowsDelete else {
      track.note(copy, isInOrder: isInOrder)
      track.isOwed = true
      return false
    }
    if isMade, track.base == .absent { starts = [] }
    // A copy of what it was not sent yet is one that nobody knew of: somebody else made the record as well.
    let isUnknown = track.base == .unknown || starts.isEmpty
    let room = track.room(of: copy)
    let position = isUnknown ? oldest : min(starts[0].position, room?.position ?? .max)
    let changes = Changes(
      copy, schema, starts: starts.map(\.record), room: room, present: shown, acted: track.acted,
      isUnknown: isUnknown, isOld: isOld)
    let newest = track.newestPosition(of: starts)
    let isNewer = shown.map { $0.updatedAt < copy.updatedAt } ?? true
    let isLeftOut = carryOut(
      changes, copy, from: position, above: newest, isUnknown: isUnknown, isNewer)
    track.receive(copy, at: position, newest: newest, isInOrder: isInOrder)
    if isLeftOut {
      track.isOwed = true
      // What was left out for its age may come again in a newer copy. Texts were not.
      if isUnknown {
        track.base = .unknown
        track.acted = texts(of: copy)
      }
    }
    return changes.place != nil
  }

  private func texts(of copy: WholeRecord) -> [WholeRecord.Field: Datum] {
    var texts: [WholeRecord.Field: Datum] = [:]
    for record in [copy] + copy.children {
      for register in schema[record.target.kind]?.wholeRegisters ?? []
      where register.form == .text {
        let field = WholeRecord.Field(target: record.target, name: register.name)
        texts[field] = record.values[register.name]
      }
    }
    return texts
  }

  /// - Returns: the track, with the copy taken in.
  private func create(_ copy: WholeRecord, _ track: Track) -> Track {
    let place = predecessor(of: copy)
    // It was made upon what it stands in, and behind what it stands behind.
    let upon = [place.after, schema[copy.target.kind].flatMap(copy.named)].compactMap(\.self)
    let start = max(track.deletedAt ?? 0, oldest)
    let shown = withOwn(
      vector(at: upon.compactMap { device[$0]?.oldestPosition }.reduce(start, max)))
    // Of a copy of which nothing was known it is not known either when the device was shown it.
    for context in place.contexts(shown, replica.vector) {
      var draft = draft(context)
      let isPlaced = draft.create(copy, in: nil, after: place.after)
      guard isPlaced || context == replica.vector else { continue }
      var last: WholeRecord?
      for child in copy.ordered where !fold.isKnown(child.target) {
        let isNext = last?.target.kind == child.target.kind && last?.container == child.container
        draft.create(child, in: copy.container(of: child), after: isNext ? last?.target : nil)
        last = child
      }
      mint(draft.actions, writing: [copy.target: copy.values], context, time(copy), above: nil)
      break
    }
    var track = track
    track.receive(copy, at: start, newest: start, isInOrder: isInOrder)
    return track
  }

  /// - Returns: whether something was left out.
  private func carryOut(
    _ all: Changes, _ copy: WholeRecord, from position: UInt64, above: UInt64?, isUnknown: Bool,
    _ isNewer: Bool
  ) -> Bool {
    let shown = vector(at: position)
    let time = time(copy)
    // Collected writes cannot be concurrent with new ones.
    let changes = isUnknown && !isNewer ? withoutOlder(all, shown, min(time, now)) : all
    var isOwed = changes != all
    for child in changes.deleted where !delete(one: child, from: position) { isOwed = true }
    var draft = draft(shown)
    for (target, writes) in changes.writes.sorted(by: { $0.key < $1.key })
    where !isCollected(target) {
      draft.set(target, writes)
    }
    for new in changes.created {
      let child = new.record
      if !fold.isKnown(child.target) {
        draft.create(child, in: new.container, after: new.after)
      } else if isUnknown, fold.isCreated(child.target), !isCollected(child.target) {
        let news = news(of: child)
        if news.isEmpty { isOwed = true }
        draft.set(child.target, news)
      } else {
        isOwed = true
      }
    }
    for move in changes.moves where !isCollected(move.target) {
      draft.move(move.target, after: move.after, in: move.container)
    }
    mint(draft.actions, writing: changes.writes, shown, time, above: above)
    for text in changes.texts where !isCollected(text.field.target) {
      write(text, isNewer: isNewer, shown, time)
    }
    return isOwed
  }

  /// The values of a record that an unknown copy has, but for texts: all where the record is hidden, else those that
  /// nobody ever wrote.
  private func news(of record: WholeRecord) -> [Name: Datum] {
    let texts = Set(
      schema[record.target.kind]!.registers.filter { $0.form == .text }.map(\.name))
    let isKnown = fold.isAlive(record.target)
    return record.values.filter { name, value in
      let field = WholeRecord.Field(target: record.target, name: name)
      return !texts.contains(name) && !(isKnown && isOld(field, value))
    }
  }

  /// Without what is older than that which an operation would say it has seen.
  private func withoutOlder(
    _ changes: Changes, _ shown: VersionVector, _ time: UInt64
  ) -> Changes {
    var changes = changes
    for (target, writes) in changes.writes {
      changes.writes[target] =
        isUnderDelete(target, shown)
        ? nil
        : writes.filter { name, _ in
          guard let other = fold.writer(of: name, target, within: shown)
          else { return true }
          return (other.operation.stamp.ms, other.operation.stamp.rank) < (time, rank)
        }
    }
    changes.writes = changes.writes.filter { !$0.value.isEmpty }
    changes.created.removeAll { isUnderDelete($0.record.target, shown) }
    return changes
  }

  /// Whether an operation would bring back what it had seen deleted.
  private func isUnderDelete(_ target: Target, _ shown: VersionVector) -> Bool {
    !fold.isAlive(target) && fold.hasSeenDelete(of: target, within: shown)
  }

  // MARK: Operations

  func draft(_ shown: VersionVector) -> Draft {
    Draft(
      fold, schema, shown: withOwn(shown), dot: Dot(author, replica.end(of: author).seq + 1))
  }

  /// What had been taken in at a position, as far as that is still known.
  func vector(at position: UInt64?) -> VersionVector {
    replica.vector(at: max(position ?? 0, oldest)) ?? replica.vector
  }

  /// What had been shown, and all that the device did itself.
  func withOwn(_ shown: VersionVector) -> VersionVector {
    var vector = shown
    vector[author] = replica.end(of: author).seq
    return vector
  }

  /// When a copy was made, by the device's clock, in milliseconds since 1970.
  func time(_ copy: WholeRecord) -> UInt64 {
    RecordDate.milliseconds(copy.children.reduce(copy.updatedAt) { max($0, $1.updatedAt) })
  }

  /// Makes an operation of the device's and takes it in.
  ///
  /// - Parameters:
  ///   - time: of its stamp, which is never ahead of the hub's clock, and stands above all that is shown besides.
  ///   - position: of the newest delivery that it may have been made upon: it stands above that, too.
  ///   - stamp: what it stands above besides.
  func mint(
    _ actions: [Action], _ shown: VersionVector, time: UInt64, above position: UInt64?,
    over stamp: Stamp? = nil
  ) {
    guard !actions.isEmpty else { return }
    // Of one register a device has seen what it had seen before.
    var shown = shown
    for action in actions {
      let register: Name
      switch action.body {
      case .write(let field, _): register = field
      case .move(let field, _): register = field
      default: continue
      }
      if let before = fold.context(of: author, writing: register, of: action.target) {
        shown.merge(before)
      }
    }
    append(
      written(actions, shown, time: min(time, now), wall: time, above: position, over: stamp))
  }

  /// An operation of the device's, which has seen all that the device did before.
  func written(
    _ actions: [Action], _ shown: VersionVector, time: UInt64, wall: UInt64,
    above position: UInt64? = nil, over stamp: Stamp? = nil
  ) -> Replica.Written {
    let shown = withOwn(shown)
    var floor = shown
    if let position { floor.merge(vector(at: position)) }
    return replica.mint(
      actions, by: author, rank: rank, shown: shown, time: time, wall: Int64(wall),
      after: [fold.latest(within: floor), stamp].compactMap { $0 }.max())
  }

  /// Whether a record has been collected, and may be made anew.
  func isCollected(_ target: Target) -> Bool {
    fold.tombstones[target] != nil && !fold.isCreated(target)
  }

  /// Whether the device has been told that a record is gone, or has deleted it, and was not sent it anew.
  private func isDeleted(_ track: Track) -> Bool {
    track.base == .absent && !track.inFlight.contains { $0.record != nil }
  }
}
