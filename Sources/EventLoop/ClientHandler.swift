/// Receives what happens to a connection that this process opens.
package protocol ClientHandler: ConnectionHandler {
  /// The peer has accepted; the connection may read and write. If it cannot be opened, `didFail` is
  /// called instead.
  func connectionDidOpen(_ connection: TCPConnection)
}
