import Bridge
import Merge
import Wire

/// Edits of a schedule, as a device can do them that knows whole records only, of any schema.
extension RecordDevice {
  /// - Parameter now: seconds since 2001.
  /// - Returns: what it sends; nil where it cannot do that. It may have changed even so.
  mutating func perform(_ edit: Edit, now: Double) -> [Outgoing.Message]? {
    guard edit.since == nil, let kind = schema[edit.kind] else { return nil }
    let target = Target(edit.kind, kind.fixedID ?? edit.record)
    if shape.isRoot(edit.kind) { return root(target, kind, edit.change, now) }
    return child(target, kind, edit.change, now)
  }

  private mutating func root(
    _ target: Target, _ kind: Schema.Kind, _ change: Edit.Change, _ now: Double
  ) -> [Outgoing.Message]? {
    if case .create(let fields) = change {
      guard records[target] == nil, let record = made(target, kind, fields, now) else { return nil }
      return create(record, now: now)
    }
    guard let record = records[target], isShown(target) else { return nil }
    switch change {
    case .delete: return delete(target)
    case .move(let after, nil):
      guard kind.order != nil else { return nil }
      var order = ordered.map(\.target).filter { $0.kind == target.kind }
      guard Self.move(target, behind: after, in: &order) else { return nil }
      return put(order, now: now)
    case .set, .splice:
      guard let changed = changed(record, kind, change) else { return nil }
      return update(target, now: now) { record, _ in record.values = changed }
    case .create, .move, .restore: return nil
    }
  }

  private mutating func child(
    _ target: Target, _ kind: Schema.Kind, _ change: Edit.Change, _ now: Double
  ) -> [Outgoing.Message]? {
    if case .create(let fields) = change {
      guard ordered.root(of: target) == nil, var record = made(target, kind, fields, now),
        let named = Spelling.fields(fields).first(where: { $0.name == kind.container?.field }),
        let name = Spelling.text(named.value)
      else { return nil }
      let container = Target(kind.container!.kind, Name(name))
      guard let owner = ordered.root(of: container) else { return nil }
      record.container = container == owner.target ? nil : container
      // A new one comes first, as it does elsewhere.
      return update(owner.target, now: now) { _, children in children.insert(record, at: 0) }
    }
    guard let owner = ordered.root(of: target), let record = owner.child(target) else { return nil }
    switch change {
    case .delete:
      return update(owner.target, now: now) { _, children in
        var gone: Set<Target> = [target]
        for child in owner.ordered where child.container.map(gone.contains) ?? false {
          gone.insert(child.target)
        }
        children.removeAll { gone.contains($0.target) }
      }
    case .move(let after, let into):
      var moved = record
      if let into {
        let container = Target(kind.container!.kind, into)
        guard container == owner.target || owner.child(container) != nil else { return nil }
        moved.container = container == owner.target ? nil : container
      }
      let others = owner.ordered.filter {
        $0.target != target && List($0) != List(moved)
      }
      var order = owner.list(of: moved).map(\.target)
      if !order.contains(target) { order.insert(target, at: 0) }
      guard Self.move(target, behind: after, in: &order) else { return nil }
      return update(owner.target, now: now) { _, children in
        children = others + order.compactMap { $0 == target ? moved : owner.child($0) }
      }
    case .set, .splice:
      guard let changed = changed(record, kind, change) else { return nil }
      return update(owner.target, now: now) { _, children in
        for index in children.indices where children[index].target == target {
          children[index].values = changed
        }
      }
    case .create, .restore: return nil
    }
  }

  /// Puts all records into another order, and what each contains: several moves at once.
  mutating func rearrange(now: Double, _ order: (Int) -> [Int]) -> [Outgoing.Message] {
    let list = ordered
    let kinds = shape.roots.filter { schema[$0]?.order != nil }
    let roots = kinds.map { kind in list.map(\.target).filter { $0.kind == kind } }
    let orders = roots.map { order($0.count) }
    for record in list {
      let lists = Dictionary(grouping: record.ordered, by: List.init).values.sorted {
        $0[0].target < $1[0].target
      }.map { list in order(list.count).map { list[$0] } }
      guard !lists.isEmpty else { continue }
      _ = update(record.target, now: now) { _, children in children = Array(lists.joined()) }
    }
    var messages: [Outgoing.Message] = []
    for (targets, order) in zip(roots, orders) where !targets.isEmpty {
      messages = put(order.map { targets[$0] }, now: now)
    }
    return messages.isEmpty ? [.all(ordered)] : messages
  }

