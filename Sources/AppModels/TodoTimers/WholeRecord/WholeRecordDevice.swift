package import Merge

/// A device of the app that knows whole records only: what it stores, and how it takes in what it is
/// sent, by last write wins of whole timers.
///
/// A value without clock or connection: `now` is passed in, in seconds since 2001-01-01 UTC, and what
/// is to be sent is returned.
package struct WholeRecordDevice: Sendable {
  package enum Role: Sendable {
    /// The source of truth: it wins ties, edits everything, and answers what is older than its own.
    case phone
    /// A cache: it makes and deletes timers and toggles to-dos; texts are read-only on it.
    case watch
  }

  package let role: Role
  package private(set) var timers: [Identifier: TimerDTO] = [:]
  /// What those were dated that it has removed.
  private(set) var removed: [Identifier: Double] = [:]

  package init(_ role: Role) { self.role = role }

  /// A device that held this before.
  init(_ role: Role, timers: [TimerDTO], removed: [Identifier: Double]) {
    self.role = role
    self.timers = Dictionary(timers.map { ($0.id, $0) }, uniquingKeysWith: { _, last in last })
    self.removed = removed
  }

  /// Timers as they are shown: by place, then by creation, then by id.
  package var ordered: [TimerDTO] {
    timers.values.sorted {
      ($0.sortOrder ?? .max, $0.createdAt, $0.id) < ($1.sortOrder ?? .max, $1.createdAt, $1.id)
    }
  }

  /// All that it has.
  package func fullSync(now: Double) -> TodoTimersMessage {
    .fullSync(TimerSyncPayload(timers: ordered, syncTimestamp: now))
  }

  mutating func store(_ timer: TimerDTO) { timers[timer.id] = timer }

  mutating func remove(_ id: Identifier) {
    guard let timer = timers.removeValue(forKey: id) else { return }
    removed[id] = timer.updatedAt
  }

  /// The date of a change: now, but above that of what is changed, which may have come from a device
  /// whose clock is ahead. Else the change would lose to what it was made upon.
  static func date(_ now: Double, above before: Double) -> Double {
    max(now, RecordDate.after(before))
  }

  /// The date of a change of a timer. One that has come back after it was removed may be older than what
  /// was sent of it before, and the change must not be.
  func date(_ now: Double, of timer: TimerDTO) -> Double {
    Self.date(now, above: max(timer.updatedAt, removed[timer.id] ?? 0))
  }
}

// MARK: Taking in

extension WholeRecordDevice {
  /// Takes in a message.
  ///
  /// - Returns: what it answers.
  package mutating func apply(_ message: TodoTimersMessage, now: Double) -> [TodoTimersMessage] {
    switch message {
    case .syncRequest: return role == .phone ? [fullSync(now: now)] : []
    case .fullSync(let sync):
      // What the list lacks stays: it may be new here, and deletes are told one by one.
      for timer in sync.timers { _ = merge(timer) }
      return []
    case .timerUpdate(let update):
      guard let timer = update.timer, update.type != .deleted else {
        remove(update.timerID)
        return []
      }
      guard !merge(timer), role == .phone, let own = timers[timer.id], own != timer else {
        return []
      }
      return [.timerUpdate(TimerUpdateMessage(.updated, own))]
    case .quickAction(let action):
      apply(action, now: now)
      return []
    case .timerState: return []
    }
  }

  /// - Returns: whether the copy was taken.
  private mutating func merge(_ timer: TimerDTO) -> Bool {
    guard let own = timers[timer.id] else {
      store(timer)
      return true
    }
    let isTaken =
      timer.updatedAt > own.updatedAt || timer.updatedAt == own.updatedAt && role == .watch
    guard isTaken else { return false }
    var taken = timer
    taken.createdAt = own.createdAt
    taken.sortOrder = timer.sortOrder ?? own.sortOrder
    store(taken)
    return true
  }

  private mutating func apply(_ action: QuickActionMessage, now: Double) {
    guard var timer = timers[action.timerID] else { return }
    let date = date(now, of: timer)
    switch action.action {
    case .noteUpdated(let text): timer.notes = text
    case .todoToggled(let id, let isCompleted):
      guard let index = timer.todoItems.firstIndex(where: { $0.id == id }) else { return }
      timer.todoItems[index].isCompleted = isCompleted
      timer.todoItems[index].updatedAt = Self.date(
        now, above: timer.todoItems[index].updatedAt)
    }
    timer.updatedAt = date
    store(timer)
  }
}
