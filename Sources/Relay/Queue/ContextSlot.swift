/// The application context from one sender to one receiver, as the receiver holds it.
struct ContextSlot {
  /// What the sender last set; its `applicationContext`.
  var current: [UInt8]
  /// What was last handed out to the receiver; its `receivedApplicationContext`.
  var handedOut: [UInt8]?
  /// The number under which `current` waits or was handed out unacknowledged; 0 for neither.
  var seq: UInt64 = 0
  /// Whether `handedOut` was acknowledged.
  var isAcknowledged = false

  /// Whether the receiver still has to get `current`, and nothing that waits will bring it.
  var isOwed: Bool { seq == 0 && !(isAcknowledged && handedOut == current) }
}
