package import EventLoop
import Relay
import TLS
import Wire

extension Server: ListenerHandler {
  package func listener(_ listener: TCPListener, accepted socket: TCPConnection) {
    var secure: SecureChannel?
    if listener === secureListener {
      guard let channel = tls?.accept() else { return socket.close() }
      secure = SecureChannel(channel)
    }
    let isLocal = socket.isPeerOnLoopback
    let connection = relay.opened(
      activationTime: secure == nil ? activationTime(isLocal) : secureActivationTime,
      peer: tokens == nil ? "" : socket.peerAddress, address: isLocal ? nil : socket.peerHost,
      isSecure: secure != nil, now: now)
    let link = Link(connection, socket, secure)
    while links.count <= connection.number { links.append(nil) }
    links[connection.number] = link
    linkCount += 1
    socket.token = connection.number
    socket.handler = self
    let limits = options.limits
    let silence = isLocal ? limits.loopbackKeepalive : limits.keepalive
    socket.setKeepalive(seconds: silence)
    socket.setUserTimeout(milliseconds: silence * 1_000)
    log.write(.debug, "event=accepted connection=\(connection.number) peer=\(socket.peerAddress)")
  }

  /// Microseconds in which a peer has to activate. Who types on this machine may take their time, unless
  /// the operator says otherwise.
  private func activationTime(_ isLocal: Bool) -> Int64? {
    if let seconds = options.activateTimeout { return seconds > 0 ? seconds * 1_000_000 : nil }
    return isLocal ? nil : Options.standardActivateTimeout * 1_000_000
  }

  /// With TLS there is always a bound: a handshake takes no person's time.
  private var secureActivationTime: Int64 {
    let seconds = options.activateTimeout ?? 0
    return (seconds > 0 ? seconds : Options.standardActivateTimeout) * 1_000_000
  }

  package func listener(_ listener: TCPListener, failed error: UVError) {
    log.write(.error, "event=acceptFailed error=\("\(error)".quoted) connections=\(linkCount)")
    if !listener.isOpen { stop() }
  }
}

extension Server: ConnectionHandler {
  package func connection(_ socket: TCPConnection, didRead bytes: UnsafeRawBufferPointer) {
    guard let link = links[socket.token], !link.isLingering else { return }
    if let secure = link.secure { return receive(bytes, link, secure) }
    relay.received(bytes, on: link.connection, now: now)
  }

  package func connectionDidEnd(_ socket: TCPConnection) {
    guard let link = links[socket.token] else { return }
    // Where TLS has not said so, somebody else may have cut the connection in the middle of a line.
    if link.isLingering || link.secure?.hasEnded == false {
      socket.close()
    } else {
      relay.ended(link.connection, now: now)
    }
  }

  package func connection(_ socket: TCPConnection, didFail error: UVError) {
    log.write(
      .debug, "event=connectionFailed connection=\(socket.token) error=\("\(error)".quoted)")
  }

  package func connection(_ socket: TCPConnection, didWrite bytes: Int) {
    guard let link = links[socket.token] else { return }
    if let secure = link.secure, !flush(link, secure) { return }
    relay.wrote(link.connection, unsent: 0, now: now)
    serve(link)
  }

  package func connectionDidClose(_ socket: TCPConnection) {
    guard let link = links[socket.token] else { return }
    links[socket.token] = nil
    linkCount -= 1
    relay.closed(link.connection, now: now)
  }
}

/// Writing, closing, and what the peers' kernels have confirmed.
extension Server {
  /// Writes what is due on a connection, and sets whether it is read or closed.
  func serve(_ link: Link) {
    let connection = link.connection
    // Who has not even shaken hands cannot be told why.
    if let secure = link.secure, !secure.isReady, !relay.wantsInput(connection) {
      return link.socket.close()
    }
    // Whoever reads that its session has ended may come back at once, on another connection.
    if connection.isInDoubt, !link.isUnconfirmed { confirm(link) }
    if connection.hasOutput, !link.socket.isWriting { write(link) }
    guard link.socket.isOpen else { return }
    if relay.unconfirmedPosition(connection) != nil, !link.isUnconfirmed {
      link.isUnconfirmed = true
      unconfirmed.append(link)
      if !confirmation.isRunning { confirmation.start(after: Self.confirmationInterval) }
    }
    if connection.isAborted {
      link.socket.close()
    } else if connection.isFinished {
      finish(link)
    } else {
      link.read(relay.decideReading(connection))
    }
  }

  func write(_ link: Link) {
    if let secure = link.secure { return write(link, secure) }
    let output = relay.takeOutput(link.connection)
    guard let written = put(output, on: link) else { return }
    relay.wrote(link.connection, unsent: output.count - written, now: now)
  }

  /// Gives bytes to the socket.
  ///
  /// - Returns: how many the kernel has taken at once, the rest being under way; nil where the connection is of no use.
  func put(_ bytes: [UInt8], on link: Link) -> Int? {
    do {
      let written = try bytes.withUnsafeBytes { bytes throws(UVError) in
        try link.socket.tryWrite(bytes)
      }
      if written < bytes.count { link.socket.write(bytes, from: written) }
      return written
    } catch {
      log.write(
        .debug, "event=writeFailed connection=\(link.connection.number) error=\("\(error)".quoted)")
      link.socket.close()
      return nil
    }
  }

