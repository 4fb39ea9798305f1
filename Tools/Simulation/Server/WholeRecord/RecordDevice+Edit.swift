import Bridge
import Merge
import Wire

/// Edits of a schedule, as a device can do them that knows whole records only, of any schema.
extension RecordDevice {
  /// - Parameter now: seconds since 2001.
  /// - Returns: what it sends; nil where it cannot do that. It may have changed even so.
  mutating func perform(_ edit: Edit, now: Double) -> [Outgoing.Message]? {
    guard edit.since == nil, let kind = schema[edit.kind] else { return nil }
    let target = Target(edit.kind, edit.record)
    if edit.kind == shape.root { return root(target, kind, edit.change, now) }
    guard shape.children.contains(edit.kind) else { return nil }
    return child(target, kind, edit.change, now)
  }

  private mutating func root(
    _ target: Target, _ kind: Schema.Kind, _ change: Edit.Change, _ now: Double
  ) -> [Outgoing.Message]? {
    switch change {
    case .create(let fields):
      guard records[target] == nil, let record = made(target, kind, fields, now) else { return nil }
      return create(record, now: now)
    case .delete: return records[target] == nil ? nil : delete(target)
    case .move(let after, nil):
      var order = ordered.map(\.target)
      guard Self.move(target, behind: after, in: &order) else { return nil }
      return put(order, now: now)
    case .set, .splice:
      guard let record = records[target], let changed = changed(record, kind, change) else {
        return nil
      }
      return update(target, now: now) { record, _ in record.values = changed }
    case .move, .restore: return nil
    }
  }

  private mutating func child(
    _ target: Target, _ kind: Schema.Kind, _ change: Edit.Change, _ now: Double
  ) -> [Outgoing.Message]? {
    if case .create(let fields) = change {
      guard ordered.root(of: target) == nil, let record = made(target, kind, fields, now),
        let owner = Spelling.fields(fields).first(where: { $0.name == kind.container?.field }),
        let name = Spelling.text(owner.value)
      else { return nil }
      // A new one comes first, as it does elsewhere.
      return update(Target(kind.container!.kind, Name(name)), now: now) { _, children in
        children.insert(record, at: 0)
      }
    }
    guard let owner = ordered.root(of: target), let record = owner.child(target) else { return nil }
    switch change {
    case .delete:
      return update(owner.target, now: now) { _, children in
        children.removeAll { $0.target == target }
      }
    case .move(let after, nil):
      let others = owner.ordered.filter { $0.target.kind != target.kind }
      var order = owner.ordered.map(\.target).filter { $0.kind == target.kind }
      guard Self.move(target, behind: after, in: &order) else { return nil }
      return update(owner.target, now: now) { _, children in
        children = others + order.compactMap(owner.child)
      }
    case .set, .splice:
      guard let changed = changed(record, kind, change) else { return nil }
      return update(owner.target, now: now) { _, children in
        for index in children.indices where children[index].target == target {
          children[index].values = changed
        }
      }
    case .create, .move, .restore: return nil
    }
  }

  /// Puts all records into another order, and what each contains: several moves at once.
  mutating func rearrange(now: Double, _ order: (Int) -> [Int]) -> [Outgoing.Message] {
    let list = ordered
    let places = order(list.count)
    for record in list {
      let kinds = Set(record.children.map(\.target.kind)).sorted()
      let lists = kinds.map { kind in
        let list = record.ordered.filter { $0.target.kind == kind }
        return order(list.count).map { list[$0] }
      }
      _ = update(record.target, now: now) { _, children in children = Array(lists.joined()) }
    }
    return put(places.map { list[$0].target }, now: now)
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
    return WholeRecord(
      target, values: Self.whole(values, kind), place: nil, createdAt: now, updatedAt: now)
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
      return Self.whole(record.fieldValues(kind).merging(values) { $1 }, kind)
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

  /// By register.
  private static func whole(_ values: [Name: Datum], _ kind: Schema.Kind) -> [Name: Datum] {
    Dictionary(
      uniqueKeysWithValues: kind.wholeRegisters.map { ($0.name, $0.whole { values[$0] }) })
  }

  /// What was typed, but for the container; nil where some of it is no value.
  private static func values(_ fields: [UInt8], _ kind: Schema.Kind) -> [Name: Datum]? {
    try? PayloadEncoding.read(json: fields) { value, line throws(WireError) in
      var values: [Name: Datum] = [:]
      var reader = ObjectReader(value, line)
      while let (name, value) = reader.next() {
        let name = Name(name)
        if name == kind.container?.field { continue }
        guard let field = kind.field(name)?.field, name != kind.creationDate else {
          throw WireError(.invalidField, "\(name) is not sent")
        }
        values[name] = try field.canonical(value, line)
      }
      return values
    }
  }
}
