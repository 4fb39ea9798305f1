package import Merge
package import Wire

/// What keeps the records of an app on a device: a replica with a hub behind it, or without.
package protocol RecordKeeper: AnyObject {
  var schema: Schema { get }
  var fold: Fold { get }
  /// Everything that is held.
  var vector: VersionVector { get }

  /// Takes in an edit of the device's own, as one operation.
  ///
  /// - Parameters:
  ///   - shown: what the writer had been shown when the edit began.
  ///   - now: milliseconds since 1970.
  func write(_ actions: [Action], shown: VersionVector, now: Int64) throws(WireError)

  /// The same, for who keeps what a person did rather than operations.
  ///
  /// - Parameter changes: what the actions were made of, in order.
  func write(
    _ actions: [Action], of changes: [RecordChange], shown: VersionVector, now: Int64
  ) throws(WireError)

  /// The id of a record to be, which no other device gives.
  func newRecord() -> Name

  /// By kind: the fields that go to other devices; nil for all of the schema.
  var carried: [Name: Set<Name>]? { get }
}

extension RecordKeeper {
  package var carried: [Name: Set<Name>]? { nil }

  package func write(
    _ actions: [Action], of changes: [RecordChange], shown: VersionVector, now: Int64
  ) throws(WireError) {
    try write(actions, shown: shown, now: now)
  }
}

/// One change of a record, as an app asks for it.
package struct RecordChange: Hashable, Sendable {
  package enum What: Hashable, Sendable {
    case create([Name: Datum], at: Editor.Position)
    case set([Name: Datum])
    case delete
    case restore
    case move(to: Editor.Position)
  }

  package var target: Target
  package var what: What
}

/// An app's records: read as merged, edited as of what was shown.
package struct Records {
  let keeper: any RecordKeeper

  package init(_ keeper: any RecordKeeper) { self.keeper = keeper }

  // MARK: Reading

  /// Whether records of a kind go to other devices.
  package func carries(_ kind: Name) -> Bool { keeper.carried.map { $0[kind] != nil } ?? true }

  /// Whether a field does.
  package func carries(_ kind: Name, _ field: Name) -> Bool {
    keeper.carried.map { $0[kind]?.contains(field) == true } ?? true
  }

  /// Everything that is held; a form keeps it from when it was opened until it is saved.
  package var vector: VersionVector { keeper.vector }

  /// The visible records of a kind, by container, place and id.
  package func all(_ kind: Name) -> [RecordView] { keeper.fold.view(kind, keeper.schema) }

  /// One record, nil where it is hidden or was never made.
  package subscript(kind: Name, record: Name) -> RecordView? {
    keeper.fold.view(Target(kind, record), keeper.schema)
  }

  /// Whether a record was moved within its list, or into another, since it was made.
  ///
  /// - Parameter made: a field that only a create writes.
  package func isMoved(_ kind: Name, _ record: Name, made: Name) -> Bool {
    guard let order = keeper.schema[kind]?.order else { return false }
    return !keeper.fold.isOneOperation(Target(kind, record), order, made)
  }

  /// The first rule that these fields break, in the schema's order; nil where they break none.
  ///
  /// - Parameter record: whose other fields they stand beside; nil for a new one.
  package func brokenRule(
    _ kind: Name, _ fields: [Name: Datum], of record: Name? = nil
  ) -> WireError? {
    var values = fields
    if let record, let schema = keeper.schema[kind], let view = self[kind, record] {
      for field in schema.registers.flatMap(\.fields) where values[field.name] == nil {
        values[field.name] = view[field.name]
      }
    }
    return keeper.schema[kind]?.validate(
      values, written: Set(fields.keys), exists: { _ in true })?.error
  }

  // MARK: Editing

  /// Edits records in one operation: all of it takes place or nothing.
  ///
  /// - Parameters:
  ///   - shown: what was shown when the edit began; everything held where nil.
  ///   - now: milliseconds since 1970.
  /// - Throws: a rule's error with its exact text, 4003 and 4004 as `Schema.Kind.plan`.
  @discardableResult
  package func edit<Result>(
    shown: VersionVector? = nil, now: Int64,
    _ change: (inout RecordEdit) throws(WireError) -> Result
  ) throws(WireError) -> Result {
    let shown = shown ?? vector
    var edit = RecordEdit(keeper, shown: shown, now: now)
    let result = try change(&edit)
    guard !edit.actions.isEmpty else { return result }
    if edit.actions.contains(where: keeper.fold.changesLongDeleted) {
      throw WireError(
        .invalidField,
        "the record, or what it is put into, was deleted long ago and is being collected; "
          + "make a new one")
    }
    try keeper.write(edit.actions, of: edit.changes, shown: shown, now: now)
    return result
  }
}

