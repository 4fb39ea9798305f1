import Bridge
import Merge

/// A device of an app that knows whole records only, of any schema (PROTOCOL.md clause 13): what it stores, and how it
/// takes in what it is sent, by last write wins of whole records. `WholeRecordDevice` is that of the to-do app.
///
/// A value without clock or connection: `now` is passed in, in seconds since 2001-01-01 UTC, and what is to be sent is
/// returned.
struct RecordDevice: Sendable {
  let isPhone: Bool
  let schema: Schema
  let shape: RecordShape
  private(set) var records: [Target: WholeRecord] = [:]
  /// What those were dated that it has removed.
  private var removed: [Target: Double] = [:]

  init(isPhone: Bool, _ schema: Schema, _ shape: RecordShape) {
    self.isPhone = isPhone
    self.schema = schema
    self.shape = shape
  }

  /// All of them, each behind what contains it, and as lists show them.
  var ordered: [WholeRecord] { shape.sorted(Array(records.values)) }

  /// Those that its person sees. One whose container is gone is hidden, until that comes back or a delete of its own
  /// comes.
  var shown: [WholeRecord] { ordered.filter(isShown) }

  /// Whether a record is there, and its person sees it.
  func isShown(_ target: Target) -> Bool {
    let root = shape.isRoot(target.kind) ? records[target] : ordered.root(of: target)
    return root.map(isShown) ?? false
  }

  private func isShown(_ record: WholeRecord) -> Bool {
    guard let kind = schema[record.target.kind], let container = record.named(kind) else {
      return true
    }
    return through(record.values, kind).map(isShown) ?? false || isShown(container)
  }

  /// The record through which one stands in its container, as its values have it.
  func through(_ values: [Name: Datum], _ kind: Schema.Kind) -> Target? {
    guard let container = kind.container, let name = container.through,
      let record = values[container.register]?[name]?.text,
      let other = kind.field(name)?.field.reference
    else { return nil }
    return Target(other, record)
  }

  private mutating func remove(_ target: Target) {
    guard let record = records.removeValue(forKey: target) else { return }
    removed[target] = record.updatedAt
  }

  // MARK: Taking in

  /// Takes in what the hub says.
  ///
  /// - Returns: what it answers.
  mutating func apply(_ message: Incoming, now: Double) -> [Outgoing.Message] {
    switch message {
    case .request, .acted: return []
    case .all(let list, _):
      // What the list lacks stays: it may be new here, and deletes are told one by one.
      for record in list { _ = merge(record) }
      return []
    case .deleted(let target, _):
      remove(target)
      return []
    case .copy(let record, _):
      guard !merge(record), isPhone, let own = records[record.target], own != record else {
        return []
      }
      return [.updated(own)]
    }
  }

  /// - Returns: whether the copy was taken.
  private mutating func merge(_ record: WholeRecord) -> Bool {
    guard let own = records[record.target] else {
      records[record.target] = record
      return true
    }
    guard record.updatedAt > own.updatedAt || record.updatedAt == own.updatedAt && !isPhone else {
      return false
    }
    var taken = record
    taken.createdAt = own.createdAt
    taken.place = record.place ?? own.place
    records[record.target] = taken
    return true
  }

  // MARK: What its person does

  /// Makes a record behind all others of its kind; nil where its values break a rule of the schema.
  mutating func create(_ record: WholeRecord, now: Double) -> [Outgoing.Message]? {
    var record = record
    if schema[record.target.kind]?.order != nil {
      let others = records.values.filter { $0.target.kind == record.target.kind }
      let last = others.compactMap(\.place).max() ?? -1
      record.place = last == .max ? last : last + 1
    }
    record.createdAt = now
    record.updatedAt = now
    stamp(&record, from: nil, now: now)
    guard isValid(record) else { return nil }
    records[record.target] = record
    return [.created(record)]
  }

  /// Changes a record and what it contains, which is numbered by its place in `children`; nil where a rule is broken.
  mutating func update(
    _ target: Target, now: Double,
    _ change: (_ record: inout WholeRecord, _ children: inout [WholeRecord]) -> Void
  ) -> [Outgoing.Message]? {
    guard let own = records[target] else { return nil }
    var (record, children) = (own, own.ordered)
    change(&record, &children)
    var places: [List: Int64] = [:]
    for index in children.indices {
      let list = List(children[index])
      children[index].place = places[list, default: 0]
      places[list, default: 0] += 1
    }
    record.contain(children)
    record.updatedAt = date(now, of: own)
    stamp(&record, from: own, now: now)
    guard isValid(record) else { return nil }
    records[target] = record
    return [.updated(record)]
  }

  /// A list of a record that is in another.
  struct List: Hashable {
    private let kind: Name
    private let container: Target?

    init(_ child: WholeRecord) {
      kind = child.target.kind
      container = child.container
    }
  }

  mutating func delete(_ target: Target) -> [Outgoing.Message] {
    guard records[target] != nil else { return [] }
    remove(target)
    return [.deleted(target)]
  }

  /// Gives every record its place in a list of its kind as its number, and sends all.
  mutating func put(_ order: [Target], now: Double) -> [Outgoing.Message] {
    for (place, target) in order.enumerated() {
      guard var record = records[target] else { continue }
      record.place = Int64(place)
      record.updatedAt = date(now, of: record)
      records[target] = record
    }
    return [.all(ordered)]
  }

  // MARK: Dates and rules

  /// Now, but above that of what is changed, and of what was removed before it came back.
  private func date(_ now: Double, of record: WholeRecord) -> Double {
    max(now, RecordDate.after(max(record.updatedAt, removed[record.target] ?? 0)))
  }

  /// Dates what was made or changed in a record.
  private func stamp(_ record: inout WholeRecord, from own: WholeRecord?, now: Double) {
    record.contain(
      record.ordered.map { child in
        var child = child
        guard let before = own?.child(child.target) else {
          child.createdAt = now
          child.updatedAt = now
          return child
        }
        child.createdAt = before.createdAt
        child.updatedAt = before.updatedAt
        if child != before { child.updatedAt = max(now, RecordDate.after(before.updatedAt)) }
        return child
      })
  }

  private func isValid(_ record: WholeRecord) -> Bool {
    ([record] + record.children).allSatisfy { part in
      guard let kind = schema[part.target.kind] else { return false }
      let (fields, values) = (kind.wholeRegisters.flatMap(\.fields), part.fieldValues(kind))
      return fields.allSatisfy { values[$0.name] != .null || $0.isOptional }
        && kind.validate(values, written: Set(fields.map(\.name)), exists: { _ in true }) == nil
    }
  }
}
