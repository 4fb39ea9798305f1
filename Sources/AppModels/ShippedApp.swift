package import Merge

/// The apps that Watchline runs on devices without a screen.
package enum ShippedApp: String, CaseIterable, Sendable {
  case todoTimers, timeTracker, pomodoro

  package var type: any App.Type {
    switch self {
    case .todoTimers: TodoTimersApp.self
    case .timeTracker: TimeTrackerApp.self
    case .pomodoro: PomodoroApp.self
    }
  }

  package var schema: Schema { ShippedSchemas.named(Name(rawValue))! }

  /// What a device of a role looks like where nothing else is asked for: the time tracker's second
  /// device is a tablet.
  package func idiom(_ isPhone: Bool) -> Idiom {
    isPhone ? .phone : self == .timeTracker ? .pad : .watch
  }
}
