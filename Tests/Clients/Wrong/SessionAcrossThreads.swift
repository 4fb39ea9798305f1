// compile with WatchConnectivity; expect: does not conform to the 'Sendable' protocol
import WatchConnectivity
func need<T: Sendable>(_ value: T) {}
need(WCSession.default)
