package import EventLoop
import Relay
import TLS
import Wire

extension Server: ListenerHandler {
  package func listener(_ listener: TCPListener, accepted socket: TCPConnection) {
    if listener === peerListener { return call(from: socket) }
    var secure: SecureChannel?
    if listener === secureListener {
      guard let channel = tls?.accept() else { return socket.close() }
      secure = SecureChannel(channel)
    }
    let isLocal = socket.isPeerOnLoopback
    let connection = home.relay.opened(
      activationTime: secure == nil ? activationTime(isLocal) : secureActivationTime,
      peer: tokens == nil ? "" : socket.peerAddress, address: isLocal ? nil : socket.peerHost,
      isSecure: secure != nil, now: now)
    add(Link(home, connection, socket, secure))
    watch(socket)
    log.write(.debug, "event=accepted connection=\(connection.number) peer=\(socket.peerAddress)")
  }

  /// A peer that is gone is noticed after a while.
  func watch(_ socket: TCPConnection) {
    let silence =
      socket.isPeerOnLoopback ? options.limits.loopbackKeepalive : options.limits.keepalive
    socket.setKeepalive(seconds: silence)
    socket.setUserTimeout(milliseconds: silence * 1_000)
  }

  /// It is served from now on.
  func add(_ link: Link) {
    let slot = freeLinks.popLast() ?? links.count
    if slot == links.count { links.append(nil) }
    links[slot] = link
    linkCount += 1
    link.connection.tag = slot
    link.socket.token = slot
    link.socket.handler = self
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
    if let edge = link.edge { return receive(bytes, link, edge) }
    if let secure = link.secure { return receive(bytes, link, secure) }
    ingest(bytes, link)
  }

  /// A client has sent something, which goes to whoever serves it.
  func ingest(_ bytes: UnsafeRawBufferPointer, _ link: Link) {
    if let splice = link.splice { return splice.forward(bytes) }
    link.relay.received(bytes, on: link.connection, now: now)
  }

  /// A client has ended its input.
  func takeEnd(_ link: Link) {
    if let splice = link.splice { return splice.end() }
    link.relay.ended(link.connection, now: now)
  }

  package func connectionDidEnd(_ socket: TCPConnection) {
    guard let link = links[socket.token] else { return }
    // Where TLS has not said so, somebody else may have cut the connection in the middle of a line.
    // The other server of a peer link says so in a frame.
    if link.isLingering || link.edge != nil || link.secure?.hasEnded == false {
      socket.close()
    } else {
      takeEnd(link)
    }
  }

  package func connection(_ socket: TCPConnection, didFail error: UVError) {
    log.write(
      .debug, "event=connectionFailed connection=\(socket.token) error=\("\(error)".quoted)")
  }

  package func connection(_ socket: TCPConnection, didWrite bytes: Int) {
    guard let link = links[socket.token] else { return }
    if let secure = link.secure, !flush(link, secure) { return }
    if let splice = link.splice { return splice.pump() }
    link.relay.wrote(link.connection, unsent: 0, now: now)
    serve(link)
  }

  package func connectionDidClose(_ socket: TCPConnection) {
    guard let link = links[socket.token] else { return }
    links[socket.token] = nil
    freeLinks.append(socket.token)
    linkCount -= 1
    link.splice?.close()
    if link.visited != nil { link.relay.closed(link.connection, now: now) }
    link.home.site.relay.closed(link.home.connection, now: now)
  }
}

/// Writing, closing, and what the peers' kernels have confirmed.
extension Server {
  /// Writes what is due on a connection, and sets whether it is read or closed.
  func serve(_ link: Link) {
    let connection = link.connection
    let relay = link.relay
    // The server that serves it says what becomes of it.
    if link.splice != nil { return }
    // Who has not even shaken hands cannot be told why.
    if let secure = link.secure, !secure.isReady, !relay.wantsInput(connection) {
      return link.socket.close()
    }
    // Whoever reads that its session has ended may come back at once, on another connection.
    if connection.isInDoubt, !link.isUnconfirmed { confirm(link) }
    if connection.hasOutput, !link.socket.isWriting { write(link) }
    guard link.socket.isOpen else { return }
    if relay.unconfirmedPosition(connection) != nil { awaitConfirmation(of: link) }
    if connection.isAborted {
      link.socket.close()
    } else if connection.isFinished {
      finish(link)
    } else {
      link.read(relay.decideReading(connection))
      if let shard = relay.destination(of: connection) { route(link, to: shard) }
    }
    if let edge = link.edge { flush(link, edge) }
  }

