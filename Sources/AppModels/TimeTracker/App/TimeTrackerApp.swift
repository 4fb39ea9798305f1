package import Merge
package import Wire

/// The time tracker (seed 003).
///
/// Shared with the counterpart are clients, projects, tasks that do not run, settings and what has
/// been bought. The timer that runs, the place of the floating widget and the theme are the
/// device's own.
package final class TimeTrackerApp: App {
  package static let schema: Name = "timeTracker"

  let surroundings: Surroundings
  /// From the dashboard to what is shown; never empty.
  var stack: [TrackerRoute] = [.root]
  /// The record that is about to be deleted.
  var deletion: Target?
  /// Whether the screen shows what VoiceOver reads out.
  var isSpoken = false
  /// What the user is told, until something else is typed.
  var notice: String?
  var timer = ActiveTimer()
  var widget = FloatingWidget()
  var theme = TrackerTheme.classic
  /// When something was typed last, or the auto-pause was changed; milliseconds since 1970.
  var lastActivity: Int64?
  /// Whom the next bulk entries are for.
  var bulkClient: Name?
  var events: [AppEvent] = []
  package var status = SyncStatus()
  private var read: (vector: VersionVector, tracked: TrackedWork)?
  private var autoPause: Int?

  package init(_ surroundings: Surroundings) {
    self.surroundings = surroundings
    autoPause = autoPauseMinutes
  }

  var service: TrackerService { TrackerService(surroundings.records) }

  var route: TrackerRoute { stack[stack.count - 1] }

  package var formShown: VersionVector? { stack.lazy.compactMap(\.formShown).first }

  /// Everything that is recorded; read once for each state of the records.
  package var tracked: TrackedWork {
    let vector = surroundings.records.vector
    if let read, read.vector == vector { return read.tracked }
    let tracked = TrackedWork(surroundings.records)
    read = (vector, tracked)
    return tracked
  }

  // MARK: What the widget observes

  package var isRunning: Bool { timer.isRunning }

  /// nil where there is no task.
  package var currentTaskName: String? {
    timer.subject.map { $0.name ?? "Unnamed Task" }
  }

  package var clientName: String? {
    timer.subject.flatMap { tracked.client($0.client)?.name }
  }

  /// `h:mm:ss` of the stretches of the task in hand.
  package func formattedTime(now: Int64) -> String {
    TrackerText.clock(seconds: Int(timer.elapsed(now) / 1000))
  }

  // MARK: Time

  package func tick(now: Int64) {
    guard let deadline = autoPauseAt, now >= deadline else { return }
    let name = currentTaskName ?? ""
    guard stop(at: deadline, now) else {
      // Tried again once as much time has passed.
      lastActivity = now
      return
    }
    events.append(
      .notified(
        Notification(
          id: "autoPause", category: "AUTO_PAUSE", title: "Timer paused",
          body: "\(name) was stopped after \(autoPauseMinutes ?? 0) minutes without a command.",
          actions: [.init(id: "start", title: "Start")])))
  }

  /// The seconds that are shown, the auto-pause, and the end of what was bought.
  package func nextTick(now: Int64) -> Int64? {
    var times: [Int64] = []
    if isRunning {
      let elapsed = timer.elapsed(now)
      let next = now + 1000 - elapsed % 1000
      times.append(max(now, min(next, autoPauseAt ?? next)))
    }
    if let expiry = tracked.entitlement.expiresAt, expiry > now { times.append(expiry) }
    return times.min()
  }

  /// nil where the timer does not run, or is not paused by itself.
  private var autoPauseAt: Int64? {
    guard let minutes = autoPauseMinutes, let started = timer.startedAt else { return nil }
    return max(started, lastActivity ?? started) + Int64(minutes) * 60_000
  }

  private var autoPauseMinutes: Int? {
    let settings = tracked.settings
    return settings.autoPauseEnabled ? settings.autoPauseMinutes : nil
  }

  // MARK: The device

  package func recordsDidChange(now: Int64) {
    // Operations that were stamped anew change what is shown, and not the vector.
    read = nil
    // A pause that was switched on elsewhere does not reach back.
    if autoPause != autoPauseMinutes {
      autoPause = autoPauseMinutes
      lastActivity = now
    }
    leaveWhatIsGone()
  }

  /// Screens of records that are gone are left. A form stays, with what was typed into it.
  func leaveWhatIsGone() {
    let records = surroundings.records
    func isGone(_ target: Target) -> Bool { records[target.kind, target.record] == nil }
    if let target = deletion, isGone(target) { deletion = nil }
    guard let first = stack.firstIndex(where: { $0.target.map(isGone) ?? false }) else { return }
    if case .form = route { return }
    let kind = stack[first].target?.kind
    stack.removeSubrange(first...)
    notice = "The \(kind?.text ?? "record") has been deleted."
  }

  /// It sends none and knows none: the timer that runs is this device's affair.
  package func didReceive(message: [UInt8], now: Int64) {}

  package var localState: Datum {
    var members = [
      Datum.Member("timer", timer.datum), Datum.Member("widget", widget.datum),
      Datum.Member("theme", .string(Name(theme.rawValue))),
    ]
    if let lastActivity {
      members.append(Datum.Member("lastActivity", .string(Name(String(lastActivity)))))
    }
    return .sorted(members)
  }

  /// The timer has run on meanwhile, up to the auto-pause.
  package func restore(_ localState: Datum, now: Int64) throws(WireError) {
    guard case .object = localState else {
      throw WireError(.invalidField, "the state must be what the app itself had saved")
    }
    timer = try ActiveTimer(localState["timer"] ?? .null)
    widget = FloatingWidget(localState["widget"] ?? .null)
    theme = localState["theme"]?.text.flatMap { TrackerTheme(rawValue: $0.text) } ?? .classic
    lastActivity = localState["lastActivity"]?.text.flatMap { Int64($0.text) }.map {
      min($0, now)
    }
    tick(now: now)
  }

  package func takeEvents() -> [AppEvent] {
    defer { events = [] }
    return events
  }
}

/// Accents that premium opens; a device's own.
enum TrackerTheme: String, CaseIterable {
  case classic, ocean, forest, sunset

  var title: String { rawValue.prefix(1).uppercased() + rawValue.dropFirst() }
}
