package import Bridge
package import Merge
package import Wire

/// Timers with their to-dos as a bridge has them, in the payloads of seed 002.
package struct TodoTimersCodec: WholeRecordCodec {
  package let schema: Name = "todoTimers"
  package let fields: [Name: Set<Name>]? = [
    "timer": ["name", "durationInSeconds", "icon", "colorHex", "notes"],
    "todo": ["text", "isCompleted"],
  ]

  package init() {}

  package func read(
    _ payload: Value, _ line: UnsafeRawBufferPointer, after envelope: UInt64
  ) throws(WireError) -> (any SaidRecords)? {
    guard let (message, style) = try TodoTimersEnvelope.read(payload, line) else { return nil }
    switch message {
    case .timerState:
      try message.check()
      return nil
    case .syncRequest:
      // It has no payload, and so says nothing of how payloads are put.
      var style = TodoTimersEnvelope(bits: envelope)
      style.style = .typed
      return SaidTimers(said: message, envelope: style.bits)
    default: return SaidTimers(said: message, envelope: style.bits)
    }
  }

  package func payload(_ message: Outgoing.Message, envelope: UInt64, now: Double) -> [UInt8] {
    let message: TodoTimersMessage =
      switch message {
      case .all(let records):
        .fullSync(TimerSyncPayload(timers: records.map { TimerDTO($0) }, syncTimestamp: now))
      case .created(let record): .timerUpdate(TimerUpdateMessage(.created, TimerDTO(record)))
      case .updated(let record): .timerUpdate(TimerUpdateMessage(.updated, TimerDTO(record)))
      case .deleted(let target):
        .timerUpdate(TimerUpdateMessage(deleted: Identifier(target.record.utf8)!))
      }
    return TodoTimersEnvelope(bits: envelope).dictionary(message)
  }
}

/// A message of the app's that is for the hub.
struct SaidTimers: SaidRecords {
  let said: TodoTimersMessage
  let envelope: UInt64

  var message: Incoming { said.incoming }

  // MARK: Checks

  func check(_ known: KnownRecords) throws(WireError) -> [RefusedRecord] {
    switch said {
    case .syncRequest, .timerState: break
    case .fullSync(let sync):
      try PayloadDate.check(sync.syncTimestamp, "syncTimestamp")
      let timers = Dictionary(
        sync.timers.map { (Target.timer($0.id), $0) }, uniquingKeysWith: { $1 })
      return try known.check(list: sync.timers.map(\.whole)) { whole throws(WireError) in
        try timers[whole.target]!.withoutOld(known).check()
        try known.checkContained(whole)
      }
    case .timerUpdate(let update):
      if let timer = update.timer, update.type != .deleted, timer.id == update.timerID {
        try TimerUpdateMessage(update.type, timer.withoutOld(known)).check()
        try known.checkContained(timer.whole)
      } else {
        try update.check()
      }
    case .quickAction(let action): try check(action, known)
    }
    return []
  }

  private func check(_ action: QuickActionMessage, _ known: KnownRecords) throws(WireError) {
    let timer = Target.timer(action.timerID)
    guard known.isKnown(timer) else {
      throw WireError(
        .invalidField, "there is no timer \(action.timerID); send it with timerUpdate first")
    }
    guard case .todoToggled(let id, _) = action.action else { return }
    guard known.isKnown(.todo(id)) || !known.isInStep(timer) else {
      throw WireError(
        .invalidField,
        "there is no to-do \(id); send its timer with timerUpdate first")
    }
    let isHeld = known.copies(of: timer).contains { $0.child(.todo(id)) != nil }
    if let owner = known.root(of: .todo(id))?.record, owner != timer.record, !isHeld {
      throw WireError(
        .invalidField, "to-do \(id) belongs to timer \(owner), not to timer \(action.timerID)")
    }
  }
}

