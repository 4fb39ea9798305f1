import Seeded

/// A client's connection and the one to the server that goes with it; of a copy the latter alone.
struct Link {
  /// Of what the client has sent so much is kept, for a copy that is opened later: 64 KiB.
  static let longestPrefix = 65_536

  let number: Int
  /// The client's address.
  let client: String
  /// The connection whose bytes it sends too.
  let original: Int?
  /// Milliseconds on the proxy's clock.
  let openedAt: Int
  var plan: LinkPlan
  /// The client's bytes.
  var up: Flow
  var down: Flow
  /// The server has accepted.
  var isConnected = false
  var hasClient: Bool
  var hasServer = true
  /// The first bytes that the client has sent.
  var prefix: [UInt8] = []
  /// What ended it, where something has.
  var ending: String?
  /// Whether the end of the direction that stopped has been reached, in milliseconds.
  var oneWayEnds: Int?

  init(_ number: Int, _ client: String, of original: Int?, plan: LinkPlan, seed: UInt64, now: Int) {
    self.number = number
    self.client = client
    self.original = original
    self.plan = plan
    openedAt = now
    hasClient = original == nil
    // Connections are numbered from 1, and plans have the streams of their numbers.
    up = Flow(random: SplitMix64(seed: seed, stream: -2 * number))
    down = Flow(random: SplitMix64(seed: seed, stream: -2 * number - 1))
  }

  subscript(direction: Direction) -> Flow {
    get { direction == .up ? up : down }
    set { if direction == .up { up = newValue } else { down = newValue } }
  }

  /// When something is to be done by itself.
  var deadline: Int? {
    var times: [Int] = []
    if let cut = plan.cut { times.append(openedAt + cut) }
    if let oneWay = plan.oneWay { times.append(openedAt + oneWay.at) }
    if let oneWayEnds { times.append(oneWayEnds) }
    if isConnected, let due = up.due { times.append(due) }
    if let due = down.due { times.append(due) }
    return times.min()
  }

  var hasLost: Bool { up.swallowed + down.swallowed > 0 }
}

/// An end of a link.
package enum Side: String, Sendable {
  case client, server

  /// The direction that comes from here.
  var outgoing: Direction { self == .client ? .up : .down }
  /// The direction that goes here.
  var incoming: Direction { self == .client ? .down : .up }
}
