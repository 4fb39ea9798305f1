import AppModels
import Merge

/// How a window's start moves on, as things show what the device has taken in of what it was sent.
extension RecordWindow {
  /// Moves the start to what the device has certainly processed.
  ///
  /// - Parameter isProcessed: whether the device had processed an entry, and had sent by then
  ///   whatever it did before.
  mutating func advance(_ isProcessed: (Entry) -> Bool) {
    for index in entries.indices.dropFirst().reversed() where isProcessed(entries[index]) {
      switch entries[index].state {
      case .unknown: continue
      case .absent: break
      case .timer(let timer):
        // One that it did not have it takes in whatever its date.
        let isFirst = start.state == .absent && index == 1
        guard isFirst || isNewest(timer) else { continue }
      }
      entries.removeFirst(index)
      return
    }
  }

  /// Whether what was sent is dated above all that the device may hold. Of a copy from before it came
  /// here nothing is known; but what it had done to that, it has sent before it acknowledges.
  private func isNewest(_ sent: TimerDTO) -> Bool {
    if start.state == .unknown, isUndated { return false }
    if let own = start.state.timer, own.updatedAt >= sent.updatedAt { return false }
    return received.map { $0 < sent.updatedAt } ?? true
  }

  /// Moves the start to the first copy that a device must have taken in, as it has acted on the timer,
  /// or on a to-do of it.
  mutating func advance(actedOn todo: Identifier?) {
    func has(_ entry: Entry) -> Bool {
      entry.state.timer.map { timer in todo.map { timer.todo($0) != nil } ?? true } ?? false
    }
    guard start.state != .unknown, let first = entries.firstIndex(where: has) else { return }
    entries.removeFirst(first)
  }

  /// Moves the start to the last entry that a copy from the device shows it took in.
  ///
  /// - Parameter isOfList: whether it came in a list of all, which a move may have numbered anew.
  mutating func advance(showing timer: TimerDTO, isOfList: Bool = false) {
    let fields = TimerFields(timer)
    // Behind a delete that is on its way everything is taken in, whatever the device held.
    let end = firstDelete ?? entries.count
    for index in (0..<end).dropFirst().reversed() {
      guard let sent = entries[index].state.timer else { continue }
      // A copy that is as what the device is known to hold was not made upon what it held before.
      if isOld(entries[index]), start.state.timer?.showsSame(as: timer) == true { continue }
      let isTaken =
        timer.showsSame(as: sent) || hasTodo(timer, sent, index)
        || (bears(timer, sent, index) || carriesValue(fields, index, isOfList))
          && !goesBack(timer, fields, index)
      if isTaken {
        isUndated = false
        entries.removeFirst(index)
        return
      }
    }
  }

  /// Whether a copy has a to-do that an entry brought: nobody else gives it the same id.
  private func hasTodo(_ timer: TimerDTO, _ sent: TimerDTO, _ index: Int) -> Bool {
    guard start.state.timer != nil else { return false }
    return timer.todoItems.contains { todo in
      sent.todo(todo.id) != nil
        && !entries[..<index].contains { $0.state.timer?.todo(todo.id) != nil }
    }
  }

  /// Whether a copy of which nothing else is known has the date of a sent one, or a to-do that is dated as it was sent for the first
  /// time: dates that are sent are above all that the device had.
  private func bears(_ timer: TimerDTO, _ sent: TimerDTO, _ index: Int) -> Bool {
    // Both sides may have dated something at the same moment.
    if start.state == .unknown, timer.updatedAt == sent.updatedAt { return true }
    return timer.todoItems.contains { todo in
      guard let same = sent.todo(todo.id), same.updatedAt == todo.updatedAt,
        same.showsSame(as: todo)
      else { return false }
      return !entries[..<index].contains {
        $0.state.timer?.todo(todo.id)?.updatedAt == todo.updatedAt
      }
    }
  }

  /// Whether a copy has a value that an entry brought.
  private func carriesValue(_ fields: TimerFields, _ index: Int, _ isOfList: Bool) -> Bool {
    guard start.state != .unknown, let sent = entries[index].state.timer else { return false }
    let brought = TimerFields(sent)
    let before = self.fields(entries[..<index])
    return fields.values.contains { field, value in
      !(field == .sortOrder && isOfList) && brought[field] == value
        && !before.contains { $0[field] == value }
    }
  }

  /// Whether a copy has a value, or its to-dos in an order, that only entries before one have: then it
  /// was made upon those. The device may have made the same change as another, or at the same moment.
  private func goesBack(_ timer: TimerDTO, _ fields: TimerFields, _ index: Int) -> Bool {
    func isOrdered(_ entry: Entry) -> Bool { entry.state.timer?.ordersTodos(as: timer) ?? false }
    if entries[..<index].contains(where: isOrdered), !entries[index...].contains(where: isOrdered) {
      return true
    }
    let before = self.fields(entries[..<index])
    let from = self.fields(entries[index...])
    var all = Set(fields.values.keys)
    for timer in before + from { all.formUnion(timer.values.keys) }
    return all.contains { field in
      let value = fields[field]
      if mayBeOfWord(field) || field == .sortOrder && value == nil { return false }
      return !from.contains { $0[field] == value } && before.contains { $0[field] == value }
    }
  }

  private func fields(_ entries: ArraySlice<Entry>) -> [TimerFields] {
    entries.compactMap { $0.state.timer.map(TimerFields.init) }
  }
}
