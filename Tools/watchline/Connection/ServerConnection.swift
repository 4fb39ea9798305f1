internal import EventLoop
internal import TLS

/// Receives what happens to a `ServerConnection`, in the order in which a `TCPConnection` tells it.
protocol ServerConnectionHandler: AnyObject {
  /// It may read and write; with TLS, the server is the one that was meant.
  func connectionDidOpen(_ connection: ServerConnection)
  func connection(_ connection: ServerConnection, didRead bytes: UnsafeRawBufferPointer)
  /// The server sends nothing more.
  func connectionDidEnd(_ connection: ServerConnection)
  /// It is broken, or was never opened. It closes itself after this call.
  func connection(_ connection: ServerConnection, didFail failure: ConnectionFailure)
  /// Nothing is in flight any more.
  func connectionDidWrite(_ connection: ServerConnection)
  func connectionDidClose(_ connection: ServerConnection)
}

/// Why a connection to a server is none.
struct ConnectionFailure: Error {
  var message: String
  /// The system's name for it, such as `ECONNREFUSED`; empty where TLS has failed.
  var name = ""

  init(_ message: String) { self.message = message }

  init(_ error: UVError) {
    message = error.message
    name = error.name
  }
}

/// A connection to a server, with TLS or without. Of several servers it is the first one that can be reached.
///
/// ```
/// connect ─▶ opening ─(TLS: handshake)─▶ open ─▶ closed
/// ```
final class ServerConnection {
  private var socket: TCPConnection!
  private weak var handler: (any ServerConnectionHandler)?
  /// nil without TLS.
  private var channel: TLSChannel?
  private let tls: TLSContext?
  private let loop: EventLoop?
  /// Who is tried where this one cannot be reached.
  private var others: ArraySlice<Endpoint> = []
  private var patience: Timer?
  private var isReached = false
  /// For the handler's use.
  var token = 0
  private var isOpened = false
  /// With TLS: whether somebody reads, and what has been decrypted meanwhile.
  private var isReading = false
  private var unread: [UInt8] = []
  /// With TLS: what the handler has written is not with the kernel yet.
  private var isSending = false
  /// The server has ended its output, which is told once everything before it is read.
  private var hasEnded = false
  private var mustShutDown = false
  /// It stays until the socket has closed.
  private var itself: ServerConnection?

  /// - Throws: as `TCPConnection.connect`, and where there is no memory.
  init(
    _ endpoints: Endpoints, _ tls: TLSContext?, loop: EventLoop,
    handler: any ServerConnectionHandler
  ) throws(ConnectionFailure) {
    self.handler = handler
    self.tls = tls
    self.loop = loop
    others = endpoints.all[...]
    try tryNext()
    itself = self
    guard !others.isEmpty else { return }
    patience = Timer(loop: loop) { [unowned self] in patienceIsOver() }
    patience?.start(after: Self.patience)
  }

  /// How long a server may take to be reached where there are others, in microseconds.
  private static let patience: Int64 = 3_000_000

  /// - Throws: where the last one cannot be reached.
  private func tryNext() throws(ConnectionFailure) {
    while let endpoint = others.popFirst() {
      do throws(ConnectionFailure) {
        return try reach(endpoint)
      } catch {
        guard !others.isEmpty else { throw error }
      }
    }
  }

  private func reach(_ endpoint: Endpoint) throws(ConnectionFailure) {
    channel = tls?.connect(host: endpoint.host)
    guard tls == nil || channel != nil else {
      throw ConnectionFailure("\(endpoint.host) cannot be the name in a certificate")
    }
    do throws(UVError) {
      socket = try TCPConnection.connect(
        loop: loop!, host: endpoint.host, port: endpoint.port, handler: self)
    } catch {
      throw ConnectionFailure(error)
    }
  }

  private func patienceIsOver() {
    guard !isReached, socket.isOpen, !others.isEmpty else { return }
    let late = socket
    do throws(ConnectionFailure) {
      try tryNext()
      late?.close()
      patience?.start(after: Self.patience)
    } catch {
      // This one is waited for, then.
    }
  }

  /// One that this process has accepted, without TLS.
  init(accepted socket: TCPConnection, handler: any ServerConnectionHandler) {
    self.handler = handler
    self.socket = socket
    (tls, loop) = (nil, nil)
    (isReached, isOpened) = (true, true)
    itself = self
    socket.handler = self
  }

  var isOpen: Bool { socket.isOpen }
  /// Whether a `write` is in flight.
  var isWriting: Bool { channel == nil ? socket.isWriting : isSending }

