import CNATS
import Storage

/// Where answers to questions come. Whoever asked waits for them here, and no thread of the library stands between the
/// one that reads the socket and the one that waits, as one does with its own requests.
final class Inbox {
  /// Answers may be sent to whatever begins with this and a dot.
  let subject: String
  private let subscription: OpaquePointer

  init(_ connection: Connection, _ settings: JetStreamSettings) throws(StoreError) {
    var inbox: UnsafeMutablePointer<CChar>?
    var subscription: OpaquePointer?
    var status = natsInbox_Create(&inbox)
    defer { natsInbox_Destroy(inbox) }
    subject = inbox.map { String(cString: $0) } ?? ""
    if status == NATS_OK {
      status = natsConnection_SubscribeSync(&subscription, connection.handle, subject + ".>")
    }
    guard status == NATS_OK, let subscription else {
      throw StoreError(
        .cannotOpen, function: "natsConnection_SubscribeSync", path: settings.name,
        connection.silence(status).reason)
    }
    natsSubscription_SetPendingLimits(subscription, -1, -1)
    self.subscription = subscription
  }

  deinit { natsSubscription_Destroy(subscription) }

  /// The next message, which is the caller's to destroy.
  ///
  /// - Parameter deadline: of `monotonicNanoseconds`.
  /// - Throws: what the library says; `NATS_TIMEOUT` where nothing came.
  func next(until deadline: UInt64) throws(NATSFailure) -> OpaquePointer {
    let now = monotonicNanoseconds()
    guard now < deadline else { throw NATSFailure(status: NATS_TIMEOUT) }
    var message: OpaquePointer?
    let status = natsSubscription_NextMsg(
      &message, subscription, Int64((deadline - now + 999_999) / 1_000_000))
    guard status == NATS_OK, let message else { throw NATSFailure(status: status) }
    return message
  }
}

struct NATSFailure: Error {
  let status: natsStatus
}
