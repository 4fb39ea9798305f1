package import TLS

/// What is measured, and how hard.
package struct LoadOptions: Equatable, Sendable {
  package enum Workload: String, CaseIterable, Sendable {
    /// Live messages, phone to watch.
    case message
    /// Guaranteed user info, acknowledged by the watch and counted at `didFinish…`.
    case transfer
    /// Transfers to a watch that is away, then its drain.
    case backlog
    /// Operations through the hub, both devices editing.
    case sync
    /// Connections, activations, and what an idle one costs.
    case connect
  }

  package enum Pace: Equatable, Sendable {
    /// Closed loop: each lane has at most so many under way.
    case window(Int)
    /// Open loop: so many a second over all pairs, whatever comes back.
    case rate(Double)
  }

  package var workload: Workload
  /// How many phones with a watch each.
  package var pairs: Int
  package var pace: Pace
  /// Bytes of a payload's JSON text (PROTOCOL.md clause 3.3); of sync the written value's.
  package var payload: Int
  /// How long is measured, in seconds.
  package var seconds: Double
  /// How long load runs before that, in seconds.
  package var warmUp: Double
  /// After so many seconds without an answer the run is given up.
  package var timeout: Double
  /// The processors that server and client are bound to; nil where they are not.
  package var serverCPU: Int?
  package var clientCPU: Int?
  /// For a server that asks for one (clause 14.2).
  package var token: String? = nil
  /// nil for connections without TLS.
  package var tls: ClientSettings? = nil

  /// Room for the two numbers in it, and not above what a message may have.
  package static let payloads = 64...60_000
  package static let standardPairs = 50
  /// 10,000 connections.
  package static let standardConnectPairs = 5_000

  package init(
    workload: Workload, pairs: Int? = nil, pace: Pace = .window(256), payload: Int = 200,
    seconds: Double = 5, warmUp: Double = 1, timeout: Double = 30, serverCPU: Int? = nil,
    clientCPU: Int? = nil
  ) {
    self.workload = workload
    self.pairs =
      pairs ?? (workload == .connect ? Self.standardConnectPairs : Self.standardPairs)
    self.pace = pace
    self.payload = payload
    self.seconds = seconds
    self.warmUp = warmUp
    self.timeout = timeout
    self.serverCPU = serverCPU
    self.clientCPU = clientCPU
  }
}