/// Some edits on their way to one operation.
package struct RecordEdit {
  private let keeper: any RecordKeeper
  private let now: Int64
  private var editor: Editor
  /// By record that this edit makes: what contains it.
  private var made: [Target: Name?] = [:]
  fileprivate(set) var actions: [Action] = []
  fileprivate(set) var changes: [RecordChange] = []

  fileprivate init(_ keeper: any RecordKeeper, shown: VersionVector, now: Int64) {
    self.keeper = keeper
    self.now = now
    editor = Editor(keeper.fold, keeper.schema, shown: shown)
  }

  private func kind(_ name: Name) throws(WireError) -> Schema.Kind {
    guard let kind = keeper.schema[name] else {
      throw WireError(.invalidField, "\(keeper.schema.name) has no kind \(name)")
    }
    return kind
  }

  private var neighbours: Neighbours {
    let (fold, schema, made) = (keeper.fold, keeper.schema, made)
    return Neighbours(
      isVisible: { made[$0] != nil || fold.isVisible($0, schema) },
      container: { made[$0] ?? fold.container(of: $0, schema)?.record })
  }

  /// Makes a record.
  ///
  /// - Parameter record: its id; a new one where nil.
  /// - Returns: its id, which is the kind's own where there is only one record of it.
  @discardableResult
  package mutating func create(
    _ kind: Name, _ fields: [Name: Datum], at position: Editor.Position = .last,
    as record: Name? = nil
  ) throws(WireError) -> Name {
    let kind = try self.kind(kind)
    let target = Target(kind.name, kind.fixedID ?? record ?? keeper.newRecord())
    let (others, now) = (neighbours, now)
    let plan = try Self.reading(fields) { value, line throws(WireError) in
      try kind.plan(creating: value, line, now: now, among: others)
    }
    actions += try editor.create(target, plan, at: position)
    made[target] = .some(plan.container?.record)
    changes.append(RecordChange(target: target, what: .create(fields, at: position)))
    return target.record
  }

  /// Writes fields; what they have already is not written again.
  package mutating func set(
    _ kind: Name, _ record: Name, _ fields: [Name: Datum]
  ) throws(WireError) {
    let kind = try self.kind(kind)
    let target = Target(kind.name, record)
    let (others, present) = (neighbours, editor.present(target))
    let plan = try Self.reading(fields) { value, line throws(WireError) in
      try kind.plan(setting: value, line, present: present, among: others)
    }
    actions += try editor.set(target, plan)
    changes.append(RecordChange(target: target, what: .set(fields)))
  }

  /// Writes fields of a record of which there is only one; makes it where nobody has yet.
  package mutating func set(_ kind: Name, _ fields: [Name: Datum]) throws(WireError) {
    guard let record = try self.kind(kind).fixedID else {
      throw WireError(.invalidField, "there are many records of kind \(kind); name one")
    }
    if keeper.fold.isVisible(Target(kind, record), keeper.schema) {
      try set(kind, record, fields)
    } else {
      try create(kind, fields)
    }
  }

  package mutating func delete(_ kind: Name, _ record: Name) throws(WireError) {
    actions += try editor.delete(Target(kind, record))
    changes.append(RecordChange(target: Target(kind, record), what: .delete))
  }

  package mutating func restore(_ kind: Name, _ record: Name) throws(WireError) {
    actions += try editor.restore(Target(kind, record))
    changes.append(RecordChange(target: Target(kind, record), what: .restore))
  }

  /// Moves a record of an ordered kind within its list.
  package mutating func move(
    _ kind: Name, _ record: Name, to position: Editor.Position
  ) throws(WireError) {
    let target = Target(kind, record)
    let list =
      try self.kind(kind).isListedInContainer
      ? keeper.fold.container(of: target, keeper.schema) : nil
    actions += try editor.move(target, to: position, in: list)
    changes.append(RecordChange(target: target, what: .move(to: position)))
  }

  /// Plans are made from JSON, as for edits that people type.
  private static func reading<Result>(
    _ fields: [Name: Datum],
    _ body: (Value, UnsafeRawBufferPointer) throws(WireError) -> Result
  ) throws(WireError) -> Result {
    let json = Datum.sorted(fields.map { Datum.Member($0.key, $0.value) }).canonical
    // A typed throw does not pass through the closure of an array's bytes.
    let result: Swift.Result<Result, WireError> = json.withUnsafeBytes { line in
      do throws(WireError) {
        return .success(try body(Value(kind: .object, start: 0, end: line.count), line))
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }
}
