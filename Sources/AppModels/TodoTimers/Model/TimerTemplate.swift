package import Merge

/// What timers can be made of.
package struct TimerTemplate: Hashable, Sendable {
  package let id: Name
  package let name: String
  /// Seconds.
  package let duration: Int
  package let icon: String
  package let colorHex: String
  package let notes: String
  package let category: String
  package let repeats: Bool
  /// Texts of to-dos.
  package let todos: [String]

  package init(_ record: RecordView) {
    let timer = TimerRecord(record)
    id = timer.id
    (name, duration) = (timer.name, timer.duration)
    (icon, colorHex, notes) = (timer.icon, timer.colorHex, timer.notes)
    (category, repeats) = (timer.category, timer.repeats)
    todos = (record.string("todos") ?? "").split(whereSeparator: \.isNewline).map(String.init)
  }

  /// By name.
  package static func all(_ records: Records) -> [TimerTemplate] {
    records.all("template").map(TimerTemplate.init).sorted {
      ($0.name.lowercased(), $0.id) < ($1.name.lowercased(), $1.id)
    }
  }

  /// The fields of a template that is like a timer.
  static func fields(_ timer: TimerRecord) -> [Name: Datum] {
    var fields = common(
      timer.name, timer.duration, timer.icon, timer.colorHex, timer.category, timer.repeats)
    fields["notes"] = optional(timer.notes)
    fields["todos"] = optional(timer.todos.map(\.text.oneLine).joined(separator: "\n"))
    return fields
  }

  /// The fields of a timer that is made of it; to-dos apart.
  var fields: [Name: Datum] {
    var fields = Self.common(name, duration, icon, colorHex, category, repeats)
    if !notes.isEmpty { fields["notes"] = .string(notes) }
    return fields
  }

  private static func common(
    _ name: String, _ duration: Int, _ icon: String, _ colorHex: String, _ category: String,
    _ repeats: Bool
  ) -> [Name: Datum] {
    [
      "name": .string(name), "durationInSeconds": .int(duration), "icon": .string(icon),
      "colorHex": .string(colorHex), "category": optional(category),
      "repeats": repeats ? .bool(true) : .null,
    ]
  }

  private static func optional(_ text: String) -> Datum { text.isEmpty ? .null : .string(text) }
}
