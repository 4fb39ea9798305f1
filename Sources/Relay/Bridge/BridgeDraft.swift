import AppModels
import Merge
import Wire

/// The actions of one operation, being put together.
struct BridgeDraft {
  private let intake: BridgeIntake
  private var editor: Editor
  private(set) var actions: [Action] = []

  init(_ intake: BridgeIntake, shown: VersionVector) {
    self.intake = intake
    editor = Editor(intake.fold, intake.hub.schema, shown: shown)
  }

  private func kind(_ target: Target) -> Schema.Kind { intake.hub.schema[target.kind]! }

  /// Writes single registers, in the schema's order.
  mutating func set(_ target: Target, _ values: [Name: Datum]) {
    guard !values.isEmpty else { return }
    let writes = kind(target).registers.compactMap { register in
      values[register.name].map { EditPlan.Write(register, .value($0)) }
    }
    actions += (try? editor.set(target, EditPlan(writes: writes))) ?? []
  }

  /// Makes the notes a text, keeping the characters that they share with it.
  mutating func setNotes(_ target: Target, _ text: Name) {
    guard let register = kind(target)["notes"] else { return }
    let plan = EditPlan(writes: [EditPlan.Write(register, .text(text))])
    actions += (try? editor.set(target, plan)) ?? []
  }

  /// Writes a text into the notes and erases it again.
  mutating func setNotesAside(_ target: Target, _ text: Name) {
    let count = UInt32(text.text.unicodeScalars.count)
    let first = ElementID(dot, UInt32(actions.reduce(0) { $0 + $1.elements }))
    actions.append(
      Action(target, .insert(field: "notes", at: Anchor(nil, .right), text: text)))
    actions.append(Action(target, .erase(field: "notes", [ElementRun(first, count: count)])))
  }

  // MARK: Creating

  /// Makes a timer with all that is in it.
  ///
  /// - Parameter after: the timer behind which it stands; nil for the front.
  mutating func create(_ timer: TimerDTO, after: Identifier?) {
    var values: [Name: Datum] = [
      "name": .string(timer.name),
      "durationInSeconds": .string(Name(String(timer.durationInSeconds))),
      "icon": .string(timer.icon), "colorHex": .string(timer.colorHex),
      "createdAt": FieldType.datum(timer.createdAt),
    ]
    if let notes = timer.notes, !notes.utf8.isEmpty { values["notes"] = .string(notes) }
    create(.timer(timer.id), values, in: nil, after: after)
    let todos = timer.orderedTodos.filter { !intake.fold.isKnown(.todo($0.id)) }
    create(
      todos.enumerated().map { index, todo in
        TimerDifference.NewTodo(todo: todo, after: index == 0 ? nil : todos[index - 1].id)
      }, in: .timer(timer.id))
  }

  /// Makes to-dos, each behind the one that it comes after.
  mutating func create(_ todos: [TimerDifference.NewTodo], in timer: Target) {
    for new in todos {
      let todo = new.todo
      create(
        .todo(todo.id),
        [
          "text": .string(todo.text), "isCompleted": .bool(todo.isCompleted),
          "createdAt": FieldType.datum(todo.createdAt),
        ], in: timer, after: new.after)
    }
  }

  private mutating func create(
    _ target: Target, _ values: [Name: Datum], in container: Target?, after: Identifier?
  ) {
    let kind = kind(target)
    let writes = kind.registers.compactMap { register in
      values[register.name].map { value in
        EditPlan.Write(
          register, register.form == .text ? .text(value.text ?? "") : .value(value))
      }
    }
    let plan = EditPlan(writes: writes, container: container)
    var made: [Action]?
    for position in places(after, front: container != nil) {
      made = try? editor.create(target, plan, at: position)
      if made != nil { break }
    }
    guard var made else { return }
    if let after, let slot = slot(of: Target(target.kind, after.name)) {
      for index in made.indices {
        guard case .move(let field, _) = made[index].body else { continue }
        made[index].body = .move(field: field, to: Anchor(slot, .right))
      }
    }
    actions += made
  }

  /// Where a record goes, in the order of trying: the one before it may be unknown there.
  private func places(_ after: Identifier?, front: Bool) -> [Editor.Position] {
    guard let after else { return [.first] }
    return [.after(after.name), .last]
  }

  /// The slot that an earlier action of this operation makes for a record.
  private func slot(of target: Target) -> ElementID? {
    var elements = 0
    for action in actions {
      if action.target == target, case .move = action.body {
        return ElementID(dot, UInt32(elements))
      }
      elements += action.elements
    }
    return nil
  }

  /// The name that the operation is going to have.
  private var dot: Dot {
    Dot(intake.author, intake.hub.replica.end(of: intake.author).seq + 1)
  }

  /// Writes to-dos that the hub does not show though it knows them: whoever is later wins.
  mutating func revive(_ todos: [TimerDifference.NewTodo]) {
    for new in todos where !intake.isGone(.todo(new.todo.id)) {
      set(
        .todo(new.todo.id),
        ["text": .string(new.todo.text), "isCompleted": .bool(new.todo.isCompleted)])
    }
  }

  // MARK: Moving

  /// - Returns: whether the place is one that the writer had been shown.
  @discardableResult
  mutating func move(_ target: Target, after: Identifier?, in container: Target?) -> Bool {
    let position: Editor.Position = after.map { .after($0.name) } ?? .first
    if let after, let slot = slot(of: Target(target.kind, after.name)),
      var made = try? editor.move(target, to: .last, in: container)
    {
      for index in made.indices {
        guard case .move(let field, _) = made[index].body else { continue }
        made[index].body = .move(field: field, to: Anchor(slot, .right))
      }
      actions += made
      return true
    }
    guard let made = try? editor.move(target, to: position, in: container) else { return false }
    actions += made
    return true
  }
}
