import Wire

extension Fold {
  /// Shows the records through a schema.
  package func view(_ schema: Schema) -> View {
    var viewer = Viewer(self, schema, looksAtAll: true)
    return viewer.view()
  }

  /// The visible records of one kind, as `view(_:)` has them.
  package func view(_ kind: Name, _ schema: Schema) -> [RecordView] {
    var viewer = Viewer(self, schema, looksAtAll: true)
    return viewer.number(of: kind).map { viewer.records($0) } ?? []
  }

  /// One record, nil where it is hidden.
  package func view(_ target: Target, _ schema: Schema) -> RecordView? {
    var viewer = Viewer(self, schema)
    guard let kind = viewer.number(of: target.kind), let index = recordIndices[target],
      viewer.isVisible(index, kind)
    else { return nil }
    guard let order = schema.kinds[kind].order else { return viewer.record(index, kind) }
    // Where such a record stands is all that decides whether it is shown among the others.
    guard schema.kinds[kind].container == nil || schema.kinds[kind].isListedInContainer,
      schema.kinds[kind].container?.through == nil
    else { return viewer.records(kind).first { $0.target == target } }
    var record = viewer.record(index, kind)
    record.place = place(of: index, order)
    return record
  }

  package func isVisible(_ target: Target, _ schema: Schema) -> Bool {
    var viewer = Viewer(self, schema)
    return viewer.isVisible(target)
  }

  /// The container that a record stands in.
  package func container(of target: Target, _ schema: Schema) -> Target? {
    var viewer = Viewer(self, schema)
    guard let kind = viewer.number(of: target.kind), schema.kinds[kind].container != nil,
      let index = recordIndices[target]
    else { return nil }
    return viewer.container(of: index, kind)
  }

  /// Where a record stands in its list, counted with hidden ones and with places that others have left; nil where it
  /// has no place.
  package func slotOffset(of target: Target, by order: Name) -> Int? {
    guard let place = write(target, order)?.place, let slot = element(slot(place)) else {
      return nil
    }
    return lists[ListName(kind: target.kind, container: list(of: place))]?.offset(of: slot)
  }

  /// Whether one operation wrote both registers as they are now, or one of them was never written.
  package func isOneOperation(_ target: Target, _ one: Name, _ other: Name) -> Bool {
    guard let one = write(target, one), let other = write(target, other) else { return true }
    return one.place.operation == other.place.operation
  }

  /// The value of a register; nil where it was never written.
  package func value(_ target: Target, _ register: Name) -> Datum? {
    recordIndices[target].flatMap { value($0, register) }
  }

  func write(_ target: Target, _ register: Name) -> Register.Write? {
    recordIndices[target].flatMap { write($0, register) }
  }

  /// - Parameter record: an index of `records`.
  func value(_ record: Int, _ register: Name) -> Datum? {
    guard let place = write(record, register)?.place,
      case .write(_, let value) = operations[Int(place.operation)].actions[Int(place.action)].body
    else { return nil }
    return value
  }

  /// - Parameter record: an index of `records`.
  func write(_ record: Int, _ register: Name) -> Register.Write? {
    for index in records[record].registers.indices
    where records[record].registers[index].name == register {
      return records[record].registers[index].value
    }
    return nil
  }

  func action(_ place: Record.Place) -> Action {
    operations[Int(place.operation)].actions[Int(place.action)]
  }

  /// The text as it is.
  package func text(of target: Target, _ field: Name) -> String {
    recordIndices[target].map { text(of: $0, field).text } ?? ""
  }

  /// The visible characters of a text in order, those of one replica that follow one another together.
  package func textRuns(
    of target: Target, _ field: Name
  ) -> [(author: ReplicaID, text: String)] {
    guard let sequence = text(target, field) else { return [] }
    var runs: [(author: ReplicaID, text: String)] = []
    var rest = sequence.text.unicodeScalars[...]
    for range in sequence.elements(in: 0..<sequence.count) {
      let author = replicas[range.first.replica].id
      if runs.last?.author != author { runs.append((author, "")) }
      runs[runs.count - 1].text.unicodeScalars.append(contentsOf: rest.prefix(range.count))
      rest = rest.dropFirst(range.count)
    }
    return runs
  }

