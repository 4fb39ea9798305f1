import AppModels
import Bridge
import Merge

extension Hub {
  func bridge(_ device: Device) -> BridgedDevice? { bridges.first { $0.device == device.index } }

  /// The hub's own replica for what a bridged device does.
  func bridgeReplica(for device: Device, store: String) -> ReplicaID {
    ReplicaID(
      device: Identifier(
        digestOf: "bridge", store, pair.app, pair.name, schema.name.text, device.name),
      incarnation: 0)
  }

  /// All visible records that are sent whole.
  ///
  /// It is asked for with each copy that comes in and with each batch, and worked out once for a
  /// position of the log.
  func wholeRecords() -> [Target: WholeRecord] {
    if let recordsThen, recordsThen.position == replica.position { return recordsThen.records }
    let records = RecordShape(schema)?.records(replica.fold.view(schema), schema) ?? [:]
    recordsThen = (replica.position, records)
    return records
  }
}

extension Target {
  static func timer(_ id: Identifier) -> Target { Target("timer", Name(id.description)) }
  static func todo(_ id: Identifier) -> Target { Target("todo", Name(id.description)) }
}

// MARK: Timers as whole records

extension TimerDTO {
  var whole: WholeRecord {
    WholeRecord(
      .timer(id),
      values: [
        "name": .string(name), "durationInSeconds": .string(Name(String(durationInSeconds))),
        "icon": .string(icon), "colorHex": .string(colorHex), "notes": .string(notes ?? ""),
      ], place: sortOrder, createdAt: createdAt, updatedAt: updatedAt,
      children: todoItems.map(\.whole))
  }

  init(_ record: WholeRecord) {
    func text(_ field: Name) -> Name? { record.values[field]?.text }
    let notes = text("notes")
    self.init(
      id: Identifier(record.target.record.utf8)!, name: text("name") ?? "",
      durationInSeconds: text("durationInSeconds").flatMap { Int64($0.text) } ?? 0,
      icon: text("icon") ?? "timer", colorHex: text("colorHex") ?? "#007AFF",
      sortOrder: record.place, notes: notes?.utf8.isEmpty == true ? nil : notes,
      createdAt: record.createdAt, updatedAt: record.updatedAt,
      todoItems: record.children.map(TodoItemDTO.init))
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
