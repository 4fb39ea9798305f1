package import EventLoop
import Relay
import Wire

extension Server: ListenerHandler {
  package func listener(_ listener: TCPListener, accepted socket: TCPConnection) {
    let connection = relay.opened(now: clock.now)
    let link = Link(connection, socket)
    while links.count <= connection.number { links.append(nil) }
    links[connection.number] = link
    linkCount += 1
    socket.token = connection.number
    socket.handler = self
    socket.setKeepalive(seconds: options.limits.keepalive)
    socket.setUserTimeout(milliseconds: options.limits.keepalive * 1_000)
    log.write(.debug, "event=accepted connection=\(connection.number) peer=\(socket.peerAddress)")
  }

  package func listener(_ listener: TCPListener, failed error: UVError) {
    log.write(.error, "event=acceptFailed error=\("\(error)".quoted) connections=\(linkCount)")
    if !listener.isOpen { stop() }
  }
}

extension Server: ConnectionHandler {
  package func connection(_ socket: TCPConnection, didRead bytes: UnsafeRawBufferPointer) {
    guard let link = links[socket.token], !link.isFinishing else { return }
    relay.received(bytes, on: link.connection, now: clock.now)
  }

  package func connectionDidEnd(_ socket: TCPConnection) {
    guard let link = links[socket.token] else { return }
    link.hasEnded = true
    if link.isFinishing {
      socket.close()
    } else {
      relay.ended(link.connection, now: clock.now)
    }
  }

  package func connection(_ socket: TCPConnection, didFail error: UVError) {
    log.write(
      .debug, "event=connectionFailed connection=\(socket.token) error=\("\(error)".quoted)")
  }

  package func connection(_ socket: TCPConnection, didWrite bytes: Int) {
    guard let link = links[socket.token] else { return }
    relay.wrote(link.connection, unsent: 0, now: clock.now)
    serve(link)
  }

  package func connectionDidClose(_ socket: TCPConnection) {
    guard let link = links[socket.token] else { return }
    links[socket.token] = nil
    linkCount -= 1
    relay.closed(link.connection, now: clock.now)
  }
}

/// Writing, closing, and what the peers' kernels have confirmed.
extension Server {
  /// Writes what is due on a connection, and sets whether it is read or closed.
  func serve(_ link: Link) {
    let connection = link.connection
    if connection.hasOutput, !link.socket.isWriting { write(link) }
    guard link.socket.isOpen else { return }
    if relay.unconfirmedPosition(connection) != nil, !link.isUnconfirmed {
      link.isUnconfirmed = true
      unconfirmed.append(link)
      if !confirmation.isRunning { confirmation.start(after: Self.confirmationInterval) }
    }
    if connection.isFinished {
      finish(link)
    } else {
      link.read(relay.wantsInput(connection))
    }
  }

  func write(_ link: Link) {
    let output = relay.takeOutput(link.connection)
    do {
      let written = try output.withUnsafeBytes { bytes throws(UVError) in
        try link.socket.tryWrite(bytes)
      }
      if written < output.count { link.socket.write(output, from: written) }
      relay.wrote(link.connection, unsent: output.count - written, now: clock.now)
    } catch {
      log.write(
        .debug, "event=writeFailed connection=\(link.connection.number) error=\("\(error)".quoted)")
      link.socket.close()
    }
  }

  // MARK: Closing

  /// Everything is written and nothing is owed: tells the peer so. What it may still be sending
  /// is read and thrown away for a while, since closing on unread bytes would reset the connection
  /// and could destroy what was written last.
  func finish(_ link: Link) {
    guard !link.isFinishing else { return }
    link.isFinishing = true
    relay.finished(link.connection, now: clock.now)
    link.socket.shutdown()
    if link.hasEnded {
      link.socket.close()
    } else {
      link.read(true)
      lingering.append(link)
      link.lingersUntil = clock.now + Self.lingerTime
      if !linger.isRunning { linger.start(after: Self.lingerTime) }
    }
  }

  static let lingerTime: Int64 = 1_000_000

  func endLingering() {
    let now = clock.now
    lingering.removeAll { link in
      guard link.socket.isOpen else { return true }
      guard link.lingersUntil <= now else { return false }
      link.socket.close()
      return true
    }
    if let first = lingering.first { linger.start(after: max(1_000, first.lingersUntil - now)) }
  }

  // MARK: Automatic acknowledgement

  static let confirmationInterval: Int64 = 2_000

  /// Asks the kernel how much the peers have confirmed.
  func checkConfirmations() {
    unconfirmed.removeAll { link in
      guard link.socket.isOpen, let wanted = relay.unconfirmedPosition(link.connection) else {
        link.isUnconfirmed = false
        return true
      }
      let outstanding = link.socket.unacknowledgedBytes
      let position = relay.writtenPosition(link.connection)
      guard outstanding < Int.max, UInt64(outstanding) <= position else { return false }
      relay.confirmed(link.connection, through: position - UInt64(outstanding), now: clock.now)
      guard position - UInt64(outstanding) < wanted else {
        link.isUnconfirmed = false
        return true
      }
      return false
    }
    if !unconfirmed.isEmpty { confirmation.start(after: Self.confirmationInterval) }
  }
}

/// A connection of the relay's and its socket.
final class Link {
  let connection: Connection
  let socket: TCPConnection
  var hasEnded = false
  var isFinishing = false
  var isUnconfirmed = false
  var lingersUntil: Int64 = 0
  private var isReading = false

  init(_ connection: Connection, _ socket: TCPConnection) {
    self.connection = connection
    self.socket = socket
  }

  func read(_ isWanted: Bool) {
    guard isWanted != isReading, !hasEnded, socket.isOpen else { return }
    isReading = isWanted
    if !isWanted { return socket.stopReading() }
    do {
      try socket.startReading()
    } catch {
      socket.close()
    }
  }
}
