import Merge
import Wire

// Time, notifications and live messages.
extension TodoTimersApp {
  package func tick(now: Int64) {
    if let clock, now < clock { shift(now - clock) }
    clock = now
    notifyDue(now)
    for (timer, end) in countdowns.advance(now) {
      carryOut([Countdowns.Change(timer, .completed, 0)], now)
      celebrate(timer)
      finish(timer, endedAt: end, now)
    }
  }

  /// A timer is through: that goes into the history, and what repeats begins anew.
  ///
  /// - Parameter end: when it noticed that.
  func finish(_ timer: Name, endedAt end: Int64, _ now: Int64) {
    guard let record = library[timer], let countdown = countdowns.all[timer] else { return }
    if !countdown.isMirrored { note(record, total: countdown.total, finishedAt: end - 1000, now) }
    guard record.repeats else { return }
    carryOut(countdowns.startAgain(record, endedAt: end, now), now)
  }

  /// Another run for the history, in the place of the oldest where there are too many.
  private func note(_ timer: TimerRecord, total: Int, finishedAt: Int64, _ now: Int64) {
    guard records.carries("run") else { return }
    let oldest = RunHistory(records).runs.dropFirst(RunHistory.limit - 1)
    do throws(WireError) {
      try edit(now: now) { edit throws(WireError) in
        for run in oldest { try edit.delete("run", run.id) }
        try edit.create(
          "run",
          [
            "timer": .string(timer.id), "name": .string(timer.name),
            "durationInSeconds": .int(total), "finishedAt": .date(finishedAt),
          ])
      }
    } catch {
      notice = "A run of \"\(timer.name.shortened)\" is not in the history: \(error.message)"
    }
  }

  package func nextTick(now: Int64) -> Int64? {
    ([countdowns.nextTick(now), nextFace(now)] + scheduled.values.map(\.at)).compactMap { $0 }.min()
      .map { max($0, now) }
  }

  /// The clock was set back: what is under way goes on from where it is.
  private func shift(_ milliseconds: Int64) {
    countdowns.shift(milliseconds)
    for timer in scheduled.keys.sorted() {
      scheduled[timer]!.at += milliseconds
      announce(timer)
    }
  }

  private func celebrate(_ timer: Name) {
    // Seed 000 asks for the success pattern, seed 001 for a heavy impact and a sound.
    emit(.haptic("success"))
    emit(.haptic("heavy"))
    if settings.sound { emit(.sound("complete")) }
    if settings.alerts { completed = timer }
  }

  // MARK: What countdowns bring about

  /// - Parameter isRemote: the last of the changes is another device's, and not told again.
  func carryOut(_ changes: [Countdowns.Change], _ now: Int64, isRemote: Bool = false) {
    for (index, change) in changes.enumerated() {
      switch change.action {
      case .started, .resumed: schedule(change.timer)
      case .paused, .reset, .completed: unschedule(change.timer)
      }
      if change.action != .completed, completed == change.timer { completed = nil }
      guard settings.share, !isRemote || index < changes.count - 1 else { continue }
      let state = TimerStateMessage(
        change.timer, change.action, current: change.current, now: now)
      if let state { emit(.message(state.live)) }
    }
  }

  package func didReceive(message: [UInt8], now: Int64) {
    tick(now: now)
    guard settings.share, let state = try? TimerStateMessage(live: message),
      let timer = library[Name(state.timerID.description)], state.timestamp >= lastShared ?? 0,
      state.currentTime <= max(timer.duration, countdowns.countdown(timer).total)
    else { return }
    lastShared = state.timestamp
    let isOwn = countdowns.all[timer.id].map { $0.isRunning && !$0.isMirrored } ?? false
    let changes = countdowns.apply(state.action, Int(state.currentTime), to: timer, now)
    carryOut(changes, now, isRemote: true)
    if isOwn, state.action == .completed { finish(timer.id, endedAt: now, now) }
  }

  // MARK: Notifications

  func notification(_ timer: TimerRecord) -> Notification {
    Completion.notification(
      timer, total: countdowns.countdown(timer).total, idiom, hasSound: settings.sound)
  }

  /// Schedules a running timer's notification for when it shows 0.
  private func schedule(_ timer: Name) {
    guard settings.alerts, let record = library[timer],
      let zeroAt = countdowns.all[timer]?.zeroAt
    else { return }
    scheduled[timer] = Scheduled(notification: notification(record), at: zeroAt)
    announce(timer)
  }

  private func announce(_ timer: Name) {
    guard let scheduled = scheduled[timer] else { return }
    emit(.scheduled(scheduled.notification, at: scheduled.at))
  }

  func unschedule(_ timer: Name) {
    guard let scheduled = scheduled.removeValue(forKey: timer) else { return }
    emit(.cancelled(id: scheduled.notification.id))
  }

  /// Schedules anew what was renamed or has another sound now.
  func refreshSchedule() {
    for timer in scheduled.keys.sorted() {
      guard let record = library[timer] else { continue }
      let notification = notification(record)
      if scheduled[timer]!.notification != notification {
        scheduled[timer]!.notification = notification
        announce(timer)
      }
    }
  }

  /// The setting of alerts has changed.
  func followAlerts(_ now: Int64) {
    if settings.alerts {
      if let timer = countdowns.running, let zeroAt = countdowns.all[timer]?.zeroAt, zeroAt > now {
        schedule(timer)
      }
    } else {
      for timer in scheduled.keys.sorted() { unschedule(timer) }
      completed = nil
    }
  }

  func notifyDue(_ now: Int64) {
    for timer in scheduled.keys.sorted() where scheduled[timer]!.at <= now {
      emit(.notified(scheduled.removeValue(forKey: timer)!.notification))
      delivered.removeAll { $0 == timer }
      delivered.append(timer)
    }
  }

  /// What is chosen in the newest notification; nothing opens it.
  func act(_ line: CommandLine, now: Int64) throws(WireError) {
    let word = line.rest.uppercased()
    guard !word.isEmpty else {
      let timer = try newestDelivered()
      open(timer.id)
      delivered.removeAll { $0 == timer.id }
      return
    }
    guard
      let action = Completion.Action.allCases.first(where: {
        $0.rawValue == word || $0.rawValue.split(separator: "_").first.map(String.init) == word
      })
    else {
      let known = Completion.Action.allCases.map(\.rawValue).joined(separator: ", ")
      throw WireError(.invalidField, "act takes one of \(known)")
    }
    let timer = try newestDelivered()
    switch action {
    case .restart:
      restart(timer, now)
      open(timer.id)
    case .markComplete:
      try edit(now: now) { edit throws(WireError) in
        for todo in timer.todos where !todo.isCompleted {
          try edit.set("todo", todo.id, ["isCompleted": .bool(true)])
        }
      }
    case .dismiss: break
    }
    delivered.removeAll { $0 == timer.id }
  }

  private func newestDelivered() throws(WireError) -> TimerRecord {
    guard let timer = delivered.last.flatMap({ library[$0] }) else {
      throw WireError(.invalidField, "there is no notification to act on")
    }
    return timer
  }

  /// Shows a timer, behind a form that is open.
  private func open(_ timer: Name) {
    if route.formShown == nil { route = .detail(timer) }
  }
}
