extension Fold {
  /// Shows the records through a schema.
  package func view(_ schema: Schema) -> View {
    var viewer = Viewer(self, schema)
    return viewer.view()
  }

  /// The visible records of one kind, as `view(_:)` has them.
  package func view(_ kind: Name, _ schema: Schema) -> [RecordView] {
    var viewer = Viewer(self, schema)
    return schema[kind].map { viewer.records($0) } ?? []
  }

  /// One record, nil where it is hidden.
  package func view(_ target: Target, _ schema: Schema) -> RecordView? {
    var viewer = Viewer(self, schema)
    guard let kind = schema[target.kind], viewer.isVisible(target) else { return nil }
    guard kind.order != nil else { return viewer.record(target, kind) }
    return viewer.records(kind).first { $0.target == target }
  }

  package func isVisible(_ target: Target, _ schema: Schema) -> Bool {
    var viewer = Viewer(self, schema)
    return viewer.isVisible(target)
  }

  /// The container that a record stands in.
  package func container(of target: Target, _ schema: Schema) -> Target? {
    var viewer = Viewer(self, schema)
    return viewer.container(of: target)
  }

  /// Whether one operation wrote both registers as they are now, or one of them was never written.
  package func isOneOperation(_ target: Target, _ one: Name, _ other: Name) -> Bool {
    guard let one = write(target, one), let other = write(target, other) else { return true }
    return one.place.operation == other.place.operation
  }

  /// The value of a register; nil where it was never written.
  func value(_ target: Target, _ register: Name) -> Datum? {
    guard let write = write(target, register),
      case .write(_, let value) = action(write.place).body
    else { return nil }
    return value
  }

  func write(_ target: Target, _ register: Name) -> Register.Write? {
    record(target)?.registers.first { $0.name == register }?.value
  }

  func action(_ place: Record.Place) -> Action {
    operations[Int(place.operation)].actions[Int(place.action)]
  }

  /// The text as it is.
  package func text(of target: Target, _ field: Name) -> String {
    text(target, field)?.text ?? ""
  }

  func text(_ target: Target, _ field: Name) -> Fugue? {
    guard let index = recordIndices[target] else { return nil }
    return records[index].texts.first { $0.field == field }?.sequence
  }
}

/// One pass over the records, with what it has found out about their visibility.
private struct Viewer {
  let fold: Fold
  let schema: Schema
  var visible: [Target: Bool] = [:]

  init(_ fold: Fold, _ schema: Schema) {
    self.fold = fold
    self.schema = schema
  }

  mutating func view() -> View {
    View(kinds: schema.kinds.map { ($0.name, records($0)) })
  }

  mutating func records(_ kind: Schema.Kind) -> [RecordView] {
    var records: [RecordView] = []
    for record in fold.records where record.target.kind == kind.name {
      if isVisible(record.target) { records.append(self.record(record.target, kind)) }
    }
    if let order = kind.order { setPlaces(&records, order) }
    records.sort { left, right in
      if left.container != right.container {
        guard let one = left.container, let other = right.container else {
          return left.container == nil
        }
        return one < other
      }
      if left.place != right.place { return (left.place ?? 0) < (right.place ?? 0) }
      return left.target.record < right.target.record
    }
    return records
  }

  // MARK: Visibility

  mutating func isVisible(_ target: Target) -> Bool {
    if let known = visible[target] { return known }
    // A record that contains itself is invisible; schemas have no such kinds.
    visible[target] = false
    let result = findVisible(target)
    visible[target] = result
    return result
  }

  private mutating func findVisible(_ target: Target) -> Bool {
    guard let kind = schema[target.kind], let record = fold.record(target), record.isAlive else {
      return false
    }
    guard kind.container != nil else { return true }
    return container(of: target).map { isVisible($0) } ?? false
  }

  mutating func container(of target: Target) -> Target? {
    guard let container = schema[target.kind]?.container else { return nil }
    if let through = container.through,
      let kind = schema[target.kind]?.field(through)?.field.reference,
      let id = reference(target, container.register, through)
    {
      let other = Target(kind, id)
      if isVisible(other), let shared = self.container(of: other) { return shared }
    }
    if schema[target.kind]?.order == container.register {
      return fold.write(target, container.register).flatMap { fold.action($0.place).into }
    }
    return reference(target, container.register, container.field).map {
      Target(container.kind, $0)
    }
  }

