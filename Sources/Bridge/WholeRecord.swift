package import Merge

/// A record with what it contains, as a device sends it and is sent it: whole.
package struct WholeRecord: Hashable, Sendable {
  package var target: Target
  /// What people change, by register; texts as strings, groups with all their fields. Dates of creation and places stand
  /// apart.
  package var values: [Name: Datum]
  /// nil where the sender's version had no such member: the place is then as it was.
  package var place: Int64?
  /// Seconds since 2001-01-01 UTC, as all dates here.
  package var createdAt: Double
  package var updatedAt: Double
  /// Records that it contains, each without children of its own; by their targets, so that one is found soon.
  package private(set) var children: [WholeRecord] = []

  package init(
    _ target: Target, values: [Name: Datum], place: Int64?, createdAt: Double, updatedAt: Double,
    children: [WholeRecord] = []
  ) {
    self.target = target
    self.values = values
    self.place = place
    self.createdAt = createdAt
    self.updatedAt = updatedAt
    contain(children)
  }

  /// Gives it what it contains.
  package mutating func contain(_ children: [WholeRecord]) {
    self.children = children.sorted { $0.target < $1.target }
  }

  /// Gives each record that it contains a date.
  mutating func dateChildren(_ date: (WholeRecord) -> Double) {
    for index in children.indices { children[index].updatedAt = date(children[index]) }
  }

  /// A register of a record: of this one, or of one in it.
  package struct Field: Hashable, Sendable {
    package var target: Target
    package var name: Name

    package init(target: Target, name: Name) {
      self.target = target
      self.name = name
    }
  }

  package func child(_ target: Target) -> WholeRecord? { place(of: target).map { children[$0] } }

  private func place(of target: Target) -> Int? {
    let place = children.countBelow { $0.target < target }
    return place < children.count && children[place].target == target ? place : nil
  }

  /// Writes a field that is there.
  package mutating func set(_ field: Field, _ value: Datum) {
    if field.target == target {
      values[field.name] = value
    } else if let place = place(of: field.target) {
      children[place].values[field.name] = value
    }
  }

  /// The value of a field; nil where the record that it is of is not in this one.
  package subscript(field: Field) -> Datum? {
    field.target == target ? values[field.name] : child(field.target)?.values[field.name]
  }

  /// As lists show records: by place, then by creation, then by id; those without a place last.
  package static func isBefore(_ left: WholeRecord, _ right: WholeRecord) -> Bool {
    (left.place ?? .max, left.createdAt, left.target.record)
      < (right.place ?? .max, right.createdAt, right.target.record)
  }

  /// Children by kind, and by place within it.
  package var ordered: [WholeRecord] {
    children.sorted {
      $0.target.kind != $1.target.kind
        ? $0.target.kind < $1.target.kind : Self.isBefore($0, $1)
    }
  }

  /// Whether two copies show the same, dates apart. A place that one of them does not have is no
  /// difference.
  package func showsSame(as other: WholeRecord) -> Bool {
    guard values == other.values, place == nil || other.place == nil || place == other.place,
      children.count == other.children.count
    else { return false }
    return zip(ordered, other.ordered).allSatisfy {
      $0.target == $1.target && $0.values == $1.values
    }
  }
}

