package import Foundation
import Relay
import Wire

/// A phone or a watch of a link: what the system of a real one does for its apps' sessions.
///
/// It stays connected while its app is not running, keeps what its app has handed over until that can be sent, and
/// keeps what has come until the app has activated.
package final class LinkDevice: @unchecked Sendable {
  package let name: String
  package let isPhone: Bool
  /// Its place among the link's devices.
  let index: Int
  package unowned let link: Link

  /// The device whose app's code is running.
  @TaskLocal package static var current: LinkDevice?
  static let queueKey = DispatchSpecificKey<LinkDevice>()

  // MARK: The app

  /// Makes the app's objects where the app is launched, or woken.
  var onLaunch: (@Sendable () -> Any)?
  /// What it has made.
  var app: Any?
  package internal(set) var isRunning = true
  /// The sessions of the running app, by class: one of each module.
  var sessions: [ObjectIdentifier: any DeviceSession] = [:]
  var session: (any DeviceSession)?
  var queue: DispatchQueue
  var hasActivated = false
  /// It was woken, and starts when the link is next pumped.
  var isLaunchDue = false

  // MARK: What is known and what waits

  /// What the session shows.
  package var facts: DeviceFacts { locked { shown } }
  var shown = DeviceFacts()
  /// As they are to be once all events are told.
  var latest = DeviceFacts()
  package internal(set) var isOnline = false
  var events: [Queued] = []
  /// Content that was handed to the session's queue, and of which its delegate has not returned.
  var contentInQueue = 0
  /// What the delegate has returned from, by lane, and the relay has not been told of.
  var told: [LaneName: UInt64] = [:]
  /// What the delegate has returned from, by lane.
  var processed: [LaneName: UInt64] = [:]
  /// The server's store that the numbers are of.
  var storeName: String?
  /// What keeps the device's queue beyond this process.
  let store: DeviceStore?
  /// Why the device cannot be used in this process.
  package var fault: DeviceError?
  /// Of complication transfers, as it was last told.
  var budget = 0
  var answers: [String: Answer] = [:]
  /// The requests whose answers are waited for.
  var asked: Set<String> = []
  var nextCall: UInt64 = 1
  var outbox = Outbox()
  var download: Download?
  /// How many transfers could not be made at all.
  var failed: UInt64 = 0
  /// What a person was told of the app's code, each once.
  package var advice: Set<String> { locked { advised } }
  private var advised: Set<String> = []
  /// What a test wants `isReachable` to show; nil for the truth.
  package var pretendedReachability: Bool? {
    get { locked { pretended } }
    set { locked { pretended = newValue } }
  }
  private var pretended: Bool?

  /// Says what is wrong with the app's code, and no API of WCSession's has a place for.
  package func advise(_ sentence: String) {
    if locked({ advised.insert(sentence).inserted }) { complain(sentence) }
  }

  struct Queued {
    var event: DeviceEvent
    var facts: DeviceFacts
    /// What is acknowledged once it has been told.
    var acknowledge: (lane: LaneName, seq: UInt64)?
    /// A fault of the test's: it is told twice.
    var isRepeated = false
    var isContent: Bool { acknowledge.map { $0.lane != .outcome } ?? false }
  }

  struct Answer {
    var members: Members
    var error: DeviceError?
  }

  init(name: String, isPhone: Bool, link: Link, store: DeviceStore?) {
    self.name = name
    self.isPhone = isPhone
    self.link = link
    index = link.devices.count
    self.store = store
    queue = Self.queue(name)
    queue.setSpecific(key: Self.queueKey, value: self)
    guard let contents = store?.contents else { return }
    storeName = contents.storeName
    outbox.last = contents.last
    for (number, transfer) in contents.transfers { outbox[number] = transfer }
    outbox.hasContext = contents.unsentContext != nil
    latest.applicationContext = contents.unsentContext ?? latest.applicationContext
  }

  static func queue(_ name: String) -> DispatchQueue {
    DispatchQueue(label: "WCSession of \(name)")
  }

  /// The device whose delegate's queue this is, or whose app's code is running in this task.
  package static var ofCaller: LinkDevice? {
    DispatchQueue.getSpecific(key: queueKey) ?? current
  }

  var lock: NSRecursiveLock { link.lock }

  func locked<Result>(_ body: () throws -> Result) rethrows -> Result { try link.locked(body) }

  /// Runs a body under the link's lock: a session's own tables are guarded by it too.
  package func perform<Result>(_ body: () throws -> Result) rethrows -> Result { try locked(body) }

  /// The folder that an app keeps for the active watch.
  package var watchDirectory: URL? { link.folder.appendingPathComponent("WatchDirectory") }

  // MARK: The connection

  /// Whether the relay has a session of it.
  var isBound = false
  var isWoken = false
  /// A connection that is lost is made again.
  private var wantsConnection = false
  private var hasReconciled = false
  /// Another process has activated as this device.
  var isReplaced = false

  func connect() {
    guard !isOnline, fault == nil else { return }
    wantsConnection = true
    isOnline = link.open(self)
    guard isOnline else { return connectSoon() }
    connectSession()
    flush()
  }

  /// Tries again after a while.
  func connectSoon() {
    guard wantsConnection else { return }
    DispatchQueue.global().asyncAfter(deadline: .now() + Self.retryInterval) { [weak self] in
      guard let self else { return }
      locked { if self.wantsConnection { self.connect() } }
    }
  }
  private static let retryInterval = 0.2

  func connectSession() {
    let role = isPhone ? "phone" : "watch"
    var line = "\"pair\":\(quoted(link.name)),\"role\":\"\(role)\",\"device\":\(quoted(name))"
    if let token = ServerSettings.ofProcess?.token { line += ",\"token\":\(quoted(token))" }
    if let storeName, !processed.isEmpty {
      let lanes = sorted(processed).map { "\"\($0.key)\":\($0.value)" }
      line += ",\"store\":\(quoted(storeName)),\"received\":{\(lanes.joined(separator: ","))}"
    }
    let answer = request("activate", line)
    isBound = answer.map { $0.error == nil } ?? false
    if let error = answer?.error { complain("\(name) of pair \(link.name): \(error.sentence)") }
    guard let answer, isBound else { return }
    link.trace.add(name, .connect)
    link.trace.add(name, .flow)
    recognize(answer.members)
    read(answer.members)
    if !hasActivated { request(appState: "terminated") }
    // What an earlier process was told it may not have told its app.
    let isFirst = store != nil && !hasReconciled
    if isFirst || answer.members.flag("mayHaveMissedDidFinish") == true { reconcile() }
    hasReconciled = true
  }

  /// Which store the server has, and how far it has heard of the device.
  private func recognize(_ members: Members) {
    let name = members.string("store") ?? ""
    if let known = storeName, known != name {
      // What that one had accepted and not delivered is handed over again.
      processed = [:]
      told = [:]
      outbox.forgetNames()
    }
    if storeName != name { store?.note(store: name) }
    storeName = name
    outbox.n = max(outbox.n, members.count("n") ?? 0)
  }

  func disconnect() {
    wantsConnection = false
    guard isOnline else { return }
    acknowledge()
    link.close(self)
    isDisconnected()
  }

  /// The connection has ended, and not by this device: it is made again.
  func connectionIsLost() {
    guard isOnline else { return }
    isDisconnected()
    guard !isReplaced else { return }
    connectSoon()
  }

  private func isDisconnected() {
    link.trace.add(name, .drop)
    isOnline = false
    isBound = false
    download = nil
    outbox.forgetPosts()
    // What was not acknowledged comes again.
    events.removeAll { $0.acknowledge != nil }
    for id in outbox.awaiting.keys.sorted() {
      fail(
        id, DeviceError(.deliveryFailed, "the connection was lost before the reply came"))
    }
    setReachable(false)
  }

  func read(_ members: Members) {
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

  /// Whether the phone has to be unlocked, which the system tells no session of.
  package var needsUnlock: Bool {
    locked {
      if let state = state() {
        latest.iOSDeviceNeedsUnlock =
          state.flag("iOSDeviceNeedsUnlockAfterRebootForReachability") ?? false
      }
      return latest.iOSDeviceNeedsUnlock
    }
  }

  /// What is left of the day's budget, less what waits for the connection.
  package var remainingComplications: Int {
    locked {
      if let state = state() {
        budget = state.count("remainingComplicationUserInfoTransfers").map(Int.init) ?? 0
      }
      return max(0, budget - outbox.unsentComplications)
    }
  }

  func setReachable(_ reachable: Bool) {
    guard latest.isReachable != reachable else { return }
    latest.isReachable = reachable
    if hasActivated { tell(.reachabilityDidChange) }
  }
}
