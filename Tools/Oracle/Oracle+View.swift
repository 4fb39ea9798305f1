package import Merge

extension Oracle {
  /// What a device shows: of each kind of the schema its visible records, ordered by container,
  /// place and id.
  package func view(_ schema: Schema) -> Datum {
    let visible = targets.filter { schema[$0.kind] != nil && isVisible($0, schema) }
    return .sorted(
      schema.kinds.map { kind in
        let targets = visible.filter { $0.kind == kind.name }
        return Datum.Member(kind.name, .array(records(targets, kind, visible, schema)))
      })
  }

  private func records(
    _ targets: [Target], _ kind: Schema.Kind, _ visible: [Target], _ schema: Schema
  ) -> [Datum] {
    let orders = kind.order.map { positions(targets, $0) }
    let records = targets.enumerated().map { index, target in
      let container = container(target, schema)
      let position = orders?[index]
      return (
        container: container?.record ?? "", position: position ?? 0, id: target.record,
        datum: record(target, kind, container, position, visible)
      )
    }
    return records.sorted { left, right in
      if left.container != right.container { return left.container < right.container }
      if left.position != right.position { return left.position < right.position }
      return left.id < right.id
    }.map(\.datum)
  }

  /// Of each of these records of a kind, how many of them come before it in its list. Those that
  /// were never put anywhere are the last of the root's, by id.
  private func positions(_ targets: [Target], _ register: Name) -> [Int] {
    let places = targets.map { target in
      let list = place(target, register)?.action.into
      let slots = slots(target.kind, in: list)
      let slot = slot(target, register)
      return (list: list, slot: slots.firstIndex { $0.id == slot } ?? Int.max, id: target.record)
    }
    return places.map { place in
      places.count { other in
        other.list == place.list
          && (other.slot != place.slot ? other.slot < place.slot : other.id < place.id)
      }
    }
  }

  private func record(
    _ target: Target, _ kind: Schema.Kind, _ container: Target?, _ position: Int?,
    _ visible: [Target]
  ) -> Datum {
    var members = [Datum.Member("id", .string(target.record))]
    for register in kind.registers where register.name != kind.order {
      for field in register.fields where field.name != kind.container?.field {
        members.append(Datum.Member(field.name, shown(target, kind, register, field, visible)))
      }
    }
    if let rule = kind.container {
      members.append(Datum.Member(rule.field, container.map { .string($0.record) } ?? .null))
    }
    if let position { members.append(Datum.Member("sortOrder", .string(Name("\(position)")))) }
    let written = Datum.sorted(members)
    for derived in kind.derived {
      members.append(Datum.Member(derived.name, computed(derived.source, target, written)))
    }
    return .sorted(members)
  }

  /// A field as shown. A reference to a record that is not visible shows as null; its value stays.
  private func shown(
    _ target: Target, _ kind: Schema.Kind, _ register: Schema.Register, _ field: Schema.Field,
    _ visible: [Target]
  ) -> Datum {
    if register.form == .text { return .string(text(target, register.name)) }
    let value = fieldValue(target, kind, field.name) ?? .null
    guard let reference = field.reference else { return value }
    guard let record = value.text, visible.contains(Target(reference, record)) else { return .null }
    return value
  }

  private func computed(
    _ source: Schema.Derived.Source, _ target: Target, _ record: Datum
  ) -> Datum {
    switch source {
    case .touched:
      return touched(target).map { .string(Self.date(milliseconds: $0.ms)) } ?? .null
    case .seconds(let from, let to):
      guard let start = record[from]?.text.flatMap({ Double($0.text) }),
        let end = record[to]?.text.flatMap({ Double($0.text) }),
        let seconds = Int64(exactly: (end - start).rounded(.towardZero))
      else { return .null }
      return .string(Name("\(seconds)"))
    }
  }

  /// A date in its canonical form: seconds since 2001-01-01 UTC.
  ///
  /// - Parameter milliseconds: since 1970.
  package static func date(milliseconds: UInt64) -> Name {
    let from1970To2001: Int64 = 978_307_200_000
    let distance = Int64(milliseconds) - from1970To2001
    let (seconds, rest) = distance.magnitude.quotientAndRemainder(dividingBy: 1000)
    var text = distance < 0 ? "-\(seconds)" : "\(seconds)"
    if rest > 0 {
      var digits = String(String(rest + 1000).dropFirst())
      while digits.hasSuffix("0") { digits.removeLast() }
      text += "." + digits
    }
    return Name(text)
  }
}
