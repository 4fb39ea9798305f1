/// The application context from one sender to one receiver, as the receiver holds it.
struct ContextSlot {
  /// What the sender last set; its `applicationContext`.
  var current: [UInt8]
  /// What was last handed out to the receiver; its `receivedApplicationContext`.
  var handedOut: [UInt8]?
  /// The number under which `current` waits or was handed out unacknowledged; 0 for neither.
  var seq: UInt64 = 0
  /// Deliveries that `contextRedelivery` has added for the present session.
  var repeats = 0
}
