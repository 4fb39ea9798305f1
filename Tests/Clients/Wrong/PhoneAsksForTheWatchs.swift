// compile with WatchConnectivityPhone; expect: 'isCompanionAppInstalled' is unavailable
import WatchConnectivityPhone
let value = WCSession.default.isCompanionAppInstalled