/// What of a schema is sent whole: records of one kind, with those that they contain.
package struct RecordShape: Sendable, Equatable {
  package let root: Name
  package let children: [Name]
  /// By kind: the fields that payloads carry; nil for all.
  private let carried: [Name: Set<Name>]?

  /// - Parameter carried: as above.
  /// - Returns: nil where no kind of the schema contains another, or more than one does, or where what one of these
  ///   records shows depends on another that is not in it.
  package init?(_ schema: Schema, carrying carried: [Name: Set<Name>]? = nil) {
    let contained = schema.kinds.filter { $0.container != nil && $0.isListedInContainer }
    let roots = Set(contained.compactMap(\.container?.kind))
    guard roots.count == 1, let root = roots.first, let kind = schema[root],
      kind.container == nil, kind.order != nil,
      ([kind] + contained).allSatisfy({ kind in
        kind.container?.through == nil
          && kind.registers.allSatisfy { $0.fields.allSatisfy { $0.reference == nil } }
      })
    else { return nil }
    self.root = root
    children = contained.map(\.name)
    self.carried = carried
  }

  private func reader(_ kind: Name, _ schema: Schema) -> WholeReader {
    WholeReader(schema[kind]!, carrying: carried.map { $0[kind] ?? [] })
  }

  /// All records of a view, whole.
  package func records(_ view: View, _ schema: Schema) -> [Target: WholeRecord] {
    var contained: [Target: [WholeRecord]] = [:]
    for name in children {
      let reader = reader(name, schema)
      for record in view[name] {
        guard let container = record.container else { continue }
        contained[container, default: []].append(reader.whole(record))
      }
    }
    var records: [Target: WholeRecord] = [:]
    let reader = reader(root, schema)
    for record in view[root] {
      var whole = reader.whole(record)
      whole.contain(contained[record.target] ?? [])
      records[record.target] = whole
    }
    return records
  }

  /// One record, whole; nil where it is hidden.
  package func record(_ target: Target, _ fold: Fold, _ schema: Schema) -> WholeRecord? {
    guard target.kind == root, let view = fold.view(target, schema) else { return nil }
    var whole = reader(root, schema).whole(view)
    whole.contain(
      children.flatMap { name in
        let reader = reader(name, schema)
        return fold.records(of: name, by: schema[name]!.order!, in: target).compactMap {
          fold.view($0, schema).map(reader.whole)
        }
      })
    return whole
  }
}

/// Makes whole records of views of one kind's records.
private struct WholeReader {
  private let registers: [Schema.Register]
  private let creationDate: Name?
  private let touchDate: Name?

  init(_ kind: Schema.Kind, carrying carried: Set<Name>?) {
    registers = kind.wholeRegisters.filter { carried?.contains($0.name) ?? true }
    creationDate = kind.creationDate
    touchDate = kind.touchDate
  }

  /// Without what it contains.
  func whole(_ record: RecordView) -> WholeRecord {
    func date(_ name: Name?) -> Double {
      let date = name.flatMap { record[$0]?.text }.flatMap { Double($0.text) } ?? 0
      return min(max(0, date), RecordDate.latest)
    }
    var values: [Name: Datum] = [:]
    for register in registers { values[register.name] = register.whole { record[$0] } }
    return WholeRecord(
      record.target, values: values, place: Int64(record.place ?? 0),
      createdAt: date(creationDate), updatedAt: date(touchDate))
  }
}

extension Schema.Kind {
  /// What whole records have among their values: all but the order and the date of creation.
  package var wholeRegisters: [Schema.Register] {
    let creationDate = creationDate
    return registers.filter { $0.name != order && $0.name != creationDate }
  }

  /// The field with the time of the create.
  package var creationDate: Name? {
    registers.first { $0.isFixed && $0.fields[0].type == .date }?.name
  }

  /// The derived field with the time of the newest touch.
  package var touchDate: Name? { derived.first { $0.source == .touched }?.name }
}

extension Schema.Register {
  /// Whether only a create writes it.
  var isFixed: Bool { form == .single && fields[0].isFixed }

  /// Its value in a whole record.
  ///
  /// - Parameter value: of a field; nil where there is none.
  package func whole(_ value: (Name) -> Datum?) -> Datum {
    guard form == .group else { return value(name) ?? (form == .text ? .string("") : .null) }
    return .sorted(fields.map { Datum.Member($0.name, value($0.name) ?? .null) })
  }
}

extension WholeRecord {
  /// Its values by field.
  package func fieldValues(_ kind: Schema.Kind) -> [Name: Datum] {
    var values: [Name: Datum] = [:]
    for register in kind.wholeRegisters {
      guard let value = self.values[register.name] else { continue }
      for field in register.fields {
        values[field.name] = register.form == .group ? value[field.name] : value
      }
    }
    return values
  }
}
