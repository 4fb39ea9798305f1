import Merge

/// The order of records, which whole records have as a number each.
extension Intake {
  /// The orders that the device may have had, oldest first.
  func orders() -> [[Target]] {
    let starts = device.tracks.values.map { $0.track.starts(before: nil).map(\.record) }
    return [starts.compactMap(\.first), starts.compactMap(\.last)].map { records in
      records.filter { !isGone($0.target) }.sorted(by: WholeRecord.isBefore)
        .map(\.target)
    }
  }

  /// The record behind which a new one stands; nil for the front. It is the one with the number before its own,
  /// in the newest copies that the device may have had or in older ones; else the last of the newest before it.
  func predecessor(of copy: WholeRecord) -> Target? {
    let starts = device.tracks.values.map { $0.track.starts(before: nil).map(\.record) }
      .map { $0.filter { !isGone($0.target) && WholeRecord.isBefore($0, copy) } }
    let newest = starts.compactMap(\.last).max(by: WholeRecord.isBefore)
    // The lowest of all numbers has none before it.
    guard let before = copy.place.map({ $0 &- 1 }), newest?.place != before else {
      return newest?.target
    }
    let neighbour = starts.joined().filter { $0.place == before }.max(by: WholeRecord.isBefore)
    return (neighbour ?? newest)?.target
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
    for move in RisingSubsequence.fewestMoves(from: before, to: after) {
      guard let position = device[move.id]?.starts(before: nil).first?.position else { continue }
      let shown = withOwn(vector(at: position))
      let time = new[move.id].map { min(RecordDate.milliseconds($0.updatedAt), now) } ?? now
      for context in [shown, replica.vector] {
        var draft = draft(context)
        guard draft.move(move.id, after: move.after, in: nil) else { continue }
        mint(draft.actions, context, time: time, above: nil)
        break
      }
    }
  }
}
