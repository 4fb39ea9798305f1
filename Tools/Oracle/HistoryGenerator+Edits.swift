import Merge
import Seeded

extension HistoryGenerator {
  /// Adds the actions of one edit, as an application would write them.
  mutating func edit(_ draft: inout Draft) {
    if random.percent(options.unknown) { return editUnknown(&draft) }
    let kind = anyKind()
    guard let target = target(kind, draft) else { return create(kind, &draft) }
    switch random.below(100) {
    case ..<15: create(kind, &draft)
    case ..<40: save(target, kind, &draft)
    case ..<55:
      add(&draft, target, .delete)
    case ..<63: restore(kind, &draft)
    case ..<83:
      if kind.order != nil || kind.container != nil {
        relocate(target, kind, &draft)
      } else {
        save(target, kind, &draft)
      }
    default:
      guard let text = kind.registers.first(where: { $0.form == .text }) else {
        return save(target, kind, &draft)
      }
      edit(text, of: target, &draft)
    }
  }

  /// Seldom one that stands alone, which has the fewest ways to collide.
  private mutating func anyKind() -> Schema.Kind {
    let others = schema.kinds.filter { !$0.standsAlone }
    let isAny = others.isEmpty || others.count == schema.kinds.count || random.percent(10)
    return random.pick(isAny ? schema.kinds : others)
  }

  private func add(
    _ draft: inout Draft, _ target: Target, _ body: Action.Body, revives: Bool = false,
    into: Target? = nil, via: Target? = nil, home: Target?? = nil
  ) {
    let home = home ?? draft.state.container(target, schema)
    draft.operation.actions.append(
      Action(target, body, revives: revives, home: home, into: into, via: via))
  }

  private mutating func anyID(_ kind: Name) -> Name {
    schema[kind]?.fixedID ?? Name("\(kind)\(random.within(1...options.records))")
  }

  private func visible(_ kind: Name, _ draft: Draft) -> [Target] {
    let state = draft.state
    return state.targets.filter { $0.kind == kind && state.isVisible($0, schema) }
  }

  private mutating func target(_ kind: Schema.Kind, _ draft: Draft) -> Target? {
    if random.percent(options.blind) { return Target(kind.name, anyID(kind.name)) }
    let visible = visible(kind.name, draft)
    return visible.isEmpty ? nil : random.pick(visible)
  }

  // MARK: Creates, restores

  private mutating func create(_ kind: Schema.Kind, _ draft: inout Draft) {
    let target = Target(kind.name, anyID(kind.name))
    var (home, through): (Target?, Target?) = (nil, nil)
    if let rule = kind.container { (home, through) = owner(rule, kind, &draft) }
    add(&draft, target, .create, home: .some(home))
    for register in kind.registers where random.percent(80) {
      if register.form == .text {
        edit(register, of: target, home: home, &draft)
      } else if register.name != kind.container?.register {
        write(register, of: target, home: home, &draft)
      }
    }
    if let order = kind.order {
      move(target, order, into: kind.container == nil ? nil : home, home: home, &draft)
    }
    if let rule = kind.container, rule.register != kind.order, let home {
      write(owner: home, through, of: target, kind, rule, home: home, &draft)
    }
  }

  /// A container for a record, and the record through which that owns it, where it has one. Where
  /// none shows, one is created in the same operation.
  private mutating func owner(
    _ rule: Schema.Container, _ kind: Schema.Kind, _ draft: inout Draft
  ) -> (Target?, Target?) {
    if let through = rule.through, let other = kind.field(through)?.field.reference {
      let others = visible(other, draft)
      if !others.isEmpty, random.percent(60) {
        let other = random.pick(others)
        return (draft.state.container(other, schema), other)
      }
    }
    if visible(rule.kind, draft).isEmpty || random.percent(5), let owner = schema[rule.kind] {
      create(owner, &draft)
    }
    let containers = visible(rule.kind, draft)
    return (containers.isEmpty ? nil : random.pick(containers), nil)
  }

  private mutating func restore(_ kind: Schema.Kind, _ draft: inout Draft) {
    let state = draft.state
    let hidden = state.targets.filter {
      $0.kind == kind.name && !state.isVisible($0, schema) && !state.deletes($0).isEmpty
    }
    guard !hidden.isEmpty else { return create(kind, &draft) }
    add(&draft, random.pick(hidden), .restore)
  }

  // MARK: Fields

  private mutating func save(_ target: Target, _ kind: Schema.Kind, _ draft: inout Draft) {
    for register in kind.registers where random.percent(40) {
      if register.form == .text {
        edit(register, of: target, &draft)
      } else if register.name != kind.container?.register {
        write(register, of: target, &draft)
      }
    }
  }

  private mutating func write(
    _ register: Schema.Register, of target: Target, home: Target?? = nil, _ draft: inout Draft
  ) {
    var value: Datum
    if register.form == .group {
      value = .sorted(register.fields.map { Datum.Member($0.name, self.value($0)) })
    } else {
      value = self.value(register.fields[0])
    }
    if random.percent(10), let same = draft.seen.value(target, register.name) { value = same }
    add(
      &draft, target, .write(field: register.name, value: value), revives: register.revives,
      home: home)
  }

