import WatchConnectivity

/// A model of the main actor's, whose delegate methods are not isolated.
@MainActor @Observable
public final class ThemeModel: NSObject, WCSessionDelegate {
  public private(set) var theme = "light"
  public private(set) var isReachable = false

  override public init() {
    super.init()
    WCSession.default.delegate = self
    WCSession.default.activate()
  }

  nonisolated public func session(
    _ session: WCSession, activationDidCompleteWith activationState: WCSessionActivationState,
    error: (any Error)?
  ) {}

  nonisolated public func sessionReachabilityDidChange(_ session: WCSession) {
    let reachable = session.isReachable
    Task { @MainActor in isReachable = reachable }
  }

  nonisolated public func session(
    _ session: WCSession, didReceiveApplicationContext applicationContext: [String: Any]
  ) {
    let theme = applicationContext["theme"] as? String
    Task { @MainActor in self.theme = theme ?? "none" }
  }
}
