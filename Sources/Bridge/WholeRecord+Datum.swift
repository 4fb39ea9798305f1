package import Merge

/// A whole record as a value, which is how a store keeps it. Members have the names that they have in
/// `WholeRecord`, dates the spelling of the type `date`.
extension WholeRecord {
  package var datum: Datum {
    .sorted([
      Datum.Member("kind", .string(target.kind)),
      Datum.Member("record", .string(target.record)),
      Datum.Member(
        "values", .sorted(values.map { Datum.Member($0.key, $0.value) })),
      Datum.Member("place", place.map { .string(Name(String($0))) } ?? .null),
      Datum.Member("createdAt", FieldType.datum(createdAt)),
      Datum.Member("updatedAt", FieldType.datum(updatedAt)),
      Datum.Member("children", .array(children.map(\.datum))),
    ])
  }

  /// - Returns: nil where the value is no whole record's.
  package init?(_ datum: Datum) {
    func date(_ name: Name) -> Double? {
      datum[name]?.text.flatMap { Double($0.text) }.flatMap { $0.isFinite && $0 >= 0 ? $0 : nil }
    }
    guard let kind = datum["kind"]?.text, let record = datum["record"]?.text,
      case .object(let members)? = datum["values"], let createdAt = date("createdAt"),
      let updatedAt = date("updatedAt"), case .array(let children)? = datum["children"]
    else { return nil }
    let whole = children.compactMap(WholeRecord.init)
    guard whole.count == children.count else { return nil }
    self.init(
      Target(kind, record),
      values: Dictionary(members.map { ($0.name, $0.value) }, uniquingKeysWith: { $1 }),
      place: datum["place"]?.text.flatMap { Int64($0.text) }, createdAt: createdAt,
      updatedAt: updatedAt, children: whole)
  }
}
