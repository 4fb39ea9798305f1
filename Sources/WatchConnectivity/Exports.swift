// App code imports WatchConnectivity alone and uses these.
@_exported public import Dispatch
@_exported public import Foundation
@_exported public import Observation
