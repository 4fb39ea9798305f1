internal import Bridge
internal import Merge

/// Whole records in payloads, as apps write them that know no operations (clause 13.3).
extension Author {
  mutating func wholeRecords(_ place: Int) -> JSON {
    let world = clients[place].world
    // What the hub sent is sent back, changed here and there.
    if choices.percent(15), let told = worlds[world].told("payload").last, told.members.count > 0 {
      return told
    }
    let schema = clients[place].bridge ?? choices.one(of: schemas)
    if schema.name != "todoTimers" { return records(of: schema, place) }
    let known = worlds[world].records["timer"] ?? []
    let timer = known.isEmpty || choices.percent(25) ? newID() : choices.one(of: known).id
    worlds[world].note(record: timer, "timer", home: nil)
    switch choices.below(10) {
    case ..<4:
      let type = choices.one(of: ["created", "updated", "updated", "deleted"])
      var update = JSON.object([.init("type", .string(type)), .init("timerID", .string(timer))])
      if type != "deleted" || choices.percent(30) { update["timer"] = self.timer(timer, world) }
      return wrapped("timerUpdate", update)
    case ..<7:
      var timers = (0..<choices.below(4)).map { _ in
        known.isEmpty ? newID() : choices.one(of: known).id
      }
      if choices.percent(90) {
        timers = timers.enumerated().filter { !timers[..<$0.offset].contains($0.element) }.map(
          \.element)
      }
      return wrapped(
        "fullSync",
        .object([
          .init("timers", .array(timers.map { self.timer($0, world) })),
          .init("syncTimestamp", date()),
        ]))
    case ..<9:
      let todos = worlds[world].records["todo"] ?? []
      let toggles = choices.percent(50)
      var action = JSON.object([
        .init("action", .string(toggles ? "todoToggled" : "noteUpdated")),
        .init("timerID", .string(timer)),
      ])
      if toggles {
        action["todoID"] = .string(todos.isEmpty ? newID() : choices.one(of: todos).id)
        action["todoCompleted"] = .bool(choices.percent(50))
      } else {
        action["noteText"] = .string(text(0...40, world))
      }
      return wrapped("quickAction", action)
    default:
      return .object([.init("type", .string(choices.one(of: ["syncRequest", "timerState"])))])
    }
  }

  /// Typed or keyed, as data, as base64 or as it is.
  private mutating func wrapped(_ type: String, _ payload: JSON) -> JSON {
    if choices.percent(50) { return typed(type, payload) }
    return .object([.init(type == "fullSync" ? "timersData" : type, encoded(payload))])
  }

  private mutating func typed(_ type: String, _ payload: JSON) -> JSON {
    .object([.init("type", .string(type)), .init("payload", encoded(payload))])
  }

  private mutating func encoded(_ payload: JSON) -> JSON {
    let base64 = JSON.string(Step.base64(payload.bytes))
    return switch choices.below(3) {
    case 0: .object([.init("$data", base64)])
    case 1: base64
    default: payload
    }
  }

  // MARK: Schemas of one's own

  /// Payloads that follow from a schema (clause 13.6).
  private mutating func records(of schema: Schema, _ place: Int) -> JSON {
    let shape = RecordShape(schema)
    func root(_ author: inout Author) -> Target {
      let kind = author.choices.one(of: shape.roots)
      return Target(kind, Name(author.id(of: kind, schema, place, new: 25)))
    }
    switch choices.below(10) {
    case ..<5:
      let (type, root) = (
        choices.one(of: ["created", "updated", "updated", "deleted"]), root(&self)
      )
      var update = JSON.object([
        .init("type", .string(type)), .init("kind", .string(root.kind.text)),
        .init("id", .string(root.record.text)),
      ])
      if type != "deleted" || choices.percent(30) {
        update["record"] = record(root, schema, shape, place)
      }
      return typed("recordUpdate", update)
    case ..<9:
      var roots = (0..<choices.below(4)).map { _ in root(&self) }
      if choices.percent(90) { roots = Array(Set(roots)).sorted() }
      return typed(
        "fullSync",
        .object([
          .init("records", .array(roots.map { record($0, schema, shape, place) })),
          .init("syncTimestamp", date()),
        ]))
    default: return .object([.init("type", .string("syncRequest"))])
    }
  }

