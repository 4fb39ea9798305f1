import AppModels
import Merge
import Wire

/// What a bridged device sends, carried out: it has been checked, and nothing fails from here on.
struct BridgeIntake {
  let relay: Relay
  let hub: Hub
  let bridged: BridgedDevice
  let device: Device
  let author: ReplicaID

  init(relay: Relay, _ hub: Hub, _ bridged: BridgedDevice, _ device: Device) {
    self.relay = relay
    self.hub = hub
    self.bridged = bridged
    self.device = device
    author = hub.bridgeReplica(for: device, store: relay.identity)
  }

  var fold: Fold { hub.replica.fold }

  // MARK: Payloads

  func take(_ sync: TimerSyncPayload) {
    advanceWindows()
    bridged.tell(sync.syncTimestamp, now: relay.nowMS)
    let isLate = bridged.lastFullSync.map { sync.syncTimestamp < $0 } ?? false
    if !isLate {
      bridged.lastFullSync = sync.syncTimestamp
      deleteAbsent(sync)
    }
    take(sync.timers, isList: true)
  }

  func take(_ update: TimerUpdateMessage) {
    advanceWindows()
    if let timer = update.timer, update.type != .deleted { return take([timer], isList: false) }
    delete(update.timerID, held: update.timer)
  }

  func take(_ action: QuickActionMessage) {
    advanceWindows()
    let timer = action.timerID
    // What was done last may have been dated by a clock that is ahead, or above what it was done to.
    let dates = (bridged[timer]?.timers ?? []).map(\.updatedAt)
    let latest = dates.reduce(bridged.latest(at: relay.nowMS)) { max($0, PayloadDate.after($1)) }
    var window = bridged[timer] ?? RecordWindow(.unknown)
    guard !isGone(.timer(timer)), !hasSeenDeleted(timer, window) else {
      bridged.isOwed.insert(timer)
      return
    }
    // What it acts on it has.
    if case .todoToggled(let todo, _) = action.action {
      window.advance(actedOn: todo)
    } else {
      window.advance(actedOn: nil)
    }
    let shown = hub.vector(at: window.start.position)
    switch action.action {
    case .noteUpdated(let text):
      let present = hub.timers()[timer]
      let own = window.start.state.timer?.notes ?? ""
      if window.start.state == .unknown {
        writeNotes(text, of: timer, from: nil, isNewer: true, present, shown, time: relay.nowMS)
      } else if text != own || (present?.notes ?? "") != text {
        writeNotes(text, of: timer, from: own, isNewer: true, present, shown, time: relay.nowMS)
      }
      window.amend(latest: latest) { $0.notes = text.utf8.isEmpty ? nil : text }
    case .todoToggled(let id, let isCompleted):
      let known = window.start.state.timer
      guard !isGone(.todo(id)),
        known == nil || known?.todo(id) != nil
          || window.timers.contains(where: { $0.todo(id) != nil })
      else {
        bridged.isOwed.insert(timer)
        return
      }
      if fold.value(.todo(id), "isCompleted", within: hub.replica.vector) != .bool(isCompleted)
        || !fold.isVisible(.todo(id), hub.schema)
      {
        var draft = BridgeDraft(self, shown: shown)
        draft.set(.todo(id), ["isCompleted": .bool(isCompleted)])
        mint(draft.actions, shown, time: relay.nowMS)
      }
      window.amend(latest: latest) { held in
        for index in held.todoItems.indices where held.todoItems[index].id == id {
          held.todoItems[index].isCompleted = isCompleted
          held.todoItems[index].updatedAt = max(held.todoItems[index].updatedAt, latest)
        }
      }
    }
    // How it dated that is not known, so what is on its way to it may undo it there.
    if window.entries.count > 1 { bridged.isOwed.insert(timer) }
    bridged[timer] = window
  }

  /// Moves windows' starts to what the device has processed by now.
  private func advanceWindows() {
    for (id, record) in bridged.records where record.window.entries.count > 1 {
      var window = record.window
      window.advance { bridged.hasProcessed($0) }
      bridged[id] = window
    }
  }

  // MARK: Copies

