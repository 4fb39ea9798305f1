import WatchConnectivity
import os.log

#if os(watchOS)
  import WatchKit
#endif

/// A wrapper for both sides in one file, with completions that are stored after the call.
public final class SessionWrapper: NSObject, WCSessionDelegate {
  public private(set) var received: [String] = []
  public private(set) var states: [String] = []
  private var completions: [ObjectIdentifier: (Bool) -> Void] = [:]
  private let log = Logger(subsystem: "clients", category: "sync")

  override public init() {
    super.init()
    guard WCSession.isSupported() else { return }
    WCSession.default.delegate = self
    WCSession.default.activate()
  }

  public var side: String {
    #if os(iOS)
      return "phone"
    #elseif os(watchOS)
      return "watch"
    #else
      return "neither"
    #endif
  }

  public func send(_ text: String, completion: @escaping (Bool) -> Void) {
    let transfer = WCSession.default.transferUserInfo(["text": text])
    completions[ObjectIdentifier(transfer)] = completion
  }

  public func session(
    _ session: WCSession, activationDidCompleteWith activationState: WCSessionActivationState,
    error: Error?
  ) {
    states.append("activated")
    log.debug("activated: \(activationState.rawValue, privacy: .public)")
  }

  #if os(iOS)
    public func sessionDidBecomeInactive(_ session: WCSession) { states.append("inactive") }
    public func sessionDidDeactivate(_ session: WCSession) {
      states.append("deactivated")
      session.activate()
    }
    public var pairing: String { "\(WCSession.default.isPaired)" }
  #else
    public var task: WKWatchConnectivityRefreshBackgroundTask?
    public var pairing: String { "\(WCSession.default.isCompanionAppInstalled)" }
  #endif

  public func session(_ session: WCSession, didReceiveUserInfo userInfo: [String: Any]) {
    received.append(userInfo["text"] as? String ?? "")
  }

  public func session(
    _ session: WCSession, didFinish userInfoTransfer: WCSessionUserInfoTransfer, error: Error?
  ) { completions.removeValue(forKey: ObjectIdentifier(userInfoTransfer))?(error == nil) }
}
