import Merge

extension ExchangeWorld {
  /// Whether somebody could do an edit at a device: it is about what the device shows, or showed when the
  /// form was opened, and names nothing else that is not there.
  ///
  /// - Parameter form: when the form was opened; just now where nil.
  func isPossible(_ edit: Edit, _ device: Int, form: Mark?) throws(MergeFailure) -> Bool {
    guard let kind = schema?[edit.kind] else { return true }
    let now = try shown(device)
    let views = [form?.shown, now].compactMap { $0 }
    let target = target(edit)
    switch edit.change {
    case .create:
      let isNew = kind.fixedID != nil || !writes.contains { $0.target == target }
      guard !now.has(target), isNew || knows(target, device) else { return false }
    case .restore:
      guard !now.has(target), knows(target, device) else { return false }
    case .set, .delete, .move, .splice:
      guard views[0].has(target) else { return false }
    }
    if case .move(let after, let into) = edit.change {
      return views.contains { canMove(target, behind: after, into, kind, $0) }
    }
    return Self.fields(edit).allSatisfy { field in
      guard let named = named(by: field, kind) else { return true }
      return views.contains { $0.has(named) }
    }
  }

  /// Whether a device has had the record at some time.
  private func knows(_ target: Target, _ device: Int) -> Bool {
    writes.indices.contains { index in
      writes[index].kind == .create && writes[index].target == target
        && devices[device].held.contains(index)
    }
  }

  /// What a field refers to; nil where it refers to nothing.
  private func named(by field: Shown.Field, _ kind: Schema.Kind) -> Target? {
    guard let text = Spelling.text(field.value) else { return nil }
    if let rule = kind.container, rule.field == field.name { return Target(rule.kind, Name(text)) }
    return kind.field(field.name)?.field.reference.map { Target($0, Name(text)) }
  }

  /// Within what is shown of its list, or of the list that it goes into.
  private func canMove(
    _ target: Target, behind after: Name?, _ into: Name?, _ kind: Schema.Kind, _ shown: Shown
  ) -> Bool {
    guard let record = shown[target] else { return false }
    let rule = kind.isListedInContainer ? kind.container : nil
    if let into, let rule, !shown.has(Target(rule.kind, into)) { return false }
    guard let after else { return true }
    guard after != target.record, let other = shown[Target(target.kind, after)] else {
      return false
    }
    guard let rule else { return true }
    return other[rule.field] == into.map { Spelling.string($0.text) } ?? record[rule.field]
  }
}
