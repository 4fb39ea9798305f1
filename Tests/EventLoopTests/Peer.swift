import EventLoop
import Testing

/// One end of a connection: it records what happens and does what the test gave it to do.
final class Peer: ClientHandler {
  private(set) var events: [String] = []
  private(set) var received: [UInt8] = []
  private(set) var errors: [UVError] = []

  var onOpen: (TCPConnection) -> Void = { _ in }
  var onRead: (TCPConnection, UnsafeRawBufferPointer) -> Void = { _, _ in }
  var onEnd: (TCPConnection) -> Void = { $0.close() }
  var onFail: (TCPConnection) -> Void = { _ in }
  var onWrite: (TCPConnection, Int) -> Void = { _, _ in }
  var onClose: (TCPConnection) -> Void = { _ in }

  var text: String { String(decoding: received, as: UTF8.self) }

  /// Lets go of what it was given to do, which often refers to the peer itself.
  func forget() {
    onOpen = { _ in }
    onRead = { _, _ in }
    onEnd = { _ in }
    onFail = { _ in }
    onWrite = { _, _ in }
    onClose = { _ in }
  }

  func connectionDidOpen(_ connection: TCPConnection) {
    events.append("open")
    onOpen(connection)
  }

  func connection(_ connection: TCPConnection, didRead bytes: UnsafeRawBufferPointer) {
    if events.last != "read" { events.append("read") }
    received += bytes
    onRead(connection, bytes)
  }

  func connectionDidEnd(_ connection: TCPConnection) {
    events.append("end")
    onEnd(connection)
  }

  func connection(_ connection: TCPConnection, didFail error: UVError) {
    events.append("fail")
    errors.append(error)
    onFail(connection)
  }

  func connection(_ connection: TCPConnection, didWrite bytes: Int) {
    events.append("write")
    onWrite(connection, bytes)
  }

  func connectionDidClose(_ connection: TCPConnection) {
    events.append("close")
    onClose(connection)
  }
}

/// Gives each accepted connection to `onAccept`.
final class Acceptor: ListenerHandler {
  var onAccept: (TCPListener, TCPConnection) -> Void
  private(set) var errors: [UVError] = []

  init(onAccept: @escaping (TCPListener, TCPConnection) -> Void) {
    self.onAccept = onAccept
  }

  func listener(_ listener: TCPListener, accepted connection: TCPConnection) {
    onAccept(listener, connection)
  }

  func listener(_ listener: TCPListener, failed error: UVError) {
    errors.append(error)
  }
}

extension TCPConnection {
  /// Writes a short text, which the kernel has room for.
  func send(_ text: String, sourceLocation: SourceLocation = #_sourceLocation) {
    var text = text
    let written = try? text.withUTF8 { try tryWrite(UnsafeRawBufferPointer($0)) }
    #expect(written == text.utf8.count, sourceLocation: sourceLocation)
  }

  func read(sourceLocation: SourceLocation = #_sourceLocation) {
    #expect(throws: Never.self, sourceLocation: sourceLocation) { try startReading() }
  }
}

/// A listener and one connection to it, until both ends are closed.
///
/// Both ends read unless `reads` is false. The listener closes itself once it has accepted.
func withPair(
  on loop: EventLoop, host: String = "127.0.0.1", reads: Bool = true, server: Peer, client: Peer
) throws {
  let acceptor = Acceptor { listener, connection in
    listener.close()
    connection.handler = server
    if reads { connection.read() }
    server.onOpen(connection)
  }
  let listener = try TCPListener(loop: loop, host: host, port: 0, handler: acceptor)
  let open = client.onOpen
  client.onOpen = { connection in
    if reads { connection.read() }
    open(connection)
  }
  try TCPConnection.connect(loop: loop, host: host, port: listener.port, handler: client)
  try loop.run()
  #expect(acceptor.errors.isEmpty)
  #expect(server.events.last == "close")
  #expect(client.events.last == "close")
  // They outlive the callbacks, which do not keep them.
  withExtendedLifetime(acceptor) {}
  server.forget()
  client.forget()
}
