import Merge
import Oracle
import Wire

/// What people do on the devices.
extension ReplicaWorld {
  mutating func edit(_ index: Int) throws {
    let device = members[index].replica
    let shown = members[index].form
    var editor = Editor(device.fold, Self.schema, shown: shown ?? device.fold.vector)
    let actions: [Action]
    do {
      actions = try self.actions(&editor, device.fold)
    } catch {
      // A place or record that the form shows may be gone.
      guard (error as? WireError)?.code == .invalidField else { throw error }
      return count("gone")
    }
    guard !actions.isEmpty else { return }
    now += 1
    // What the clock says names the edit.
    while written.contains(Edit(device: members[index].device, wall: clock(index))) { now += 1 }
    let operation = try device.write(actions, shown: shown, clock: clock(index))
    written.insert(Edit(device: members[index].device, wall: operation.wall))
  }

  private mutating func actions(_ editor: inout Editor, _ fold: Fold) throws -> [Action] {
    let timers = fold.view(Self.schema)["timer"].map(\.target)
    let todos = fold.view(Self.schema)["todo"].map(\.target)
    guard !timers.isEmpty, below(8) > 0 else {
      return try create("timer", #"{"name":"\#(word())","durationInSeconds":60}"#, &editor, fold)
    }
    let timer = timers[below(timers.count)]
    let record = todos.isEmpty || below(2) == 0 ? timer : todos[below(todos.count)]
    switch below(12) {
    case 0:
      return try create("todo", #"{"timer":"\#(timer.record)","text":"\#(word())"}"#, &editor, fold)
    case 1: return try editor.delete(record)
    case 2:
      let kind: Name = below(2) == 0 ? "timer" : "todo"
      let targets = fold.ids(kind, startingWith: "").map { Target(kind, $0) }
      return targets.isEmpty ? [] : try editor.restore(targets[below(targets.count)])
    case 3...5:
      let text = editor.present(timer)["notes"]?.text?.text ?? ""
      return try set(timer, #"{"notes":"\#(retyped(text))"}"#, &editor, fold)
    case 6...7:
      let others = record.kind == "timer" ? timers : todos
      let home = fold.container(of: record, Self.schema)
      return try editor.move(
        record, to: position(others), in: record.kind == "timer" || below(2) == 0 ? home : timer)
    case 8:
      guard record.kind == "todo" else { fallthrough }
      return try set(record, #"{"timer":"\#(timer.record)"}"#, &editor, fold)
    case 9:
      guard record.kind == "todo" else { fallthrough }
      return try set(record, #"{"isCompleted":\#(below(2) == 0)}"#, &editor, fold)
    default:
      let field = record.kind == "timer" ? "name" : "text"
      return try set(record, #"{"\#(field)":"\#(word())"}"#, &editor, fold)
    }
  }

  private mutating func create(
    _ kind: Name, _ fields: String, _ editor: inout Editor, _ fold: Fold
  ) throws -> [Action] {
    let target = Target(
      kind, Name(Identifier(high: random.next(), low: random.next()).description))
    let all = fold.view(Self.schema)[kind].map(\.target)
    let position = position(all)
    let plan = try withJSON(fields) {
      try Self.schema[kind]!.plan(creating: $0, $1, now: Int64(now), among: neighbours(fold))
    }
    return try editor.create(target, plan, at: position)
  }

  private func set(
    _ target: Target, _ fields: String, _ editor: inout Editor, _ fold: Fold
  ) throws -> [Action] {
    let plan = try withJSON(fields) {
      try Self.schema[target.kind]!.plan(
        setting: $0, $1, present: editor.present(target), among: neighbours(fold))
    }
    return try editor.set(target, plan)
  }

  private func neighbours(_ fold: Fold) -> Neighbours {
    Neighbours(
      isVisible: { fold.isVisible($0, Self.schema) },
      container: { fold.container(of: $0, Self.schema)?.record })
  }

  private mutating func position(_ others: [Target]) -> Editor.Position {
    guard !others.isEmpty, below(2) == 0 else { return below(2) == 0 ? .first : .last }
    let id = others[below(others.count)].record
    return below(2) == 0 ? .after(id) : .before(id)
  }

  private mutating func word() -> String { "w\(below(30))" }

  /// A text in which somebody has typed and deleted, as JSON has it.
  private mutating func retyped(_ text: String) -> String {
    var characters = Array(text)
    for _ in 0..<(1 + below(2)) {
      let place = below(characters.count + 1)
      if below(3) == 0 {
        characters.removeSubrange(place..<min(place + 2, characters.count))
      }
      let typed = ["a", "bc", "👩‍👧", "e\u{301}", "אב", "字", "🇩🇪"][below(7)]
      characters.insert(contentsOf: Array(typed), at: place)
    }
    return String(characters)
  }
}
