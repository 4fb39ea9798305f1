package import Merge

/// A timer as merged. What a record lacks or has in another type falls back to what a new timer
/// would have.
package struct TimerRecord: Hashable, Sendable {
  package let id: Name
  package let name: String
  /// Seconds, 0...359,999.
  package let duration: Int
  /// An SF Symbol's name.
  package let icon: String
  package let colorHex: String
  /// Empty where there are none.
  package let notes: String
  /// Empty where it has none.
  package let category: String
  /// It starts anew when it is through.
  package let repeats: Bool
  /// Milliseconds since 1970.
  package let createdAt: Int64
  /// In the merged order, from 0.
  package let place: Int
  /// In the merged order.
  package let todos: [TodoRecord]

  package init(_ record: RecordView, todos: [TodoRecord] = []) {
    id = record.id
    name = record.string("name") ?? ""
    duration = min(max(0, record.int("durationInSeconds") ?? 0), 359_999)
    icon = record.string("icon") ?? TimerChoices.icon
    colorHex = record.string("colorHex") ?? TimerChoices.color
    notes = record.string("notes") ?? ""
    category = record.string("category") ?? ""
    repeats = record.flag("repeats")
    createdAt = record.date("createdAt") ?? 0
    place = record.place ?? 0
    self.todos = todos
  }

  package var hours: Int { duration / 3600 }
  package var minutes: Int { duration % 3600 / 60 }
  package var seconds: Int { duration % 60 }
  package var formattedDuration: String { DurationText.clock(duration) }

  /// "3 to-dos", "1 to-do", "No to-dos".
  package var todoCount: String {
    switch todos.count {
    case 0: "No to-dos"
    case 1: "1 to-do"
    case let count: "\(count) to-dos"
    }
  }

  /// "3 to-dos • Notes added", and its category.
  package var summary: String {
    ([todoCount, notesStatus] + (category.isEmpty ? [] : [category.oneLine])).joined(
      separator: " • ")
  }

  /// "Notes added" or "No notes".
  package var notesStatus: String { notes.isEmpty ? "No notes" : "Notes added" }

  /// With its picture, for a line of its own.
  package var titleWithPicture: String { "\(TimerChoices.picture(icon)) \(name.oneLine)" }
}

/// A to-do as merged.
package struct TodoRecord: Hashable, Sendable {
  package let id: Name
  package let text: String
  package let isCompleted: Bool

  package init(_ record: RecordView) {
    id = record.id
    text = record.string("text") ?? ""
    isCompleted = record.flag("isCompleted")
  }

  package var box: String { isCompleted ? "☑" : "☐" }
}
