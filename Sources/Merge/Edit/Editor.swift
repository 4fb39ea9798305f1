package import Wire

/// Turns what a person or an app wants into actions, as of what it had been shown.
///
/// Everything that merging needs later is looked up in the schema here, and frozen.
package struct Editor {
  let fold: Fold
  let schema: Schema
  /// What the writer had been shown when the edit began.
  package let shown: VersionVector
  /// Elements that the operation inserts before the action in hand.
  private var inserted: UInt32 = 0

  package init(_ fold: Fold, _ schema: Schema, shown: VersionVector) {
    self.fold = fold
    self.schema = schema
    self.shown = shown
  }

  /// A register's new value, as a schema's plan has it.
  package enum Change: Hashable, Sendable {
    case write(register: Name, value: Datum)
    case text(register: Name, String)
  }

  /// Where a record of an ordered kind goes.
  package enum Position: Hashable, Sendable {
    case first, last
    case after(Name)
    case before(Name)
  }

  // MARK: Edits

  /// Makes a record with its fields.
  ///
  /// - Parameter container: of a kind whose order register names it; otherwise the changes do.
  package mutating func create(
    _ target: Target, _ changes: [Change], in container: Target?, at position: Position = .last
  ) throws(WireError) -> [Action] {
    let kind = schema[target.kind]!
    let home = container ?? containerNamed(by: changes, kind)
    var actions = [Action(target, .create, home: home)]
    for change in changes { actions += self.actions(change, target, kind, home) }
    if let order = kind.order {
      actions.append(
        Action(
          target,
          .move(field: order, to: try anchor(position, ListPlace(target.kind, container))),
          home: home, into: container))
    }
    return actions
  }

  /// Writes registers; those whose value is the one shown are left out.
  package mutating func set(_ target: Target, _ changes: [Change]) -> [Action] {
    let kind = schema[target.kind]!
    let home = fold.container(of: target, schema)
    var actions: [Action] = []
    for change in changes {
      if case .write(let register, let value) = change,
        fold.value(target, register, within: shown) == value
      {
        continue
      }
      actions += self.actions(change, target, kind, home)
    }
    return actions
  }

  package func delete(_ target: Target) -> [Action] {
    [Action(target, .delete, home: fold.container(of: target, schema))]
  }

  package func restore(_ target: Target) -> [Action] {
    [Action(target, .restore, home: fold.container(of: target, schema))]
  }

  /// - Parameter container: the list that it goes to.
  package mutating func move(
    _ target: Target, to position: Position, in container: Target?
  ) throws(WireError) -> [Action] {
    guard let order = schema[target.kind]?.order else {
      throw WireError(.invalidField, "\(target.kind) records have no order; move is for kinds that do")
    }
    return [
      Action(
        target,
        .move(field: order, to: try anchor(position, ListPlace(target.kind, container))),
        home: fold.container(of: target, schema), into: container)
    ]
  }

  // MARK: Registers

  private mutating func actions(
    _ change: Change, _ target: Target, _ kind: Schema.Kind, _ home: Target?
  ) -> [Action] {
    switch change {
    case .write(let name, let value):
      var action = Action(
        target, .write(field: name, value: value), revives: kind[name]?.revives ?? false,
        home: home)
      if let container = kind.container, container.register == name, kind.order != name {
        let id = (value[container.field] ?? value).text
        action.into = id.map { Target(container.kind, $0) }
        if let through = container.through, let other = kind.field(through)?.field.reference {
          action.via = value[through]?.text.map { Target(other, $0) }
        }
      }
      return [action]
    case .text(let name, let text): return self.actions(text, name, target, kind, home)
    }
  }

  private func containerNamed(by changes: [Change], _ kind: Schema.Kind) -> Target? {
    guard let container = kind.container else { return nil }
    for case .write(container.register, let value) in changes {
      return (value[container.field] ?? value).text.map { Target(container.kind, $0) }
    }
    return nil
  }

  /// A whole text is saved: what it shares with the text shown keeps its characters.
  private mutating func actions(
    _ text: String, _ field: Name, _ target: Target, _ kind: Schema.Kind, _ home: Target?
  ) -> [Action] {
    let revives = kind[field]?.revives ?? false
    let sequence = fold.text(target, field) ?? Fugue()
    let view = sequence.view(at: fold.sequenceNumbers(within: shown))
    var actions: [Action] = []
    var erased: [ElementRun] = []
    for edit in TextDiff.edits(from: view.text, to: text) {
      if !edit.inserted.isEmpty, let anchor = anchor(edit.offset, sequence, view) {
        let action = Action(
          target, .insert(field: field, at: anchor, text: Name(edit.inserted)), revives: revives,
          home: home)
        inserted += UInt32(action.elements)
        actions.append(action)
      }
      for range in view.elements(in: edit.offset..<edit.offset + edit.removed) {
        erased += fold.runs(range)
      }
    }
    if !erased.isEmpty {
      actions.append(
        Action(target, .erase(field: field, erased), revives: revives, home: home))
    }
    return actions
  }

  private func anchor(_ offset: Int, _ sequence: Fugue, _ view: OldView) -> Anchor? {
    (try? sequence.origin(at: offset, in: view, sealed: fold.isSealed)).map(fold.anchor)
  }

  // MARK: Places

  private struct ListPlace {
    var kind: Name
    var container: Target?

    init(_ kind: Name, _ container: Target?) {
      self.kind = kind
      self.container = container
    }
  }

  /// Where a new slot hangs.
  private func anchor(_ position: Position, _ list: ListPlace) throws(WireError) -> Anchor {
    let sequence =
      fold.lists[Fold.ListName(kind: list.kind, container: list.container)] ?? Fugue()
    let view = sequence.view(at: fold.sequenceNumbers(within: shown))
    let offset: Int
    switch position {
    case .first: offset = 0
    case .last: offset = view.count
    case .after(let id): offset = try self.offset(of: id, list, view) + 1
    case .before(let id): offset = try self.offset(of: id, list, view)
    }
    guard let anchor = anchor(offset, sequence, view) else {
      throw WireError(.invalidField, "the place in the list is gone; look at the list again")
    }
    return anchor
  }

  private func offset(
    of id: Name, _ list: ListPlace, _ view: OldView
  ) throws(WireError) -> Int {
    let target = Target(list.kind, id)
    guard let order = schema[list.kind]?.order,
      let write = fold.write(target, order, within: shown),
      fold.action(write.place).into == list.container,
      let slot = fold.element(fold.slot(write.place)), let offset = view.offset(of: slot)
    else {
      throw WireError(.invalidField, "\(list.kind) \(id) is not in that list")
    }
    return offset
  }
}
