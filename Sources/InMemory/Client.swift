package import Relay

/// A client of a `World`: what it has sent and the relay has not read, what it has been written
/// and what it has read of that.
package final class Client {
  package let name: String
  /// With the relay that serves it.
  package internal(set) var connection: Connection
  /// The one with the lobby, where another relay serves it.
  var lobbyConnection: Connection?
  private(set) unowned var relay: Relay

  /// A client that does not read: the relay's output stays with its socket.
  package var holdsOutput = false
  /// A client whose kernel confirms nothing.
  package var holdsConfirmation = false

  /// Sent, and not read by the relay yet.
  var input: [UInt8] = []
  /// Bytes of that.
  package var inputCount: Int { input.count }
  var hasEnded = false
  var hasToldEnd = false

  /// How much its kernel takes that it does not read.
  package var kernelRoom = 0

  /// Written by the relay, and not read by the client.
  var unread: [UInt8] = []
  /// Read, up to the last line's LF.
  private var torn: [UInt8] = []
  /// Lines read and not looked at yet, without their LF.
  package var lines: [[UInt8]] = []
  var keepsHistory = true
  /// Every line ever read.
  package private(set) var history: [[UInt8]] = []

  /// The connection is gone, by whichever side.
  package internal(set) var isClosed = false
  /// Whether its bytes are read: as the relay wanted when it was last looked at, like a socket.
  var isRead = true

  init(name: String, connection: Connection, _ relay: Relay) {
    self.name = name
    self.connection = connection
    self.relay = relay
  }

  /// Another relay serves it from now on.
  func go(to relay: Relay, _ connection: Connection) {
    if lobbyConnection == nil { lobbyConnection = self.connection }
    self.relay = relay
    self.connection = connection
  }

  /// Bytes that the relay has written, or has for it, and it has not read.
  package var unreadBytes: Int { unread.count }

  /// What of that stays with the relay's socket.
  var unsent: Int { max(0, unread.count - kernelRoom) }

  /// Bytes of a line that has no LF yet.
  package var rest: [UInt8] { torn }

  func read() { read(unread.count) }

  /// Reads so many bytes of what was written; all where there are fewer.
  func read(_ count: Int) {
    let end = min(count, unread.count)
    var start = 0
    while let index = unread[start..<end].firstIndex(of: 0x0A) {
      let line = torn.isEmpty ? Array(unread[start..<index]) : torn + unread[start..<index]
      torn = []
      lines.append(line)
      if keepsHistory { history.append(line) }
      start = index + 1
    }
    torn.append(contentsOf: unread[start..<end])
    if end == unread.count {
      unread.removeAll(keepingCapacity: true)
    } else {
      unread.removeFirst(end)
    }
  }

  /// The lines not looked at yet, as text.
  package func takeLines() -> [String] {
    defer { lines = [] }
    return lines.map { String(decoding: $0, as: UTF8.self) }
  }
}