  /// - Parameter record: an index of `records`.
  func text(of record: Int, _ field: Name) -> Name {
    for index in records[record].texts.indices where records[record].texts[index].field == field {
      return Name(utf8: records[record].texts[index].sequence.utf8)
    }
    return Name(utf8: [])
  }

  func text(_ target: Target, _ field: Name) -> Fugue? {
    guard let index = recordIndices[target] else { return nil }
    return records[index].texts.first { $0.field == field }?.sequence
  }
}

/// One pass over the records, with what it has found out about their visibility.
///
/// Records are named by their index in the fold and kinds by theirs in the schema, so that each is
/// looked for once.
private struct Viewer {
  let fold: Fold
  let schema: Schema
  /// By record, where all are looked at; nil where it was not yet.
  private var visible: [Bool?] = []
  /// The same where a few are.
  private var visibleFew: [Int: Bool] = [:]
  private let looksAtAll: Bool

  init(_ fold: Fold, _ schema: Schema, looksAtAll: Bool = false) {
    self.fold = fold
    self.schema = schema
    self.looksAtAll = looksAtAll
    if looksAtAll { visible = Array(repeating: nil, count: fold.records.count) }
  }

  mutating func view() -> View {
    View(kinds: schema.kinds.indices.map { (schema.kinds[$0].name, records($0)) })
  }

  func number(of kind: Name) -> Int? { schema.kinds.firstIndex { $0.name == kind } }

  mutating func records(_ kind: Int) -> [RecordView] {
    let name = schema.kinds[kind].name
    var shown: [Int] = []
    var records: [RecordView] = []
    for index in fold.records.indices where fold.records[index].target.kind == name {
      guard isVisible(index, kind) else { continue }
      shown.append(index)
      records.append(record(index, kind))
    }
    if let order = schema.kinds[kind].order { setPlaces(&records, shown, order) }
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
    guard let index = fold.recordIndices[target], let kind = number(of: target.kind) else {
      return false
    }
    return isVisible(index, kind)
  }

  mutating func isVisible(_ index: Int, _ kind: Int) -> Bool {
    if let known = looksAtAll ? visible[index] : visibleFew[index] { return known }
    // A record that contains itself is invisible; schemas have no such kinds.
    note(index, false)
    let result = findVisible(index, kind)
    note(index, result)
    fold.looked += 1
    return result
  }

  private mutating func note(_ index: Int, _ isVisible: Bool) {
    if looksAtAll { visible[index] = isVisible } else { visibleFew[index] = isVisible }
  }

  private mutating func findVisible(_ index: Int, _ kind: Int) -> Bool {
    guard fold.records[index].isAlive else { return false }
    guard schema.kinds[kind].container != nil else { return true }
    return container(of: index, kind).map { isVisible($0) } ?? false
  }

  /// - Precondition: the kind has a container.
  mutating func container(of index: Int, _ kind: Int) -> Target? {
    let rule = schema.kinds[kind].container!
    if let through = rule.through,
      let other = schema.kinds[kind].field(through)?.field.reference,
      let id = reference(index, rule.register, through)
    {
      let target = Target(other, id)
      if isVisible(target), let owner = fold.recordIndices[target],
        let number = number(of: other), schema.kinds[number].container != nil,
        let shared = container(of: owner, number)
      {
        return shared
      }
    }
    if schema.kinds[kind].order == rule.register {
      return fold.write(index, rule.register).flatMap { fold.list(of: $0.place) }
    }
    return reference(index, rule.register, rule.field).map { Target(rule.kind, $0) }
  }

  private func reference(_ index: Int, _ register: Name, _ field: Name) -> Name? {
    let value = fold.value(index, register)
    return (value?[field] ?? value)?.text
  }

  // MARK: Fields