  func write(_ link: Link) {
    if let edge = link.edge { return write(link, edge) }
    if let secure = link.secure { return write(link, secure) }
    let relay = link.relay
    let output = relay.takeOutput(link.connection)
    guard let written = put(output, on: link) else { return }
    relay.wrote(link.connection, unsent: output.count - written, now: now)
  }

  /// Gives bytes to the socket.
  ///
  /// - Returns: how many the kernel has taken at once, the rest being under way; nil where the connection is of no use.
  func put(_ bytes: [UInt8], on link: Link) -> Int? {
    do {
      return try link.socket.send(bytes)
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
    guard !link.isLingering, link.splice != nil || isConfirmed(link) else { return }
    link.enter(.lingering(until: now + Self.lingerTime))
    link.relay.finished(link.connection, now: now)
    if let secure = link.secure { end(link, secure) }
    if let edge = link.edge { end(link, edge) }
    // What waits for the socket still goes first.
    guard !link.socket.isWriting || link.edge == nil else { return linger(link) }
    link.socket.shutdown()
    if link.socket.hasEnded { return link.socket.close() }
    link.read(true)
    linger(link)
  }

  func linger(_ link: Link) {
    lingering.append(link)
    if !linger.isRunning { linger.start(after: Self.lingerTime) }
  }

  static let lingerTime: Int64 = 1_000_000

  /// Whether the peer is known to have been told the ends of its transfers, or that has been waited for
  /// long enough.
  private func isConfirmed(_ link: Link) -> Bool {
    guard link.relay.unconfirmedEnd(link.connection) > 0 else { return true }
    if case .confirming(let end) = link.state { return end <= now }
    confirm(link)
    guard link.relay.unconfirmedEnd(link.connection) > 0 else { return true }
    link.enter(.confirming(until: now + Self.lingerTime))
    awaitConfirmation(of: link)
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

  /// Asks how much of its output a peer has confirmed, and tells the relay. Returns the position; 0 where it is not
  /// known.
  @discardableResult
  private func confirm(_ link: Link) -> UInt64 {
    let confirmed: UInt64
    if let edge = link.edge {
      if let wanted = link.relay.unconfirmedPosition(link.connection) { edge.ask(for: wanted) }
      flush(link, edge)
      confirmed = edge.confirmed
    } else {
      confirmed = confirmedPosition(link, of: link.relay.writtenPosition(link.connection))
    }
    link.relay.confirmed(link.connection, through: confirmed, now: now)
    return confirmed
  }

  /// How much of the output, of which so much is written, the client's kernel has confirmed; 0 where that is not known.
  private func confirmedPosition(_ link: Link, of written: UInt64) -> UInt64 {
    let outstanding = link.socket.unacknowledgedBytes
    guard outstanding < Int.max else { return 0 }
    if let secure = link.secure { return secure.confirmed(outstanding: UInt64(outstanding)) }
    return UInt64(outstanding) <= written ? written - UInt64(outstanding) : 0
  }

  /// The server that serves a connection wants to know what its client's kernel confirms.
  func awaitConfirmation(of link: Link) {
    guard !link.isUnconfirmed else { return }
    link.isUnconfirmed = true
    unconfirmed.append(link)
    if !confirmation.isRunning { confirmation.start(after: Self.confirmationInterval) }
  }

  /// Asks the kernel how much the peers have confirmed.
  func checkConfirmations() {
    var hasMore = false
    unconfirmed.removeAll { link in
      let isDone = isDone(link, &hasMore)
      if isDone { link.isUnconfirmed = false }
      return isDone
    }
    for link in unconfirmed where link.isConfirming { finish(link) }
    if !unconfirmed.isEmpty {
      confirmation.start(after: hasMore ? 0 : Self.confirmationInterval)
    }
  }

  /// Whether nobody waits any more for what a peer's kernel confirms.
  private func isDone(_ link: Link, _ hasMore: inout Bool) -> Bool {
    guard link.socket.isOpen else { return true }
    if let splice = link.splice {
      splice.confirmed(confirmedPosition(link, of: splice.written))
      return !splice.awaitsConfirmation
    }
    guard let wanted = link.relay.unconfirmedPosition(link.connection) else { return true }
    guard confirm(link) >= wanted else { return false }
    // What is confirmed may be more than the relay takes in at once.
    let rest = link.relay.unconfirmedPosition(link.connection)
    if let rest, rest <= wanted { hasMore = true }
    return rest == nil
  }
}