  private mutating func value(_ field: Schema.Field) -> Datum {
    if field.isOptional, random.percent(25) { return .null }
    if let reference = field.reference { return .string(anyID(reference)) }
    switch field.type {
    case .bool: return .bool(random.oneIn(2))
    case .int, .uuid: return .string(random.pick(["0", "1", "-2", "9007199254740993"]))
    case .decimal: return .string(random.pick(["0", "12.5", "-3"]))
    case .double, .date: return .string(random.pick(["0", "1.5", "785412000.123", "785412060"]))
    // One character composed and decomposed: two different values.
    case .string, .text:
      return .string(random.pick(["", "a", "b", "\u{E9}", "e\u{301}", "\u{1F600}"]))
    }
  }

  private mutating func write(
    owner: Target, _ through: Target?, of target: Target, _ kind: Schema.Kind,
    _ rule: Schema.Container, home: Target?? = nil, _ draft: inout Draft
  ) {
    guard let register = kind[rule.register] else { return }
    var value = Datum.string(owner.record)
    if register.form == .group {
      value = .sorted(
        register.fields.map { field in
          if field.name == rule.field {
            // Beside a record that it stands through, the owner named may be another one.
            let isOwn = through == nil || random.percent(70)
            return Datum.Member(field.name, isOwn ? value : .string(anyID(rule.kind)))
          }
          if field.name == rule.through {
            return Datum.Member(field.name, through.map { .string($0.record) } ?? .null)
          }
          return Datum.Member(field.name, self.value(field))
        })
    }
    add(
      &draft, target, .write(field: register.name, value: value), revives: register.revives,
      into: owner, via: through, home: home)
  }

  // MARK: Places

  /// Moves a record within its list, or to another list or owner.
  private mutating func relocate(
    _ target: Target, _ kind: Schema.Kind, _ draft: inout Draft
  ) {
    guard let rule = kind.container else {
      if let order = kind.order { move(target, order, into: nil, &draft) }
      return
    }
    var container = draft.state.container(target, schema)
    var through: Target?
    if rule.register != kind.order || random.percent(40) {
      (container, through) = owner(rule, kind, &draft)
    }
    guard let container else { return }
    if rule.register == kind.order {
      move(target, rule.register, into: container, &draft)
    } else {
      write(owner: container, through, of: target, kind, rule, &draft)
    }
  }

  private mutating func move(
    _ target: Target, _ register: Name, into list: Target?, home: Target?? = nil,
    _ draft: inout Draft
  ) {
    let state = draft.state
    let slots = state.slots(target.kind, in: list)
    // Mostly after an item that stands there; sometimes where none does any longer.
    let standing = state.targets.filter { $0.kind == target.kind }
      .compactMap { state.slot($0, register) }.filter { id in slots.contains { $0.id == id } }
    let choices = random.percent(70) ? standing : slots.map(\.id)
    let left = choices.isEmpty || random.percent(30) ? nil : random.pick(choices)
    let anchor = Oracle.anchor(after: left, in: slots)
    add(&draft, target, .move(field: register, to: anchor), into: list, home: home)
  }

  // MARK: Texts

  /// Erases a run of characters, or inserts one, or both.
  private mutating func edit(
    _ register: Schema.Register, of target: Target, home: Target?? = nil, _ draft: inout Draft
  ) {
    let state = draft.state
    let characters = state.characters(target, register.name)
    let erased = state.erased(target, register.name)
    let live = characters.map(\.id).filter { !erased.contains($0) }
    let start = random.within(0...live.count)
    let count =
      random.percent(40) ? random.within(0...min(3, live.count - start)) : 0
    if count > 0 {
      add(
        &draft, target, .erase(field: register.name, runs(live[start..<start + count])),
        revives: register.revives, home: home)
      if random.percent(50) { return }
    }
    let text = (0..<random.within(1...3)).map { _ in
      random.pick(["x", "y", "\u{E9}", "e\u{301}", "\u{1F469}\u{200D}\u{1F467}"])
    }.joined()
    let anchor = Oracle.anchor(after: start > 0 ? live[start - 1] : nil, in: characters)
    add(
      &draft, target, .insert(field: register.name, at: anchor, text: Name(text)),
      revives: register.revives, home: home)
  }

  private func runs(_ ids: ArraySlice<ElementID>) -> [ElementRun] {
    ids.reduce(into: []) { runs, id in
      if let last = runs.last, last.first.dot == id.dot, last.first.index + last.count == id.index {
        runs[runs.count - 1].count += 1
      } else {
        runs.append(ElementRun(id, count: 1))
      }
    }
  }

  // MARK: What the schema does not know

  private mutating func editUnknown(_ draft: inout Draft) {
    let gizmo = Target("gizmo", anyID("gizmo"))
    let note = Schema.Register(name: "scribble", form: .text, fields: [])
    switch random.below(7) {
    case 0: add(&draft, gizmo, .create)
    case 1: add(&draft, gizmo, .delete)
    case 2: move(gizmo, "spot", into: random.percent(50) ? nil : gizmo, &draft)
    case 3: edit(note, of: gizmo, &draft)
    case 4:
      add(
        &draft, gizmo,
        .write(field: "colour", value: random.pick([.null, .array([.string("a")])])),
        revives: random.oneIn(2))
    case 5:
      let kind = random.pick(schema.kinds)
      guard let target = target(kind, draft) else { return }
      add(
        &draft, target, .write(field: "later", value: random.pick([.bool(true), .bool(false)])),
        revives: random.oneIn(2))
    default:
      let datum = Datum.sorted([
        .init("action", .string("sparkle")), .init("kind", .string("gizmo")),
        .init("record", .string(gizmo.record)),
      ])
      draft.operation.actions.append(Action(gizmo, .unknown(datum)))
    }
  }
}