  func startReading() throws(ConnectionFailure) {
    isReading = true
    if channel != nil { tell() }
    guard isReading, socket.isOpen else { return }
    do throws(UVError) {
      try socket.startReading()
    } catch {
      throw ConnectionFailure(error)
    }
  }

  func stopReading() {
    isReading = false
    socket.stopReading()
  }

  /// Writes what the kernel takes at once; with TLS nothing.
  ///
  /// - Returns: how many bytes it has taken; all of a connection that is gone, which is heard of by what it reads.
  func tryWrite(_ bytes: [UInt8]) -> Int {
    guard channel == nil else { return 0 }
    return (try? bytes.withUnsafeBytes { try socket.tryWrite($0) }) ?? bytes.count
  }

  /// Writes bytes from an offset on; then `connectionDidWrite` is called. One may be in flight at a time, and none after
  /// `shutdown`.
  func write(_ bytes: [UInt8], from offset: Int = 0) {
    guard let channel else { return socket.write(bytes, from: offset) }
    guard isOpened, channel.send(Array(bytes[offset...])) else {
      return fail("what is sent cannot be encrypted")
    }
    isSending = true
    flush()
  }

  /// Ends the outgoing direction, once what is in flight has been written.
  func shutdown() {
    guard let channel else { return socket.shutdown() }
    guard !mustShutDown else { return }
    mustShutDown = true
    channel.end()
    flush()
  }

  func close() { socket.close() }

  /// Closes at once, and what is under way is dropped.
  func closeReset() { socket.closeReset() }

  // MARK: TLS

  /// Writes the records that there are.
  private func flush() {
    guard let channel, socket.isOpen, !socket.isWriting else { return }
    let records = channel.takeRecords()
    guard records.isEmpty else { return socket.write(records) }
    if mustShutDown { socket.shutdown() }
  }

  private func fail(_ reason: String) {
    guard socket.isOpen else { return }
    handler?.connection(self, didFail: ConnectionFailure("TLS: \(reason)"))
    socket.close()
  }

  private func receive(_ records: UnsafeRawBufferPointer, _ channel: TLSChannel) {
    let state = channel.receive(records) { unread.append(contentsOf: $0) }
    flush()
    if !isOpened, channel.isReady {
      isOpened = true
      handler?.connectionDidOpen(self)
    }
    if state == .ended { hasEnded = true }
    tell()
    if case .failed(let reason) = state { fail(reason) }
  }

  /// Hands over what has been decrypted, where somebody reads.
  private func tell() {
    while isReading, socket.isOpen, !unread.isEmpty {
      let bytes = unread
      unread = []
      bytes.withUnsafeBytes { handler?.connection(self, didRead: $0) }
    }
    guard isReading, socket.isOpen, hasEnded else { return }
    isReading = false
    handler?.connectionDidEnd(self)
  }
}

extension ServerConnection: ClientHandler {
  func connectionDidOpen(_ connection: TCPConnection) {
    guard connection === socket else { return }
    isReached = true
    patience?.close()
    patience = nil
    guard let channel else {
      isOpened = true
      handler?.connectionDidOpen(self)
      return
    }
    channel.begin()
    flush()
    do throws(UVError) {
      try connection.startReading()
    } catch {
      fail(error.message)
    }
  }

  func connection(_ connection: TCPConnection, didRead bytes: UnsafeRawBufferPointer) {
    guard let channel else { return handler?.connection(self, didRead: bytes) ?? () }
    receive(bytes, channel)
  }

  func connectionDidEnd(_ connection: TCPConnection) {
    guard channel != nil else { return handler?.connectionDidEnd(self) ?? () }
    guard !hasEnded else { return }
    fail(
      isOpened
        ? "the connection was cut: its end was not announced"
        : "the server closed it during the handshake; it may be one without TLS")
  }

  func connection(_ connection: TCPConnection, didFail error: UVError) {
    guard connection === socket else { return }
    if !isReached, !others.isEmpty, (try? tryNext()) != nil { return }
    handler?.connection(self, didFail: ConnectionFailure(error))
  }

  func connection(_ connection: TCPConnection, didWrite bytes: Int) {
    if channel != nil {
      flush()
      guard isSending, !connection.isWriting else { return }
      isSending = false
    }
    handler?.connectionDidWrite(self)
  }

  func connectionDidClose(_ connection: TCPConnection) {
    guard connection === socket else { return }
    patience?.close()
    patience = nil
    handler?.connectionDidClose(self)
    itself = nil
  }
}
