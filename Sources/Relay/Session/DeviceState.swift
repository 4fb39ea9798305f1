import Wire

/// The facts about a device that WatchConnectivity reports or fails on; set by `setDeviceState`.
struct DeviceState: Equatable {
  // Of the phone.
  var isPaired = true
  var isLocked = false
  var isCompanionAppInstalled = true
  // Of a watch.
  var isWatchAppInstalled = true
  var isComplicationEnabled = true
  var isWatchOnlyApp = false
  // Of either.
  var isSupported = true
  var hasDelegate = true
  var hasReplyDelegate = true

  /// Whose fact it is.
  enum Owner { case phone, watch, itself }

  typealias Fact = (key: Key, owner: Owner, path: any WritableKeyPath<DeviceState, Bool> & Sendable)

  /// Every fact; the order is that of its bit in a device's row.
  static let facts: [Fact] = [
    (.isPaired, .phone, \.isPaired),
    (.isLocked, .phone, \.isLocked),
    (.isCompanionAppInstalled, .phone, \.isCompanionAppInstalled),
    (.isWatchAppInstalled, .watch, \.isWatchAppInstalled),
    (.isComplicationEnabled, .watch, \.isComplicationEnabled),
    (.isWatchOnlyApp, .watch, \.isWatchOnlyApp),
    (.isSupported, .itself, \.isSupported),
    (.hasDelegate, .itself, \.hasDelegate),
    (.hasReplyDelegate, .itself, \.hasReplyDelegate),
  ]

  var bits: UInt64 {
    get {
      Self.facts.enumerated().reduce(0) {
        $0 | (self[keyPath: $1.element.path] ? 1 << $1.offset : 0)
      }
    }
    set {
      for (bit, fact) in Self.facts.enumerated() {
        self[keyPath: fact.path] = newValue & (1 << UInt64(bit)) != 0
      }
    }
  }
}
