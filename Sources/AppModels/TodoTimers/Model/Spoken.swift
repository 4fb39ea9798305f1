/// What VoiceOver reads out.
package enum Spoken {
  /// "Workout Timer, 25 minutes, 3 to-dos, notes added".
  package static func card(_ timer: TimerRecord) -> String {
    ([
      timer.name, DurationText.spoken(timer.duration), timer.todoCount.lowercased(),
      timer.notesStatus.lowercased(),
    ] + (timer.category.isEmpty ? [] : [timer.category]) + (timer.repeats ? ["repeats"] : []))
    .joined(separator: ", ")
  }

  /// "18 minutes 34 seconds remaining".
  package static func display(_ seconds: Int) -> String {
    "\(DurationText.spoken(seconds)) remaining"
  }

  /// "Start timer".
  package static func primary(_ countdown: Countdown) -> String {
    switch countdown.phase {
    case .running: "Pause timer"
    case .paused: "Resume timer"
    case .idle, .finished: "Start timer"
    }
  }

  /// "Warm up 5 minutes, completed".
  package static func todo(_ todo: TodoRecord) -> String {
    "\(todo.text), \(todo.isCompleted ? "completed" : "not completed")"
  }
}
