package import Merge

// A delete beats what it had seen and what is older. What a device that had not seen it writes
// later brings the record back whole.

extension Oracle {
  package func deletes(_ target: Target) -> [Entry] {
    entries(of: target).filter { $0.action.body == .delete }
  }

  /// What keeps a record alive: its own creates, restores and content, and what shows that a device
  /// counted on it as a container.
  ///
  /// The latter are the creates, restores and content of records that stood in it at writing, and
  /// what puts a record into it from elsewhere. All of that is frozen in the actions, so that taking
  /// a record out later takes nothing back; a change of order within a container counts for nothing.
  package func touches(_ target: Target) -> [Entry] {
    func isInside(_ entry: Entry) -> Bool {
      entry.action.home == target ? entry.action.isTouch : entry.action.into == target
    }
    let there = entries.filter { $0.action.target == target ? $0.action.isTouch : isInside($0) }
    return collected.isEmpty ? there : there + collected.filter(isInside)
  }

  /// The newest of a record's own creates, restores and content.
  package func touched(_ target: Target) -> Stamp? {
    entries(of: target).filter { $0.action.isTouch }.map(\.stamp).max { $0.isBelow($1) }
  }

  package func deleted(_ target: Target) -> Stamp? {
    deletes(target).map(\.stamp).max { $0.isBelow($1) }
  }

  /// Whether a record was created, and not deleted by what is newer than everything that keeps it.
  package func isAlive(_ target: Target) -> Bool {
    guard entries(of: target).contains(where: { $0.action.body == .create }) else { return false }
    guard let deleted = deleted(target) else { return true }
    return touches(target).contains { deleted.isBelow($0.stamp) }
  }

  /// Whether a record is alive and so is what it stands in.
  ///
  /// - Parameter schema: says what stands in what. A kind that it does not know stands by itself.
  package func isVisible(_ target: Target, _ schema: Schema) -> Bool {
    isVisible(target, schema, inside: [])
  }

  /// The record that owns another: the one whose list it stands in, the one that its register
  /// names, or the owner of the record `through` which it is owned, while that one is visible.
  package func container(_ target: Target, _ schema: Schema) -> Target? {
    container(target, schema, inside: [])
  }

  /// - Parameter inside: the records whose visibility hangs on this one; none that stands in itself
  ///   is visible.
  private func isVisible(_ target: Target, _ schema: Schema, inside: [Target]) -> Bool {
    guard !inside.contains(target), isAlive(target) else { return false }
    guard schema[target.kind]?.container != nil else { return true }
    let path = inside + [target]
    guard let container = container(target, schema, inside: path) else { return false }
    return isVisible(container, schema, inside: path)
  }

  private func container(_ target: Target, _ schema: Schema, inside: [Target]) -> Target? {
    guard let kind = schema[target.kind], let rule = kind.container else { return nil }
    if rule.register == kind.order {
      let list = place(target, rule.register)?.action.into
      return list?.kind == rule.kind ? list : nil
    }
    if let through = rule.through, let field = kind.field(through)?.field,
      let other = reference(target, kind, field), isVisible(other, schema, inside: inside),
      let container = container(other, schema, inside: inside)
    {
      return container
    }
    guard let owner = fieldValue(target, kind, rule.field)?.text else { return nil }
    return Target(rule.kind, owner)
  }

  /// The record that a field names.
  private func reference(
    _ target: Target, _ kind: Schema.Kind, _ field: Schema.Field
  ) -> Target? {
    guard let other = field.reference, let record = fieldValue(target, kind, field.name)?.text
    else { return nil }
    return Target(other, record)
  }

  /// What was written into a field, by itself or as part of its group.
  package func fieldValue(_ target: Target, _ kind: Schema.Kind, _ field: Name) -> Datum? {
    guard let register = kind.field(field)?.register,
      let value = value(target, register.name)
    else { return nil }
    return register.form == .group ? value[field] : value
  }
}
