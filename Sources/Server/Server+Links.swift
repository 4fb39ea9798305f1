import EventLoop
import Relay
import Wire

/// A client's connection and its socket, or a guest's and the peer link that it comes by.
final class Link {
  /// Where it began: the lobby, where this server is one of several.
  let home: (site: Site, connection: Connection)
  let socket: TCPConnection
  /// nil where lines are sent as they are.
  let secure: SecureChannel?
  /// Of a guest of this server's: the edge that it comes by; nil of a client's own connection.
  let edge: EdgeChannel?
  /// The site that serves it, where that is not its home.
  private(set) var visited: (site: Site, connection: Connection)?
  /// The server that serves it, where that is not this one.
  var splice: Splice?
  /// Who was asked last to take it, and when.
  var tried: (owner: UInt64, at: Int64)?
  /// Whether it is in the server's list of those that no way was found for.
  var isWanting = false
  /// Since when it has wanted to go to a shard that nobody could be found for.
  var wantsSince: Int64?
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

  init(
    _ site: Site, _ connection: Connection, _ socket: TCPConnection, _ secure: SecureChannel? = nil,
    _ edge: EdgeChannel? = nil
  ) {
    home = (site, connection)
    self.socket = socket
    self.secure = secure
    self.edge = edge
  }

  /// The relay that serves it, where it is one of this server's.
  var site: Site { visited?.site ?? home.site }
  var relay: Relay { site.relay }
  var connection: Connection { visited?.connection ?? home.connection }

  /// It is a guest of another site of this server from now on.
  func visit(_ site: Site, _ connection: Connection) { visited = (site, connection) }

  /// It is at its home again.
  func goHome() { visited = nil }

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
    // An edge is read all the same: it also says what is confirmed.
    if let edge { return edge.read(isWanted) }
    if !isWanted { return socket.stopReading() }
    do {
      try socket.startReading()
    } catch {
      socket.close()
    }
  }
}
