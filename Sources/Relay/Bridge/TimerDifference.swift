import AppModels
import Merge

/// What a device has done to a timer, as its copy shows: the copy against the window.
///
/// A field is changed where its value differs from that field in every entry of the window.
struct TimerDifference: Equatable {
  /// Single registers of the timer with their new values.
  var writes: [Name: Datum] = [:]
  /// The whole new text.
  var notes: Name?
  var sortOrder: Int64?
  var newTodos: [NewTodo] = []
  var todoWrites: [TodoWrite] = []
  var deletedTodos: [Identifier] = []
  var todoMoves: [TodoMove] = []

  struct NewTodo: Equatable {
    var todo: TodoItemDTO
    /// The one before it; nil for the front.
    var after: Identifier?
  }

  struct TodoWrite: Equatable {
    var id: Identifier
    var writes: [Name: Datum]
  }

  struct TodoMove: Equatable {
    var id: Identifier
    var after: Identifier?
  }

  var isEmpty: Bool { self == TimerDifference() }

  init() {}

  /// - Parameters:
  ///   - timer: the device's copy.
  ///   - window: with its start moved to where the copy shows that it is.
  ///   - present: what the hub shows; nil where it shows no such timer. It counts where nothing is
  ///     known of the device: then only what differs from it is taken for a write.
  ///   - isOfList: whether the copy came in a list of all, which a move may have numbered anew.
  init(
    _ timer: TimerDTO, _ window: RecordWindow, present: TimerDTO?, isOfList: Bool = false
  ) {
    var known = window.timers
    let isUnknown = window.start.state == .unknown
    if isUnknown, let present { known.append(present) }
    let fields = TimerFields(timer)
    let old = known.map(TimerFields.init)
    func isChanged(_ field: TimerField) -> Bool {
      !old.contains { $0[field] == fields[field] }
    }
    let registers: [(TimerField, Name)] = [
      (.name, "name"), (.duration, "durationInSeconds"), (.icon, "icon"), (.color, "colorHex"),
    ]
    for (field, register) in registers where isChanged(field) {
      writes[register] = fields[field]
    }
    if isChanged(.notes) { notes = timer.notes ?? "" }
    if timer.sortOrder != nil, isChanged(.sortOrder) { sortOrder = timer.sortOrder }
    compareTodos(timer, known, last: window.last, isUnknown: isUnknown, isChanged: isChanged)
    if !isUnknown { findDeleted(timer, window.possibleStarts(of: timer, isOfList: isOfList)) }
  }

  /// What was in every copy that this one may have been made upon, and is missing.
  private mutating func findDeleted(_ timer: TimerDTO, _ starts: [TimerDTO]) {
    guard let first = starts.first else { return }
    for todo in first.orderedTodos where timer.todo(todo.id) == nil {
      if starts.allSatisfy({ $0.todo(todo.id) != nil }) { deletedTodos.append(todo.id) }
    }
  }

  // MARK: To-dos

  private mutating func compareTodos(
    _ timer: TimerDTO, _ known: [TimerDTO], last: TimerDTO?, isUnknown: Bool,
    isChanged: (TimerField) -> Bool
  ) {
    let ordered = timer.orderedTodos
    for (index, todo) in ordered.enumerated() {
      guard !isChanged(.todo(todo.id)) else {
        newTodos.append(NewTodo(todo: todo, after: index == 0 ? nil : ordered[index - 1].id))
        continue
      }
      var writes: [Name: Datum] = [:]
      if isChanged(.text(todo.id)) { writes["text"] = .string(todo.text) }
      if isChanged(.isCompleted(todo.id)) { writes["isCompleted"] = .bool(todo.isCompleted) }
      if writes.isEmpty, !isUnknown { writes = Self.wayBack(todo, known, last) }
      if !writes.isEmpty { todoWrites.append(TodoWrite(id: todo.id, writes: writes)) }
    }
    guard !isUnknown else { return }
    compareOrder(timer, known)
  }

  /// A to-do that was touched after all that was sent, and has old values and an old place only: it
  /// was ticked back to what it had been. Unless it may only have been moved, by the device itself,
  /// from where it had been: a move dates it, too.
  private static func wayBack(
    _ todo: TodoItemDTO, _ known: [TimerDTO], _ last: TimerDTO?
  ) -> [Name: Datum] {
    let copies = known.compactMap { $0.todo(todo.id) }
    guard let last = last?.todo(todo.id), last.isCompleted != todo.isCompleted,
      copies.allSatisfy({ $0.updatedAt < todo.updatedAt }),
      copies.contains(where: { $0.sortOrder == todo.sortOrder }),
      !copies.contains(where: {
        $0.isCompleted == todo.isCompleted && $0.sortOrder != todo.sortOrder
      })
    else { return [:] }
    return ["isCompleted": .bool(todo.isCompleted)]
  }

  private mutating func compareOrder(_ timer: TimerDTO, _ known: [TimerDTO]) {
    guard !known.contains(where: { $0.ordersTodos(as: timer) }),
      let old = known.last?.orderedTodos.map(\.id)
    else { return }
    let ids = timer.orderedTodos.map(\.id)
    let common = ids.filter(old.contains)
    todoMoves = RisingSubsequence.moves(from: old.filter(ids.contains), to: common).map {
      TodoMove(id: $0.id, after: $0.after)
    }
  }
}
