package import Merge
package import Wire

/// What people do on the device. Each returns what is sent of it.
extension WholeRecordDevice {
  /// Makes a timer behind all others.
  ///
  /// - Throws: 4004 and 4021 to 4024 as `TimerDTO.check`; nothing has changed then.
  package mutating func create(
    _ timer: TimerDTO, now: Double
  ) throws(WireError) -> [TodoTimersMessage] {
    var timer = timer
    let last = timers.values.compactMap(\.sortOrder).max() ?? -1
    // Somebody else's number may be the largest there is; then the age decides.
    timer.sortOrder = last == .max ? last : last + 1
    timer.createdAt = now
    timer.updatedAt = now
    for index in timer.todoItems.indices {
      timer.todoItems[index].sortOrder = Int64(index)
      timer.todoItems[index].createdAt = now
      timer.todoItems[index].updatedAt = now
    }
    try timer.check()
    store(timer)
    return [.timerUpdate(TimerUpdateMessage(.created, timer))]
  }

  /// Changes a timer's own fields; on the watch its notes stay.
  ///
  /// - Throws: as `create`. Nothing happens to a timer that is not there.
  package mutating func update(
    _ id: Identifier, now: Double, _ change: (inout TimerDTO) -> Void
  ) throws(WireError) -> [TodoTimersMessage] {
    guard let own = timers[id] else { return [] }
    var timer = own
    change(&timer)
    timer.id = id
    timer.createdAt = own.createdAt
    if role == .watch { timer.notes = own.notes }
    timer.updatedAt = date(now, of: own)
    timer.stampTodos(from: own, now: now, keepsTexts: role == .watch)
    try timer.check()
    store(timer)
    return [.timerUpdate(TimerUpdateMessage(.updated, timer))]
  }

  /// Deletes a timer. The watch sends along what it deleted.
  package mutating func delete(_ id: Identifier) -> [TodoTimersMessage] {
    guard let own = timers[id] else { return [] }
    remove(id)
    var update = TimerUpdateMessage(deleted: id)
    if role == .watch { update.timer = own }
    return [.timerUpdate(update)]
  }

  /// Sets a to-do to the given state.
  package mutating func toggle(
    _ todo: Identifier, of id: Identifier, isCompleted: Bool, now: Double
  ) -> [TodoTimersMessage] {
    guard timers[id]?.todoItems.contains(where: { $0.id == todo }) == true else { return [] }
    let action = TodoTimersMessage.quickAction(
      QuickActionMessage(.todoToggled(todo, isCompleted: isCompleted), timerID: id))
    return apply(action, now: now) + [action]
  }

  /// Writes the notes as a whole; on the watch they are read-only.
  package mutating func setNotes(
    _ text: Name, of id: Identifier, now: Double
  ) -> [TodoTimersMessage] {
    guard role == .phone, timers[id] != nil else { return [] }
    let action = TodoTimersMessage.quickAction(
      QuickActionMessage(.noteUpdated(text), timerID: id))
    return apply(action, now: now) + [action]
  }

  /// Marks all to-dos of a timer as done, as its notification offers.
  package mutating func completeAll(_ id: Identifier, now: Double) -> [TodoTimersMessage] {
    guard var timer = timers[id] else { return [] }
    for index in timer.todoItems.indices where !timer.todoItems[index].isCompleted {
      timer.todoItems[index].isCompleted = true
      timer.todoItems[index].updatedAt = Self.date(
        now, above: timer.todoItems[index].updatedAt)
    }
    timer.updatedAt = date(now, of: timer)
    store(timer)
    return [.timerUpdate(TimerUpdateMessage(.updated, timer))]
  }

  /// Moves a timer to a place among the others: each then has its place as its number.
  package mutating func move(_ id: Identifier, to place: Int, now: Double) -> [TodoTimersMessage] {
    var ids = ordered.map(\.id)
    guard let from = ids.firstIndex(of: id), ids.indices.contains(place) else { return [] }
    ids.remove(at: from)
    ids.insert(id, at: place)
    for (index, id) in ids.enumerated() {
      var timer = timers[id]!
      timer.sortOrder = Int64(index)
      timer.updatedAt = date(now, of: timer)
      store(timer)
    }
    return [fullSync(now: now)]
  }

  /// Puts all timers into another order, and all to-dos of each: several moves at once.
  ///
  /// - Parameter rearrange: the new order of a list of so many, by their present places.
  package mutating func rearrange(
    now: Double, _ rearrange: (Int) -> [Int]
  ) -> [TodoTimersMessage] {
    let list = ordered
    for (place, index) in rearrange(list.count).enumerated() {
      var timer = list[index]
      timer.sortOrder = Int64(place)
      let todos = timer.orderedTodos
      timer.todoItems = rearrange(todos.count).map { todos[$0] }
      timer.updatedAt = date(now, of: timer)
      timer.stampTodos(from: list[index], now: now, keepsTexts: true)
      store(timer)
    }
    return [fullSync(now: now)]
  }

  /// Gives timers of a version that had no order their places: by creation, where the number is 0
  /// though others come before.
  package mutating func numberOldTimers() {
    let byAge = timers.values.sorted { ($0.createdAt, $0.id) < ($1.createdAt, $1.id) }
    for (index, timer) in byAge.enumerated() where index > 0 && (timer.sortOrder ?? 0) == 0 {
      var numbered = timer
      numbered.sortOrder = Int64(index)
      store(numbered)
    }
  }
}

extension TimerDTO {
  /// Dates the to-dos that an edit made or changed, and numbers them by their place in the list.
  fileprivate mutating func stampTodos(from own: TimerDTO, now: Double, keepsTexts: Bool) {
    for index in todoItems.indices {
      todoItems[index].sortOrder = Int64(index)
      guard let before = own.todoItems.first(where: { $0.id == todoItems[index].id }) else {
        todoItems[index].createdAt = now
        todoItems[index].updatedAt = now
        continue
      }
      todoItems[index].createdAt = before.createdAt
      if keepsTexts { todoItems[index].text = before.text }
      todoItems[index].updatedAt = before.updatedAt
      if todoItems[index] != before {
        todoItems[index].updatedAt = WholeRecordDevice.date(now, above: before.updatedAt)
      }
    }
  }
}
