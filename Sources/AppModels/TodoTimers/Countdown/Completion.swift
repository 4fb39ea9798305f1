package import Merge

/// What a device notifies when a timer is through.
package enum Completion {
  package static let category = "TIMER_COMPLETION"

  /// What can be done with the notification.
  package enum Action: String, CaseIterable, Sendable {
    case restart = "RESTART_TIMER"
    case markComplete = "MARK_COMPLETE"
    case dismiss = "DISMISS"

    var title: String {
      switch self {
      case .restart: "Restart Timer"
      case .markComplete: "Mark Complete"
      case .dismiss: "Dismiss"
      }
    }
  }

  package static func id(_ timer: Name, _ idiom: Idiom) -> String {
    idiom == .watch ? "timer-\(timer)" : "timer-complete-\(timer)"
  }

  /// In the words of seed 001's lock screen.
  ///
  /// - Parameter total: seconds that it counted down from.
  package static func notification(
    _ timer: TimerRecord, total: Int, _ idiom: Idiom, hasSound: Bool
  ) -> Notification {
    Notification(
      id: id(timer.id, idiom), category: category,
      title: "\(TimerChoices.picture(timer.icon)) Timer Complete",
      body: "\(timer.name)\nYour \(DurationText.clock(total)) timer has finished!",
      actions: Action.allCases.map { Notification.Action(id: $0.rawValue, title: $0.title) },
      userInfo: ["timerID": timer.id.text, "timerName": timer.name], hasSound: hasSound)
  }
}
