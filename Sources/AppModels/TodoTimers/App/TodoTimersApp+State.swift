package import Merge
package import Wire

// What survives the app's end.
extension TodoTimersApp {
  package var localState: Datum {
    let countdowns = countdowns.all.compactMap { timer, countdown in
      countdown.runtimeState.map { Datum.Member(timer, $0.datum) }
    }
    let scheduled = scheduled.map { Datum.Member($0.key, .int(Int($0.value.at))) }
    return .sorted([
      Datum.Member("settings", settings.datum),
      Datum.Member("countdowns", .sorted(countdowns)),
      Datum.Member("scheduled", .sorted(scheduled)),
      Datum.Member("delivered", .array(delivered.map(Datum.string))),
    ])
  }

  package func restore(_ localState: Datum, now: Int64) throws(WireError) {
    guard case .object = localState else {
      throw WireError(.invalidField, "the state of todoTimers must be an object")
    }
    let states = try Self.states(localState["countdowns"])
    let scheduled = try Self.times(localState["scheduled"])

    settings = TodoTimersSettings(localState["settings"])
    clock = now
    let library = library
    countdowns = Countdowns()
    self.scheduled = [:]
    for (timer, state) in states where library[timer] != nil {
      countdowns.restore(timer, Countdown(state, now: now))
    }
    if case .array(let timers)? = localState["delivered"] {
      delivered = timers.compactMap(\.text).filter { library[$0] != nil }
    }
    restore(scheduled, now)
    for (timer, state) in states where library[timer] != nil && state.shouldHaveCompleted(now) {
      carryOut([Countdowns.Change(timer, .completed, 0)], now)
      finish(timer, endedAt: min(state.completesAt, now), now)
    }
    _ = countdowns.follow(library)
  }

  /// Shows what was due meanwhile, and schedules the rest anew.
  private func restore(_ times: [(timer: Name, at: Int64)], _ now: Int64) {
    for (timer, at) in times {
      guard let record = library[timer] else {
        emit(.cancelled(id: Completion.id(timer, idiom)))
        continue
      }
      let notification = notification(record)
      scheduled[timer] = Scheduled(notification: notification, at: at)
      if at > now { emit(.scheduled(notification, at: at)) }
    }
    notifyDue(now)
  }

  private static func states(
    _ datum: Datum?
  ) throws(WireError) -> [(timer: Name, state: RuntimeState)] {
    guard case .object(let members)? = datum else { return [] }
    var states: [(timer: Name, state: RuntimeState)] = []
    for member in members { states.append((member.name, try RuntimeState(member.value))) }
    guard states.count(where: \.state.isRunning) <= 1 else {
      throw WireError(.invalidField, "only one timer can run on a device")
    }
    return states
  }

  private static func times(_ datum: Datum?) throws(WireError) -> [(timer: Name, at: Int64)] {
    guard case .object(let members)? = datum else { return [] }
    var times: [(timer: Name, at: Int64)] = []
    for member in members {
      guard let at = member.value.text.flatMap({ Int64($0.text) }), (0...(1 << 53)).contains(at)
      else {
        throw WireError(
          .invalidField, "a scheduled notification must be at milliseconds since 1970")
      }
      times.append((member.name, at))
    }
    return times
  }
}
