/// Ends of transfers that a sender may not have heard. One that went well is told once, without a `seq`,
/// and is lost with the connection or the process: so a device is told at its next activation that it
/// may have missed one, and can ask.
///
/// ```
/// told ──► its session ends ──► confirmed by the peer's kernel                     nothing is missed
///                          └──► the connection closes, or the device comes back
///                               on another one, before that                        it may be
/// ```
/// A pair that was in memory when the server was killed comes back whole; of its devices each may have
/// missed one. What is in memory alone until a pair is evicted needs no commit for that reason.
extension Relay {
  /// A session ends: what it was told last is still on its way.
  func sessionEnded(_ device: Device, on connection: Connection) {
    let position = connection.toldPosition
    connection.toldPosition = 0
    guard position > connection.confirmedPosition else { return }
    connection.formerlyTold.append((device, position))
    device.doubtful.append(connection)
  }

  /// The peer's kernel has confirmed more of a connection's output.
  func confirmEnds(_ connection: Connection, through position: UInt64) {
    connection.confirmedPosition = max(connection.confirmedPosition, position)
    guard !connection.formerlyTold.isEmpty else { return }
    for told in connection.formerlyTold where told.position <= position {
      told.device.doubtful.removeAll { $0 === connection }
    }
    connection.formerlyTold.removeAll { $0.position <= position }
  }

  /// A connection is gone with what was on its way.
  func missEnds(on connection: Connection) {
    for told in connection.formerlyTold {
      told.device.doubtful.removeAll { $0 === connection }
      told.device.mayHaveMissedEnd = true
    }
    connection.formerlyTold = []
  }

  /// A session begins. Returns whether its device may have missed an end; it has been told then, should
  /// it hear the answer.
  func takeMissedEnds(_ device: Device, on connection: Connection) -> Bool {
    // What is on its way on this connection comes before the answer.
    if let index = connection.formerlyTold.firstIndex(where: { $0.device === device }) {
      connection.toldPosition = connection.formerlyTold.remove(at: index).position
      device.doubtful.removeAll { $0 === connection }
    }
    guard device.mayHaveMissedEnd || !device.doubtful.isEmpty else { return false }
    resolveDoubts(device)
    device.mayHaveMissedEnd = false
    return true
  }

  /// A pair leaves the memory: what is in doubt counts as missed, and is written down.
  func keepMissedEnds(_ pair: Pair) {
    for device in pair.devices {
      resolveDoubts(device)
      if device.mayHaveMissedEnd != device.isMissedEndInRow { changed(device) }
    }
  }

  private func resolveDoubts(_ device: Device) {
    guard !device.doubtful.isEmpty else { return }
    for connection in device.doubtful {
      connection.formerlyTold.removeAll { $0.device === device }
    }
    device.doubtful = []
    device.mayHaveMissedEnd = true
  }
}

extension Pair {
  /// The server was killed while the pair was in memory. Where no transfer has ended, none was missed.
  func mayHaveMissedEnds() {
    for device in devices where device.incarnations.contains(where: \.hasEndedTransfers) {
      device.mayHaveMissedEnd = true
    }
  }
}

extension Incarnation {
  fileprivate var hasEndedTransfers: Bool {
    lastNumber + lastCount > UInt64(numbered.count + counted.count)
  }
}
