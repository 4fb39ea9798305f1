import Bridge
package import Merge
package import Wire

/// `fullSync`: all timers of the sender.
package struct TimerSyncPayload: TodoTimersPayload {
  package var timers: [TimerDTO]
  /// When it was made, in seconds since 2001-01-01 UTC.
  package var syncTimestamp: Double

  package init(timers: [TimerDTO], syncTimestamp: Double) {
    self.timers = timers
    self.syncTimestamp = syncTimestamp
  }

  package init(
    _ value: Value, _ line: UnsafeRawBufferPointer, _ path: String
  ) throws(WireError) {
    let reader = try PayloadReader(value, line, path, keys: ["timers", "syncTimestamp"])
    timers = []
    for element in try reader.elements("timers") {
      timers.append(try TimerDTO(element.value, line, element.path))
    }
    syncTimestamp = try reader.date("syncTimestamp")
  }

  package func check() throws(WireError) {
    try PayloadDate.check(syncTimestamp, "syncTimestamp")
    var ids: Set<Identifier> = []
    for timer in timers where !ids.insert(timer.id).inserted {
      throw WireError(.invalidField, "timer \(timer.id) occurs twice")
    }
    var todoIDs: Set<Identifier> = []
    for timer in timers {
      try timer.check()
      for todo in timer.todoItems where !todoIDs.insert(todo.id).inserted {
        throw WireError(.invalidField, "to-do \(todo.id) occurs in two timers")
      }
    }
  }

  package func append(to output: inout [UInt8]) {
    output.append("{\"syncTimestamp\":" as StaticString)
    output.append(payload: syncTimestamp)
    output.append(",\"timers\":[" as StaticString)
    for (index, timer) in timers.enumerated() {
      if index > 0 { output.append(0x2C) }
      timer.append(to: &output)
    }
    output.append("]}" as StaticString)
  }
}

/// `timerUpdate`: what became of one timer.
package struct TimerUpdateMessage: TodoTimersPayload {
  package enum Kind: String, CaseIterable, Sendable {
    case created, updated, deleted
  }

  package var type: Kind
  /// Always there but for `deleted`, where some senders leave it out.
  package var timer: TimerDTO?
  package var timerID: Identifier

  package init(_ type: Kind, _ timer: TimerDTO) {
    self.type = type
    self.timer = timer
    timerID = timer.id
  }

  package init(deleted id: Identifier) {
    type = .deleted
    timerID = id
  }

  package init(
    _ value: Value, _ line: UnsafeRawBufferPointer, _ path: String
  ) throws(WireError) {
    let reader = try PayloadReader(value, line, path, keys: ["type", "timer", "timerID"])
    type = try reader.word("type", Kind.self)
    timerID = try reader.identifier("timerID")
    if let value = reader.value("timer") {
      timer = try TimerDTO(value, line, reader.place("timer"))
    } else if type != .deleted {
      throw reader.missing("timer", "the timer that was \(type.rawValue)")
    }
  }

  package func check() throws(WireError) {
    guard let timer else { return }
    guard timer.id == timerID else {
      throw WireError(
        .invalidField, "timerID is \(timerID), but the timer's id is \(timer.id); they must agree")
    }
    // What a deleted timer was like is of no consequence.
    if type != .deleted { try timer.check() }
  }

  package func append(to output: inout [UInt8]) {
    output.append("{" as StaticString)
    if let timer {
      output.append("\"timer\":" as StaticString)
      timer.append(to: &output)
      output.append(0x2C)
    }
    output.append("\"timerID\":" as StaticString)
    output.append(payload: timerID)
    output.append(",\"type\":", quoted: type.rawValue)
    output.append(0x7D)
  }
}

