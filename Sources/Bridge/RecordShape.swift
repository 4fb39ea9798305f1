package import Merge

/// What of a schema is sent whole. A record that stands in a list of another goes with that one; any other is sent by
/// itself, and names what contains it in a field.
package struct RecordShape: Sendable, Equatable {
  /// The kinds of records that are sent by themselves, each behind the one that contains it.
  package let roots: [Name]
  /// By kind: those that stand in lists in it.
  private let lists: [Name: [Name]]
  /// By kind: the fields that payloads carry; nil for all.
  private let carried: [Name: Set<Name>]?

  /// - Parameter carried: as above. Records of other kinds are not sent.
  package init(_ schema: Schema, carrying carried: [Name: Set<Name>]? = nil) {
    func depth(_ kind: Schema.Kind) -> Int {
      kind.container.flatMap { schema[$0.kind] }.map { 1 + depth($0) } ?? 0
    }
    let kinds = schema.kinds.filter { kind in carried.map { $0[kind.name] != nil } ?? true }
    roots = kinds.filter { !$0.isListedInContainer }.map { (depth($0), $0.name) }
      .sorted(by: <).map(\.1)
    lists = Dictionary(grouping: kinds.filter(\.isListedInContainer), by: { $0.container!.kind })
      .mapValues { $0.map(\.name) }
    self.carried = carried
  }

  /// All kinds of records that are sent, by themselves or in others.
  package var kinds: [Name] { roots + lists.values.joined().sorted() }

  package func isRoot(_ kind: Name) -> Bool { roots.contains(kind) }

  /// Whether records of a kind are sent in others.
  func isListed(_ kind: Name) -> Bool { lists.values.contains { $0.contains(kind) } }

  /// The kinds whose records stand in lists in one of a kind.
  package func lists(in kind: Name) -> [Name] { lists[kind] ?? [] }

  /// The record that is sent with a record in it; nil where that stands nowhere.
  ///
  /// - Parameter container: what a record stands in.
  func root(of target: Target, _ container: (Target) -> Target?) -> Target? {
    var root = target
    while !isRoot(root.kind) {
      guard let next = container(root) else { return nil }
      root = next
    }
    return root
  }

  /// Records in an order in which they can be made: each behind what contains it, and as lists show them.
  package func sorted(_ records: [WholeRecord]) -> [WholeRecord] {
    guard roots.count > 1 else { return records.sorted(by: WholeRecord.isBefore) }
    let byKind = Dictionary(grouping: records, by: \.target.kind)
    return roots.flatMap { byKind[$0]?.sorted(by: WholeRecord.isBefore) ?? [] }
  }

  // MARK: What a hub shows

  /// All records of a view, whole.
  package func records(_ view: View, _ schema: Schema) -> [Target: WholeRecord] {
    var contained: [Target: [RecordView]] = [:]
    for name in lists.values.joined() {
      for record in view[name] {
        record.container.map { contained[$0, default: []].append(record) }
      }
    }
    let readers = Readers(schema, carried)
    var records: [Target: WholeRecord] = [:]
    for root in roots {
      for record in view[root] {
        records[record.target] = whole(record, readers) { container, kind in
          contained[container]?.filter { $0.target.kind == kind } ?? []
        }
      }
    }
    return records
  }

  /// One record, whole; nil where it is hidden.
  package func record(_ target: Target, _ fold: Fold, _ schema: Schema) -> WholeRecord? {
    guard isRoot(target.kind), let view = fold.view(target, schema) else { return nil }
    return whole(view, Readers(schema, carried)) { container, kind in
      fold.records(of: kind, by: schema[kind]!.order!, in: container).compactMap {
        fold.view($0, schema)
      }
    }
  }

  /// - Parameter listed: the records of a kind in a container.
  private func whole(
    _ record: RecordView, _ readers: Readers, _ listed: (Target, Name) -> [RecordView]
  ) -> WholeRecord {
    var children: [WholeRecord] = []
    func add(_ container: Target) {
      for kind in lists(in: container.kind) {
        for child in listed(container, kind) {
          let isInner = container != record.target
          children.append(readers[kind].whole(child, in: isInner ? container : nil))
          add(child.target)
        }
      }
    }
    add(record.target)
    var whole = readers[record.target.kind].whole(record, in: nil)
    whole.contain(children)
    return whole
  }
}

/// By kind, what makes whole records of views.
private final class Readers {
  private let schema: Schema
  private let carried: [Name: Set<Name>]?
  private var readers: [Name: WholeReader] = [:]

  init(_ schema: Schema, _ carried: [Name: Set<Name>]?) {
    self.schema = schema
    self.carried = carried
  }

  subscript(kind: Name) -> WholeReader {
    if let reader = readers[kind] { return reader }
    let reader = WholeReader(schema[kind]!, carrying: carried.map { $0[kind] ?? [] })
    readers[kind] = reader
    return reader
  }
}

/// Makes whole records of views of one kind's records.
private struct WholeReader {
  private let registers: [Schema.Register]
  private let isOrdered: Bool
  private let creationDate: Name?
  private let touchDate: Name?

  init(_ kind: Schema.Kind, carrying carried: Set<Name>?) {
    registers = kind.wholeRegisters.filter { carried?.contains($0.name) ?? true }
    isOrdered = kind.order != nil
    creationDate = kind.creationDate
    touchDate = kind.touchDate
  }

  /// Without what it contains.
  func whole(_ record: RecordView, in container: Target?) -> WholeRecord {
    func date(_ name: Name?) -> Double {
      let date = name.flatMap { record[$0]?.text }.flatMap { Double($0.text) } ?? 0
      return min(max(0, date), RecordDate.latest)
    }
    var values: [Name: Datum] = [:]
    for register in registers { values[register.name] = register.whole { record[$0] } }
    return WholeRecord(
      record.target, in: container, values: values,
      place: isOrdered ? Int64(record.place ?? 0) : nil,
      createdAt: date(creationDate), updatedAt: date(touchDate))
  }
}
