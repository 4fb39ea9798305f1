#if WATCHLINE_WATCH
  public import Foundation

  // Of WatchKit what code that syncs names; `import WatchKit` of a watch's file means this module.

  /// The time that a watch's app is given in the background.
  open class WKRefreshBackgroundTask: NSObject {
    /// Whether the app has said that it is done.
    public private(set) var isCompleted = false
    open var userInfo: (any NSSecureCoding & NSObjectProtocol)?

    public override init() {}

    /// - Parameter refreshSnapshot: whether what the app shows has changed; there is nothing to show here.
    open func setTaskCompletedWithSnapshot(_ refreshSnapshot: Bool) { isCompleted = true }
    @available(*, deprecated, renamed: "setTaskCompletedWithSnapshot(_:)")
    open func setTaskCompleted() { isCompleted = true }
  }

  /// The time that a watch's app is given as content for its session has come.
  open class WKWatchConnectivityRefreshBackgroundTask: WKRefreshBackgroundTask {}
  open class WKApplicationRefreshBackgroundTask: WKRefreshBackgroundTask {}
  open class WKSnapshotRefreshBackgroundTask: WKRefreshBackgroundTask {}
  open class WKURLSessionRefreshBackgroundTask: WKRefreshBackgroundTask {}
#endif