  // MARK: Closing

  /// Everything is written and nothing is owed: tells the peer so. What it may still be sending
  /// is read and thrown away for a while, since closing on unread bytes would reset the connection
  /// and could destroy what was written last.
  func finish(_ link: Link) {
    guard !link.isLingering, isConfirmed(link) else { return }
    link.enter(.lingering(until: now + Self.lingerTime))
    relay.finished(link.connection, now: now)
    if let secure = link.secure { end(link, secure) }
    link.socket.shutdown()
    if link.socket.hasEnded {
      link.socket.close()
    } else {
      link.read(true)
      lingering.append(link)
      if !linger.isRunning { linger.start(after: Self.lingerTime) }
    }
  }

  static let lingerTime: Int64 = 1_000_000

  /// Whether the peer is known to have been told the ends of its transfers, or that has been waited for
  /// long enough.
  private func isConfirmed(_ link: Link) -> Bool {
    guard relay.unconfirmedEnd(link.connection) > 0 else { return true }
    confirm(link)
    guard relay.unconfirmedEnd(link.connection) > 0 else { return true }
    if case .confirming(let end) = link.state { return end <= now }
    link.enter(.confirming(until: now + Self.lingerTime))
    return false
  }

  func endLingering() {
    let now = now
    lingering.removeAll { link in
      guard link.socket.isOpen else { return true }
      guard link.lingersUntil <= now else { return false }
      link.socket.close()
      return true
    }
    if let first = lingering.first { linger.start(after: max(1_000, first.lingersUntil - now)) }
  }

  // MARK: What the peers' kernels have confirmed

  static let confirmationInterval: Int64 = 2_000

  /// Asks the kernel how much of its output a peer has confirmed, and tells the relay. Returns the
  /// position; 0 where it is not known.
  @discardableResult
  private func confirm(_ link: Link) -> UInt64 {
    let outstanding = link.socket.unacknowledgedBytes
    guard outstanding < Int.max else { return 0 }
    let confirmed: UInt64
    if let secure = link.secure {
      confirmed = secure.confirmed(outstanding: UInt64(outstanding))
    } else {
      let position = relay.writtenPosition(link.connection)
      guard UInt64(outstanding) <= position else { return 0 }
      confirmed = position - UInt64(outstanding)
    }
    relay.confirmed(link.connection, through: confirmed, now: now)
    return confirmed
  }

  /// Asks the kernel how much the peers have confirmed.
  func checkConfirmations() {
    var hasMore = false
    unconfirmed.removeAll { link in
      guard link.socket.isOpen, let wanted = relay.unconfirmedPosition(link.connection) else {
        link.isUnconfirmed = false
        return true
      }
      guard confirm(link) < wanted else {
        // What is confirmed may be more than the relay takes in at once.
        let rest = relay.unconfirmedPosition(link.connection)
        if let rest, rest <= wanted { hasMore = true }
        link.isUnconfirmed = rest != nil
        return rest == nil
      }
      return false
    }
    for link in unconfirmed where link.isConfirming { finish(link) }
    if !unconfirmed.isEmpty {
      confirmation.start(after: hasMore ? 0 : Self.confirmationInterval)
    }
  }
}

/// A connection of the relay's and its socket.
final class Link {
  let connection: Connection
  let socket: TCPConnection
  /// nil where lines are sent as they are.
  let secure: SecureChannel?
  private(set) var state = State.serving
  /// Whether it is in the server's list of those whose peers have not confirmed all.
  var isUnconfirmed = false

  /// How far its end has come; the times are those of `Server.now`.
  enum State {
    /// Can go to: `confirming`, `lingering`.
    case serving
    /// Finished, but for the peer's kernel, which has not confirmed the ends of transfers.
    /// Can go to: `lingering`.
    case confirming(until: Int64)
    /// Its session is over, and the peer knows; what it still sends is thrown away.
    /// Can go nowhere; the socket is closed then.
    case lingering(until: Int64)
  }

  init(_ connection: Connection, _ socket: TCPConnection, _ secure: SecureChannel?) {
    self.connection = connection
    self.socket = socket
    self.secure = secure
  }

  func enter(_ next: State) {
    switch (state, next) {
    case (.serving, .confirming), (.serving, .lingering), (.confirming, .lingering): state = next
    default: assertionFailure("a link cannot go from \(state) to \(next)")
    }
  }

  var isConfirming: Bool {
    if case .confirming = state { true } else { false }
  }

  var isLingering: Bool {
    if case .lingering = state { true } else { false }
  }

  /// When a socket that lingers is closed; 0 where it does not.
  var lingersUntil: Int64 {
    if case .lingering(let end) = state { end } else { 0 }
  }

  func read(_ isWanted: Bool) {
    guard socket.isOpen else { return }
    if !isWanted { return socket.stopReading() }
    do {
      try socket.startReading()
    } catch {
      socket.close()
    }
  }
}
