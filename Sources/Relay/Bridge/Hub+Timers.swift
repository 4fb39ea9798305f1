import AppModels
import Merge

/// A hub's timers as whole records.
extension Hub {
  /// All visible timers by id, with their places and to-dos. `updatedAt` is when each was touched.
  ///
  /// It is asked for with each copy that comes in and with each batch, and worked out once for a
  /// position of the log.
  func timers() -> [Identifier: TimerDTO] {
    if let then = timersThen, then.position == replica.position { return then.timers }
    let timers = timersNow()
    timersThen = (replica.position, timers)
    return timers
  }

  private func timersNow() -> [Identifier: TimerDTO] {
    let view = replica.fold.view(schema)
    var todos: [Name: [TodoItemDTO]] = [:]
    for record in view["todo"] {
      guard let timer = record.container?.record, let todo = TodoItemDTO(record) else { continue }
      todos[timer, default: []].append(todo)
    }
    var timers: [Identifier: TimerDTO] = [:]
    for record in view["timer"] {
      guard var timer = TimerDTO(record) else { continue }
      timer.todoItems = todos[record.target.record] ?? []
      timers[timer.id] = timer
    }
    return timers
  }
}

extension Identifier {
  /// A record's name in operations.
  var name: Name { Name(description) }
}

extension Target {
  static func timer(_ id: Identifier) -> Target { Target("timer", id.name) }
  static func todo(_ id: Identifier) -> Target { Target("todo", id.name) }
}

extension RecordView {
  fileprivate func date(_ field: Name) -> Double {
    let date = self[field]?.text.flatMap { Double($0.text) } ?? 0
    return min(max(0, date), PayloadDate.latest)
  }
}

extension TimerDTO {
  fileprivate init?(_ record: RecordView) {
    guard let id = Identifier(record.target.record.utf8) else { return nil }
    let notes = record["notes"]?.text
    self.init(
      id: id, name: record["name"]?.text ?? "",
      durationInSeconds: record["durationInSeconds"]?.text.flatMap { Int64($0.text) } ?? 0,
      icon: record["icon"]?.text ?? "timer", colorHex: record["colorHex"]?.text ?? "#007AFF",
      sortOrder: Int64(record.place ?? 0), notes: notes?.utf8.isEmpty == true ? nil : notes,
      createdAt: record.date("createdAt"), updatedAt: record.date("updatedAt"))
  }
}

extension TodoItemDTO {
  fileprivate init?(_ record: RecordView) {
    guard let id = Identifier(record.target.record.utf8) else { return nil }
    self.init(
      id: id, text: record["text"]?.text ?? "", isCompleted: record["isCompleted"] == .bool(true),
      sortOrder: Int64(record.place ?? 0), createdAt: record.date("createdAt"),
      updatedAt: record.date("updatedAt"))
  }
}
