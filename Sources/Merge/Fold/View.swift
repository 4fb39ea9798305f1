/// What a schema's records are at one moment, as a person or a program would see them.
package struct View: Sendable {
  /// By kind, in the schema's order; records by container, place and id.
  package var kinds: [(kind: Name, records: [RecordView])] = []

  package init(kinds: [(kind: Name, records: [RecordView])] = []) { self.kinds = kinds }

  package subscript(kind: Name) -> [RecordView] {
    kinds.first { $0.kind == kind }?.records ?? []
  }

  /// An object of lists of objects, with everything spelled canonically: equal views have equal
  /// bytes.
  package var canonical: Datum {
    .sorted(
      kinds.map { kind in
        Datum.Member(kind.kind, .array(kind.records.map(\.canonical)))
      })
  }
}

/// One visible record.
package struct RecordView: Hashable, Sendable {
  package var target: Target
  /// What contains it.
  package var container: Target?
  /// Its place among the visible records of its list, from 0; nil where its kind has no order.
  package var place: Int?
  /// Fields, those of groups and the derived ones among them, in the schema's order.
  package var fields: [Datum.Member]

  package subscript(field: Name) -> Datum? { fields.first { $0.name == field }?.value }

  package var canonical: Datum {
    var members = fields
    members.append(Datum.Member("id", .string(target.record)))
    if let place { members.append(Datum.Member("sortOrder", .string(Name(String(place))))) }
    return .sorted(members)
  }
}
