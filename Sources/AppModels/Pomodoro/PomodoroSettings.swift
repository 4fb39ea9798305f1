package import Merge

/// The settings that both devices share.
package struct PomodoroSettings: Equatable, Sendable {
  /// From 1 to 86,400.
  package var workSeconds = PomodoroState.work.defaultSeconds
  package var shortBreakSeconds = PomodoroState.shortBreak.defaultSeconds
  package var longBreakSeconds = PomodoroState.longBreak.defaultSeconds
  package var cycle = PomodoroCycle.declared

  package init() {}

  /// What is missing, or out of its range, is as where nobody has set anything.
  package init(_ record: RecordView?) {
    guard let record else { return }
    func seconds(_ field: Name, _ fallback: Int) -> Int {
      record.int(field).flatMap { (1...86_400).contains($0) ? $0 : nil } ?? fallback
    }
    workSeconds = seconds("workSeconds", workSeconds)
    shortBreakSeconds = seconds("shortBreakSeconds", shortBreakSeconds)
    longBreakSeconds = seconds("longBreakSeconds", longBreakSeconds)
    cycle = record.string("cycle").flatMap(PomodoroCycle.init) ?? cycle
  }

  package func seconds(_ state: PomodoroState) -> Int {
    switch state {
    case .work: workSeconds
    case .shortBreak: shortBreakSeconds
    case .longBreak: longBreakSeconds
    }
  }
}

extension PomodoroState {
  /// The field of the settings that says how long it takes.
  package var field: Name {
    switch self {
    case .work: "workSeconds"
    case .shortBreak: "shortBreakSeconds"
    case .longBreak: "longBreakSeconds"
    }
  }
}
