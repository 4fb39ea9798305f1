import Seeded
@testable import Merge

/// Edits as an application would make them: of what the writer sees, and nothing that was deleted long ago.
extension Campaign {
  static let schema = Schema(
    name: "campaign",
    kinds: [
      Schema.Kind(name: "timer", registers: [single("name"), text("notes")], order: "place"),
      Schema.Kind(
        name: "todo", registers: [single("text"), single("done")],
        container: .init(kind: "timer", register: "place", field: "timer"), order: "place"),
      Schema.Kind(name: "client", registers: [single("name"), text("notes")]),
      Schema.Kind(
        name: "project", registers: [single("name"), single("client", false, "client")],
        container: .init(kind: "client", register: "client", field: "client")),
      Schema.Kind(
        name: "task",
        registers: [
          single("name"), text("notes"),
          Schema.Register(
            name: "owner", form: .group,
            fields: [
              .init(name: "client", type: .uuid, reference: "client"),
              .init(name: "project", type: .uuid, isOptional: true, reference: "project"),
            ], revives: false),
        ],
        container: .init(kind: "client", register: "owner", field: "client", through: "project")),
    ])

  private static func single(
    _ name: Name, _ revives: Bool = true, _ reference: Name? = nil
  ) -> Schema.Register {
    Schema.Register(
      name: name, form: .single, fields: [.init(name: name, type: .string, reference: reference)],
      revives: revives)
  }

  private static func text(_ name: Name) -> Schema.Register {
    Schema.Register(name: name, form: .text, fields: [.init(name: name, type: .text)])
  }

  mutating func write(_ index: Int) throws {
    var actions: [Action] = []
    var inserted: UInt32 = 0
    for _ in 0..<(1 + chance.below(8) / 7) {
      let new = edit(index, inserted)
      inserted += new.reduce(0) { $0 + UInt32($1.elements) }
      actions += new
    }
    if actions.contains(where: { members[index].fold.changesLongDeleted($0) }) { return }
    try commit(actions, by: index)
  }

  private mutating func edit(_ index: Int, _ inserted: UInt32) -> [Action] {
    let kinds = Self.schema.kinds.filter { $0.order != nil }
    guard let target = known(kinds[chance.below(kinds.count)].name, index) else {
      return create(kinds[chance.below(kinds.count)].name, index)
    }
    let fold = members[index].fold
    let home = fold.container(of: target, Self.schema)
    let kind = Self.schema[target.kind]!
    switch chance.below(100) {
    case ..<12: return create(target.kind, index)
    case ..<24: return [Action(target, .delete, home: home)]
    case ..<30: return [Action(target, .restore, home: home)]
    case ..<42:
      let value = Datum.string(Name("v\(chance.below(4))"))
      return [
        Action(
          target, .write(field: kind.registers[0].name, value: value), revives: true, home: home)
      ]
    case ..<75:
      guard kind.registers.contains(where: { $0.name == "notes" }) else { fallthrough }
      return edit(text: "notes", of: target, home, index)
    default: return place(target, home, index)
    }
  }

  /// A record of a kind, mostly one of the newest.
  private mutating func known(_ kind: Name, _ index: Int) -> Target? {
    let known = members[index].fold.records.map(\.target).filter { $0.kind == kind }.sorted()
    guard !known.isEmpty else { return nil }
    let hot = chance.below(4) == 0 ? known.count : min(known.count, options.hot)
    return known[known.count - 1 - chance.below(hot)]
  }

  private mutating func create(_ kind: Name, _ index: Int) -> [Action] {
    records += 1
    // Padded, so that the newest come last.
    var target = Target(kind, Name("\(kind)\(10_000 + records)"))
    let tombstones = members[index].fold.tombstones.keys.sorted()
    if options.recreates, !tombstones.isEmpty, chance.below(3) == 0 {
      target = tombstones[chance.below(tombstones.count)]
    }
    let placed = place(target, nil, index)
    if placed.isEmpty, Self.schema[target.kind]!.container != nil { return [] }
    let home = placed.first?.into
    var create = [Action(target, .create, home: home)]
    create += placed.map { action in
      var action = action
      action.home = home
      return action
    }
    return create
  }

  /// Puts a record into a list, or under an owner.
  private mutating func place(_ target: Target, _ home: Target?, _ index: Int) -> [Action] {
    switch target.kind {
    case "timer": return move(target, nil, home, index)
    case "todo":
      guard let timer = known("timer", index) else { return [] }
      return move(target, timer, home, index)
    case "project":
      guard let client = known("client", index) else { return [] }
      return [
        Action(
          target, .write(field: "client", value: .string(client.record)), home: home,
          into: client)
      ]
    case "task":
      guard let client = known("client", index) else { return [] }
      let project = chance.below(2) == 0 ? known("project", index) : nil
      let value = Datum.sorted([
        .init("client", .string(client.record)),
        .init("project", project.map { .string($0.record) } ?? .null),
      ])
      return [
        Action(
          target, .write(field: "owner", value: value), home: home, into: client, via: project)
      ]
    default: return []
    }
  }

  // MARK: Sequences

  private mutating func move(
    _ target: Target, _ list: Target?, _ home: Target?, _ index: Int
  ) -> [Action] {
    let name = Fold.ListName(kind: target.kind, container: list)
    let fold = members[index].fold
    let anchor = anchor(fold.lists[name] ?? Fugue(), index) { fold.isLeft($0, name, by: "place") }
    return [Action(target, .move(field: "place", to: anchor.anchor), home: home, into: list)]
  }

  /// A random place of what the writer was shown.
  private mutating func anchor(
    _ sequence: Fugue, _ index: Int, passing isPassed: (Element) -> Bool
  ) -> (anchor: Anchor, offset: Int, view: OldView) {
    let fold = members[index].fold
    let view = sequence.view(
      at: fold.sequenceNumbers(within: members[index].form ?? fold.vector))
    let offset = chance.below(3) == 0 ? view.count : chance.below(view.count + 1)
    let origin = try! sequence.origin(at: offset, in: view, passing: isPassed)
    return (fold.anchor(origin), offset, view)
  }

  private mutating func edit(
    text field: Name, of target: Target, _ home: Target?, _ index: Int
  ) -> [Action] {
    let fold = members[index].fold
    let text = fold.text(target, field) ?? Fugue()
    let (anchor, offset, view) = anchor(text, index, passing: Fold.isDead(in: text))
    var actions: [Action] = []
    let count = min(view.count - offset, chance.below(4))
    if chance.below(2) == 0, count > 0 {
      let runs = view.elements(in: offset..<offset + count).flatMap { fold.runs($0) }
      actions.append(
        Action(target, .erase(field: field, runs), revives: true, home: home))
    }
    if actions.isEmpty || chance.below(2) == 0 {
      let text = Name(["a", "bc", "de\u{301}f", "\u{1F600}"][chance.below(4)])
      actions.append(
        Action(target, .insert(field: field, at: anchor, text: text), revives: true, home: home))
    }
    return actions
  }
}
