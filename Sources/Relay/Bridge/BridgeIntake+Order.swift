import AppModels
import Merge

/// The order of timers, which whole records have as a number each.
extension BridgeIntake {
  /// The timers that the device is known to hold, in its order.
  func ownOrder() -> [Identifier] {
    bridged.records.compactMap { $0.value.window.timers.last }.sorted(by: Self.isBefore)
      .map(\.id)
  }

  private static func isBefore(_ left: TimerDTO, _ right: TimerDTO) -> Bool {
    (left.sortOrder ?? .max, left.createdAt, left.id)
      < (right.sortOrder ?? .max, right.createdAt, right.id)
  }

  /// The timer behind which a new one stands; nil for the front.
  func predecessor(of timer: TimerDTO) -> Identifier? {
    let held = bridged.records.compactMap { $0.value.window.timers.last }
      .filter { fold.isVisible(.timer($0.id), hub.schema) }
    return held.filter { Self.isBefore($0, timer) }.max(by: Self.isBefore)?.id
  }

  /// Turns changed order numbers into moves: one for each timer that does not keep its place among
  /// the others.
  ///
  /// - Parameters:
  ///   - moved: the numbers that were changed.
  ///   - before: the device's order as it was.
  func move(_ moved: [Identifier: Int64], _ timers: [TimerDTO], _ before: [Identifier]) {
    guard !moved.isEmpty else { return }
    let visible = before.filter { fold.isVisible(.timer($0), hub.schema) }
    let after = visible.compactMap { id -> TimerDTO? in
      guard var timer = bridged[id]?.timers.last else { return nil }
      timer.sortOrder = moved[id] ?? timer.sortOrder
      return timer
    }.sorted(by: Self.isBefore).map(\.id)
    for move in RisingSubsequence.moves(from: visible, to: after) {
      guard let window = bridged[move.id] else { continue }
      let time = timers.first { $0.id == move.id }.map { PayloadDate.milliseconds($0.updatedAt) }
      let shown = hub.vector(at: window.start.position)
      var draft = BridgeDraft(self, shown: shown)
      var used = shown
      if !draft.move(.timer(move.id), after: move.after, in: nil) {
        used = hub.replica.vector
        draft = BridgeDraft(self, shown: used)
        draft.move(.timer(move.id), after: move.after, in: nil)
      }
      mint(draft.actions, used, time: min(time ?? relay.nowMS, relay.nowMS))
    }
  }
}
