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
  var told: [String: UInt64] = [:]
  /// Of complication transfers, as it was last told.
  var budget = 0
  var answers: [String: Answer] = [:]
  var nextCall: UInt64 = 1
  var outbox = Outbox()
  var download: Download?
  /// How many transfers could not be made at all.
  var failed: UInt64 = 0
  /// What a test wants `isReachable` to show; nil for the truth.
  package var pretendedReachability: Bool? {
    get { locked { pretended } }
    set { locked { pretended = newValue } }
  }
  private var pretended: Bool?

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

  static func queue(_ name: String) -> DispatchQueue {
    DispatchQueue(label: "WCSession of \(name)")
  }

  /// The device whose delegate's queue this is, or whose app's code is running in this task.
  package static var ofCaller: LinkDevice? {
    DispatchQueue.getSpecific(key: queueKey) ?? current
  }

  var lock: NSRecursiveLock { link.lock }

  func locked<Result>(_ body: () throws -> Result) rethrows -> Result { try link.locked(body) }

  // MARK: The connection

  /// Whether the relay has a session of it.
  var isBound = false
  var isWoken = false

  func connect() {
    guard !isOnline else { return }
    isOnline = true
    link.open(self)
    connectSession()
    flush()
  }

  func connectSession() {
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

  func setReachable(_ reachable: Bool) {
    guard latest.isReachable != reachable else { return }
    latest.isReachable = reachable
    if hasActivated { tell(.reachabilityDidChange) }
  }
}
