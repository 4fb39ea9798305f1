/// Receives the connections of a `TCPListener`, on the loop's thread.
package protocol ListenerHandler: AnyObject {
  /// A peer has connected. The handler sets the connection's `handler` and starts reading, or
  /// closes it.
  func listener(_ listener: TCPListener, accepted connection: TCPConnection)

  /// A peer could not be let in, and was disconnected. The listener goes on, if it `isOpen`.
  ///
  /// `EMFILE` and `ENFILE`: the process or the system has no descriptor left. Told once for each
  /// connection that is turned away, unless another thread takes the last descriptor: libuv then
  /// turns away some on its own.
  func listener(_ listener: TCPListener, failed error: UVError)
}
