import Wire

/// The facts about a device that WatchConnectivity reports or fails on; set by `setDeviceState`.
struct DeviceState: Equatable {
  /// A bit for each fact, by its place in `facts`: as a device's row has them.
  var bits: UInt64 = 0b1_1101_1101

  // Of the phone.
  var isPaired: Bool {
    get { self[0] }
    set { self[0] = newValue }
  }
  var isLocked: Bool {
    get { self[1] }
    set { self[1] = newValue }
  }
  var isCompanionAppInstalled: Bool {
    get { self[2] }
    set { self[2] = newValue }
  }
  // Of a watch.
  var isWatchAppInstalled: Bool {
    get { self[3] }
    set { self[3] = newValue }
  }
  var isComplicationEnabled: Bool {
    get { self[4] }
    set { self[4] = newValue }
  }
  var isWatchOnlyApp: Bool {
    get { self[5] }
    set { self[5] = newValue }
  }
  // Of either.
  var isSupported: Bool {
    get { self[6] }
    set { self[6] = newValue }
  }
  var hasDelegate: Bool {
    get { self[7] }
    set { self[7] = newValue }
  }
  var hasReplyDelegate: Bool {
    get { self[8] }
    set { self[8] = newValue }
  }

  private subscript(bit: UInt64) -> Bool {
    get { bits & (1 << bit) != 0 }
    set { bits = newValue ? bits | (1 << bit) : bits & ~(1 << bit) }
  }

  /// Whose fact it is.
  enum Owner { case phone, watch, itself }

  typealias Fact = (key: Key, owner: Owner, path: any WritableKeyPath<DeviceState, Bool> & Sendable)

  /// Every fact, in the order of the bits.
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
}
