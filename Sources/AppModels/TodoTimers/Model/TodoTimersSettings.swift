import Merge

/// What the settings screen sets, on this device only.
package struct TodoTimersSettings: Hashable, Sendable {
  /// Timers that are through are notified.
  package var alerts = true
  /// With a sound.
  package var sound = true
  /// Other devices are told by live messages what runs here, and what runs there is taken up.
  package var share = false

  package init() {}

  static let version = "1.0.0"

  /// What is missing keeps its default.
  init(_ datum: Datum?) {
    func flag(_ name: Name, _ initial: Bool) -> Bool {
      guard case .bool(let value)? = datum?[name] else { return initial }
      return value
    }
    alerts = flag("alerts", alerts)
    sound = flag("sound", sound)
    share = flag("share", share)
  }

  var datum: Datum {
    .sorted([
      Datum.Member("alerts", .bool(alerts)), Datum.Member("sound", .bool(sound)),
      Datum.Member("share", .bool(share)),
    ])
  }
}

/// What the app says about syncing.
package enum SyncState: Hashable, Sendable {
  case synced, syncing
  case error(String)

  package init(_ status: SyncStatus) {
    if let error = status.error {
      self = .error("Sync failed: \(error)")
    } else if !status.isConnected, status.pending > 0 {
      self = .error("Device not reachable. Update will sync when connection restored.")
    } else {
      self = status.pending > 0 ? .syncing : .synced
    }
  }

  /// "synced", "syncing" or "error".
  package var word: String {
    switch self {
    case .synced: "synced"
    case .syncing: "syncing"
    case .error: "error"
    }
  }

  static let unavailable = "Watch Connectivity session not available"
}