/// `quickAction`: one thing done to a timer, without the timer.
package struct QuickActionMessage: TodoTimersPayload {
  package enum Action: Hashable, Sendable {
    /// A to-do was set to the given state; not flipped.
    case todoToggled(Identifier, isCompleted: Bool)
    /// The whole text of the notes.
    case noteUpdated(Name)
  }

  package var action: Action
  package var timerID: Identifier

  package init(_ action: Action, timerID: Identifier) {
    self.action = action
    self.timerID = timerID
  }

  private enum Word: String, CaseIterable {
    case todoToggled, noteUpdated
  }

  package init(
    _ value: Value, _ line: UnsafeRawBufferPointer, _ path: String
  ) throws(WireError) {
    let reader = try PayloadReader(
      value, line, path, keys: ["action", "timerID", "todoID", "todoCompleted", "noteText"])
    timerID = try reader.identifier("timerID")
    let todo = try reader.optionalIdentifier("todoID")
    let isCompleted = try reader.optionalBool("todoCompleted")
    let note = try reader.optionalText("noteText")
    switch try reader.word("action", Word.self) {
    case .todoToggled:
      guard let todo else { throw reader.missing("todoID", "the to-do that was toggled") }
      guard let isCompleted else { throw reader.missing("todoCompleted", "true or false") }
      guard note == nil else {
        throw WireError(.invalidField, "noteText does not belong to todoToggled")
      }
      action = .todoToggled(todo, isCompleted: isCompleted)
    case .noteUpdated:
      guard let note else { throw reader.missing("noteText", "the whole text of the notes") }
      guard todo == nil, isCompleted == nil else {
        throw WireError(.invalidField, "todoID and todoCompleted do not belong to noteUpdated")
      }
      action = .noteUpdated(note)
    }
  }

  package func check() throws(WireError) {}

  package func append(to output: inout [UInt8]) {
    switch action {
    case .todoToggled(let todo, let isCompleted):
      output.append("{\"action\":\"todoToggled\",\"timerID\":" as StaticString)
      output.append(payload: timerID)
      output.append(isCompleted ? ",\"todoCompleted\":true" : ",\"todoCompleted\":false")
      output.append(",\"todoID\":" as StaticString)
      output.append(payload: todo)
    case .noteUpdated(let text):
      output.append("{\"action\":\"noteUpdated\",\"noteText\":" as StaticString)
      output.append(payload: text)
      output.append(",\"timerID\":" as StaticString)
      output.append(payload: timerID)
    }
    output.append(0x7D)
  }
}

/// `timerState`: how a countdown runs on the sender. It concerns no record.
package struct TimerStateMessage: TodoTimersPayload {
  package enum Action: String, CaseIterable, Sendable {
    case started, paused, resumed, reset, completed
  }

  package var timerID: Identifier
  package var action: Action
  /// Seconds left.
  package var currentTime: Int64
  /// Seconds since 2001-01-01 UTC.
  package var timestamp: Double

  package init(timerID: Identifier, action: Action, currentTime: Int64, timestamp: Double) {
    self.timerID = timerID
    self.action = action
    self.currentTime = currentTime
    self.timestamp = timestamp
  }

  package init(
    _ value: Value, _ line: UnsafeRawBufferPointer, _ path: String
  ) throws(WireError) {
    let reader = try PayloadReader(
      value, line, path, keys: ["timerID", "action", "currentTime", "timestamp"])
    timerID = try reader.identifier("timerID")
    action = try reader.word("action", Action.self)
    currentTime = try reader.integer("currentTime")
    timestamp = try reader.date("timestamp")
  }

  package func check() throws(WireError) {
    guard (0...86_400).contains(currentTime) else {
      throw WireError(
        .invalidField, "currentTime is \(currentTime); it must be from 0 to 86400 seconds")
    }
    try PayloadDate.check(timestamp, "timestamp")
  }

  package func append(to output: inout [UInt8]) {
    output.append("{\"action\":", quoted: action.rawValue)
    output.append(",\"currentTime\":" as StaticString)
    output.append(decimal: currentTime)
    output.append(",\"timerID\":" as StaticString)
    output.append(payload: timerID)
    output.append(",\"timestamp\":" as StaticString)
    output.append(payload: timestamp)
    output.append(0x7D)
  }
}
