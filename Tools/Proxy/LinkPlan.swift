import Seeded

/// What is in store for one connection. It follows from the seed, the faults and the connection's
/// number alone.
package struct LinkPlan: Equatable, Sendable {
  /// Milliseconds after opening; nil where it is not cut.
  package var cut: Int?
  package var oneWay: OneWay?
  package var isDuplicated = false

  package struct OneWay: Equatable, Sendable {
    /// Milliseconds after opening.
    package var at: Int
    package var directions: [Direction]
    package var stop: Stop
    /// For how many milliseconds. Afterwards what is held back flows, and a connection of which
    /// bytes are gone is cut.
    package var duration: Int
  }

  package init() {}

  package init(_ faults: ProxyFaults, seed: UInt64, connection: Int) {
    var random = SplitMix64(seed: seed, stream: connection)
    let (isCut, isStopped) = (Bool.random(using: &random), Bool.random(using: &random))
    let directions = [[.up], [.down], [.up, .down]].randomElement(using: &random)! as [Direction]
    let stop = Bool.random(using: &random) ? Stop.stall : .swallow
    let duration = Int.random(in: 200...3000, using: &random)
    let chance = Int.random(in: 0..<100, using: &random)
    if let range = faults.cut, isCut { cut = Int.random(in: range, using: &random) }
    if let range = faults.oneWay, isStopped {
      oneWay = OneWay(
        at: Int.random(in: range, using: &random), directions: directions, stop: stop,
        duration: duration)
    }
    if let percent = faults.duplicate { isDuplicated = chance < percent }
  }
}

/// Which way bytes go.
package enum Direction: String, CaseIterable, Sendable {
  /// From the client to the server.
  case up
  case down
}

/// How a direction stops.
package enum Stop: String, CaseIterable, Sendable {
  /// What is sent is held back, and the sender is slowed down when enough waits.
  case stall
  /// What is sent is taken and goes nowhere, its end included: a half-open connection.
  case swallow
}
