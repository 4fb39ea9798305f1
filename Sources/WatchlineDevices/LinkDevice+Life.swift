import Foundation
import Wire

extension LinkDevice {
  // MARK: Sessions

  /// The session of the running app of a class; made where there is none yet.
  package func session<Session: DeviceSession>(of type: Session.Type, _ make: () -> Session)
    -> Session
  {
    locked {
      if let known = sessions[ObjectIdentifier(type)] as? Session { return known }
      let session = make()
      sessions[ObjectIdentifier(type)] = session
      self.session = session
      return session
    }
  }

  /// Whether a session is the running app's.
  func isCurrent(_ session: any DeviceSession) -> Bool {
    locked { sessions.values.contains { $0 === session } }
  }

  /// The app asks for activation; the answer comes as an event.
  package func activate(_ session: any DeviceSession, hasDelegate: Bool) {
    locked {
      guard isCurrent(session) else { return }
      self.session = session
      guard hasDelegate else {
        tell(
          .activationDidComplete(
            DeviceError(
              .sessionMissingDelegate, "the session has no delegate to be told of anything")))
        return
      }
      if let fault {
        // It is told that, and stays as it was.
        hasActivated = true
        return tell(.activationDidComplete(fault))
      }
      if isOnline, !isBound { connectSession() }
      if !hasActivated || latest.activationState != 2 {
        if isOnline, isBound, !hasActivated, !isWoken {
          request(appState: "foreground")
        }
        hasActivated = true
        isWoken = false
        latest.activationState = 2
        for index in events.indices { events[index].facts.activationState = 2 }
        // The first thing that is told, ahead of what was kept.
        events.insert(
          Queued(event: .activationDidComplete(nil), facts: latestNow()), at: 0)
      } else {
        tell(.activationDidComplete(nil))
      }
      link.pumpSoon()
    }
  }

  /// The facts as they were when the session began; what was kept changes them as it is told.
  func latestNow() -> DeviceFacts {
    var now = events.first?.facts ?? latest
    now.activationState = 2
    return now
  }

  // MARK: The app's life

  /// Runs app code as on this device.
  package func run<Result>(_ body: () throws -> Result) rethrows -> Result {
    try Self.$current.withValue(self, operation: body)
  }

  /// Runs app code as on this device.
  package func run<Result>(_ body: () async throws -> Result) async rethrows -> Result {
    try await Self.$current.withValue(self, operation: body)
  }

  /// The app is ended; what its delegate had not returned from comes again.
  package func kill() {
    // What is deinitialised with the app may call its session.
    var ended: Any?
    defer { withExtendedLifetime(ended) {} }
    locked {
      acknowledge()
      isRunning = false
      hasActivated = false
      isWoken = false
      sessions = [:]
      session = nil
      ended = app
      app = nil
      contentInQueue = 0
      queue = Self.queue(name)
      queue.setSpecific(key: Self.queueKey, value: self)
      events.removeAll { $0.acknowledge != nil || !$0.event.isOutcome }
      shown = DeviceFacts()
      latest.activationState = 0
      outbox.awaiting = [:]
      if isBound { request(appState: "terminated") }
    }
  }

  /// The app is started.
  package func launch() {
    let start = locked { () -> (@Sendable () -> Any)? in
      guard !isRunning else { return nil }
      isRunning = true
      return onLaunch
    }
    if let start { keep(run(start)) }
  }

  /// Makes the app's objects, now and with each launch.
  package func setLaunch(_ body: @escaping @Sendable () -> Any) {
    locked { onLaunch = body }
    keep(run(body))
  }

  func keep(_ made: Any) { locked { app = made } }

  func stateChanged(_ members: Members) {
    guard members.string("state") == "background", !hasActivated else { return }
    isWoken = true
    isLaunchDue = !isRunning && onLaunch != nil
  }

  /// What a person does with the app: `foreground`, `background` or `suspended`.
  package func setAppState(_ state: String) {
    locked { request(appState: state) }
  }

  func request(appState state: String) {
    link.trace.add(
      name, .appState, count: ["foreground", "background", "suspended"].firstIndex(of: state) ?? 3)
    request("setAppState", "\"state\":\"\(state)\"")
  }

  /// Sets a fact of clause 4.6.
  package func set(_ fact: String, _ value: Bool) {
    locked { _ = request("setDeviceState", "\"\(fact)\":\(value)") }
  }

  /// The phone is switched to another watch.
  package func select(_ watch: LinkDevice) {
    locked {
      link.trace.add(name, .select, to: watch.name)
      request("selectWatch", "\"device\":\(quoted(watch.name))")
    }
  }

  package func goOffline() { locked { disconnect() } }
  package func goOnline() { locked { connect() } }
}

extension DeviceEvent {
  /// Whether it is kept for the next launch.
  var isOutcome: Bool {
    if case .didFinish = self { return true }
    return false
  }
}

package func quoted(_ text: String) -> String {
  var bytes: [UInt8] = []
  bytes.append(jsonString: text)
  return String(decoding: bytes, as: UTF8.self)
}
