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

  /// Where a record of an ordered kind goes.
  package enum Position: Hashable, Sendable {
    case first, last
    case after(Name)
    case before(Name)
  }

  // MARK: Edits

  /// Makes a record with its fields.
  ///
  /// - Throws: 4004 where the writer has been shown no more of its container than that one's delete.
  package mutating func create(
    _ target: Target, _ plan: EditPlan, at position: Position = .last
  ) throws(WireError) -> [Action] {
    if let container = plan.container { try checkIsShown(container) }
    let kind = schema[target.kind]!
    var actions = [Action(target, .create, home: plan.container)]
    for write in plan.writes { actions += self.actions(write, target, kind, plan.container) }
    if kind.order != nil {
      let list = kind.isListedInContainer ? plan.container : nil
      actions += try place(target, kind, at: position, in: list, home: plan.container)
    }
    return actions
  }

  /// Writes registers, and moves the record where the plan has another container for it.
  ///
  /// Whoever has been shown a record's delete alone makes it anew by that, as somebody else has: a
  /// write that has not seen it made would be about the one that was collected.
  ///
  /// - Throws: 4004 as `create`, also of the container that a record is made anew in by that, and where the record
  ///   stands in no container.
  package mutating func set(_ target: Target, _ plan: EditPlan) throws(WireError) -> [Action] {
    if let container = plan.container { try checkIsShown(container) }
    let kind = schema[target.kind]!
    let home = try home(of: target)
    var actions: [Action] = []
    if isMadeAnewUnseen(target) {
      if let home { try checkIsShown(home) }
      actions.append(Action(target, .create, home: home))
    }
    for write in plan.writes { actions += self.actions(write, target, kind, home) }
    if kind.isListedInContainer, let container = plan.container {
      actions += try place(target, kind, at: .last, in: container, home: home)
    }
    return actions
  }

  /// What a plan of a change starts from: by register, what was shown.
  package func present(_ target: Target) -> [Name: Datum] {
    let kind = schema[target.kind]!
    var present: [Name: Datum] = [:]
    for register in kind.registers {
      if register.form == .text {
        present[register.name] = .string(Name(shownText(target, register.name)))
      } else if let value = fold.value(target, register.name, within: shown) {
        present[register.name] = value
      }
    }
    if kind.isListedInContainer, let order = kind.order,
      let write = fold.write(target, order, within: shown),
      let container = fold.action(write.place).into
    {
      present[order] = .string(container.record)
    }
    return present
  }

  package func delete(_ target: Target) throws(WireError) -> [Action] {
    try checkIsShown(target)
    return [Action(target, .delete, home: try home(of: target))]
  }

  package func restore(_ target: Target) throws(WireError) -> [Action] {
    try checkIsShown(target)
    return [Action(target, .restore, home: try home(of: target))]
  }

  /// - Throws: 4004 where the writer has been shown no more of a record than its delete.
  private func checkIsShown(_ target: Target) throws(WireError) {
    guard isMadeAnewUnseen(target) else { return }
    throw WireError(
      .invalidField,
      "\(target.kind) \(target.record) was deleted, and somebody has made it anew, which was not shown "
        + "here yet; look at it first")
  }

  /// Whether a record that had been collected was made again, and the writer was not shown that.
  private func isMadeAnewUnseen(_ target: Target) -> Bool {
    guard fold.tombstones[target] != nil, let record = fold.record(target), record.isCreated
    else { return false }
    return !record.recreations.contains { shown.contains($0) }
  }

  /// - Parameter container: the list that it goes to.
  package mutating func move(
    _ target: Target, to position: Position, in container: Target?
  ) throws(WireError) -> [Action] {
    let kind = schema[target.kind]!
    guard kind.order != nil else {
      throw WireError(
        .invalidField, "\(target.kind) records have no order; move is for kinds that do")
    }
    try checkIsShown(target)
    if let container { try checkIsShown(container) }
    return try place(
      target, kind, at: position, in: container, home: try home(of: target))
  }

  /// The container that a record stands in; nil where its kind has none.
  ///
  /// - Throws: 4004 where it stands nowhere: the place that it was made at had been collected.
  private func home(of target: Target) throws(WireError) -> Target? {
    if let home = fold.container(of: target, schema) { return home }
    guard let container = schema[target.kind]?.container else { return nil }
    throw WireError(
      .invalidField,
      "\(target.kind) \(target.record) stands in no \(container.kind), as the place that it was made at "
        + "had been collected; make it anew")
  }

  private func place(
    _ target: Target, _ kind: Schema.Kind, at position: Position, in container: Target?,
    home: Target?
  ) throws(WireError) -> [Action] {
    let anchor = try anchor(position, ListPlace(target.kind, container))
    return [
      Action(target, .move(field: kind.order!, to: anchor), home: home, into: container)
    ]
  }

  // MARK: Registers

  private mutating func actions(
    _ write: EditPlan.Write, _ target: Target, _ kind: Schema.Kind, _ home: Target?
  ) -> [Action] {
    let register = write.register
    switch write.content {
    case .value(let value):
      var action = Action(
        target, .write(field: register.name, value: value), revives: register.revives, home: home)
      if let container = kind.container, container.register == register.name {
        let id = (value[container.field] ?? value).text
        action.into = id.map { Target(container.kind, $0) }
        if let through = container.through, let other = kind.field(through)?.field.reference {
          action.via = value[through]?.text.map { Target(other, $0) }
        }
      }
      return [action]
    case .text(let text): return actions(text.text, register, target, home)
    }
  }

  /// A whole text is saved: what it shares with the text shown keeps its characters.
  private mutating func actions(
    _ text: String, _ register: Schema.Register, _ target: Target, _ home: Target?
  ) -> [Action] {
    let field = register.name
    let revives = register.revives
    let sequence = fold.text(target, field) ?? Fugue()
    let view = sequence.view(at: fold.sequenceNumbers(within: shown))
    var actions: [Action] = []
    var erased: [ElementRun] = []
    for edit in TextEdit.edits(from: view.text, to: text) {
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

  private func shownText(_ target: Target, _ field: Name) -> String {
    fold.text(target, field)?.view(at: fold.sequenceNumbers(within: shown)).text ?? ""
  }

  private func anchor(_ offset: Int, _ sequence: Fugue, _ view: OldView) -> Anchor? {
    (try? sequence.origin(at: offset, in: view, passing: Fold.isDead(in: sequence)))
      .map(fold.anchor)
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

  /// Where a new slot hangs: right after the last one up to the position that was shown and that a record stands in.
  private func anchor(_ position: Position, _ list: ListPlace) throws(WireError) -> Anchor {
    let name = Fold.ListName(kind: list.kind, container: list.container)
    var past = PastSequence(
      fold.lists[name] ?? Fugue(), at: fold.sequenceNumbers(within: shown),
      passing: { [fold, order = schema[list.kind]!.order!] in fold.isLeft($0, name, by: order) })
    let before: Element?
    switch position {
    case .first: before = nil
    case .last: before = past.last(before: nil)
    case .after(let id): before = past.last(upTo: try slot(of: id, list, &past))
    case .before(let id): before = past.last(before: try slot(of: id, list, &past))
    }
    guard let origin = try? past.origin(after: before) else {
      throw WireError(.invalidField, "the place in the list is gone; look at the list again")
    }
    return fold.anchor(origin)
  }

  /// The slot that a record was shown in.
  private func slot(
    of id: Name, _ list: ListPlace, _ past: inout PastSequence
  ) throws(WireError) -> Element {
    let target = Target(list.kind, id)
    guard let order = schema[list.kind]?.order,
      let write = fold.write(target, order, within: shown),
      fold.action(write.place).into == list.container,
      let slot = fold.element(fold.slot(write.place)), past.shows(slot)
    else {
      throw WireError(.invalidField, "\(list.kind) \(id) is not in that list")
    }
    return slot
  }
}

extension Schema.Kind {
  /// Whether a record's place is in a list of its container.
  package var isListedInContainer: Bool { order != nil && container?.register == order }
}
