package import Device
package import Merge
import Wire

/// What a person does on the device.
extension SyncDevice {
  private func neighbours() -> Neighbours {
    let (fold, schema) = (fold, schema)
    return Neighbours(
      isVisible: { fold.isVisible($0, schema) },
      container: { fold.container(of: $0, schema)?.record })
  }

  /// Operations of the device's own are pushed as soon as they can be.
  @discardableResult
  package func write(_ actions: [Action], shown: VersionVector? = nil) throws -> Operation? {
    guard !actions.isEmpty else { return nil }
    let operation = try current.write(actions, shown: shown, clock: clock)
    push()
    return operation
  }

  @discardableResult
  package func create(
    _ kind: Name, _ fields: String, record: Name? = nil, at position: Editor.Position = .last
  ) throws -> Name {
    let target = Target(kind, record ?? schema[kind]!.fixedID ?? newRecord())
    var editor = Editor(fold, schema, shown: current.replica.vector)
    let plan = try withFields(fields) { value, line in
      try schema[kind]!.plan(creating: value, line, now: clock, among: neighbours())
    }
    try write(try editor.create(target, plan, at: position))
    return target.record
  }

  /// - Parameter shown: what the form was opened on; everything held where nil.
  @discardableResult
  package func set(
    _ kind: Name, _ record: Name, _ fields: String, shown: VersionVector? = nil
  ) throws -> Operation? {
    let target = Target(kind, record)
    var editor = Editor(fold, schema, shown: shown ?? current.replica.vector)
    let plan = try withFields(fields) { value, line in
      try schema[kind]!.plan(
        setting: value, line, present: editor.present(target), among: neighbours())
    }
    return try write(try editor.set(target, plan), shown: shown)
  }

  @discardableResult
  package func delete(_ kind: Name, _ record: Name) throws -> Operation? {
    try write(try Editor(fold, schema, shown: current.replica.vector).delete(Target(kind, record)))
  }

  @discardableResult
  package func restore(_ kind: Name, _ record: Name) throws -> Operation? {
    try write(try Editor(fold, schema, shown: current.replica.vector).restore(Target(kind, record)))
  }

  @discardableResult
  package func move(
    _ kind: Name, _ record: Name, to position: Editor.Position, into container: Target? = nil
  ) throws -> Operation? {
    let target = Target(kind, record)
    var editor = Editor(fold, schema, shown: current.replica.vector)
    let list =
      container
      ?? (schema[kind]!.isListedInContainer ? fold.container(of: target, schema) : nil)
    return try write(try editor.move(target, to: position, in: list))
  }

  /// The value of a field as the view shows it, in its canonical spelling.
  package func value(_ kind: Name, _ record: Name, _ field: Name) -> Datum? {
    fold.view(Target(kind, record), schema)?[field]
  }

  package func records(_ kind: Name) -> [Name] { view[kind].map(\.target.record) }

  private func withFields<Result>(
    _ text: String, _ body: (Value, UnsafeRawBufferPointer) throws -> Result
  ) throws -> Result {
    var text = text
    return try text.withUTF8 { utf8 in
      let line = UnsafeRawBufferPointer(utf8)
      var envelope = Envelope()
      try envelope.scan(line)
      return try body(Value(kind: .object, start: 0, end: line.count), line)
    }
  }
}
