/// Receives what happens to a `TCPConnection`, on the loop's thread.
///
/// The order of calls: any number of `didRead` and `didWrite`; `connectionDidEnd` at most once;
/// `didFail` at most once; `connectionDidClose` exactly once and last. Any of them may close the
/// connection.
package protocol ConnectionHandler: AnyObject {
  /// Bytes have arrived. They lie in the loop's buffer and are gone when this returns.
  func connection(_ connection: TCPConnection, didRead bytes: UnsafeRawBufferPointer)

  /// The peer sends nothing more. It may still read: writes are allowed until `close()`.
  func connectionDidEnd(_ connection: TCPConnection)

  /// The connection is broken: reset, timed out, never opened. It closes itself after this call.
  func connection(_ connection: TCPConnection, didFail error: UVError)

  /// What `write` was given is with the kernel; nothing is in flight.
  ///
  /// - Parameter bytes: How many `write` was given.
  func connection(_ connection: TCPConnection, didWrite bytes: Int)

  /// The connection is gone, and so is its claim on the handler.
  func connectionDidClose(_ connection: TCPConnection)
}
