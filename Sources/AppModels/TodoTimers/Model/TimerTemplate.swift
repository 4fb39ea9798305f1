package import Merge

/// What timers can be made of: a timer that is not listed, with the texts of its to-dos.
package struct TimerTemplate: Hashable, Sendable {
  package let timer: TimerRecord
  package let todos: [String]

  package init(_ record: RecordView) {
    timer = TimerRecord(record)
    todos = (record.string("todos") ?? "").split(whereSeparator: \.isNewline).map(String.init)
  }

  package var name: String { timer.name }

  /// By name.
  package static func all(_ records: Records) -> [TimerTemplate] {
    records.all("template").map(TimerTemplate.init).sorted {
      ($0.name.lowercased(), $0.timer.id) < ($1.name.lowercased(), $1.timer.id)
    }
  }

  /// The fields of a template that is like a timer.
  static func fields(_ timer: TimerRecord) -> [Name: Datum] {
    var fields = timer.fields
    fields["todos"] = optional(timer.todos.map(\.text.oneLine).joined(separator: "\n"))
    return fields
  }

  fileprivate static func optional(_ text: String) -> Datum {
    text.isEmpty ? .null : .string(text)
  }
}

extension TimerRecord {
  /// What people give it; to-dos apart.
  var fields: [Name: Datum] {
    [
      "name": .string(name), "durationInSeconds": .int(duration), "icon": .string(icon),
      "colorHex": .string(colorHex), "notes": TimerTemplate.optional(notes),
      "category": TimerTemplate.optional(category), "repeats": repeats ? .bool(true) : .null,
    ]
  }
}