  private func take(_ timers: [TimerDTO], isList: Bool) {
    let before = ownOrder()
    var moved: [Identifier: Int64] = [:]
    let ordered = timers.sorted {
      ($0.sortOrder ?? .max, $0.createdAt, $0.id) < ($1.sortOrder ?? .max, $1.createdAt, $1.id)
    }
    for timer in ordered {
      if let sortOrder = take(timer, isList: isList) { moved[timer.id] = sortOrder }
    }
    move(moved, timers, before)
  }

  /// - Returns: the new order number where the copy has one.
  private func take(_ timer: TimerDTO, isList: Bool) -> Int64? {
    guard var window = bridged[timer.id] else {
      return takeNew(timer, isList: isList)
    }
    if window.isLate(timer) {
      // Should it be what the device holds all the same, it is told otherwise.
      if hub.timers()[timer.id]?.showsSame(as: timer) != true { bridged.isOwed.insert(timer.id) }
      return nil
    }
    if !window.mayFollow(timer.updatedAt) { bridged.tell(timer.updatedAt, now: relay.nowMS) }
    window.advance(showing: timer, isOfList: isList)
    guard !isGone(.timer(timer.id)), !hasSeenDeleted(timer.id, window) else {
      bridged.isOwed.insert(timer.id)
      return nil
    }
    let present = fold.isVisible(.timer(timer.id), hub.schema) ? hub.timers()[timer.id] : nil
    let difference = TimerDifference(timer, window, present: present, isOfList: isList)
    carryOut(difference, timer, window, present)
    window.receive(timer, atLeast: hub.oldest) { !bridged.hasProcessed($0) }
    // Whether it met the delete before it made the copy, and has taken in what followed that, is not
    // known.
    if window.firstDelete != nil { bridged.isOwed.insert(timer.id) }
    bridged[timer.id] = window
    return difference.sortOrder
  }

  private func takeNew(_ timer: TimerDTO, isList: Bool) -> Int64? {
    let target = Target.timer(timer.id)
    guard !fold.isKnown(target) else {
      guard fold.isCreated(target) else {
        bridged.isOwed.insert(timer.id)
        bridged[timer.id] = RecordWindow(.absent)
        return nil
      }
      bridged[timer.id] = RecordWindow(.unknown)
      return take(timer, isList: isList)
    }
    bridged.tell(timer.updatedAt, now: relay.nowMS)
    let place = predecessor(of: timer)
    let shown = hub.vector(at: place.flatMap { bridged[$0]?.start.position })
    var draft = BridgeDraft(self, shown: shown)
    draft.create(timer, after: place)
    mint(draft.actions, shown, time: time(timer))
    var window = RecordWindow(.unknown)
    window.receive(timer, atLeast: hub.oldest)
    bridged[timer.id] = window
    return nil
  }

  private func carryOut(
    _ difference: TimerDifference, _ timer: TimerDTO, _ window: RecordWindow, _ present: TimerDTO?
  ) {
    let shown = hub.vector(at: window.start.position)
    let isUnknown = window.start.state == .unknown
    let time = time(timer, window)
    let isNewer = present.map { $0.updatedAt < timer.updatedAt } ?? true
    var difference = difference
    // What is known no longer one by one cannot be written beside.
    if isUnknown, hub.oldest > 0, !isNewer { leaveOutOlder(&difference, timer, shown, time) }
    for todo in difference.deletedTodos { delete(.todo(todo), seenThrough: window.start.position) }
    var draft = BridgeDraft(self, shown: shown)
    draft.set(.timer(timer.id), withoutOwn(difference.writes, .timer(timer.id), shown))
    for write in difference.todoWrites where !isGone(.todo(write.id)) {
      draft.set(.todo(write.id), withoutOwn(write.writes, .todo(write.id), shown))
    }
    draft.create(
      difference.newTodos.filter { !fold.isKnown(.todo($0.todo.id)) }, in: .timer(timer.id))
    if isUnknown { draft.revive(difference.newTodos.filter { fold.isCreated(.todo($0.todo.id)) }) }
    for move in difference.todoMoves {
      draft.move(.todo(move.id), after: move.after, in: .timer(timer.id))
    }
    mint(draft.actions, shown, time: time)
    if let notes = difference.notes {
      writeNotes(
        notes, of: timer.id, from: isUnknown ? nil : window.start.state.timer?.notes ?? "",
        isNewer: isNewer, present, shown, time: time)
    }
  }

