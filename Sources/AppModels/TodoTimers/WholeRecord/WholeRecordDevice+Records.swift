import Merge
package import Wire

/// The device's timers as the records that the app's screens show and edit.
extension WholeRecordDevice {
  // MARK: From records

  /// Does what the app has done to its records.
  ///
  /// - Parameters:
  ///   - before: the timers as this device has them, by place.
  ///   - after: what has become of them.
  ///   - now: seconds since 2001-01-01 UTC.
  /// - Returns: what is sent of it.
  /// - Throws: as `create` and `update`; nothing has changed then.
  package mutating func perform(
    _ before: [TimerRecord], to after: [TimerRecord], now: Double
  ) throws(WireError) -> [TodoTimersMessage] {
    var device = self
    var messages: [TodoTimersMessage] = []
    let old = Dictionary(uniqueKeysWithValues: before.compactMap(TimerDTO.init).map { ($0.id, $0) })
    let new = after.compactMap(TimerDTO.init)
    let kept = Set(new.map(\.id)).intersection(old.keys)
    for timer in before.compactMap(TimerDTO.init) where !kept.contains(timer.id) {
      messages += device.delete(timer.id)
    }
    for timer in new {
      if let old = old[timer.id] {
        messages += try device.perform(old, to: timer, now: now)
      } else {
        messages += try device.create(timer, now: now)
      }
    }
    messages += device.put(new.map(\.id).filter(kept.contains), now: now)
    self = device
    return messages
  }

  private mutating func perform(
    _ old: TimerDTO, to new: TimerDTO, now: Double
  ) throws(WireError) -> [TodoTimersMessage] {
    guard old != new else { return [] }
    var rest = new
    rest.notes = old.notes
    if rest == old { return setNotes(new.notes ?? "", of: new.id, now: now) }
    rest = new
    if old.todoItems.map(\.id) == new.todoItems.map(\.id) {
      for index in rest.todoItems.indices {
        rest.todoItems[index].isCompleted = old.todoItems[index].isCompleted
      }
      let ticked = zip(old.todoItems, new.todoItems).filter { $0.isCompleted != $1.isCompleted }
      if rest == old, ticked.count == 1, let todo = ticked.first?.1 {
        return toggle(todo.id, of: new.id, isCompleted: todo.isCompleted, now: now)
      }
      if rest == old, new.todoItems.allSatisfy(\.isCompleted) {
        return completeAll(new.id, now: now)
      }
    }
    return try update(new.id, now: now) { timer in
      if new.name != old.name { timer.name = new.name }
      timer.durationInSeconds = new.durationInSeconds
      timer.icon = new.icon
      timer.colorHex = new.colorHex
      timer.notes = new.notes
      timer.todoItems = new.todoItems
    }
  }

  /// Puts timers into an order; others stand behind them.
  private mutating func put(_ ids: [Identifier], now: Double) -> [TodoTimersMessage] {
    var message: [TodoTimersMessage] = []
    for (place, id) in ids.enumerated() where ordered[place].id != id {
      message = move(id, to: place, now: now)
    }
    return message
  }

  // MARK: Into records

  /// Brings the app's records into line with the timers.
  ///
  /// - Throws: as `Records.edit`, where a timer breaks a rule of the schema.
  package func show(in records: Records) throws(WireError) {
    let now = { (date: Double) in Int64(RecordDate.milliseconds(date)) }
    let shown = TimerLibrary(records, order: .merged).timers
    for timer in shown where Identifier(timer.id.utf8).map({ timers[$0] == nil }) ?? true {
      try records.edit(now: 0) { edit throws(WireError) in try edit.delete("timer", timer.id) }
    }
    for timer in ordered {
      let id = Name(timer.id.description)
      let old = shown.first { $0.id == id }
      let date = now(timer.updatedAt)
      try records.edit(now: date) { edit throws(WireError) in
        guard old != nil else {
          var fields = timer.fields
          fields["createdAt"] = .date(now(timer.createdAt))
          return _ = try edit.create("timer", fields, as: id)
        }
        try edit.set("timer", id, timer.fields)
      }
      try timer.showTodos(in: records, old?.todos ?? [], of: id)
    }
    let present = TimerLibrary(records, order: .merged).timers.map(\.id)
    try records.put("timer", present, into: ordered.map { Name($0.id.description) })
  }
}

extension TimerDTO {
  /// What the app shows of a timer; dates are the device's own to give.
  fileprivate init?(_ record: TimerRecord) {
    guard let id = Identifier(record.id.utf8) else { return nil }
    self.init(
      id: id, name: Name(record.name), durationInSeconds: Int64(record.duration),
      icon: Name(record.icon), colorHex: Name(record.colorHex), sortOrder: nil,
      notes: record.notes.isEmpty ? nil : Name(record.notes), createdAt: 0, updatedAt: 0,
      todoItems: record.todos.enumerated().compactMap { place, todo in
        Identifier(todo.id.utf8).map { id in
          TodoItemDTO(
            id: id, text: Name(todo.text), isCompleted: todo.isCompleted, sortOrder: Int64(place),
            createdAt: 0, updatedAt: 0)
        }
      })
  }

  fileprivate var fields: [Name: Datum] {
    [
      "name": .string(name), "durationInSeconds": .int(Int(durationInSeconds)),
      "icon": .string(icon), "colorHex": .string(colorHex), "notes": .string(notes ?? ""),
    ]
  }

  fileprivate func showTodos(
    in records: Records, _ shown: [TodoRecord], of timer: Name
  ) throws(WireError) {
    let todos = orderedTodos
    var present = shown.map(\.id)
    for todo in shown where !todos.contains(where: { Name($0.id.description) == todo.id }) {
      try records.edit(now: 0) { edit throws(WireError) in try edit.delete("todo", todo.id) }
      present.removeAll { $0 == todo.id }
    }
    for todo in todos {
      let id = Name(todo.id.description)
      var fields: [Name: Datum] = [
        "text": .string(todo.text), "isCompleted": .bool(todo.isCompleted),
      ]
      let isNew = !present.contains(id)
      if isNew {
        fields["timer"] = .string(timer)
        fields["createdAt"] = .date(Int64(RecordDate.milliseconds(todo.createdAt)))
        present.append(id)
      }
      try records.edit(now: Int64(RecordDate.milliseconds(todo.updatedAt))) {
        edit throws(WireError) in
        if isNew {
          try edit.create("todo", fields, as: id)
        } else {
          try edit.set("todo", id, fields)
        }
      }
    }
    try records.put("todo", present, into: todos.map { Name($0.id.description) })
  }
}

extension Records {
  /// Puts all records of a list into an order.
  fileprivate func put(
    _ kind: Name, _ present: [Name], into wanted: [Name]
  ) throws(WireError) {
    var present = present
    for (place, id) in wanted.enumerated() where present[place] != id {
      present.removeAll { $0 == id }
      present.insert(id, at: place)
      try edit(now: 0) { edit throws(WireError) in
        try edit.move(kind, id, to: place == 0 ? .first : .after(wanted[place - 1]))
      }
    }
  }
}