  /// - Parameter percent: how often it is a new one.
  private mutating func id(
    of kind: Name, _ schema: Schema, _ place: Int, new percent: Int
  ) -> String {
    if let id = schema[kind]!.fixedID, choices.percent(95) { return id.text }
    let known = worlds[clients[place].world].records[kind] ?? []
    return known.isEmpty || choices.percent(percent) ? newID() : choices.one(of: known).id
  }

  private mutating func record(
    _ target: Target, _ schema: Schema, _ shape: RecordShape, _ place: Int
  ) -> JSON {
    let (name, id) = (target.kind, target.record.text)
    let kind = schema[name]!
    let world = clients[place].world
    worlds[world].note(record: id, name, home: nil)
    var fields = JSON.object([])
    for field in kind.wholeRegisters.flatMap(\.fields)
    where choices.percent(field.isOptional ? 60 : 96) {
      fields[field.name.text] = value(field, "\(name).\(field.name)", world)
    }
    var record = JSON.object([
      .init("id", .string(id)), .init("fields", fields), .init("createdAt", date()),
      .init("updatedAt", date()),
    ])
    if shape.isRoot(name) != choices.percent(1) { record["kind"] = .string(name.text) }
    if choices.percent(kind.order == nil ? 1 : 70) {
      record["place"] = choices.percent(85) ? .integer(choices.below(5)) : integer(0...Int64.max)
    }
    let lists = shape.lists(in: name)
    guard !lists.isEmpty || choices.percent(1) else { return record }
    var contains = JSON.object([])
    for child in lists where choices.percent(97) {
      let ids = (0..<choices.below(4)).map { _ in
        self.id(of: child, schema, place, new: 40)
      }
      contains[child.text] = .array(
        (choices.percent(95) ? Array(Set(ids)).sorted() : ids).map {
          self.record(Target(child, Name($0)), schema, shape, place)
        })
    }
    record["contains"] = contains
    return record
  }

  private mutating func date() -> JSON {
    let now = Double(clock) / 1000 - 978_307_200
    switch choices.below(10) {
    case 0: return .plain(choices.one(of: Self.edges))
    case 1: return .plain(choices.one(of: ["0", "252423993599.9995", "252423993600", "-0.001"]))
    default: return .plain("\(max(0, now + Double(choices.below(2000)) - 1000))")
    }
  }

  private mutating func timer(_ id: String, _ world: Int) -> JSON {
    var todos: [JSON] = []
    for _ in 0..<choices.below(4) {
      let known = worlds[world].records["todo"] ?? []
      let todo = known.isEmpty || choices.percent(40) ? newID() : choices.one(of: known).id
      guard choices.percent(5) || !todos.contains(where: { $0["id"] == .string(todo) }) else {
        continue
      }
      worlds[world].note(record: todo, "todo", home: id)
      var json = JSON.object([
        .init("id", .string(todo)), .init("text", .string(text(1...30, world))),
        .init("isCompleted", .bool(choices.percent(50))), .init("createdAt", date()),
        .init("updatedAt", date()),
      ])
      if choices.percent(70) { json["sortOrder"] = .integer(todos.count) }
      todos.append(json)
    }
    let duration = choices.one(of: [
      "60", "1500.0", "15e2", "86400", "86401", "0", "9223372036854775807",
    ])
    var timer = JSON.object([
      .init("id", .string(id)), .init("name", .string(text(1...30, world))),
      .init("durationInSeconds", .plain(choices.percent(70) ? "300" : duration)),
      .init("icon", .string("timer")), .init("colorHex", .string("#007AFF")),
      .init("createdAt", date()), .init("updatedAt", date()), .init("todoItems", .array(todos)),
    ])
    if choices.percent(60) { timer["notes"] = .string(text(0...60, world)) }
    if choices.percent(70) {
      timer["sortOrder"] = choices.percent(85) ? .integer(choices.below(5)) : integer(0...Int64.max)
    }
    return timer
  }
}
