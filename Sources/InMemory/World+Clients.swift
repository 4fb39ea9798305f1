import Relay

/// Clients that come, send, read and leave.
extension World {
  /// The client of that name that was opened last; opens one where there is none or it is closed.
  package func client(_ name: String) -> Client {
    if let client = clients[name], !client.isClosed { return client }
    return open(name)
  }

  /// The client of that name that was opened last, open or not.
  package func lastClient(_ name: String) -> Client? { clients[name] }

  /// A new connection. Its `hello` is among its lines after the next `settle`.
  ///
  /// - Parameter address: of its machine; nil for the relay's own.
  @discardableResult
  package func open(_ name: String, address: String? = nil) -> Client {
    let first = lobby ?? relay
    let client = Client(
      name: name, connection: first.opened(address: address, now: time), first)
    client.keepsHistory = keepsHistory
    clients[name] = client
    order.append(client)
    look(at: client)
    return client
  }

  /// Sends bytes and settles.
  package func send(_ bytes: [UInt8], on name: String) {
    give(bytes, to: client(name))
    settle()
  }

  /// Sends bytes, which the relay reads in the next turn.
  package func give(_ bytes: some Sequence<UInt8>, to client: Client) {
    client.input.append(contentsOf: bytes)
  }

  /// Sends a line, which the relay reads in the next turn.
  package func give(line: [UInt8], to client: Client) {
    client.input += line
    client.input.append(0x0A)
  }

  /// Sends a line and settles.
  package func send(_ line: String, on name: String) {
    give(line: Array(line.utf8), to: client(name))
    settle()
  }

  /// The relay is sent bytes by a client that is open, and settles.
  package func send(_ bytes: some Sequence<UInt8>, from client: Client) {
    give(bytes, to: client)
    settle()
  }

  /// A client that holds its output reads so many bytes of it.
  package func read(_ client: Client, _ count: Int) {
    client.read(count)
    look(at: client)
    settle()
  }

  /// A client is gone, with what was on its way.
  package func close(_ client: Client) {
    guard !client.isClosed else { return }
    drop(client)
    settle()
  }

  /// The client ends its input; it still reads.
  package func end(_ name: String) {
    client(name).hasEnded = true
    settle()
  }

  /// The client is gone.
  package func close(_ name: String) {
    guard let client = clients[name], !client.isClosed else { return }
    drop(client)
    settle()
  }

  /// The client is gone, and the relay has yet to do what follows.
  package func drop(_ name: String) {
    guard let client = clients[name], !client.isClosed else { return }
    drop(client)
  }

  func drop(_ client: Client) {
    client.isClosed = true
    order.removeAll { $0 === client }
    if isFrozen { unnoticed.append(client) } else { notice(client) }
  }

  /// The relays hear that a client is gone.
  func notice(_ client: Client) {
    client.relay.closed(client.connection, now: time)
    if let connection = client.lobbyConnection { lobby?.closed(connection, now: time) }
  }
}
