import Merge

/// The actions of one operation, being put together. What it makes can stand behind what it made before.
struct Draft {
  private let schema: Schema
  private let fold: Fold
  private let dot: Dot
  private var editor: Editor
  private(set) var actions: [Action] = []

  /// - Parameter dot: the name that the operation is going to have.
  init(_ fold: Fold, _ schema: Schema, shown: VersionVector, dot: Dot) {
    self.schema = schema
    self.fold = fold
    self.dot = dot
    editor = Editor(fold, schema, shown: shown)
  }

  /// Writes registers, but for texts.
  mutating func set(_ target: Target, _ writes: [Name: Datum]) {
    guard !writes.isEmpty, let kind = schema[target.kind] else { return }
    let plan = EditPlan(
      writes: kind.wholeRegisters.filter { $0.form != .text }.compactMap { register in
        writes[register.name].map { EditPlan.Write(register, .value($0)) }
      })
    actions += (try? editor.set(target, plan)) ?? []
  }

  /// Makes a text another, keeping what they share.
  mutating func set(_ field: WholeRecord.Field, text: String) {
    guard let register = schema[field.target.kind]?[field.name] else { return }
    let plan = EditPlan(writes: [EditPlan.Write(register, .text(Name(text)))])
    actions += (try? editor.set(field.target, plan)) ?? []
  }

  /// Writes a text and erases it again: it is kept in the log.
  mutating func setAside(_ field: WholeRecord.Field, text: String) {
    let first = ElementID(dot, UInt32(actions.reduce(0) { $0 + $1.elements }))
    let count = UInt32(text.unicodeScalars.count)
    let run = ElementRun(first, count: count)
    actions.append(
      Action(
        field.target, .insert(field: field.name, at: Anchor(nil, .right), text: Name(text))))
    actions.append(Action(field.target, .erase(field: field.name, [run])))
  }

  // MARK: Making

  /// Makes a record, without what is in it.
  ///
  /// - Parameters:
  ///   - container: of one that stands in a list of another; else a field names what contains it.
  ///   - after: the one behind which it stands; nil for the front.
  /// - Returns: whether it is made and stands there; where the writer had not been shown that one, it stands last.
  @discardableResult
  mutating func create(_ record: WholeRecord, in container: Target?, after: Target?) -> Bool {
    guard let kind = schema[record.target.kind] else { return true }
    var values = record.values
    if let date = kind.creationDate { values[date] = FieldType.datum(record.createdAt) }
    let writes = kind.registers.filter { $0.name != kind.order }.compactMap {
      register -> EditPlan.Write? in
      if register.form == .text {
        guard let text = values[register.name]?.text, !text.utf8.isEmpty else { return nil }
        return EditPlan.Write(register, .text(text))
      }
      guard let value = values[register.name], value != register.whole({ _ in nil }) else {
        return nil
      }
      return EditPlan.Write(register, .value(value))
    }
    let plan = EditPlan(writes: writes, container: container ?? record.named(kind))
    for (index, position) in places(after).enumerated() {
      guard let made = try? editor.create(record.target, plan, at: position) else { continue }
      actions += made.map { anchored($0, after) }
      return index == 0
    }
    return false
  }

  /// - Returns: whether the place is one that the writer had been shown.
  @discardableResult
  mutating func move(_ target: Target, after: Target?, in container: Target?) -> Bool {
    let isMade = after.map { slot(of: $0) != nil } ?? false
    let position: Editor.Position =
      isMade ? .last : after.map { .after($0.record) } ?? .first
    guard let made = try? editor.move(target, to: position, in: container) else { return false }
    actions += made.map { anchored($0, after) }
    return true
  }

  /// Where a record goes, in the order of trying: the one before it may be unknown there.
  private func places(_ after: Target?) -> [Editor.Position] {
    after.map { [.after($0.record), .last] } ?? [.first]
  }

  /// A move behind what an earlier action of this operation made or moved.
  private func anchored(_ action: Action, _ after: Target?) -> Action {
    guard case .move(let field, _) = action.body, let after, let slot = slot(of: after) else {
      return action
    }
    var action = action
    action.body = .move(field: field, to: Anchor(slot, .right))
    return action
  }

  /// The slot that an earlier action of this operation makes for a record.
  private func slot(of target: Target) -> ElementID? {
    var elements = 0
    var slot: ElementID?
    for action in actions {
      if action.target == target, case .move = action.body {
        slot = ElementID(dot, UInt32(elements))
      }
      elements += action.elements
    }
    return slot
  }
}