  private func reference(_ target: Target, _ register: Name, _ field: Name) -> Name? {
    let value = fold.value(target, register)
    return (value?[field] ?? value)?.text
  }

  // MARK: Fields

  mutating func record(_ target: Target, _ kind: Schema.Kind) -> RecordView {
    let container = container(of: target)
    var fields: [Datum.Member] = []
    for register in kind.registers {
      if register.form == .text {
        fields.append(
          Datum.Member(register.name, .string(Name(fold.text(of: target, register.name)))))
        continue
      }
      let value = fold.value(target, register.name)
      for field in register.fields {
        let part = register.form == .group ? value?[field.name] : value
        fields.append(Datum.Member(field.name, shown(part ?? .null, field)))
      }
    }
    if let rule = kind.container {
      let name = container.map { Datum.string($0.record) } ?? .null
      if let index = fields.firstIndex(where: { $0.name == rule.field }) {
        fields[index].value = name
      } else {
        fields.append(Datum.Member(rule.field, name))
      }
    }
    for derived in kind.derived {
      fields.append(Datum.Member(derived.name, self.derived(derived.source, target, fields)))
    }
    return RecordView(target: target, container: container, place: nil, fields: fields)
  }

  /// A reference to what is hidden or unknown shows as null; its value stays.
  private mutating func shown(_ value: Datum, _ field: Schema.Field) -> Datum {
    guard let kind = field.reference, let id = value.text else { return value }
    return isVisible(Target(kind, id)) ? value : .null
  }

  private func derived(
    _ source: Schema.Derived.Source, _ target: Target, _ fields: [Datum.Member]
  ) -> Datum {
    switch source {
    case .touched:
      guard let touch = fold.record(target)?.touch else { return .null }
      return .string(Name(canonicalDate(ms: touch.stamp.ms)))
    case .seconds(let from, let to):
      func seconds(_ name: Name) -> Double? {
        fields.first { $0.name == name }?.value.text.flatMap { Double($0.text) }
      }
      guard let start = seconds(from), let end = seconds(to),
        let whole = Int64(exactly: (end - start).rounded(.towardZero))
      else { return .null }
      return .string(Name(String(whole)))
    }
  }

  // MARK: Order

  /// Dense places, list by list, in the order of the slots that the records stand in; those
  /// without one come last, by id.
  private func setPlaces(_ records: inout [RecordView], _ order: Name) {
    var bySlot: [Fold.ListName: [Element: Int]] = [:]
    var placeless: [Int] = []
    for index in records.indices {
      let target = records[index].target
      guard let write = fold.write(target, order),
        let slot = fold.element(fold.slot(write.place))
      else {
        placeless.append(index)
        continue
      }
      let list = Fold.ListName(kind: target.kind, container: fold.action(write.place).into)
      bySlot[list, default: [:]][slot] = index
    }
    // Lists do not meet, so the order in which they come is of no consequence.
    for (list, slots) in bySlot {
      var place = 0
      for run in fold.lists[list]?.snapshot() ?? [] {
        for offset in 0..<run.elements.count {
          guard let index = slots[run.elements[offset]] else { continue }
          records[index].place = place
          place += 1
        }
      }
    }
    placeless.sort { records[$0].target.record < records[$1].target.record }
    for index in placeless {
      let container = records[index].container
      let last = records.lazy.filter { $0.container == container }.compactMap(\.place).max()
      records[index].place = last.map { $0 + 1 } ?? 0
    }
  }
}

extension Fold {
  /// The slot that a move inserted.
  func slot(_ place: Record.Place) -> ElementID {
    ElementID(operations[Int(place.operation)].dot, place.element)
  }
}

/// Milliseconds since 1970 as a date: seconds since 2001-01-01 UTC.
package func canonicalDate(ms: UInt64) -> String {
  let since2001 = Int64(ms) - 978_307_200_000
  let (whole, fraction) = since2001.magnitude.quotientAndRemainder(dividingBy: 1000)
  var text = (since2001 < 0 ? "-" : "") + String(whole)
  if fraction > 0 {
    var digits = String(fraction + 1000).dropFirst()
    while digits.last == "0" { digits.removeLast() }
    text += "." + digits
  }
  return text
}