  /// - Returns: whether both are there.
  private static func move(
    _ target: Target, behind record: Name?, in order: inout [Target]
  ) -> Bool {
    guard let from = order.firstIndex(of: target) else { return false }
    order.remove(at: from)
    var place = 0
    if let record {
      guard let before = order.firstIndex(of: Target(target.kind, record)) else { return false }
      place = before + 1
    }
    order.insert(target, at: place)
    return true
  }

  // MARK: Values

  /// A new record of what was typed, and of what the schema has for the rest.
  private func made(
    _ target: Target, _ kind: Schema.Kind, _ fields: [UInt8], _ now: Double
  ) -> WholeRecord? {
    guard var values = Self.values(fields, kind) else { return nil }
    for field in kind.wholeRegisters.flatMap(\.fields) where values[field.name] == nil {
      values[field.name] = field.startsNow ? FieldType.datum(now) : field.initial
    }
    let whole = Self.whole(values, kind)
    guard let followed = followed(whole, over: nil, kind) else { return nil }
    return WholeRecord(target, values: followed, place: nil, createdAt: now, updatedAt: now)
  }

  /// Its values after a change; nil where that is of something else.
  private func changed(
    _ record: WholeRecord, _ kind: Schema.Kind, _ change: Edit.Change
  ) -> [Name: Datum]? {
    switch change {
    case .set(let fields):
      guard let values = Self.values(fields, kind),
        values.keys.allSatisfy({ kind.field($0)?.field.isFixed == false })
      else { return nil }
      return followed(
        Self.whole(record.fieldValues(kind).merging(values) { $1 }, kind), over: record.values, kind
      )
    case .splice(let name, let at, let remove, let insert, _):
      guard kind[name]?.form == .text else { return nil }
      var text = Array((record.values[name]?.text?.text ?? "").unicodeScalars)
      let start = min(at, text.count)
      text.replaceSubrange(start..<min(start + remove, text.count), with: insert.unicodeScalars)
      var result = String.UnicodeScalarView()
      result.append(contentsOf: text)
      return record.values.merging([name: .string(Name(String(result)))]) { $1 }
    case .create, .delete, .move, .restore: return nil
    }
  }

  /// What a person chose, with what the app makes of it: nothing is chosen that is not shown, and a record is where that
  /// is through which it stands in its container.
  ///
  /// - Returns: nil where it cannot be chosen.
  private func followed(
    _ values: [Name: Datum], over old: [Name: Datum]?, _ kind: Schema.Kind
  ) -> [Name: Datum]? {
    for register in kind.wholeRegisters where values[register.name] != old?[register.name] {
      for field in register.fields {
        guard let other = field.reference,
          let record = (values[register.name]?[field.name] ?? values[register.name])?.text,
          record != (old?[register.name]?[field.name] ?? old?[register.name])?.text
        else { continue }
        guard isShown(Target(other, record)) else { return nil }
      }
    }
    guard let container = kind.container, let name = container.through,
      let through = through(values, kind), case .object(var members)? = values[container.register]
    else { return values }
    let isOther = old.map { through != self.through($0, kind) } ?? true
    let old = old?[container.register]?[container.field]
    guard isOther || old != values[container.register]?[container.field] else { return values }
    var owner: Name?
    if let root = records[through], let kind = schema[through.kind] {
      owner = root.named(kind)?.record
    } else if let root = ordered.root(of: through), let child = root.child(through) {
      owner = root.container(of: child).record
    }
    guard let owner else { return nil }
    for index in members.indices {
      if !isOther, members[index].name == name { members[index].value = .null }
      if isOther, members[index].name == container.field { members[index].value = .string(owner) }
    }
    return values.merging([container.register: .object(members)]) { $1 }
  }

  /// By register.
  private static func whole(_ values: [Name: Datum], _ kind: Schema.Kind) -> [Name: Datum] {
    Dictionary(
      uniqueKeysWithValues: kind.wholeRegisters.map { ($0.name, $0.whole { values[$0] }) })
  }

  /// What was typed, but for what a record's place says; nil where some of it is no value.
  private static func values(_ fields: [UInt8], _ kind: Schema.Kind) -> [Name: Datum]? {
    try? PayloadEncoding.read(json: fields) { value, line throws(WireError) in
      var values: [Name: Datum] = [:]
      var reader = ObjectReader(value, line)
      while let (name, value) = reader.next() {
        let name = Name(name)
        if kind.isListedInContainer, name == kind.container?.field { continue }
        guard let field = kind.field(name)?.field, name != kind.creationDate else {
          throw WireError(.invalidField, "\(name) is not sent")
        }
        values[name] = try field.canonical(value, line)
      }
      return values
    }
  }
}
