import Journal
import Wire

/// Connections that go from a lobby to the relay that has their pair, and back where they ask for another one.
///
/// ```
///  lobby: opened ──► activate: destination ──depart──► away ──comeBack──► …
///                                               │       ▲
///                                             Visit   Visit
///                                               ▼       │
///  shard:                                    arrive ──► depart, where the next activate is for another shard
/// ```
/// The lobby keeps its connection meanwhile: it counts there, and its end is told there. What arrives at the shard is a
/// guest, which counts nowhere.
extension Relay {
  /// A lobby of a server whose relays have these options.
  ///
  /// - Throws: what `init` does.
  package static func lobby(
    _ options: Options, shards: Int, now: Int64
  ) throws(JournalError) -> Relay {
    var options = options
    options.place = .lobby(shards: shards)
    options.forgetAfter = nil
    return try Relay(Contents(identity: "lobby", epoch: 0), options: options, now: now)
  }

  /// Whether a request is for another relay. The connection waits then until it is taken there.
  ///
  /// - Throws: 4008 where that could not be done, 4004 where the connection has something that would be lost.
  func leaves(_ call: Call, for shard: Int) throws(WireError) -> Bool {
    let connection = call.connection
    guard !options.place.has(shard) else { return false }
    if let failure = connection.pairFailure {
      connection.pairFailure = nil
      throw WireError(.overloaded, failure)
    }
    guard connection.device == nil, !tails.contains(where: { $0.connection === connection }) else {
      throw WireError(
        .invalidField,
        "that is in another shard than what this connection has; use another connection for it")
    }
    connection.destination = shard
    connection.wait(for: .destination)
    scheduleOutput(connection)
    return true
  }

  func shard(of name: PairName) -> Int {
    Place.shard(ofApp: name.app, pair: name.name, of: options.place.shards)
  }

  /// The shard that a connection is to be taken to, once nothing is owed on it; nil for none, or not yet.
  package func destination(of connection: Connection) -> Int? {
    guard let shard = connection.destination, case .destination = connection.wait,
      !connection.isEnded, connection.owed == 0, connection.waiting == 0, !connection.isInDoubt
    else { return nil }
    return shard
  }

  /// A connection goes to the shard that it asks for, with the line that does.
  package func depart(_ connection: Connection, now time: Int64) -> Visit {
    setTime(time)
    var visit = Visit()
    visit.shard = connection.destination!
    visit.input = Array(connection.input[connection.inputStart...])
    visit.telnet = connection.telnet.saved
    visit.hasSeenEnd = connection.hasSeenEnd
    visit.lines = connection.lines
    visit.position = connection.position
    visit.hasActivated = connection.hasActivated
    visit.token = connection.token?.id ?? ""
    visit.peer = connection.peer
    visit.activationTime = connection.activateBy.map { max(0, $0 - now) }
    connection.input = []
    connection.inputStart = 0
    connection.endWait()
    connection.wait(for: .visit)
    account(connection)
    return visit
  }

  /// A guest comes from a lobby. It goes on with the line that brought it.
  package func arrive(_ visit: Visit, now time: Int64) -> Connection {
    setTime(time)
    let connection = makeConnection()
    setPace(of: connection)
    adopt(visit, connection)
    connection.peer = visit.peer
    hold(connection)
    account(connection)
    return connection
  }

  /// A connection of this lobby is back from a shard. Its next line goes elsewhere, or is answered here.
  package func comeBack(_ connection: Connection, _ visit: Visit, now time: Int64) {
    setTime(time)
    guard !connection.isEnded, connection.isAway else { return }
    adopt(visit, connection)
    connection.endWait()
    unblock(connection)
    account(connection)
    settle()
  }

  /// A lobby with a manual clock has that of the relay behind it.
  package func keepTime(of relay: Relay) { now = max(now, relay.now) }

  /// A connection cannot be taken where it asks to go: the line that asks is refused.
  package func turnAway(_ connection: Connection, _ reason: String, now time: Int64) {
    setTime(time)
    guard case .destination = connection.wait else { return }
    connection.pairFailure = reason
    connection.destination = nil
    connection.endWait()
    unblock(connection)
    settle()
  }

  private func adopt(_ visit: Visit, _ connection: Connection) {
    connection.destination = nil
    connection.input = visit.input
    connection.inputStart = 0
    connection.telnet = TelnetFilter(saved: visit.telnet)
    connection.hasSeenEnd = visit.hasSeenEnd
    connection.lines = visit.lines
    connection.position = visit.position
    connection.confirmedPosition = min(connection.confirmedPosition, visit.position)
    connection.hasActivated = visit.hasActivated
    let token = options.access?.token(id: visit.token, at: wall)
    if token != connection.token {
      hold(token, connection)
      if let token { awaitExpiry(of: token, on: connection) }
    }
    // Back in a lobby, its time may have come while it was away.
    if !visit.hasActivated, let time = visit.activationTime {
      awaitActivation(connection, within: time)
    }
  }
}
