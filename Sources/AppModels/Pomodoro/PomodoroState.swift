/// What the timer counts down.
package enum PomodoroState: String, CaseIterable, Equatable, Sendable {
  case work, shortBreak, longBreak

  package var title: String {
    switch self {
    case .work: "Work"
    case .shortBreak: "Short Break"
    case .longBreak: "Long Break"
    }
  }

  /// How long it takes where nobody has set anything else.
  package var defaultSeconds: Int {
    switch self {
    case .work: 1500
    case .shortBreak: 300
    case .longBreak: 900
    }
  }
}

/// Which state comes after which.
package enum PomodoroCycle: String, CaseIterable, Sendable {
  /// Work, short break, long break, in the order in which the states are declared.
  case declared
  /// A break after each work, and each fourth of them is long.
  case every4

  package var title: String {
    switch self {
    case .declared: "work, short break, long break"
    case .every4: "each 4th break is long"
    }
  }

  /// - Parameter works: the works that were left behind since the last long break, that of `state`
  ///   itself among them, whether they ran to their end or were skipped.
  package func next(after state: PomodoroState, works: Int) -> PomodoroState {
    switch (self, state) {
    case (.declared, .work): .shortBreak
    case (.declared, .shortBreak): .longBreak
    case (.every4, .work): works >= Self.worksToLongBreak ? .longBreak : .shortBreak
    case (.every4, .shortBreak), (_, .longBreak): .work
    }
  }

  package static let worksToLongBreak = 4
}
