// compile with WatchConnectivityPhone; expect: does not conform to protocol 'WCSessionDelegate'
import WatchConnectivityPhone
final class Delegate: NSObject, WCSessionDelegate {
  func session(
    _ session: WCSession, activationDidCompleteWith activationState: WCSessionActivationState,
    error: (any Error)?
  ) {}
  func sessionDidBecomeInactive(_ session: WCSession) {}
}
