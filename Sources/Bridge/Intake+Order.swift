import Merge

/// The order of records, which whole records have as a number each.
extension Intake {
  /// The orders that the device may have had, oldest first.
  ///
  /// - Parameter unread: of the first delivery that it had not read; nil where that is not known.
  func orders(before unread: UInt64?) -> [[Target]] {
    let copies = copies(before: unread)
    return [copies.compactMap(\.first), copies.compactMap(\.last)].map { records in
      records.sorted(by: WholeRecord.isBefore).map(\.target)
    }
  }

  /// The copies that the device may have, record by record, oldest first; none of what is gone.
  private func copies(before unread: UInt64?) -> [[WholeRecord]] {
    device.tracks.filter { !isGone($0.key) }.values.map {
      $0.track.starts(before: nil, sentBefore: unread).map(\.record)
    }
  }

  /// How many orders that the device may have had are looked at.
  private static let orderLimit = 64

  /// Whether the device may have had the order of a list as it was sent: each number may be of another delivery, and
  /// the order is its own.
  func isKnown(
    _ list: [WholeRecord], in tracks: [Target: Track], before unread: UInt64?
  ) -> Bool {
    let new = list.sorted(by: WholeRecord.isBefore).map(\.target)
    var sent: Set<UInt64> = []
    for track in tracks.values { sent.formUnion(track.inFlight.lazy.map(\.seq)) }
    let read = sent.filter { $0 < unread ?? .max }.sorted(by: >).prefix(Self.orderLimit)
    return (read + [0]).contains { seq in
      var copies: [WholeRecord] = []
      for (target, track) in tracks where !isGone(target) {
        let start = track.starts(before: nil, sentBefore: seq + 1).last
        if let start { copies.append(start.record) }
      }
      let order = copies.sorted(by: WholeRecord.isBefore).map(\.target)
      let both = Set(order).intersection(new)
      return order.filter(both.contains) == new.filter(both.contains)
    }
  }

  /// Where a record goes: behind another one; nil for the front.
  struct Place {
    var after: Target?
    /// It is one of several, and which of them the device had seen is not known: it stands as the hub has them.
    var isOneOfSeveral = false

    /// What the writer had been shown, in the order of trying.
    func contexts(_ shown: VersionVector, _ present: VersionVector) -> [VersionVector] {
      isOneOfSeveral ? [present] : [shown, present]
    }
  }

  /// Where a new record goes: behind the one with the number before its own, in any copy that the device may have
  /// had; else behind the last of the newest before it, and rather of those that were before it in all copies. Of
  /// several with one number it is the one that stands last.
  func predecessor(of copy: WholeRecord) -> Place {
    let all = copies(before: nil)
    let copies = all.map { $0.filter { WholeRecord.isBefore($0, copy) } }
    if let before = copy.place.map({ $0 &- 1 }) {
      let neighbours = copies.joined().filter { $0.place == before }.map(\.target)
      if !neighbours.isEmpty { return last(neighbours) }
    }
    let certain = zip(all, copies).filter { $0.count == $1.count }.compactMap(\.1.last)
    let newest = certain.isEmpty ? copies.compactMap(\.last) : certain
    let number = newest.compactMap(\.place).max()
    return last(newest.filter { $0.place == number }.map(\.target))
  }

  /// The one that stands last at the hub, where also hidden ones have a place.
  private func last(_ records: [Target]) -> Place {
    let targets = Set(records).sorted()
    let last = targets.max { left, right in slotOffset(left) < slotOffset(right) }
    return Place(after: last, isOneOfSeveral: targets.count > 1)
  }

  private func slotOffset(_ target: Target) -> Int {
    schema[target.kind]?.order.flatMap { fold.slotOffset(of: target, by: $0) } ?? -1
  }

  /// Whether a place of a record was within what had been shown.
  private func isPlaced(_ target: Target, _ shown: VersionVector) -> Bool {
    schema[target.kind]?.order.map { fold.stamp(of: $0, target, within: shown) != nil } ?? false
  }

  /// Whether a record stands where it was made, or the device was shown it or has put it.
  private func isUnmoved(_ target: Target) -> Bool {
    guard let order = schema[target.kind]?.order, !fold.isWrittenOnce(order, of: target) else {
      return true
    }
    let shown = withOwn(vector(at: device[target]?.oldestPosition))
    return fold.stamp(of: order, target, within: shown)
      == fold.stamp(of: order, target, within: replica.vector)
  }

