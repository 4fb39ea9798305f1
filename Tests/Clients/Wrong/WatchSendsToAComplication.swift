// compile with WatchConnectivityWatch; expect: 'transferCurrentComplicationUserInfo' is unavailable
import WatchConnectivityWatch
let value = WCSession.default.transferCurrentComplicationUserInfo([:])
