/// The state machine of the timer, in absolute times: a late tick makes no difference.
///
/// ```
///            start             pause
/// untouched ───────► running ◄───────► paused
///     ▲                │  start           │
///     └── reset, next, or ran out ────────┘
/// ```
/// Times are milliseconds since 1970.
package struct PomodoroTimer: Equatable, Sendable {
  package var state = PomodoroState.work
  /// Works left behind since the last long break, from 0 to 4.
  package var works = 0
  /// Milliseconds that this state takes; above 0.
  package var total: Int64
  package var run = Run.untouched

  package enum Run: Equatable, Sendable {
    case untouched
    case running(started: Int64, ends: Int64)
    /// `since` is when it last ran, `remaining` milliseconds from 0 to the total.
    case paused(started: Int64, since: Int64, remaining: Int64)
  }

  /// A stretch that has ended, as it is written down.
  package struct Ended: Equatable, Sendable {
    package var state: PomodoroState
    /// Milliseconds.
    package var total: Int64
    package var started: Int64
    /// When it last ran; not before `started`.
    package var ended: Int64
    package var isCompleted: Bool
  }

  package init(_ settings: PomodoroSettings = PomodoroSettings()) {
    total = Int64(settings.seconds(.work)) * 1000
  }

  // MARK: Reading

  package var isActive: Bool {
    if case .running = run { true } else { false }
  }

  /// Milliseconds, from 0 to the total, also where the clock was set back.
  package func remaining(_ now: Int64) -> Int64 {
    switch run {
    case .untouched: total
    case .running(_, let ends): min(total, max(0, ends - now))
    case .paused(_, _, let remaining): min(total, max(0, remaining))
    }
  }

  /// What has elapsed of the state, from 0 to 1.
  package func progress(_ now: Int64) -> Double {
    Self.progress(remaining: Double(remaining(now)), total: Double(total))
  }

  /// `1 - remaining / total` within 0 and 1; 0 where the total is not above 0 or no number.
  package static func progress(remaining: Double, total: Double) -> Double {
    guard total > 0, !remaining.isNaN else { return 0 }
    return min(max(1 - remaining / total, 0), 1)
  }

  /// When the seconds that are shown change next.
  package func nextTick(_ now: Int64) -> Int64? {
    guard case .running(_, let ends) = run else { return nil }
    let remaining = ends - now
    return remaining <= 0 ? now : ends - (remaining - 1) / 1000 * 1000
  }

  // MARK: Changes

  /// Runs, or goes on; nothing where it does already.
  package mutating func start(_ now: Int64) {
    switch run {
    case .untouched: run = .running(started: now, ends: now + total)
    case .paused(let started, _, let remaining):
      run = .running(started: started, ends: now + remaining)
    case .running: break
    }
  }

  /// Nothing where it does not run.
  package mutating func pause(_ now: Int64) {
    guard case .running(let started, _) = run else { return }
    run = .paused(started: started, since: max(started, now), remaining: remaining(now))
  }

  /// Back to the whole of its state.
  ///
  /// - Returns: what has ended by it; nil where it had not run.
  package mutating func reset(_ now: Int64, _ settings: PomodoroSettings) -> Ended? {
    let ended = ended(now)
    enter(state, settings)
    return ended
  }

  /// Leaves the state for the next one, where it waits.
  ///
  /// - Returns: what has ended by it; nil where it had not run.
  package mutating func next(_ now: Int64, _ settings: PomodoroSettings) -> Ended? {
    let ended = ended(now)
    leave(settings)
    return ended
  }

  /// Goes to the next state where this one has run out, and waits there.
  ///
  /// - Returns: what has ended, at the time it did; nil where nothing has.
  package mutating func finish(_ now: Int64, _ settings: PomodoroSettings) -> Ended? {
    guard case .running(let started, let ends) = run, now >= ends else { return nil }
    let ended = Ended(
      state: state, total: total, started: started, ended: max(started, ends), isCompleted: true)
    leave(settings)
    return ended
  }

  /// A state that has not run yet takes as long as the settings say now. One that has keeps its
  /// length to its end.
  package mutating func adopt(_ settings: PomodoroSettings) {
    if run == .untouched { enter(state, settings) }
  }

  private mutating func leave(_ settings: PomodoroSettings) {
    if state == .work { works = min(works + 1, PomodoroCycle.worksToLongBreak) }
    let next = settings.cycle.next(after: state, works: works)
    if state == .longBreak { works = 0 }
    enter(next, settings)
  }

  private mutating func enter(_ state: PomodoroState, _ settings: PomodoroSettings) {
    self.state = state
    total = Int64(settings.seconds(state)) * 1000
    run = .untouched
  }

  private func ended(_ now: Int64) -> Ended? {
    switch run {
    case .untouched: nil
    case .running(let started, _):
      Ended(
        state: state, total: total, started: started, ended: max(started, now),
        isCompleted: false)
    case .paused(let started, let since, _):
      Ended(
        state: state, total: total, started: started, ended: max(started, since),
        isCompleted: false)
    }
  }
}
