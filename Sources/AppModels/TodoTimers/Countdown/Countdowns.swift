package import Merge

/// The countdowns of all timers on one device, of which one runs at most.
package struct Countdowns: Hashable, Sendable {
  /// What happened to a timer's countdown.
  package struct Change: Hashable, Sendable {
    package var timer: Name
    package var action: TimerStateMessage.Action
    /// Seconds left.
    package var current: Int

    package init(_ timer: Name, _ action: TimerStateMessage.Action, _ current: Int) {
      self.timer = timer
      self.action = action
      self.current = current
    }
  }

  /// By timer; those that were never touched have none.
  package private(set) var all: [Name: Countdown] = [:]

  package init() {}

  /// A timer's countdown; an untouched one is idle.
  package func countdown(_ timer: TimerRecord) -> Countdown {
    all[timer.id] ?? Countdown(total: timer.duration)
  }

  package var running: Name? { all.first { $0.value.isRunning }?.key }

  /// When a display changes next.
  package func nextTick(_ now: Int64) -> Int64? {
    all.values.compactMap { $0.nextTick(now) }.min()
  }

  // MARK: Transitions

  /// Starts it where it stands, at 0 anew; what else runs is paused before.
  package mutating func start(_ timer: TimerRecord, _ now: Int64) -> [Change] {
    var countdown = countdown(timer)
    let goesOn = countdown.isPaused && countdown.remaining > 0
    let action: TimerStateMessage.Action = goesOn ? .resumed : .started
    guard countdown.start(now) else { return [] }
    let changes = pauseOthers(timer.id, now)
    all[timer.id] = countdown
    return changes + [Change(timer.id, action, countdown.current(now))]
  }

  package mutating func pause(_ timer: TimerRecord, _ now: Int64) -> [Change] {
    var countdown = countdown(timer)
    guard countdown.pause(now) else { return [] }
    all[timer.id] = countdown
    return [Change(timer.id, .paused, countdown.current(now))]
  }

  package mutating func reset(_ timer: TimerRecord) -> [Change] {
    all[timer.id] = Countdown(total: timer.duration)
    return [Change(timer.id, .reset, timer.duration)]
  }

  package mutating func restart(_ timer: TimerRecord, _ now: Int64) -> [Change] {
    reset(timer) + start(timer, now)
  }

  private mutating func pauseOthers(_ timer: Name, _ now: Int64) -> [Change] {
    var changes: [Change] = []
    for other in all.keys.sorted() where other != timer {
      if all[other]!.pause(now) { changes.append(Change(other, .paused, all[other]!.current(now))) }
    }
    return changes
  }

  /// Does what another device has done. What does not fit the countdown here is passed over.
  ///
  /// - Returns: what it changed. The last one is the timer's own, which is not to be told again;
  ///   those before are others that it paused.
  package mutating func apply(
    _ action: TimerStateMessage.Action, _ current: Int, to timer: TimerRecord, _ now: Int64
  ) -> [Change] {
    var countdown = countdown(timer)
    var changes: [Change] = []
    switch action {
    case .started:
      guard !countdown.isRunning else { return [] }
      changes = pauseOthers(timer.id, now)
      countdown.start(now, at: current)
    case .resumed:
      guard countdown.isPaused else { return [] }
      changes = pauseOthers(timer.id, now)
      countdown.resume(now)
    case .paused: guard countdown.pause(now) else { return [] }
    case .reset: countdown.reset(to: timer.duration)
    case .completed: countdown.complete()
    }
    all[timer.id] = countdown
    return changes + [Change(timer.id, action, countdown.current(now))]
  }

  /// Lets time pass.
  ///
  /// - Returns: the timers that are through, and when they noticed that.
  package mutating func advance(_ now: Int64) -> [(timer: Name, at: Int64)] {
    var ended: [(timer: Name, at: Int64)] = []
    for timer in all.keys.sorted() {
      guard let end = all[timer]!.completesAt, all[timer]!.advance(now) else { continue }
      ended.append((timer, end))
    }
    return ended
  }

  /// Starts a timer anew that was through, unless another runs by now.
  ///
  /// - Parameter end: when it noticed that.
  package mutating func startAgain(
    _ timer: TimerRecord, endedAt end: Int64, _ now: Int64
  ) -> [Change] {
    guard running == nil, timer.duration > 0, var countdown = all[timer.id] else { return [] }
    countdown.startAgain(timer.duration, endedAt: end, now)
    all[timer.id] = countdown
    return [Change(timer.id, .started, countdown.current(now))]
  }

  /// The device's clock was set by so many milliseconds.
  package mutating func shift(_ milliseconds: Int64) {
    for timer in all.keys { all[timer]!.shift(milliseconds) }
  }

  // MARK: Records that change elsewhere

  /// Takes up new durations where nothing is under way, and lets go of timers that are gone.
  ///
  /// - Returns: those that are gone.
  package mutating func follow(_ library: TimerLibrary) -> [Name] {
    let durations = Dictionary(uniqueKeysWithValues: library.timers.map { ($0.id, $0.duration) })
    var gone: [Name] = []
    for timer in all.keys.sorted() {
      if let duration = durations[timer] {
        all[timer]!.follow(duration)
      } else {
        all[timer] = nil
        gone.append(timer)
      }
    }
    return gone
  }

  package mutating func restore(_ timer: Name, _ countdown: Countdown) { all[timer] = countdown }
}