extension TodoTimersMessage {
  /// What it says to a hub.
  package var incoming: Incoming {
    switch self {
    case .syncRequest, .timerState: return .request
    case .fullSync(let sync): return .all(sync.timers.map(\.whole), madeAt: sync.syncTimestamp)
    case .timerUpdate(let update):
      guard let timer = update.timer, update.type != .deleted else {
        return .deleted(.timer(update.timerID), held: update.timer?.whole)
      }
      return .copy(timer.whole, isMade: update.type == .created)
    case .quickAction(let action):
      let timer = Target.timer(action.timerID)
      switch action.action {
      case .noteUpdated(let text):
        return .acted(
          WholeRecord.Field(target: timer, name: "notes"), .string(text), root: timer)
      case .todoToggled(let id, let isCompleted):
        return .acted(
          WholeRecord.Field(target: .todo(id), name: "isCompleted"), .bool(isCompleted), root: timer
        )
      }
    }
  }
}

extension TimerDTO {
  /// The timer with what the device was sent, or sent before, made right: what was wrong before must
  /// not refuse a change of something else.
  fileprivate func withoutOld(_ known: KnownRecords) -> TimerDTO {
    let copies = known.copies(of: .timer(id)).map { TimerDTO($0) }
    var timer = self
    if copies.contains(where: { $0.name == name }) { timer.name = "known" }
    if copies.contains(where: { $0.durationInSeconds == durationInSeconds }) {
      timer.durationInSeconds = 1
    }
    for index in timer.todoItems.indices {
      let todo = timer.todoItems[index]
      if copies.contains(where: {
        $0.todoItems.contains { $0.id == todo.id && $0.text == todo.text }
      }) {
        timer.todoItems[index].text = "known"
      }
    }
    return timer
  }
}

// MARK: Timers as whole records

extension Target {
  static func timer(_ id: Identifier) -> Target { Target("timer", Name(id.description)) }
  static func todo(_ id: Identifier) -> Target { Target("todo", Name(id.description)) }
}

extension TimerDTO {
  package var whole: WholeRecord {
    WholeRecord(
      .timer(id),
      values: [
        "name": .string(name), "durationInSeconds": .string(Name(String(durationInSeconds))),
        "icon": .string(icon), "colorHex": .string(colorHex), "notes": .string(notes ?? ""),
      ], place: sortOrder, createdAt: createdAt, updatedAt: updatedAt,
      children: todoItems.map(\.whole))
  }

  package init(_ record: WholeRecord) {
    func text(_ field: Name) -> Name? { record.values[field]?.text }
    let notes = text("notes")
    self.init(
      id: Identifier(record.target.record.utf8)!, name: text("name") ?? "",
      durationInSeconds: text("durationInSeconds").flatMap { Int64($0.text) } ?? 0,
      icon: text("icon") ?? "timer", colorHex: text("colorHex") ?? "#007AFF",
      sortOrder: record.place, notes: notes?.utf8.isEmpty == true ? nil : notes,
      createdAt: record.createdAt, updatedAt: record.updatedAt,
      todoItems: record.ordered.map(TodoItemDTO.init))
  }
}

extension TodoItemDTO {
  fileprivate var whole: WholeRecord {
    WholeRecord(
      .todo(id), values: ["text": .string(text), "isCompleted": .bool(isCompleted)],
      place: sortOrder, createdAt: createdAt, updatedAt: updatedAt)
  }

  fileprivate init(_ record: WholeRecord) {
    self.init(
      id: Identifier(record.target.record.utf8)!, text: record.values["text"]?.text ?? "",
      isCompleted: record.values["isCompleted"] == .bool(true), sortOrder: record.place,
      createdAt: record.createdAt, updatedAt: record.updatedAt)
  }
}

extension TodoTimersEnvelope {
  /// As a bridge keeps it: the style, and the encoding times four.
  init(bits: UInt64) {
    self.init(
      Style(rawValue: UInt8(bits & 3)) ?? .typed,
      PayloadEncoding(rawValue: UInt8(bits >> 2 & 3)) ?? .data)
  }

  var bits: UInt64 { UInt64(style.rawValue) | UInt64(encoding.rawValue) << 2 }
}
