import Foundation
import Wire
package import WatchlineDevices

/// A phone and a watch with a link between them, for a test: made in an instant, and independent of all others.
///
/// What a device is told waits until `settle`, so that a test sees each step. App code runs inside `phone.run` and
/// `watch.run`, where `WCSession.default` is that device's.
public final class WatchPair: Sendable {
  /// When what a device is told comes.
  public enum Delivery: Sendable {
    /// With `settle` or `pump`: the default.
    case whenPumped
    /// By itself, so many seconds of real time after it was sent.
    case live(latency: Double)
  }

  public let phone: Device
  public let watch: Device
  package let link: Link

  /// Where the environment has `WATCHLINE_SERVER`, the pair is one of that server's, of its own; else all of it is in this
  /// process.
  public init(_ delivery: Delivery = .whenPumped) {
    var latency: Double?
    if case .live(let seconds) = delivery { latency = max(0.0001, seconds) }
    let server = ServerSettings.ofProcess?.address
    link = Link(
      name: server == nil ? "pair" : UUID().uuidString, latency: latency, server: server)
    phone = Device(link.add("phone", isPhone: true))
    watch = Device(link.add("watch", isPhone: false))
  }

  // MARK: Time

  /// Hands over all that waits, and what that causes, until nothing waits and the sessions' queues are empty.
  ///
  /// It does not wait for what the app does by itself afterwards: `eventually` does.
  public func settle() async { await link.settle() }

  /// Hands over what waits now.
  public func pump() { link.pump() }

  /// Time passes on the link: replies become overdue, the day of the complication's budget ends. Timers of the app's own
  /// (`asyncAfter`, `Task.sleep`) go on in real time.
  ///
  /// - Parameter seconds: 0 or more.
  public func advance(seconds: Double) {
    precondition(seconds >= 0 && seconds < 1e9, "time goes forward, by less than 10⁹ seconds")
    link.advance(seconds: seconds)
  }

  // MARK: Several watches

  /// A person puts on another watch: one of that name, made where there is none yet.
  ///
  /// The phone's session becomes inactive, is deactivated, and is attached to the other watch when the app activates again.
  @discardableResult
  public func switchWatch(to name: String) -> Device {
    let watch = link.devices.first { $0.name == name } ?? link.add(name, isPhone: false)
    precondition(!watch.isPhone, "\(name) is the phone")
    phone.device.select(watch)
    return Device(watch)
  }

  // MARK: Trouble

  /// Everything between the devices is stopped and started again; nothing that was accepted is lost.
  public func restart() { link.restart() }

  /// A kind of what an app sends.
  public enum Item: Sendable { case message }

  /// The next message is lost on its way: its sender hears nothing, or 7012 once that is due.
  public func drop(next item: Item) { link.drop(next: .message) }

  /// WCError's codes, by their names.
  public enum Failure: Int, CaseIterable, Sendable {
    case genericError = 7001
    case sessionNotSupported = 7002
    case sessionMissingDelegate = 7003
    case sessionNotActivated = 7004
    case deviceNotPaired = 7005
    case watchAppNotInstalled = 7006
    case notReachable = 7007
    case invalidParameter = 7008
    case payloadTooLarge = 7009
    case payloadUnsupportedTypes = 7010
    case messageReplyFailed = 7011
    case messageReplyTimedOut = 7012
    case fileAccessDenied = 7013
    case deliveryFailed = 7014
    case insufficientSpace = 7015
    case sessionInactive = 7016
    case transferTimedOut = 7017
    case companionAppNotInstalled = 7018
    case watchOnlyApp = 7019
  }

  /// The next thing that either app sends fails with a WCError of this code.
  public func failNext(_ failure: Failure) {
    link.failNext(
      DeviceError(
        ErrorCode(rawValue: failure.rawValue) ?? .genericError, "the test asked for this error"))
  }

  /// So many of the next contexts, user infos and files are delivered twice.
  public func duplicate(_ count: Int) { link.duplicate(count) }

  /// From now on what comes by different lanes comes in an order that follows from the seed. Each lane keeps its own.
  public func reorder(seed: UInt64) { link.reorder(seed: seed) }

