// compile with WatchConnectivityWatch; expect: 'isPaired' is unavailable
import WatchConnectivityWatch
let value = WCSession.default.isPaired