  /// Turns changed places into moves, each of which has seen those before it: one for each record that
  /// does not keep its place among the others.
  ///
  /// - Parameters:
  ///   - before: the orders that the device may have had.
  ///   - copies: what it sent.
  func move(from before: [[Target]], to copies: [WholeRecord]) {
    let new = Dictionary(copies.map { ($0.target, $0) }, uniquingKeysWith: { $1 })
    let known = Set(before.joined())
    let after = known.compactMap { target -> WholeRecord? in
      var record = device[target]?.starts(before: nil).last?.record
      // Also what kept its number stands as the device's newest copy says, whatever is on its way to the device.
      if let copy = new[target], copy.updatedAt == device[target]?.received, copy.place != nil {
        record?.place = copy.place
      }
      return record
    }.sorted(by: WholeRecord.isBefore).map(\.target)
    // Others have done the same, or the device shows what they did.
    guard after != after.sorted(by: { slotOffset($0) < slotOffset($1) }) else { return }
    let (moves, chosen) = RisingSubsequence.fewestMoves(
      from: before + [present(known, instead: before)].compactMap(\.self), to: after,
      fitting: slotOffset, isFree: isUnmoved)
    // Who started from the newest order had seen what made it.
    func seen(_ target: Target) -> UInt64? {
      chosen == 0 ? device[target]?.oldestPosition : device[target]?.reached
    }
    let moving = Set(moves.map(\.id))
    for move in moves {
      guard device[move.id]?.oldestPosition != nil else { continue }
      let behind = after.drop { $0 != move.id }.filter {
        !moving.contains($0) && device[$0]?.held != nil
      }
      let place = place(behind: move.after, before: behind.first(where: isUnmoved), in: after)
      // Who puts a record between two others has seen these, and what stands between them at the hub alone.
      let low = place.after.map(slotOffset) ?? -1
      let high = behind.first.map(slotOffset) ?? .max
      let between = behind.dropFirst().filter { low < slotOffset($0) && slotOffset($0) < high }
      let neighbours = [place.after, behind.first].compactMap(\.self) + between
      let seen = ([move.id] + neighbours).compactMap(seen).max()
      let shown = withOwn(vector(at: seen))
      let time = new[move.id].map { min(RecordDate.milliseconds($0.updatedAt), now) } ?? now
      for context in place.contexts(shown, replica.vector) {
        var draft = draft(context)
        guard context == replica.vector || neighbours.allSatisfy({ isPlaced($0, context) }),
          draft.move(move.id, after: place.after, in: nil)
        else { continue }
        mint(draft.actions, context, time: time, above: nil)
        break
      }
    }
  }

  /// The order at the hub, where nobody has moved what stands otherwise in it than the device may have had it: two have
  /// put something in one place, unseen by one another.
  private func present(_ known: Set<Target>, instead before: [[Target]]) -> [Target]? {
    let present = known.sorted { slotOffset($0) < slotOffset($1) }
    guard present.count <= RisingSubsequence.choiceLimit else { return nil }
    let isAgreed = before.allSatisfy { order in
      order.indices.allSatisfy { index in
        let turned = order[index...].filter { slotOffset($0) < slotOffset(order[index]) }
        return turned.isEmpty || (turned + [order[index]]).allSatisfy(isUnmoved)
      }
    }
    return isAgreed ? present : nil
  }

  /// Where a moved record goes. What the device may not have had yet, or somebody has deleted, stands between others by
  /// its number alone: of such ones, and the first before them that it had, it is the last that stands before the next
  /// one that it had. So it is with what stands before that one there, and behind it at the hub, and nobody has moved:
  /// two have made one record, in two places.
  private func place(behind target: Target?, before next: Target?, in order: [Target]) -> Place {
    guard let target, let index = order.firstIndex(of: target) else { return Place() }
    let before = order[...index]
    let others = before.reversed().prefix { !isCertain($0) }.filter(isUnmoved)
    let first = before.last(where: isCertain)
    let bound = next.map(slotOffset) ?? .max
    let low = first.map(slotOffset) ?? .max
    let behind = before.filter { isCertain($0) && slotOffset($0) > low && isUnmoved($0) }
    return last((others + behind).filter { slotOffset($0) < bound } + [first].compactMap { $0 })
  }

  /// Whether the device has a record, and so has the hub.
  private func isCertain(_ target: Target) -> Bool {
    device[target]?.held != nil && fold.isVisible(target, schema)
  }
}