  /// What `isReachable` shows on both devices, whatever is so; nil for the truth.
  public var reportedReachability: Bool? {
    get { phone.reportedReachability }
    set {
      phone.reportedReachability = newValue
      watch.reportedReachability = newValue
    }
  }

  // MARK: What became of it

  /// Whether everything that was sent has reached the other app's delegate, or was replaced by a newer context.
  public func allDelivered() -> Bool {
    link.items.allSatisfy { $0.fate == .delivered || $0.fate == .replaced }
  }

  /// Every item that was sent, and its fate, a line each.
  public func lossReport() -> String {
    link.items.map { item in
      let fate =
        switch item.fate {
        case .waiting: "is waiting"
        case .delivered: "was delivered"
        case .replaced: "was replaced by a newer one"
        case .cancelled: "was cancelled"
        case .dropped: "was lost on its way"
        case .failed(let error): "failed with \(error.code.rawValue): \(error.sentence)"
        }
      let payload = String(decoding: item.payload, as: UTF8.self).prefix(200)
      return "\(item.from): \(item.kind.rawValue) \(payload) \(fate)"
    }.joined(separator: "\n")
  }

  /// What happened so far, as NDJSON: `watchline replay` plays it, and `watchline studio --open` shows it. The first 100,000
  /// things are kept.
  ///
  /// User infos go as they were. A context, a message and a file are there with their payload or size, and another of their kind
  /// is played in their place. Faults of the test's own, facts of devices and cancels are not in it.
  public var trace: String { link.traceText }

  // MARK: Devices

  /// A phone or a watch.
  public final class Device: Sendable {
    package let device: LinkDevice

    init(_ device: LinkDevice) { self.device = device }

    public var name: String { device.name }

    /// Runs app code on this device: `WCSession.default` is this device's there, and in all that it calls.
    @discardableResult
    public func run<Result>(_ body: () throws -> Result) rethrows -> Result {
      try device.run(body)
    }

    /// Runs app code on this device: `WCSession.default` is this device's there, and in all that it calls.
    @discardableResult
    public func run<Result>(_ body: () async throws -> Result) async rethrows -> Result {
      try await device.run(body)
    }

    /// Makes the app's objects when the app is launched or woken after `kill`; and now, for the first time. What the
    /// body returns is kept until the app is ended.
    public func onLaunch<App>(_ body: @escaping @Sendable () -> App) {
      device.setLaunch(body)
    }

    /// The connection is lost. What the app hands over meanwhile is kept.
    public func goOffline() { device.goOffline() }
    /// The connection is back, and what was kept is sent.
    public func goOnline() { device.goOnline() }

    /// The app is ended, as by a crash. What its delegate has not returned from comes again.
    public func kill() { device.kill() }
    /// A person starts the app again; `onLaunch` makes its objects.
    public func launch() { device.launch() }

    /// What a person sees of the app.
    public enum AppState: String, Sendable { case foreground, background, suspended }
    public func enter(_ state: AppState) { device.setAppState(state.rawValue) }

    /// What the system knows of a device, and an app sees.
    public enum Fact: String, Sendable {
      /// The phone's.
      case isPaired, isLocked, isCompanionAppInstalled
      /// The watch's.
      case isWatchAppInstalled, isComplicationEnabled, isWatchOnlyApp
      /// Each device's own.
      case isSupported
    }

    /// Sets a fact; those of the phone and of the watch from either of them.
    public func set(_ fact: Fact, _ value: Bool) { device.set(fact.rawValue, value) }

    /// What `isReachable` shows, whatever is so; nil for the truth.
    public var reportedReachability: Bool? {
      get { device.pretendedReachability }
      set { device.pretendedReachability = newValue }
    }
  }
}

/// Waits until something is true of the app.
///
/// - Parameters:
///   - seconds: of real time, until it gives up.
///   - condition: what is waited for; asked again each millisecond.
/// - Returns: whether it became true.
@discardableResult
public func eventually(
  within seconds: Double = 5, _ condition: () async throws -> Bool
) async rethrows -> Bool {
  let end = Date(timeIntervalSinceNow: seconds)
  while Date() < end {
    if try await condition() { return true }
    try? await Task.sleep(nanoseconds: 1_000_000)
  }
  return try await condition()
}
