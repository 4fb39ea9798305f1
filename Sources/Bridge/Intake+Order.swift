import Merge

/// The order of records, which whole records have as a number each.
extension Intake {
  /// The orders that the device may have had, oldest first.
  ///
  /// - Parameters:
  ///   - tracks: as they were before what came now.
  ///   - unread: of the first delivery that it had not read; nil where that is not known.
  func orders(in tracks: BridgedDevice.Tracks, before unread: UInt64?) -> [[Target]] {
    let copies = copies(in: tracks, before: unread)
    return [Self.order(copies.compactMap(\.first)), Self.order(copies.compactMap(\.last))]
  }

  private static func order(_ records: [WholeRecord]) -> [Target] {
    records.sorted(by: WholeRecord.isBefore).map(\.target)
  }

  /// The copies that the device may have, record by record, oldest first; none of what is gone.
  private func copies(in tracks: BridgedDevice.Tracks, before unread: UInt64?) -> [[WholeRecord]] {
    device.looked += tracks.count
    return tracks.filter { !isGone($0.key) }.values.map {
      $0.track.starts(before: nil, sentBefore: unread).map(\.record)
    }
  }

  /// How many orders that the device may have had are looked at.
  private static let orderLimit = 64

  /// Whether the device had a list's order from what it was sent: as it was after some delivery that it had read. Else
  /// that is its person's, though each number by itself had been sent.
  ///
  /// - Parameter tracks: as they were before the list came.
  func isKnown(
    _ list: [WholeRecord], in tracks: BridgedDevice.Tracks, before unread: UInt64?
  ) -> Bool {
    let new = Self.order(list)
    var sent: Set<UInt64> = []
    for entry in tracks.values { sent.formUnion(entry.track.inFlight.lazy.map(\.seq)) }
    let read = sent.filter { $0 < unread ?? .max }.sorted(by: >).prefix(Self.orderLimit)
    return (read + [0]).contains { seq in
      let order = Self.order(copies(in: tracks, before: seq + 1).compactMap(\.last))
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
    let all = copies(in: device.tracks, before: nil)
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
    let present = after.sorted { slotOffset($0) < slotOffset($1) }
    guard after != present else { return }
    let (moves, chosen) = RisingSubsequence.fewestMoves(
      from: before, to: after, fitting: slotOffset, isFree: isUnmoved)
    // Who started from the newest order had seen what made it.
    func position(of target: Target) -> UInt64? {
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
      let seen = ([move.id] + neighbours).compactMap(position).max()
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
