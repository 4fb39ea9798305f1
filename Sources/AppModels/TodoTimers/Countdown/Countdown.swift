/// The countdown of one timer on one device, in absolute time: a tick may come late or not at all.
///
/// ```
///          start            N seconds to 0, one more to notice
///  idle ──────────► running ──────────────────────────────────► finished
///   ▲             pause │ ▲ resume                                  │ start: from the total
///   │                   ▼ │                                         ▼
///   └──── reset ────── paused                                    running
/// ```
/// Whatever starts at 0 begins anew from the total.
/// Times are milliseconds since 1970, durations seconds.
package struct Countdown: Hashable, Sendable {
  package enum Phase: Hashable, Sendable {
    case idle
    /// Since a time at which `remaining` was left.
    case running(since: Int64)
    case paused(at: Int64)
    case finished
  }

  package private(set) var phase = Phase.idle
  /// What it counts down from; a record that changes meanwhile is taken up when it begins anew.
  package private(set) var total: Int
  /// What was left when it last started or stopped.
  package private(set) var remaining: Int
  /// When it was last started.
  package private(set) var startedAt: Int64?
  /// Another device has begun it, and tells what becomes of it.
  package private(set) var isMirrored = false

  package init(total: Int) {
    self.total = max(0, total)
    remaining = self.total
  }

  package var isRunning: Bool {
    if case .running = phase { true } else { false }
  }

  package var isPaused: Bool {
    if case .paused = phase { true } else { false }
  }

  /// Seconds left.
  package func current(_ now: Int64) -> Int {
    guard case .running(let since) = phase else { return remaining }
    return Int(max(0, Int64(remaining) - max(0, now - since) / 1000))
  }

  /// What is left of the whole, from 1 to 0; 0 where there is nothing to count.
  package func progress(_ now: Int64) -> Double {
    total > 0 ? min(1, Double(current(now)) / Double(total)) : 0
  }

  /// When it shows 0, while it runs.
  package var zeroAt: Int64? {
    guard case .running(let since) = phase else { return nil }
    return since + Int64(remaining) * 1000
  }

  /// When it notices: a second after it shows 0.
  package var completesAt: Int64? { zeroAt.map { $0 + 1000 } }

  /// When its display changes next, while it runs.
  package func nextTick(_ now: Int64) -> Int64? {
    guard case .running(let since) = phase, let completesAt else { return nil }
    return min(completesAt, since + (max(0, now - since) / 1000 + 1) * 1000)
  }

  package var primaryLabel: String {
    switch phase {
    case .running: "PAUSE"
    case .paused: "RESUME"
    case .idle, .finished: "START"
    }
  }

  /// Whether the display says "PAUSED": on the watch when it is, on others whenever it stands still
  /// below its whole, also at 0.
  package func showsPaused(_ idiom: Idiom, _ now: Int64) -> Bool {
    idiom == .watch ? isPaused : !isRunning && current(now) < total
  }

  // MARK: Transitions

  /// - Returns: whether it was not running.
  @discardableResult
  package mutating func start(_ now: Int64) -> Bool {
    guard !isRunning else { return false }
    if !isPaused || remaining == 0 { isMirrored = false }
    if remaining == 0 { remaining = total }
    phase = .running(since: now)
    startedAt = now
    return true
  }

  /// As start, but from what another device had left.
  package mutating func start(_ now: Int64, at remaining: Int) {
    guard start(now) else { return }
    isMirrored = true
    if remaining > 0 { self.remaining = remaining }
  }

  /// Begins anew where it ended, as often as there was time for.
  ///
  /// - Parameter end: when it noticed that.
  package mutating func startAgain(_ total: Int, endedAt end: Int64, _ now: Int64) {
    guard total > 0 else { return }
    let wasMirrored = isMirrored
    reset(to: total)
    let cycle = Int64(total + 1) * 1000
    start(end + max(0, now - end) / cycle * cycle)
    isMirrored = wasMirrored
  }

  /// - Returns: whether it was running.
  @discardableResult
  package mutating func pause(_ now: Int64) -> Bool {
    guard isRunning else { return false }
    remaining = current(now)
    phase = .paused(at: now)
    return true
  }

  /// - Returns: whether it was paused.
  @discardableResult
  package mutating func resume(_ now: Int64) -> Bool { isPaused && start(now) }

  package mutating func reset(to total: Int) { self = Countdown(total: total) }

  /// Takes up a new duration where nothing is under way.
  package mutating func follow(_ total: Int) {
    if phase == .idle {
      reset(to: total)
    } else if !isRunning, remaining == 0 {
      self.total = max(0, total)
    }
  }

  package mutating func complete() {
    phase = .finished
    remaining = 0
    startedAt = nil
  }

  /// - Returns: whether it completed.
  package mutating func advance(_ now: Int64) -> Bool {
    guard let completesAt, completesAt <= now else { return false }
    complete()
    return true
  }

  /// The device's clock was set by so many milliseconds.
  package mutating func shift(_ milliseconds: Int64) {
    if case .running(let since) = phase { phase = .running(since: since + milliseconds) }
  }
}

// MARK: What survives the app's end

extension Countdown {
  /// nil where there is nothing to survive.
  package var runtimeState: RuntimeState? {
    switch phase {
    case .idle, .finished: nil
    case .running(let since):
      RuntimeState(
        isRunning: true, isMirrored: isMirrored, remainingSeconds: remaining, totalSeconds: total,
        startTimestamp: startedAt, lastUpdateTimestamp: since)
    case .paused(let at):
      RuntimeState(
        isPaused: true, isMirrored: isMirrored, remainingSeconds: remaining, totalSeconds: total,
        startTimestamp: startedAt, pauseTimestamp: at, lastUpdateTimestamp: at)
    }
  }

  /// Takes up again: finished where it should have been meanwhile, else as it would be.
  ///
  /// - Precondition: the state is valid.
  package init(_ state: RuntimeState, now: Int64) {
    self.init(total: state.totalSeconds)
    remaining = state.remainingSeconds
    startedAt = state.startTimestamp
    isMirrored = state.isMirrored
    if state.shouldHaveCompleted(now) {
      complete()
    } else if state.isRunning {
      phase = .running(since: min(state.lastUpdateTimestamp, now))
    } else if state.isPaused {
      phase = .paused(at: state.pauseTimestamp ?? now)
    } else {
      reset(to: state.totalSeconds)
    }
  }
}
