import Journal
import Wire

/// Back into memory: pairs that were evicted.
extension Relay {
  /// All that makes a pair.
  static let pairTables: [Row.Table] = [.pair, .device, .file, .queue, .context]

  /// Asks for an evicted pair. Lines of a connection that needs it wait until it is there.
  func load(_ number: UInt32, for connection: Connection? = nil) {
    if loads[number] == nil {
      loads[number] = []
      blankPairs.remove(number)
      unusedPairs.remove(number)
      effects.pairReads.append(PairRead(pair: number, tables: Self.pairTables))
    }
    guard let connection else { return }
    connection.wait(for: .pair)
    loads[number]!.append(connection)
  }

  /// The rows of a pair have come, or could not be read.
  func takeLoad(_ number: UInt32, _ rows: [Row]?) {
    let restoration = Restoration(self)
    read(rows) { (rows) throws(JournalError) in
      try restoration.pair(number, rows)
    } then: { [self] in
      finishLoad(number, isGone: rows?.isEmpty == true, $0)
    }
  }

  /// A pair has come, or could not be read. Either way those who wait for it go on.
  private func finishLoad(_ number: UInt32, isGone: Bool, _ read: Result<Pair, JournalError>) {
    guard let waiting = loads.removeValue(forKey: number), !isStopping else { return }
    for connection in waiting { endAwaiting(connection) }
    let wasExpired = expired.remove(number) != nil
    let isExpired = wasExpired && waiting.isEmpty
    defer { if wasExpired { finishExpired() } }
    do throws(JournalError) {
      // It was erased meanwhile, or before: what a segment had of it is nobody's.
      if isGone, waiting.isEmpty {
        skipAwaited(number)
        return continueCompaction()
      }
      let pair = try read.get()
      pairs[number] = pair
      countWaiting(of: pair, isComing: true)
      failIdleUploads(pair)
      copyAwaited(pair)
      // Not for a connection: then it has no more to do here.
      if isExpired {
        eraseUnused(pair)
      } else if waiting.isEmpty {
        evict(pair)
      } else {
        becameIdle(pair)
      }
    } catch {
      log("event=pairUnreadable pair=\(number) reason=\("\(error)".quoted)")
      for connection in waiting {
        connection.pairFailure =
          "this pair cannot be read back (\(error)); nothing was changed, try again later or look "
          + "into the server's log"
      }
      if isExpired { unusedPairs.add(number, servedMinutes) }
      // Its uploads are looked at again then.
      if uploadDeadlines[number] == nil { watchUploads(of: number, at: now + Self.nextTry) }
      skipAwaited(number)
    }
    continueCompaction()
  }

  /// When a pair that could not be read for its uploads is tried again by itself.
  private static let nextTry: Int64 = 3_600_000_000

  package func endAwaiting(_ connection: Connection) {
    connection.endWait()
    unblock(connection)
  }
}

extension Restoration {
  /// One pair that was evicted. On any thread.
  func pair(_ number: UInt32, _ rows: [Row]) throws(JournalError) -> Pair {
    var restoration = self
    try restoration.add(rows)
    restoration.finish()
    guard let pair = restoration.pairs[number], pair.hasQueueRow else {
      throw JournalError(description: "the store has lost rows of it")
    }
    return pair
  }
}