  mutating func record(_ index: Int, _ kind: Int) -> RecordView {
    let rule = schema.kinds[kind].container
    let container = rule == nil ? nil : container(of: index, kind)
    var fields: [Datum.Member] = []
    fields.reserveCapacity(schema.kinds[kind].registers.count + 4)
    for register in schema.kinds[kind].registers.indices {
      append(index, kind, register, to: &fields)
    }
    if let rule {
      let name = container.map { Datum.string($0.record) } ?? .null
      if let index = fields.firstIndex(where: { $0.name == rule.field }) {
        fields[index].value = name
      } else {
        fields.append(Datum.Member(rule.field, name))
      }
    }
    for derived in schema.kinds[kind].derived {
      fields.append(Datum.Member(derived.name, self.derived(derived.source, index, fields)))
    }
    return RecordView(
      target: fold.records[index].target, container: container, place: nil, fields: fields)
  }

  private mutating func append(
    _ index: Int, _ kind: Int, _ number: Int, to fields: inout [Datum.Member]
  ) {
    let name = schema.kinds[kind].registers[number].name
    let form = schema.kinds[kind].registers[number].form
    if form == .text {
      return fields.append(Datum.Member(name, .string(fold.text(of: index, name))))
    }
    let value = fold.value(index, name)
    for place in schema.kinds[kind].registers[number].fields.indices {
      let field = schema.kinds[kind].registers[number].fields[place].name
      let part = (form == .group ? value?[field] : value) ?? .null
      // A reference to what is hidden or unknown shows as null; its value stays.
      if let other = schema.kinds[kind].registers[number].fields[place].reference,
        let id = part.text, !isVisible(Target(other, id))
      {
        fields.append(Datum.Member(field, .null))
      } else {
        fields.append(Datum.Member(field, part))
      }
    }
  }

  private func derived(
    _ source: Schema.Derived.Source, _ index: Int, _ fields: [Datum.Member]
  ) -> Datum {
    switch source {
    case .touched:
      guard let touch = fold.records[index].touch else { return .null }
      return .string(Name(utf8: canonicalDateBytes(ms: touch.stamp.ms)))
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
  ///
  /// - Parameter shown: the records' indices.
  private func setPlaces(_ records: inout [RecordView], _ shown: [Int], _ order: Name) {
    var bySlot: [Fold.ListName: [Element: Int]] = [:]
    var placeless: [Int] = []
    for index in records.indices {
      let target = records[index].target
      guard let write = fold.write(shown[index], order),
        let slot = fold.element(fold.slot(write.place))
      else {
        placeless.append(index)
        continue
      }
      let list = Fold.ListName(kind: target.kind, container: fold.list(of: write.place))
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
    guard !placeless.isEmpty else { return }
    var next: [Target?: Int] = [:]
    for record in records {
      fold.looked += 1
      guard let place = record.place else { continue }
      next[record.container] = max(next[record.container] ?? 0, place + 1)
    }
    placeless.sort { records[$0].target.record < records[$1].target.record }
    for index in placeless {
      fold.looked += 1
      let place = next[records[index].container] ?? 0
      records[index].place = place
      next[records[index].container] = place + 1
    }
  }
}

extension Fold {
  /// The list that a move puts its record into; nil for the root's.
  func list(of place: Record.Place) -> Target? {
    operations[Int(place.operation)].actions[Int(place.action)].into
  }

  /// The slot that a move inserted.
  func slot(_ place: Record.Place) -> ElementID {
    ElementID(operations[Int(place.operation)].dot, place.element)
  }
}

/// Milliseconds since 1970 as a date: seconds since 2001-01-01 UTC.
package func canonicalDate(ms: UInt64) -> String {
  String(decoding: canonicalDateBytes(ms: ms), as: UTF8.self)
}

private func canonicalDateBytes(ms: UInt64) -> [UInt8] {
  let since2001 = Int64(ms) - 978_307_200_000
  let (whole, fraction) = since2001.magnitude.quotientAndRemainder(dividingBy: 1000)
  var text: [UInt8] = since2001 < 0 ? [0x2D] : []
  text.append(decimal: whole)
  if fraction > 0 {
    text.append(0x2E)
    let digits = [fraction / 100, fraction / 10 % 10, fraction % 10].map { UInt8($0) + 0x30 }
    text += digits[...digits.lastIndex { $0 != 0x30 }!]
  }
  return text
}
