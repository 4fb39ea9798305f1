package import Merge
package import Wire

/// The Pomodoro timer (seed 004).
///
/// Shared with the counterpart are the settings and the phases that have ended. Which state it is
/// in, what remains, whether it runs and whether motion is reduced are the device's own.
package final class PomodoroApp: App {
  package static let schema: Name = "pomodoro"

  let surroundings: Surroundings
  var timer: PomodoroTimer
  /// A setting of the device, not of the app's records.
  var reduceMotion = false
  var route = Route.timer
  /// What went wrong last, until something else is typed.
  var failure: String?
  /// What VoiceOver reads out is shown in the place of the screen.
  var isSpoken = false
  var events: [AppEvent] = []
  package var status = SyncStatus()

  enum Route: Hashable {
    case timer, details
    /// From which place on the sessions are shown, newest first.
    case history(Int)
    case settings(SettingsForm)
  }

  package init(_ surroundings: Surroundings) {
    self.surroundings = surroundings
    timer = PomodoroTimer()
    timer.adopt(settings)
  }

  var records: Records { surroundings.records }

  package var settings: PomodoroSettings {
    PomodoroSettings(records["settings", "settings"])
  }

  package var formShown: VersionVector? {
    guard case .settings(let form) = route else { return nil }
    return form.shown
  }

  // MARK: What the screen observes

  package var state: PomodoroState { timer.state }

  package var isActive: Bool { timer.isActive }

  /// Seconds.
  package func timeRemaining(now: Int64) -> Double { Double(timer.remaining(now)) / 1000 }

  /// What has elapsed, from 0 to 1.
  package func progress(now: Int64) -> Double { timer.progress(now) }

  package func accessibility(now: Int64) -> PomodoroAccessibility {
    PomodoroAccessibility(
      timeString: PomodoroText.clock(remaining: timer.remaining(now)), stateTitle: state.title,
      isRunning: isActive)
  }

  var nextState: PomodoroState {
    settings.cycle.next(
      after: state, works: state == .work ? timer.works + 1 : timer.works)
  }

  // MARK: Gestures

  /// A tap: starts or pauses.
  func toggle(_ now: Int64) {
    if isActive {
      timer.pause(now)
      events.append(.cancelled(id: Self.notificationID))
    } else {
      timer.start(now)
      events.append(.haptic("medium"))
      if case .running(_, let ends) = timer.run {
        events.append(.scheduled(notification, at: ends))
      }
    }
  }

  /// A double tap.
  func reset(_ now: Int64) {
    cancelNotification()
    write(timer.reset(now, settings), now)
  }

  /// A long press.
  func next(_ now: Int64) {
    cancelNotification()
    write(timer.next(now, settings), now)
    events.append(.haptic("light"))
  }

  private func cancelNotification() {
    if isActive { events.append(.cancelled(id: Self.notificationID)) }
  }

  // MARK: Time

  package func tick(now: Int64) {
    let notification = notification
    guard let ended = timer.finish(now, settings) else { return }
    events.append(.haptic("rigid"))
    events.append(.notified(notification))
    write(ended, now)
  }

  package func nextTick(now: Int64) -> Int64? { timer.nextTick(now) }

  package static let notificationID = "pomodoro"

  /// What is shown when the state that runs has run out.
  private var notification: Notification {
    let next = nextState
    return Notification(
      id: Self.notificationID, category: "POMODORO_COMPLETE", title: "\(state.title) complete",
      body: "Next: \(next.title), \(PomodoroText.clock(seconds: settings.seconds(next)))",
      actions: [.init(id: "start", title: "Start")],
      userInfo: ["state": state.rawValue, "next": next.rawValue])
  }

  private func write(_ ended: PomodoroTimer.Ended?, _ now: Int64) {
    guard let ended else { return }
    do throws(WireError) {
      try records.edit(now: now) { edit throws(WireError) in
        try edit.create(
          "session",
          [
            "phase": .string(ended.state.rawValue), "plannedSeconds": .int(Int(ended.total / 1000)),
            "startTime": .date(ended.started), "endTime": .date(ended.ended),
            "isCompleted": .bool(ended.isCompleted),
          ])
      }
    } catch {
      failure = error.message
    }
  }

  // MARK: The device

  package func recordsDidChange(now: Int64) { timer.adopt(settings) }

  /// It sends none and knows none: how far the counterpart's timer is, is not this one's affair.
  package func didReceive(message: [UInt8], now: Int64) {}

  package var localState: Datum {
    .sorted([
      Datum.Member("timer", timer.datum), Datum.Member("reduceMotion", .bool(reduceMotion)),
    ])
  }

  /// What should have run out meanwhile has.
  package func restore(_ localState: Datum, now: Int64) throws(WireError) {
    timer = try PomodoroTimer(localState["timer"] ?? .null)
    reduceMotion = localState["reduceMotion"] == .bool(true)
    timer.adopt(settings)
    tick(now: now)
  }

  package func takeEvents() -> [AppEvent] {
    defer { events = [] }
    return events
  }
}
