import Foundation
import Relay
import Wire

extension LinkDevice {
  // MARK: Telling

  func tell(_ event: DeviceEvent, _ members: Members, lane: LaneName) {
    let seq = members.count("seq") ?? 0
    guard !isProcessed(lane, seq) else { return }
    events.append(Queued(event: event, facts: latest, acknowledge: (lane, seq)))
    if link.takeDuplicate() {
      events.append(
        Queued(event: event, facts: latest, acknowledge: (lane, seq), isRepeated: true))
    }
  }

  /// Whether the delegate has returned from a delivery already, which comes again as the server had not heard of that.
  func isProcessed(_ lane: LaneName, _ seq: UInt64) -> Bool {
    guard seq <= processed[lane] ?? 0 else { return false }
    told[lane] = max(told[lane] ?? 0, seq)
    return true
  }

  func tell(_ event: DeviceEvent, acknowledge: (lane: LaneName, seq: UInt64)? = nil) {
    events.append(Queued(event: event, facts: latest, acknowledge: acknowledge))
    if link.latency != nil { link.pumpSoon() }
  }

  /// Whether something waits that can be told.
  var hasEvents: Bool {
    locked { isLaunchDue || !events.isEmpty && hasActivated && session != nil }
  }

  /// Whether content has come that the delegate has not been given.
  package var hasContentPending: Bool {
    locked {
      link.carryOut()
      return contentInQueue > 0 || events.contains(where: \.isContent)
    }
  }

  /// Hands what waits to the session's queue.
  ///
  /// - Returns: whether anything waited.
  func pump() -> Bool {
    let mustLaunch = launchIfDue()
    guard let batch = takeEvents() else { return mustLaunch }
    queue.async { self.tell(batch) }
    return true
  }

  /// Hands what waits to the session's queue, and waits until that has come to it.
  func pumpAndWait() {
    _ = launchIfDue()
    let batch = takeEvents()
    // On a queue with nothing to do this changes no thread.
    queue.sync { if let batch { self.tell(batch) } }
  }

  func launchIfDue() -> Bool {
    let isDue = locked { () -> Bool in
      defer { isLaunchDue = false }
      return isLaunchDue
    }
    if isDue { launch() }
    return isDue
  }

  /// What is told in one go: only ever used on the queue.
  final class Events: @unchecked Sendable {
    let events: [Queued]
    let session: any DeviceSession

    init(_ events: [Queued], _ session: any DeviceSession) {
      self.events = events
      self.session = session
    }
  }

  func takeEvents() -> Events? {
    lock.lock()
    defer { lock.unlock() }
    guard hasActivated, let session, !events.isEmpty else { return nil }
    contentInQueue += events.count(where: \.isContent)
    defer { events = [] }
    return Events(link.reordered(events), session)
  }

  func tell(_ batch: Events) {
    for queued in batch.events { tell(queued, to: batch.session) }
    locked { acknowledge() }
  }

  /// On the session's queue.
  func tell(_ queued: Queued, to session: any DeviceSession) {
    let isDue = locked { () -> Bool in
      guard isCurrent(session) else {
        // The end of a transfer is told once, to whichever launch of the app.
        if queued.event.isOutcome, queued.acknowledge == nil { events.append(queued) }
        return false
      }
      shown = queued.facts
      // It was handed out once more as the app was started.
      guard !queued.isRepeated, let (lane, seq) = queued.acknowledge, isProcessed(lane, seq)
      else { return true }
      if queued.isContent { contentInQueue -= 1 }
      return false
    }
    guard isDue else { return }
    session.handle(queued.event)
    if case .didFinish(let number, _, _) = queued.event { store?.ended(number) }
    if case .applicationContext(let payload) = queued.event {
      locked { link.contextWasTold(payload, by: self) }
    }
    guard let (lane, seq) = queued.acknowledge else { return }
    locked {
      guard isCurrent(session) else { return }
      if queued.isContent { contentInQueue -= 1 }
      told[lane] = max(told[lane] ?? 0, seq)
      processed[lane] = max(processed[lane] ?? 0, seq)
    }
  }

  /// Tells the relay what the delegate has returned from: once for several, and before anything else is asked.
  func acknowledge() {
    guard isOnline, !told.isEmpty else { return }
    let lanes = sorted(told)
    told.removeAll(keepingCapacity: true)
    for (lane, seq) in lanes { request("acknowledge", "\"lane\":\"\(lane)\",\"seq\":\(seq)") }
  }

  /// By lane, in one order.
  func sorted(_ lanes: [LaneName: UInt64]) -> [(key: LaneName, value: UInt64)] {
    lanes.sorted { $0.key.rawValue < $1.key.rawValue }
  }
}
