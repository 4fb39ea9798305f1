import Merge
import Wire

// What commands do.
extension TodoTimersApp {
  // MARK: Countdown

  func start(_ timer: TimerRecord, _ now: Int64) throws(WireError) {
    let changes = countdowns.start(timer, now)
    guard !changes.isEmpty else {
      throw WireError(.invalidField, "the timer is running already")
    }
    emit(.haptic("medium"))
    carryOut(changes, now)
  }

  func pause(_ timer: TimerRecord, _ now: Int64) throws(WireError) {
    let changes = countdowns.pause(timer, now)
    guard !changes.isEmpty else { throw WireError(.invalidField, "the timer is not running") }
    emit(.haptic("light"))
    carryOut(changes, now)
  }

  func resume(_ timer: TimerRecord, _ now: Int64) throws(WireError) {
    guard countdowns.countdown(timer).isPaused else {
      throw WireError(.invalidField, "the timer is not paused")
    }
    try start(timer, now)
  }

  func reset(_ timer: TimerRecord, _ now: Int64) {
    emit(.haptic("light"))
    carryOut(countdowns.reset(timer), now)
  }

  func restart(_ timer: TimerRecord, _ now: Int64) {
    dismiss(timer.id)
    emit(.haptic("medium"))
    carryOut(countdowns.restart(timer, now), now)
  }

  /// Clears what was said of its end.
  func dismiss(_ timer: Name) {
    if completed == timer { completed = nil }
    delivered.removeAll { $0 == timer }
  }

  // MARK: Timers

  /// A name and a duration make a timer at once; with less, or where that breaks a rule, the form
  /// is shown with what there is.
  func new(_ line: CommandLine, _ now: Int64) throws(WireError) {
    var form = TimerForm(shown: records.vector)
    form.name = line.rest
    guard let blank = line.rest.lastIndex(of: " "),
      case let last = String(line.rest[line.rest.index(after: blank)...]),
      DurationText.isPlain(last)
    else { return showForm(form) }
    form.duration = try duration(last)
    form.name = CommandLine("name \(line.rest[..<blank])").rest
    submit(form, now)
  }

  func submit(_ form: TimerForm, _ now: Int64) {
    var form = form
    form.forgetFaults()
    let isUnnamed = records.brokenRule("timer", ["name": .string(form.name)]) != nil
    form.fault = records.brokenRule("timer", form.fields)
    if isUnnamed, form.duration <= 0 { form.failure = TimerForm.incomplete }
    guard form.fault == nil else { return showForm(form) }
    let before = records.vector
    do throws(WireError) {
      if let timer = form.timer {
        try edit(shown: form.shown, now: now) { edit throws(WireError) in
          try edit.set("timer", timer, form.fields)
        }
        if records.vector != before { resetAfterEdit(timer, now) }
        showDetail(timer)
      } else {
        try edit(shown: form.shown, now: now) { edit throws(WireError) in
          _ = try edit.create("timer", form.fields, at: .first)
        }
        route = .list
      }
    } catch {
      form.failure =
        "Failed to \(form.timer == nil ? "create" : "update") timer: \(error.message)"
      showForm(form)
    }
  }

  /// What is under way counts down from another duration now, perhaps.
  private func resetAfterEdit(_ timer: Name, _ now: Int64) {
    guard let countdown = countdowns.all[timer], countdown.isRunning || countdown.isPaused,
      let record = library[timer]
    else { return }
    carryOut(countdowns.reset(record), now)
  }

  /// What is deleted already needs no question.
  func askToDelete(_ timer: Name) {
    if library[timer] == nil { route = .list } else { question = timer }
  }

  func delete(_ timer: TimerRecord, _ now: Int64) throws(WireError) {
    try edit(now: now) { edit throws(WireError) in try edit.delete("timer", timer.id) }
    question = nil
    route = .list
  }

  func moveTimer(_ line: CommandLine, _ now: Int64) throws(WireError) {
    guard category == nil else {
      throw WireError(.invalidField, "timers are moved among all; type category first")
    }
    let shown = library.timers
    let (from, to) = try line.move(in: shown.count, of: "timer")
    guard from != to else { return }
    var wanted = shown.map(\.id)
    wanted.insert(wanted.remove(at: from), at: to)
    if shown.map(\.place) == Array(shown.indices) {
      try edit(now: now) { edit throws(WireError) in
        try edit.move("timer", wanted[to], to: to == 0 ? .first : .after(wanted[to - 1]))
      }
      return
    }
    // The merged order is another one than that of the list: every timer gets its place.
    for timer in wanted {
      try edit(now: now) { edit throws(WireError) in try edit.move("timer", timer, to: .last) }
    }
  }

  // MARK: To-dos

  func toggle(_ line: CommandLine, _ timer: TimerRecord, _ now: Int64) throws(WireError) {
    let todo = timer.todos[try line.index(in: timer.todos.count, of: "to-do")]
    try edit(now: now) { edit throws(WireError) in
      try edit.set("todo", todo.id, ["isCompleted": .bool(!todo.isCompleted)])
    }
    emit(.haptic("selection"))
  }

  func addTodo(_ line: CommandLine, _ timer: TimerRecord, _ now: Int64) throws(WireError) {
    var form = TodoForm(of: timer.id, shown: records.vector)
    form.text = line.rest
    guard !line.rest.isEmpty else {
      route = .todoForm(form)
      return
    }
    submit(form, now)
  }

  func submit(_ form: TodoForm, _ now: Int64) {
    var form = form
    form.fault = records.brokenRule("todo", ["text": .string(form.text)])?.message
    if form.todo == nil, library[form.timer] == nil {
      form.fault = "The timer was deleted on another device"
    }
    if form.fault == nil {
      do throws(WireError) {
        try edit(shown: form.shown, now: now) { edit throws(WireError) in
          if let todo = form.todo {
            try edit.set(
              "todo", todo, ["text": .string(form.text), "isCompleted": .bool(form.isCompleted)])
          } else {
            _ = try edit.create(
              "todo", ["timer": .string(form.timer), "text": .string(form.text)])
          }
        }
        return showDetail(form.timer)
      } catch {
        form.fault = error.message
      }
    }
    route = .todoForm(form)
  }

  func moveTodo(
    _ line: CommandLine, _ timer: TimerRecord, _ now: Int64
  ) throws(WireError) {
    var wanted = timer.todos.map(\.id)
    let (from, to) = try line.move(in: wanted.count, of: "to-do")
    guard from != to else { return }
    wanted.insert(wanted.remove(at: from), at: to)
    try edit(now: now) { edit throws(WireError) in
      try edit.move("todo", wanted[to], to: to == 0 ? .first : .after(wanted[to - 1]))
    }
  }

  // MARK: Notes

  func submit(_ form: NotesForm, _ now: Int64) {
    do throws(WireError) {
      try edit(shown: form.shown, now: now) { edit throws(WireError) in
        try edit.set("timer", form.timer, ["notes": .string(form.text)])
      }
      showDetail(form.timer)
    } catch {
      var form = form
      form.fault = error.message
      route = .notes(form)
    }
  }
}
