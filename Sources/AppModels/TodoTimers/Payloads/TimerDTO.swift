import Bridge
package import Merge
package import Wire

/// A to-do as payloads carry it, inside its timer.
package struct TodoItemDTO: TodoTimersPayload {
  package var id: Identifier
  package var text: Name
  package var isCompleted: Bool
  /// nil where the sender's version had no such member.
  package var sortOrder: Int64?
  /// Seconds since 2001-01-01 UTC, as all dates here.
  package var createdAt: Double
  package var updatedAt: Double

  package init(
    id: Identifier, text: Name, isCompleted: Bool = false, sortOrder: Int64? = 0,
    createdAt: Double, updatedAt: Double
  ) {
    self.id = id
    self.text = text
    self.isCompleted = isCompleted
    self.sortOrder = sortOrder
    self.createdAt = createdAt
    self.updatedAt = updatedAt
  }

  package init(
    _ value: Value, _ line: UnsafeRawBufferPointer, _ path: String
  ) throws(WireError) {
    let reader = try PayloadReader(
      value, line, path,
      keys: ["id", "text", "isCompleted", "sortOrder", "createdAt", "updatedAt"])
    id = try reader.identifier("id")
    text = try reader.text("text")
    isCompleted = try reader.bool("isCompleted")
    sortOrder = try reader.optionalInteger("sortOrder")
    createdAt = try reader.date("createdAt")
    updatedAt = try reader.date("updatedAt")
  }

  package func check() throws(WireError) {
    if text.isBlank { throw WireError(.emptyText, "To-do text cannot be empty") }
    try checkOrder(sortOrder, "to-do \(id)")
    try PayloadDate.check(createdAt, "createdAt of to-do \(id)")
    try PayloadDate.check(updatedAt, "updatedAt of to-do \(id)")
  }

  package func append(to output: inout [UInt8]) {
    output.append("{\"createdAt\":" as StaticString)
    output.append(payload: createdAt)
    output.append(",\"id\":" as StaticString)
    output.append(payload: id)
    output.append(isCompleted ? ",\"isCompleted\":true" : ",\"isCompleted\":false")
    if let sortOrder {
      output.append(",\"sortOrder\":" as StaticString)
      output.append(decimal: sortOrder)
    }
    output.append(",\"text\":" as StaticString)
    output.append(payload: text)
    output.append(",\"updatedAt\":" as StaticString)
    output.append(payload: updatedAt)
    output.append(0x7D)
  }
}

/// A whole timer as payloads carry it.
package struct TimerDTO: TodoTimersPayload {
  package var id: Identifier
  package var name: Name
  package var durationInSeconds: Int64
  package var icon: Name
  package var colorHex: Name
  /// nil where the sender's version had no such member; its order is then as it was.
  package var sortOrder: Int64?
  /// nil for none, as an empty text is.
  package var notes: Name?
  /// Seconds since 2001-01-01 UTC, as all dates here.
  package var createdAt: Double
  package var updatedAt: Double
  package var todoItems: [TodoItemDTO]

  package init(
    id: Identifier, name: Name, durationInSeconds: Int64, icon: Name = "timer",
    colorHex: Name = "#007AFF", sortOrder: Int64? = 0, notes: Name? = nil, createdAt: Double,
    updatedAt: Double, todoItems: [TodoItemDTO] = []
  ) {
    self.id = id
    self.name = name
    self.durationInSeconds = durationInSeconds
    self.icon = icon
    self.colorHex = colorHex
    self.sortOrder = sortOrder
    self.notes = notes
    self.createdAt = createdAt
    self.updatedAt = updatedAt
    self.todoItems = todoItems
  }

  package init(
    _ value: Value, _ line: UnsafeRawBufferPointer, _ path: String
  ) throws(WireError) {
    let reader = try PayloadReader(
      value, line, path,
      keys: [
        "id", "name", "durationInSeconds", "icon", "colorHex", "sortOrder", "notes", "createdAt",
        "updatedAt", "todoItems",
      ])
    id = try reader.identifier("id")
    name = try reader.text("name")
    durationInSeconds = try reader.integer("durationInSeconds")
    icon = try reader.text("icon")
    colorHex = try reader.text("colorHex")
    sortOrder = try reader.optionalInteger("sortOrder")
    notes = try reader.optionalText("notes")
    createdAt = try reader.date("createdAt")
    updatedAt = try reader.date("updatedAt")
    todoItems = []
    for element in try reader.elements("todoItems") {
      todoItems.append(try TodoItemDTO(element.value, line, element.path))
    }
  }

  package func check() throws(WireError) {
    if name.isBlank { throw WireError(.emptyName, "Timer name cannot be empty") }
    guard durationInSeconds > 0 else {
      throw WireError(.invalidDuration, "Duration must be greater than 0")
    }
    guard durationInSeconds <= 86_400 else {
      throw WireError(.durationTooLong, "Duration cannot exceed 24 hours")
    }
    try checkOrder(sortOrder, "timer \(id)")
    try PayloadDate.check(createdAt, "createdAt of timer \(id)")
    try PayloadDate.check(updatedAt, "updatedAt of timer \(id)")
    var ids: Set<Identifier> = []
    for todo in todoItems {
      guard ids.insert(todo.id).inserted else {
        throw WireError(.invalidField, "to-do \(todo.id) occurs twice in timer \(id)")
      }
      try todo.check()
    }
  }

  package func append(to output: inout [UInt8]) {
    output.append("{\"colorHex\":" as StaticString)
    output.append(payload: colorHex)
    output.append(",\"createdAt\":" as StaticString)
    output.append(payload: createdAt)
    output.append(",\"durationInSeconds\":" as StaticString)
    output.append(decimal: durationInSeconds)
    output.append(",\"icon\":" as StaticString)
    output.append(payload: icon)
    output.append(",\"id\":" as StaticString)
    output.append(payload: id)
    output.append(",\"name\":" as StaticString)
    output.append(payload: name)
    if let notes {
      output.append(",\"notes\":" as StaticString)
      output.append(payload: notes)
    }
    if let sortOrder {
      output.append(",\"sortOrder\":" as StaticString)
      output.append(decimal: sortOrder)
    }
    output.append(",\"todoItems\":[" as StaticString)
    for (index, todo) in todoItems.enumerated() {
      if index > 0 { output.append(0x2C) }
      todo.append(to: &output)
    }
    output.append("],\"updatedAt\":" as StaticString)
    output.append(payload: updatedAt)
    output.append(0x7D)
  }
}

extension TimerDTO {
  /// To-dos as they are shown: by place, then by creation, then by id; those without a place last.
  package var orderedTodos: [TodoItemDTO] {
    todoItems.sorted { left, right in
      let (one, other) = (left.sortOrder ?? .max, right.sortOrder ?? .max)
      if one != other { return one < other }
      if left.createdAt != right.createdAt { return left.createdAt < right.createdAt }
      return left.id < right.id
    }
  }
}

private func checkOrder(_ sortOrder: Int64?, _ what: String) throws(WireError) {
  guard let sortOrder, sortOrder < 0 else { return }
  throw WireError(
    .invalidField, "sortOrder of \(what) is \(sortOrder); it must be 0 or more")
}
