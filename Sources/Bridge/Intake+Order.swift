import Merge

/// The order of records, which whole records have as a number each.
extension Intake {
  /// The copies that the device may have, record by record, oldest first; none of what is gone.
  private func copies(of kind: Name, in tracks: BridgedDevice.Tracks) -> [[WholeRecord]] {
    device.looked += tracks.count
    return tracks.filter { $0.key.kind == kind && !isCollected($0.key) }.values.map {
      $0.track.starts(before: nil).map(\.record)
    }
  }

  /// The order that the device has once it has read what was sent.
  ///
  /// - Parameter tracks: as they were before what came now.
  func order(of kind: Name, in tracks: BridgedDevice.Tracks) -> [Target] {
    copies(of: kind, in: tracks).compactMap(\.last).sorted(by: WholeRecord.isBefore).map(\.target)
  }

  /// How many states that the device may have had are looked at.
  private static let stateLimit = 64

  /// Whether the device had a list's numbers from what it was sent: as they were after some delivery. Else they are its
  /// person's, though each number by itself had been sent. A list that lacks what a delivery brought was not made after
  /// that, and one that has it was not made before.
  ///
  /// - Parameter tracks: as they were before the list came.
  func isKnown(_ list: [WholeRecord], of kind: Name, in tracks: BridgedDevice.Tracks) -> Bool {
    let new = Dictionary(
      list.map { ($0.target, $0.target.kind == kind ? $0.place : nil) }, uniquingKeysWith: { $1 })
    let entries = tracks.filter { !isCollected($0.key) }
    var sent: Set<UInt64> = []
    for entry in entries.values { sent.formUnion(entry.track.inFlight.lazy.map(\.seq)) }
    return (sent.sorted(by: >).prefix(Self.stateLimit) + [0]).contains { seq in
      device.looked += entries.count
      return entries.allSatisfy { $0.value.track.agrees(with: new[$0.key], after: seq) }
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
  /// had; else behind the last of the newest before it. Of several with one number it is the one that stands last.
  func predecessor(of copy: WholeRecord) -> Place {
    guard schema[copy.target.kind]?.order != nil else { return Place() }
    let all = copies(of: copy.target.kind, in: device.tracks)
    let copies = all.map { $0.filter { WholeRecord.isBefore($0, copy) } }
    if let before = copy.place.map({ $0 &- 1 }) {
      let neighbours = copies.joined().filter { $0.place == before }.map(\.target)
      if !neighbours.isEmpty {
        let shown = shown(before: copy, of: all.compactMap(\.last), beside: neighbours)
        return last(neighbours + shown)
      }
    }
    let newest = copies.compactMap(\.last)
    let number = newest.compactMap(\.place).max()
    return last(newest.filter { $0.place == number }.map(\.target))
  }

  /// Where nobody is shown any of the neighbours, the one that stands before them at the device and is: where hidden ones
  /// stand says nothing of those that are shown.
  private func shown(
    before copy: WholeRecord, of newest: [WholeRecord], beside neighbours: [Target]
  ) -> [Target] {
    guard !neighbours.contains(where: { fold.isVisible($0, schema) }) else { return [] }
    let before = newest.filter {
      WholeRecord.isBefore($0, copy) && fold.isVisible($0.target, schema)
    }
    return before.max(by: WholeRecord.isBefore).map { [$0.target] } ?? []
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

  /// Whether a record stands where it was made, or the device was shown it or has put it.
  private func isUnmoved(_ target: Target) -> Bool {
    guard let order = schema[target.kind]?.order, !fold.isWrittenOnce(order, of: target) else {
      return true
    }
    let shown = withOwn(vector(at: device[target]?.oldestPosition))
    return fold.writer(of: order, target, within: shown)?.operation.dot
      == fold.writer(of: order, target, within: replica.vector)?.operation.dot
  }

  /// Turns changed places into moves, each of which has seen those before it. What nobody else has moved goes where the
  /// device has it among the rest of that. What somebody else has moved goes there only where the device has moved it,
  /// as it had been shown.
  ///
  /// - Parameters:
  ///   - before: the order that the device had.
  ///   - copies: what it sent.
  func move(from before: [Target], to copies: [WholeRecord]) {
    let new = Dictionary(copies.map { ($0.target, $0) }, uniquingKeysWith: { $1 })
    let after = before.compactMap { target -> WholeRecord? in
      var record = device[target]?.starts(before: nil).last?.record
      // Also what kept its number stands as the device's newest copy says, whatever is on its way to the device.
      if let copy = new[target], copy.updatedAt == device[target]?.received, copy.place != nil {
        record?.place = copy.place
      }
      return record
    }.sorted(by: WholeRecord.isBefore).map(\.target)
    // Others have done the same, or the device shows what they did.
    guard after != after.sorted(by: { slotOffset($0) < slotOffset($1) }) else { return }
    let free = after.filter(isUnmoved)
    let isFree = Set(free)
    let known = Set(after)
    let own = RisingSubsequence.moves(
      from: before.filter(known.contains), to: after, keeping: { !isFree.contains($0) }
    ).map(\.id).filter { !isFree.contains($0) }
    let straight = RisingSubsequence.moves(
      from: free.sorted { slotOffset($0) < slotOffset($1) }, to: free
    ).map(\.id)
    func carryOut(_ moving: Set<Target>, among order: [Target]) {
      for (previous, target) in zip([nil] + order, order) where moving.contains(target) {
        guard device[target]?.oldestPosition != nil else { continue }
        let shown =
          isFree.contains(target)
          ? replica.vector : withOwn(vector(at: device[target]?.reached))
        let time = new[target].map { RecordDate.milliseconds($0.updatedAt) } ?? now
        for context in [shown, replica.vector] {
          var draft = draft(context)
          guard draft.move(target, after: previous, in: nil) else { continue }
          mint(draft.actions, context, time: time, above: nil)
          break
        }
      }
    }
    // Behind what somebody else has moved nothing goes but what shares its fate: that move may have won.
    carryOut(Set(straight), among: free)
    carryOut(Set(own), among: after.filter(isFree.union(own).contains))
  }
}
