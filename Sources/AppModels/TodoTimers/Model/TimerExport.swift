import Merge

/// Timers and their history as comma-separated values.
package enum TimerExport: Hashable, Sendable {
  case timers, runs

  package func text(_ library: TimerLibrary, _ history: RunHistory) -> String {
    switch self {
    case .timers:
      CSV.text(
        [
          [
            "name", "seconds", "icon", "color", "category", "repeats", "todos", "completed",
            "notes",
          ]
        ]
          + library.timers.map { timer in
            [
              timer.name, String(timer.duration), timer.icon, timer.colorHex, timer.category,
              timer.repeats ? "true" : "false", timer.todos.map(\.text).joined(separator: "\n"),
              String(timer.todos.count(where: \.isCompleted)), timer.notes,
            ]
          })
    case .runs:
      CSV.text(
        [["timer", "name", "seconds", "finished"]]
          + history.runs.reversed().map { run in
            [run.timer.text, run.name, String(run.duration), CSV.time(run.finishedAt)]
          })
    }
  }
}
