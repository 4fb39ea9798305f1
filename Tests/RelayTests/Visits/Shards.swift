import Journal
import Relay
import Wire

/// A lobby, the relays of some shards, and one client: what a server that is one of several does with them, without sockets.
final class Shards {
  let lobby: Relay
  let relays: [Relay]
  private let home: Connection
  private(set) var connection: Connection
  /// The shard that serves the client; nil in the lobby.
  private(set) var shard: Int?
  private(set) var lines: [String] = []
  /// Shards that nobody has.
  var lost: Set<Int> = []
  /// The client reads, and its kernel confirms.
  var reads = true
  var isClosed = false
  var now: Int64 = 1_000_000

  init(_ count: Int, access: Access? = nil, activationTime: Int64? = nil) throws {
    func relay(_ place: Place) throws -> Relay {
      var options = Relay.Options()
      options.place = place
      options.access = access
      let contents = Contents(identity: "\(place)", epoch: 1)
      return try Relay(contents, options: options, now: 1_000_000)
    }
    lobby = try relay(.lobby(shards: count))
    relays = try (0..<count).map { try relay(.shard($0, of: count)) }
    home = lobby.opened(activationTime: activationTime, peer: "192.0.2.1:7", now: 1_000_000)
    connection = home
    settle()
  }

  private var relay: Relay { shard.map { relays[$0] } ?? lobby }

  func send(_ text: String) { send(Array(text.utf8) + [0x0A]) }

  func send(_ bytes: [UInt8]) {
    bytes.withUnsafeBytes { relay.received($0, on: connection, now: now) }
    settle()
  }

  func end() {
    relay.ended(connection, now: now)
    settle()
  }

  func pass(seconds: Double) {
    now += Int64(seconds * 1e6)
    for relay in [lobby] + relays { relay.tick(now: now) }
    settle()
  }

  /// The lines since the last call.
  func take() -> [String] {
    defer { lines = [] }
    return lines
  }

  /// The types of those, or the numbers of errors.
  func types() -> [String] {
    take().map { line in
      for name in ["\"code\":", "\"type\":\""] {
        if let range = line.firstRange(of: name) {
          return String(line[range.upperBound...].prefix { $0 != "\"" && $0 != "," })
        }
      }
      return line
    }
  }

  func settle() {
    var hasMoved = true
    while hasMoved {
      hasMoved = false
      for relay in [lobby] + relays {
        relay.nextTurn(now: now)
        if relay.hasMore { hasMoved = true }
        for touched in relay.takeEffects().scheduled {
          hasMoved = true
          if touched === connection { look() }
        }
        if let batch = relay.takeBatch() {
          relay.committed(through: batch.number, now: now)
          hasMoved = true
        }
      }
    }
  }

  func look() {
    guard !isClosed, reads else { return }
    let output = relay.takeOutput(connection)
    lines += String(decoding: output, as: UTF8.self).split(separator: "\n").map(String.init)
    relay.wrote(connection, unsent: 0, now: now)
    relay.confirmed(connection, through: relay.writtenPosition(connection), now: now)
    if connection.isFinished { return close() }
    guard let wanted = relay.destination(of: connection) else { return }
    if shard == nil, lost.contains(wanted) {
      return lobby.turnAway(home, "nobody has it", now: now)
    }
    let visit = relay.depart(connection, now: now)
    if let shard {
      relays[shard].closed(connection, now: now)
      self.shard = nil
      connection = home
      lobby.comeBack(home, visit, now: now)
    } else {
      shard = wanted
      connection = relays[wanted].arrive(visit, now: now)
    }
    look()
  }

  func close() {
    guard !isClosed else { return }
    isClosed = true
    relay.closed(connection, now: now)
    if shard != nil { lobby.closed(home, now: now) }
  }
}
