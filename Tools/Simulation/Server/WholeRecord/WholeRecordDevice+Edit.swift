import AppModels
import Merge
import Wire

/// Edits of a schedule, as a device can do them that knows whole records only.
extension WholeRecordDevice {
  /// - Parameter now: seconds since 2001.
  /// - Returns: what it sends; nil where it cannot do that. It may have changed even so.
  mutating func perform(_ edit: Edit, now: Double) -> [TodoTimersMessage]? {
    guard edit.since == nil, let id = Identifier(edit.record.utf8) else { return nil }
    do throws(WireError) {
      switch edit.kind {
      case "timer": return try timer(id, edit.change, now)
      case "todo": return try todo(id, edit.change, now)
      default: return nil
      }
    } catch {
      return nil
    }
  }

  // MARK: Timers

  private mutating func timer(
    _ id: Identifier, _ change: Edit.Change, _ now: Double
  ) throws(WireError) -> [TodoTimersMessage]? {
    switch change {
    case .create(let fields):
      guard timers[id] == nil, let members = try? Members(fields) else { return nil }
      var timer = TimerDTO(
        id: id, name: "", durationInSeconds: 0, createdAt: 0, updatedAt: 0)
      timer.set(members)
      if role == .phone, let notes = members.string("notes") { timer.notes = Name(notes) }
      return try create(timer, now: now)
    case .set(let fields):
      guard timers[id] != nil, let members = try? Members(fields) else { return nil }
      var messages: [TodoTimersMessage] = []
      if ["name", "durationInSeconds", "icon", "colorHex"].contains(where: members.has) {
        messages += try update(id, now: now) { $0.set(members) }
      }
      if members.has("notes") {
        messages += setNotes(Name(members.string("notes") ?? ""), of: id, now: now)
      }
      return messages
    case .splice("notes", let at, let remove, let insert, _):
      guard let timer = timers[id] else { return nil }
      var text = Array((timer.notes ?? "").text.unicodeScalars)
      let start = min(at, text.count)
      text.replaceSubrange(start..<min(start + remove, text.count), with: insert.unicodeScalars)
      var result = String.UnicodeScalarView()
      result.append(contentsOf: text)
      return setNotes(Name(String(result)), of: id, now: now)
    case .delete: return delete(id)
    case .move(let after, nil):
      let others = ordered.map(\.id).filter { $0 != id }
      guard let place = Self.place(behind: after, among: others) else { return nil }
      return move(id, to: place, now: now)
    case .splice, .move, .restore: return nil
    }
  }

  /// - Returns: nil where there is no such record.
  private static func place(behind record: Name?, among others: [Identifier]) -> Int? {
    guard let record else { return 0 }
    return others.firstIndex { $0.description == record.text }.map { $0 + 1 }
  }

  // MARK: To-dos

  private mutating func todo(
    _ id: Identifier, _ change: Edit.Change, _ now: Double
  ) throws(WireError) -> [TodoTimersMessage]? {
    if case .create(let fields) = change { return try create(todo: id, fields, now) }
    guard let timer = ordered.first(where: { $0.todoItems.contains { $0.id == id } }) else {
      return nil
    }
    switch change {
    case .set(let fields):
      guard let members = try? Members(fields) else { return nil }
      var messages: [TodoTimersMessage] = []
      if let text = members.string("text") {
        messages += try update(timer.id, now: now) { timer in
          for index in timer.todoItems.indices where timer.todoItems[index].id == id {
            timer.todoItems[index].text = Name(text)
          }
        }
      }
      // It can only be ticked and ticked off.
      if let flag = members.flag("isCompleted"), timer.todo(id)?.isCompleted != flag {
        messages += toggle(id, of: timer.id, isCompleted: flag, now: now)
      }
      return messages
    case .delete:
      return try update(timer.id, now: now) {
        $0.todoItems = $0.orderedTodos.filter { $0.id != id }
      }
    case .move(let after, nil):
      var todos = timer.orderedTodos
      guard let from = todos.firstIndex(where: { $0.id == id }) else { return nil }
      let todo = todos.remove(at: from)
      guard let place = Self.place(behind: after, among: todos.map(\.id)) else { return nil }
      todos.insert(todo, at: place)
      return try update(timer.id, now: now) { $0.todoItems = todos }
    case .create, .move, .splice, .restore: return nil
    }
  }

  /// A new to-do comes first, as it does elsewhere.
  private mutating func create(
    todo id: Identifier, _ fields: [UInt8], _ now: Double
  ) throws(WireError) -> [TodoTimersMessage]? {
    guard let members = try? Members(fields), let text = members.string("text"),
      let owner = members.string("timer").flatMap({ Identifier(Array($0.utf8)) }),
      timers[owner] != nil,
      !timers.values.contains(where: { $0.todoItems.contains { $0.id == id } })
    else { return nil }
    let todo = TodoItemDTO(
      id: id, text: Name(text), isCompleted: members.flag("isCompleted") ?? false, createdAt: now,
      updatedAt: now)
    return try update(owner, now: now) { $0.todoItems = [todo] + $0.orderedTodos }
  }
}

extension TimerDTO {
  fileprivate func todo(_ id: Identifier) -> TodoItemDTO? { todoItems.first { $0.id == id } }

  /// Sets those of its fields that are among the members.
  fileprivate mutating func set(_ members: Members) {
    if let text = members.string("name") { name = Name(text) }
    if let seconds = members.integer("durationInSeconds") { durationInSeconds = seconds }
    if let text = members.string("icon") { icon = Name(text) }
    if let text = members.string("colorHex") { colorHex = Name(text) }
  }
}
