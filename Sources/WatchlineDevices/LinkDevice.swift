import Foundation
import Wire

/// A phone or a watch of a link: what the system of a real one does for its apps' sessions.
///
/// It stays connected while its app is not running, keeps what its app has handed over until that can be sent, and
/// keeps what has come until the app has activated.
package final class LinkDevice: @unchecked Sendable {
  package let name: String
  package let isPhone: Bool
  package unowned let link: Link

  /// The device whose app's code is running.
  @TaskLocal package static var current: LinkDevice?
  private static let queueKey = DispatchSpecificKey<LinkDevice>()

  // MARK: The app

  /// Runs where the app is launched, or woken.
  package var onLaunch: (@Sendable () -> Void)?
  package private(set) var isRunning = true
  /// The sessions of the running app, by class: one of each module.
  private var sessions: [ObjectIdentifier: any DeviceSession] = [:]
  private(set) var session: (any DeviceSession)?
  private var queue: DispatchQueue
  private var hasActivated = false
  /// It was woken, and starts when the link is next pumped.
  private var isLaunchDue = false

  // MARK: What is known and what waits

  /// What the session shows.
  package var facts: DeviceFacts { locked { shown } }
  private var shown = DeviceFacts()
  /// As they are to be once all events are told.
  private var latest = DeviceFacts()
  package private(set) var isOnline = false
  private var events: [Queued] = []
  /// Content that was handed to the session's queue, and of which its delegate has not returned.
  private var contentInQueue = 0
  /// What the delegate has returned from, by lane, and the relay has not been told of.
  private var told: [String: UInt64] = [:]
  /// Of complication transfers, as it was last told.
  private var budget = 0
  private var answers: [String: Answer] = [:]
  private var nextCall: UInt64 = 1
  var outbox = Outbox()
  var download: Download?
  /// How many transfers could not be made at all.
  var failed: UInt64 = 0
  /// What is asked to come true for a test; see `LinkDevice+Faults`.
  package var pretendedReachability: Bool?

  struct Queued {
    var event: DeviceEvent
    var facts: DeviceFacts
    /// What is acknowledged once it has been told.
    var acknowledge: (lane: String, seq: UInt64)?
    var isContent: Bool { acknowledge.map { $0.lane != "outcome" } ?? false }
  }

  struct Answer {
    var members: Members
    var error: DeviceError?
  }

  init(name: String, isPhone: Bool, link: Link) {
    self.name = name
    self.isPhone = isPhone
    self.link = link
    queue = Self.queue(name)
    queue.setSpecific(key: Self.queueKey, value: self)
  }

  private static func queue(_ name: String) -> DispatchQueue {
    DispatchQueue(label: "WCSession of \(name)")
  }

  /// The device whose delegate's queue this is, or whose app's code is running in this task.
  package static var ofCaller: LinkDevice? {
    DispatchQueue.getSpecific(key: queueKey) ?? current
  }

  private var lock: NSRecursiveLock { link.lock }

  func locked<Result>(_ body: () throws -> Result) rethrows -> Result { try link.locked(body) }

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
      if isOnline, !isBound { connectSession() }
      if !hasActivated || latest.activationState != 2 {
        if isOnline, isBound, !hasActivated, !isWoken {
          request("setAppState", #""state":"foreground""#)
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
  private func latestNow() -> DeviceFacts {
    var now = events.first?.facts ?? latest
    now.activationState = 2
    return now
  }

  // MARK: The connection

  /// Whether the relay has a session of it.
  private var isBound = false
  private var isWoken = false

  func connect() {
    guard !isOnline else { return }
    isOnline = true
    link.open(self)
    connectSession()
    flush()
  }

  private func connectSession() {
    let role = isPhone ? "phone" : "watch"
    let answer = request(
      "activate", "\"pair\":\(quoted(link.name)),\"role\":\"\(role)\",\"device\":\(quoted(name))")
    isBound = answer?.error == nil
    guard let answer, isBound else { return }
    read(answer.members)
    if !hasActivated { request("setAppState", #""state":"terminated""#) }
    if answer.members.flag("mayHaveMissedDidFinish") == true { reconcile() }
  }

  func disconnect() {
    guard isOnline else { return }
    acknowledge()
    isOnline = false
    isBound = false
    link.close(self)
    download = nil
    // What was not acknowledged comes again.
    events.removeAll { $0.acknowledge != nil }
    for id in outbox.awaiting.keys.sorted() {
      fail(
        id, DeviceError(.deliveryFailed, "the connection was lost before the reply came"))
    }
    setReachable(false)
  }

  private func read(_ members: Members) {
    latest.isPaired = members.flag("isPaired") ?? latest.isPaired
    latest.isWatchAppInstalled = members.flag("isWatchAppInstalled") ?? latest.isWatchAppInstalled
    latest.isComplicationEnabled =
      members.flag("isComplicationEnabled") ?? latest.isComplicationEnabled
    latest.isCompanionAppInstalled =
      members.flag("isCompanionAppInstalled") ?? latest.isCompanionAppInstalled
    latest.iOSDeviceNeedsUnlock =
      members.flag("iOSDeviceNeedsUnlockAfterRebootForReachability") ?? false
    if let reachable = members.flag("isReachable") { setReachable(reachable) }
    if !outbox.hasContext, let context = members.raw("applicationContext") {
      latest.applicationContext = context
    }
    if let context = members.raw("receivedApplicationContext"), shown.activationState == 0 {
      latest.receivedApplicationContext = context
    }
  }

  var latestContext: [UInt8] { latest.applicationContext }

  /// What an app sets shows at once.
  func set(applicationContext: [UInt8]) {
    latest.applicationContext = applicationContext
    shown.applicationContext = applicationContext
    for index in events.indices { events[index].facts.applicationContext = applicationContext }
  }

  /// What the system knows and tells no session of.
  package var unannounced: (isCompanionAppInstalled: Bool, iOSDeviceNeedsUnlock: Bool) {
    locked {
      if let state = request(Array("{\"type\":\"getState\"".utf8))?.members {
        latest.isCompanionAppInstalled = state.flag("isCompanionAppInstalled") ?? true
        latest.iOSDeviceNeedsUnlock =
          state.flag("iOSDeviceNeedsUnlockAfterRebootForReachability") ?? false
      }
      return (latest.isCompanionAppInstalled, latest.iOSDeviceNeedsUnlock)
    }
  }

  /// What is left of the day's budget, less what waits for the connection.
  package var remainingComplications: Int {
    locked {
      if let state = request(Array("{\"type\":\"getState\"".utf8))?.members {
        budget = state.integer("remainingComplicationUserInfoTransfers").map(Int.init) ?? 0
      }
      return max(0, budget - outbox.unsentComplications)
    }
  }

  private func setReachable(_ reachable: Bool) {
    guard latest.isReachable != reachable else { return }
    latest.isReachable = reachable
    if hasActivated { tell(.reachabilityDidChange) }
  }

  // MARK: Requests

  /// Sends a request and takes its answer; nil where there is no connection.
  ///
  /// - Parameter members: JSON members, commas between.
  @discardableResult
  func request(_ type: String, _ members: String) -> Answer? {
    request(Array("{\"type\":\"\(type)\",\(members)".utf8))
  }

  /// - Parameter line: the line without an `id` and without its end.
  @discardableResult
  func request(_ line: [UInt8]) -> Answer? {
    guard isOnline else { return nil }
    acknowledge()
    let id = "c\(nextCall)"
    nextCall += 1
    link.send(line + Array(",\"id\":\"\(id)\"}".utf8), from: self)
    return answers.removeValue(forKey: id)
  }

  /// A line of the relay's.
  func receive(_ line: [UInt8]) {
    guard let members = try? Members(line), let type = members.string("type") else { return }
    if take(members, type) { return }
    if let id = members.string("re") {
      let error = type == "error" ? Self.error(members) : nil
      if id.hasPrefix("c") {
        answers[id] = Answer(members: members, error: error)
      } else if let error, id.hasPrefix("m"), let number = UInt64(id.dropFirst()) {
        fail(number, error)
      }
    }
  }

  static func error(_ members: Members) -> DeviceError {
    let code = members.integer("code").flatMap { ErrorCode(rawValue: Int($0)) } ?? .genericError
    return DeviceError(code, members.string("message") ?? "")
  }

  /// - Returns: whether it was an event.
  private func take(_ members: Members, _ type: String) -> Bool {
    switch type {
    case "didReceiveMessage" where link.takeDrop(.message): break
    case "didReceiveMessageData" where link.takeDrop(.message): break
    case "didReceiveMessage":
      tell(
        .message(members.raw("payload") ?? [], reply: members.string("id").map { .init(text: $0) }))
    case "didReceiveMessageData":
      let data = Data(base64Encoded: members.string("data") ?? "") ?? Data()
      tell(.messageData(data, reply: members.string("id").map { .init(text: $0) }))
    case "didReceiveApplicationContext":
      let context = members.raw("payload") ?? []
      latest.receivedApplicationContext = context
      tell(.applicationContext(context), members, lane: "context")
    case "didReceiveUserInfo":
      let isComplication = members.flag("isCurrentComplicationInfo") == true
      tell(
        .userInfo(members.raw("payload") ?? []), members,
        lane: isComplication ? "complication" : "userInfo")
    case "didReceiveFile": begin(members)
    case "fileChunk": take(chunk: members)
    case "didReceiveReply":
      guard let id = members.string("re"), let number = UInt64(id.dropFirst()) else { return true }
      guard outbox.awaiting.removeValue(forKey: number) != nil else { return true }
      link.ledger.end(name, .message, number, .delivered)
      if let payload = members.raw("payload") {
        tell(.reply(to: number, .success(.payload(payload))))
      } else {
        let data = Data(base64Encoded: members.string("data") ?? "") ?? Data()
        tell(.reply(to: number, .success(.data(data))))
      }
    case "didFinishUserInfoTransfer", "didFinishFileTransfer": finished(members)
    case "transferProgress":
      guard let transfer = members.string("transfer"), let number = outbox.number(of: transfer),
        let offset = members.integer("offset")
      else { return true }
      tell(.progress(number, sent: offset))
    case "sessionReachabilityDidChange": setReachable(members.flag("isReachable") ?? false)
    case "sessionWatchStateDidChange":
      read(members)
      if hasActivated { tell(.watchStateDidChange) }
    case "sessionDidBecomeInactive":
      latest.activationState = 1
      if hasActivated { tell(.didBecomeInactive) }
    case "sessionDidDeactivate":
      isBound = false
      latest.activationState = 0
      setReachable(false)
      if hasActivated { tell(.didDeactivate) }
    case "hasContentPendingDidChange": if hasActivated { tell(.contentIsDrained) }
    case "appStateDidChange": stateChanged(members)
    default: return false
    }
    return true
  }

  // MARK: Telling

  private func tell(_ event: DeviceEvent, _ members: Members, lane: String) {
    let seq = UInt64(members.integer("seq") ?? 0)
    events.append(Queued(event: event, facts: latest, acknowledge: (lane, seq)))
    if link.takeDuplicate() {
      events.append(Queued(event: event, facts: latest, acknowledge: (lane, seq)))
    }
  }

  func tell(_ event: DeviceEvent, acknowledge: (lane: String, seq: UInt64)? = nil) {
    events.append(Queued(event: event, facts: latest, acknowledge: acknowledge))
    if link.latency != nil { link.pumpSoon() }
  }

  /// Whether something waits that can be told.
  var hasEvents: Bool {
    locked { isLaunchDue || !events.isEmpty && hasActivated && session != nil }
  }

  /// Whether content has come that the delegate has not been given.
  package var hasContentPending: Bool {
    locked { contentInQueue > 0 || events.contains(where: \.isContent) }
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

  private func launchIfDue() -> Bool {
    let isDue = locked { () -> Bool in
      defer { isLaunchDue = false }
      return isLaunchDue
    }
    if isDue { launch() }
    return isDue
  }

  /// What is told in one go: only ever used on the queue.
  private final class Events: @unchecked Sendable {
    let events: [Queued]
    let session: any DeviceSession

    init(_ events: [Queued], _ session: any DeviceSession) {
      self.events = events
      self.session = session
    }
  }

  private func takeEvents() -> Events? {
    lock.lock()
    defer { lock.unlock() }
    guard hasActivated, let session, !events.isEmpty else { return nil }
    contentInQueue += events.count(where: \.isContent)
    defer { events = [] }
    return Events(link.reordered(events), session)
  }

  private func tell(_ batch: Events) {
    for queued in batch.events { tell(queued, to: batch.session) }
    locked { acknowledge() }
  }

  /// On the session's queue.
  private func tell(_ queued: Queued, to session: any DeviceSession) {
    guard isCurrent(session) else { return }
    locked { shown = queued.facts }
    session.handle(queued.event)
    if case .applicationContext(let payload) = queued.event {
      locked { link.contextWasTold(payload, by: self) }
    }
    guard isCurrent(session), let (lane, seq) = queued.acknowledge else { return }
    locked {
      if queued.isContent { contentInQueue -= 1 }
      told[lane] = max(told[lane] ?? 0, seq)
    }
  }

  /// Tells the relay what the delegate has returned from: once for several, and before anything else is asked.
  private func acknowledge() {
    guard !told.isEmpty else { return }
    let lanes = told.sorted { $0.key < $1.key }
    told = [:]
    for (lane, seq) in lanes { request("acknowledge", "\"lane\":\"\(lane)\",\"seq\":\(seq)") }
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
    locked {
      acknowledge()
      isRunning = false
      hasActivated = false
      isWoken = false
      sessions = [:]
      session = nil
      contentInQueue = 0
      queue = Self.queue(name)
      queue.setSpecific(key: Self.queueKey, value: self)
      events.removeAll { $0.acknowledge != nil || !$0.event.isOutcome }
      shown = DeviceFacts()
      latest.activationState = 0
      outbox.awaiting = [:]
      if isBound { request("setAppState", #""state":"terminated""#) }
    }
  }

  /// The app is started.
  package func launch() {
    let start = locked { () -> (@Sendable () -> Void)? in
      guard !isRunning else { return nil }
      isRunning = true
      return onLaunch
    }
    if let start { run(start) }
  }

  private func stateChanged(_ members: Members) {
    guard members.string("state") == "background", !hasActivated else { return }
    isWoken = true
    isLaunchDue = !isRunning && onLaunch != nil
  }

  /// What a person does with the app: `foreground`, `background` or `suspended`.
  package func setAppState(_ state: String) {
    locked { _ = request("setAppState", "\"state\":\"\(state)\"") }
  }

  /// Sets a fact of clause 4.6.
  package func set(_ fact: String, _ value: Bool) {
    locked { _ = request("setDeviceState", "\"\(fact)\":\(value)") }
  }

  /// The phone is switched to another watch.
  package func select(_ watch: LinkDevice) {
    locked { _ = request("selectWatch", "\"device\":\(quoted(watch.name))") }
  }

  package func goOffline() { locked { disconnect() } }
  package func goOnline() { locked { connect() } }
}

extension DeviceEvent {
  /// Whether it is kept for the next launch.
  fileprivate var isOutcome: Bool {
    if case .didFinish = self { return true }
    return false
  }
}

func quoted(_ text: String) -> String {
  var bytes: [UInt8] = []
  bytes.append(jsonString: text)
  return String(decoding: bytes, as: UTF8.self)
}
