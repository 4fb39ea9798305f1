// compile with WatchConnectivity; expect: 'init()' is unavailable
import WatchConnectivity
let session = WCSession()
