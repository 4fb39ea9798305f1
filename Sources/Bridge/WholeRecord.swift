package import Merge

/// A record with what it contains, as a device sends it and is sent it: whole.
package struct WholeRecord: Hashable, Sendable {
  package var target: Target
  /// Of one that stands in a record which is itself in the one that is sent: what it stands in; else nil.
  package var container: Target?
  /// What people change, by register; texts as strings, groups with all their fields. Dates of creation and places stand
  /// apart.
  package var values: [Name: Datum]
  /// nil where the kind has no order, or the sender's version no such member: the place is then as it was.
  package var place: Int64?
  /// Seconds since 2001-01-01 UTC, as all dates here.
  package var createdAt: Double
  package var updatedAt: Double
  /// Records that it contains, also those in one of these, each without children of its own; by their targets, so that
  /// one is found soon.
  package private(set) var children: [WholeRecord] = []

  package init(
    _ target: Target, in container: Target? = nil, values: [Name: Datum], place: Int64?,
    createdAt: Double, updatedAt: Double, children: [WholeRecord] = []
  ) {
    self.target = target
    self.container = container
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

  /// What a record in this one stands in.
  package func container(of child: WholeRecord) -> Target { child.container ?? target }

  /// The list that a record in this one stands in, in its order.
  package func list(of child: WholeRecord) -> [WholeRecord] {
    children.filter { $0.target.kind == child.target.kind && $0.container == child.container }
      .sorted(by: Self.isBefore)
  }

  /// Children list by list, in an order in which they can be made: by kind, by what they stand in, and by place.
  package var ordered: [WholeRecord] {
    let depths = depths
    func depth(_ child: WholeRecord) -> Int { depths[child.target.kind] ?? 0 }
    return children.sorted { left, right in
      if left.target.kind != right.target.kind {
        return (depth(left), left.target.kind) < (depth(right), right.target.kind)
      }
      guard left.container == right.container else {
        return container(of: left) < container(of: right)
      }
      return Self.isBefore(left, right)
    }
  }

  /// By kind, how many other children one stands in; kinds are left out that stand in none.
  private var depths: [Name: Int] {
    var containers: [Name: Name] = [:]
    for child in children { containers[child.target.kind] = child.container?.kind }
    func depth(_ kind: Name) -> Int { containers[kind].map { 1 + depth($0) } ?? 0 }
    return containers.isEmpty
      ? [:] : Dictionary(uniqueKeysWithValues: containers.keys.map { ($0, depth($0)) })
  }

  /// Whether two copies show the same, dates apart. A place that one of them does not have is no
  /// difference.
  package func showsSame(as other: WholeRecord) -> Bool {
    guard values == other.values, place == nil || other.place == nil || place == other.place,
      children.count == other.children.count
    else { return false }
    return zip(ordered, other.ordered).allSatisfy {
      $0.target == $1.target && $0.container == $1.container && $0.values == $1.values
    }
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

  /// Whether a value of a register may be shown as another one: a record that it names shows as null while it is hidden,
  /// and a container as that of the record through which this one stands in it.
  package func mayShow(_ value: Datum, of register: Schema.Register, as shown: Datum) -> Bool {
    guard register.fields.contains(where: { $0.reference != nil }) else { return value == shown }
    let through = container?.through.flatMap { value[$0]?.text }
    return register.fields.allSatisfy { field in
      let (part, other) =
        register.form == .group
        ? (value[field.name] ?? .null, shown[field.name] ?? .null) : (value, shown)
      if part == other { return true }
      if field.name == container?.field { return through != nil }
      return field.reference != nil && other == .null
    }
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
  /// What a field says that it is in; nil where its kind has no such field.
  package func named(_ kind: Schema.Kind) -> Target? {
    guard let container = kind.container, !kind.isListedInContainer,
      let value = values[container.register], let record = (value[container.field] ?? value).text
    else { return nil }
    return Target(container.kind, record)
  }

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
