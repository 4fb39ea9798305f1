import Merge
package import Relay

/// What takes longer than a turn may is done aside, on another thread: requests for the pair's hubs wait meanwhile, and
/// those for other pairs do not.
extension Hubs {
  /// An answer that was put together for a line, as of a position of the log.
  final class Prepared {
    /// The line's number on its connection.
    let line: Int
    let at: UInt64
    /// The vector as people read it.
    let vector: String
    let pieces: [[UInt8]]
    /// The first of them that has not been sent.
    var next = 0

    init(line: Int, at: UInt64, vector: String, pieces: [[UInt8]]) {
      self.line = line
      self.at = at
      self.vector = vector
      self.pieces = pieces
    }
  }

  /// What `make` finds in a hub: at once where that is small; else aside, and the line is carried out anew then.
  ///
  /// - Parameters:
  ///   - weight: how much of the hub `make` goes through (`Hub.weight`).
  ///   - make: reads the replica, and nothing else that others may change.
  /// - Returns: nil where the connection waits.
  func prepared(
    _ call: Call, _ hub: Hub, weight: Int, _ make: @escaping (Replica) -> [[UInt8]]
  ) -> Prepared? {
    let connection = call.connection
    if let found = connection.prepared?.answer as? Prepared, found.line == connection.lines {
      return found
    }
    let (line, at, replica) = (connection.lines, hub.replica.position, hub.replica)
    let vector = hub.short(replica.vector)
    guard weight > limits.aside else {
      connection.allowance -= weight * Work.spelled
      return Prepared(line: line, at: at, vector: vector, pieces: make(replica))
    }
    lend(hub.pair, for: connection) {
      make(replica)
    } then: { pieces in
      connection.keep(Prepared(line: line, at: at, vector: vector, pieces: pieces))
    }
    return nil
  }

  /// Has something done with a pair's hubs aside. Until it is nobody writes there, nor goes through the records; the log
  /// is still read, unless it is a purge.
  ///
  /// - Parameters:
  ///   - connection: waits for it; nil where nobody does yet.
  ///   - standsStill: all requests of the pair's devices wait, not those for its hubs alone.
  func lend<Result>(
    _ pair: Pair, for connection: Connection?, standsStill: Bool = false,
    _ body: @escaping () -> Result,
    then: @escaping (Result) -> Void
  ) {
    let records = pair.merged!
    records.isLent = true
    pair.standsStill = standsStill
    if let connection { wait(connection, for: pair) }
    relay.aside(body) { [self] result in
      records.isLent = false
      pair.standsStill = false
      if relay.pairs[pair.number] === pair {
        then(result)
        goOn(pair, records)
      }
      endWait(for: pair.number)
    }
  }

  /// What has waited for the end of what was done aside, and was asked by nobody.
  private func goOn(_ pair: Pair, _ records: PairHubs) {
    for hub in records.hubs where hub.owesExport || hub.awaitsCollection {
      hub.owesExport = false
      changed(hub)
    }
    for device in pair.devices { sendLog(device) }
  }

  package func letGo(_ pair: Pair) {
    guard let records = pair.here, records.hubs.contains(where: { $0.weight > limits.aside }) else {
      return
    }
    pair.records = .unread
    relay.aside {
      _ = records
    } then: {
    }
  }
}

extension Connection {
  /// Keeps an answer until its line is carried out again.
  func keep(_ answer: Hubs.Prepared) {
    prepared = (answer, answer.pieces[answer.next...].reduce(0) { $0 + $1.count })
  }
}

extension Hub {
  /// Whether its pair's hubs are in use aside.
  var isLent: Bool { pair.here?.isLent == true }

  /// About how long it takes to go through it all, in records of the usual size: some 5 to 10 µs each.
  var weight: Int {
    replica.fold.recordCount + chunks.reduce(0) { $0 + $1.bytes } / 1_024
  }
}
