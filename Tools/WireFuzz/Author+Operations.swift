internal import Merge

/// Operations as a program with a replica of its own pushes them (clause 12.10).
extension Author {
  /// The next operation of the client's replica; nil where it has none, or no schema open.
  mutating func operation(_ place: Int) -> JSON? {
    guard let replica = clients[place].replica,
      let schema = schemas.first(where: { $0.name == clients[place].schema })
    else { return nil }
    let seq = clients[place].pushed + clients[place].drawn + 1
    clients[place].drawn += 1
    var actions: [JSON] = []
    var made = 0
    for _ in 0..<choices.one(of: [1, 1, 1, 2, 4]) {
      act(choices.one(of: schema.kinds), schema, place, "\(replica)/\(seq)", &made, &actions)
    }
    if actions.isEmpty { actions = [.object([.init("action", .string("sparkle"))])] }
    var operation = JSON.object([
      .init("actions", .array(actions)), .init("replica", .string(replica)),
      .init("seq", .string("\(seq)")), .init("stamp", .string(stamp(place))),
      .init("wall", .string("\(clock)")),
    ])
    if choices.percent(30),
      case .object(let vector)? = worlds[clients[place].world].told("vector").last
    {
      operation["context"] = .object(vector.filter { $0.name != replica })
    }
    return operation
  }

  /// Above the last one of the replica, most of the time at the hub's clock.
  private mutating func stamp(_ place: Int) -> String {
    let ahead = choices.percent(96) ? 0 : Int64(choices.one(of: [-1, 1, 59_999, 60_000, 60_001]))
    let ms = max(clock &+ ahead, clients[place].stamp.ms)
    let counter = ms == clients[place].stamp.ms ? clients[place].stamp.counter + 1 : 0
    clients[place].stamp = (ms, counter)
    return "\(ms).\(clients[place].role == "phone" ? 2 : 1).\(counter)"
  }

  /// Adds what somebody does to a record: makes one where there is none.
  private mutating func act(
    _ kind: Schema.Kind, _ schema: Schema, _ place: Int, _ dot: String, _ made: inout Int,
    _ actions: inout [JSON]
  ) {
    let world = clients[place].world
    let known = worlds[world].records[kind.name] ?? []
    guard !known.isEmpty, choices.percent(75) else {
      return create(kind, schema, place, dot, &made, &actions)
    }
    let (id, home) = choices.one(of: known)
    switch choices.below(10) {
    case 0: actions.append(action("delete", kind, id, home))
    case 1: actions.append(action("restore", kind, id, home))
    case 2, 3:
      if kind.order != nil { move(kind, id, home, world, dot, &made, &actions) }
    case 4 where choices.percent(30):
      actions.append(
        .object([.init("action", .string("newer")), .init("kind", .string(kind.name.text))]))
    default:
      let registers = kind.registers.filter { $0.name != kind.order && !$0.fields[0].isFixed }
      guard !registers.isEmpty else { return }
      write(choices.one(of: registers), kind, id, home, world, dot, &made, &actions)
    }
  }

  private func action(
    _ name: String, _ kind: Schema.Kind, _ id: String, _ home: String?,
    _ members: [JSON.Member] = []
  ) -> JSON {
    var action: [JSON.Member] = [
      .init("action", .string(name)), .init("kind", .string(kind.name.text)),
      .init("record", .string(id)),
    ]
    if let container = kind.container, let home {
      action.append(.init("home", target(container.kind, home)))
    }
    return .object(action + members)
  }

  private func target(_ kind: Name, _ record: String) -> JSON {
    .object([.init("kind", .string(kind.text)), .init("record", .string(record))])
  }