  /// Takes out of a copy of which nothing is known what is older than that which an operation of it
  /// would say it has seen; the device is told what is so instead.
  private func leaveOutOlder(
    _ difference: inout TimerDifference, _ timer: TimerDTO, _ shown: VersionVector,
    _ time: UInt64
  ) {
    let all = difference
    func newer(_ writes: [Name: Datum], _ target: Target) -> [Name: Datum] {
      guard !fold.hasSeenDelete(of: target, within: shown) else { return [:] }
      return writes.filter { name, _ in
        guard let other = fold.stamp(of: name, target, within: shown) else { return true }
        return (other.ms, other.rank) < (time, device.rank)
      }
    }
    difference.writes = newer(difference.writes, .timer(timer.id))
    for index in difference.todoWrites.indices {
      let write = difference.todoWrites[index]
      difference.todoWrites[index].writes = newer(write.writes, .todo(write.id))
    }
    difference.newTodos.removeAll { fold.hasSeenDelete(of: .todo($0.todo.id), within: shown) }
    if difference != all { bridged.isOwed.insert(timer.id) }
  }

  /// Writes without those that the device has made already, by a word and upon something older: the
  /// copies of the window need not have them.
  private func withoutOwn(
    _ writes: [Name: Datum], _ target: Target, _ shown: VersionVector
  ) -> [Name: Datum] {
    let own = withOwn(shown)
    return writes.filter { name, value in
      fold.value(target, name, within: own) != value
        || fold.stamp(of: name, target, within: own) == fold.stamp(of: name, target, within: shown)
    }
  }

  /// What had been shown, and all that the device did itself.
  func withOwn(_ shown: VersionVector) -> VersionVector {
    var vector = shown
    vector[author] = hub.replica.end(of: author).seq
    return vector
  }

  /// When a copy was made, in milliseconds since 1970; never ahead of the hub's clock.
  ///
  /// Where nothing is known, but that it is dated above what was sent, it is above that by 1 ms at least:
  /// the device takes it for newer, too.
  private func time(_ timer: TimerDTO, _ window: RecordWindow? = nil) -> UInt64 {
    let newest = timer.todoItems.reduce(timer.updatedAt) { max($0, $1.updatedAt) }
    let time = min(PayloadDate.milliseconds(newest), relay.nowMS)
    guard let window, window.start.state == .unknown,
      let sent = window.timers.map(\.updatedAt).filter({ $0 < timer.updatedAt }).max()
    else { return time }
    return max(time, min(PayloadDate.milliseconds(sent), relay.nowMS) + 1)
  }

  /// Whether a record is being collected, or has been.
  func isGone(_ target: Target) -> Bool {
    fold.graveyard[target] != nil && !fold.isCreated(target) || fold.isSealed(target)
  }

  /// Whether the device has been told that a timer is gone, or has deleted it, and was not sent it
  /// anew.
  private func hasSeenDeleted(_ id: Identifier, _ window: RecordWindow) -> Bool {
    window.start.state == .absent && window.timers.isEmpty
  }

  // MARK: Minting

  /// Makes an operation of the bridge's replica and takes it in.
  ///
  /// - Parameter time: of its stamp, which stands above all that is shown besides.
  func mint(_ actions: [Action], _ shown: VersionVector, time: UInt64) {
    let actions = actions.filter { !fold.isSealed($0) }
    guard !actions.isEmpty else { return }
    let written = written(actions, shown, time: time)
    // What cannot be taken in has been logged; the device is sent the present state.
    try? relay.take(written, hub)
  }

  func written(_ actions: [Action], _ shown: VersionVector, time: UInt64) -> Replica.Written {
    hub.replica.mint(
      actions, by: author, rank: device.rank, shown: shown, time: time,
      wall: Int64(relay.nowMS), after: fold.latest(within: withOwn(shown)))
  }
}