  private mutating func create(
    _ kind: Schema.Kind, _ schema: Schema, _ place: Int, _ dot: String, _ made: inout Int,
    _ actions: inout [JSON]
  ) {
    let world = clients[place].world
    var home: String?
    if let container = kind.container, let owner = schema[container.kind] {
      if worlds[world].records[owner.name]?.isEmpty ?? true {
        create(owner, schema, place, dot, &made, &actions)
      }
      home = worlds[world].records[owner.name].map { choices.one(of: $0).id }
    }
    let id = kind.fixedID?.text ?? newID()
    worlds[world].note(record: id, kind.name, home: home)
    actions.append(action("create", kind, id, home))
    for register in kind.registers where choices.percent(80) && register.name != kind.order {
      write(register, kind, id, home, world, dot, &made, &actions)
    }
    if kind.order != nil { move(kind, id, home, world, dot, &made, &actions) }
  }

  private mutating func write(
    _ register: Schema.Register, _ kind: Schema.Kind, _ id: String, _ home: String?, _ world: Int,
    _ dot: String, _ made: inout Int, _ actions: inout [JSON]
  ) {
    let field = JSON.Member("field", .string(register.name.text))
    let revives: [JSON.Member] = register.revives ? [.init("revives", .bool(true))] : []
    if register.form == .text {
      let list = "\(id).\(register.name)"
      let known = worlds[world].elements[list] ?? []
      if !known.isEmpty, choices.percent(30) {
        let run = JSON.array([
          .string(choices.one(of: known)), .string("\(choices.one(of: [1, 1, 2, 1_048_575]))"),
        ])
        actions.append(
          action("erase", kind, id, home, [field, .init("elements", .array([run]))] + revives))
        return
      }
      let text = worlds[world].tag + choices.one(of: ["", "ab", "é\u{1F600}"])
      actions.append(
        action(
          "insert", kind, id, home,
          [field, .init("text", .string(text))] + anchor(list, world) + revives))
      worlds[world].note(element: "\(dot)/\(made)", of: list)
      made += text.unicodeScalars.count
      return
    }
    var value = canonical(register.fields[0], kind, home, world)
    if register.form == .group {
      value = .object(
        register.fields.map { .init($0.name.text, canonical($0, kind, home, world)) })
    }
    var members = [field, JSON.Member("value", value)] + revives
    if let container = kind.container, container.register == register.name, let home {
      members.append(.init("into", target(container.kind, home)))
    }
    actions.append(action("write", kind, id, home, members))
  }

  private mutating func move(
    _ kind: Schema.Kind, _ id: String, _ home: String?, _ world: Int, _ dot: String,
    _ made: inout Int, _ actions: inout [JSON]
  ) {
    var members = [JSON.Member("field", .string(kind.order!.text))]
    var list = home
    if let container = kind.container {
      let others = worlds[world].records[container.kind] ?? []
      if !others.isEmpty, choices.percent(30) { list = choices.one(of: others).id }
      if let list { members.append(.init("into", target(container.kind, list))) }
    }
    let name = "\(kind.name) in \(list ?? "")"
    actions.append(action("move", kind, id, home, members + anchor(name, world)))
    worlds[world].note(element: "\(dot)/\(made)", of: name)
    made += 1
  }

  private mutating func anchor(_ list: String, _ world: Int) -> [JSON.Member] {
    let known = worlds[world].elements[list] ?? []
    guard !known.isEmpty, choices.percent(75) else { return [] }
    let parent = JSON.Member("parent", .string(choices.one(of: known)))
    return choices.percent(60) ? [parent] : [parent, .init("side", .string("left"))]
  }

  private mutating func canonical(
    _ field: Schema.Field, _ kind: Schema.Kind, _ home: String?, _ world: Int
  ) -> JSON {
    if field.name == kind.container?.field, let home { return .string(home) }
    if field.isOptional, choices.percent(20) { return .plain("null") }
    switch field.type {
    case .int, .decimal: return .string(choices.one(of: ["0", "1", "-2", "9223372036854775807"]))
    case .double, .date: return .string(choices.one(of: ["0", "1.5", "811692800", "-1"]))
    case .bool: return .bool(choices.percent(50))
    case .uuid:
      let known = field.reference.flatMap { worlds[world].records[$0] } ?? []
      return .string(known.isEmpty ? newID() : choices.one(of: known).id)
    case .string, .text: return .string(text(0...40, world))
    }
  }
}
