package import Relay

/// A disk that fails, and a process that ends, stands still and starts again.
extension World {
  /// Writes begin to fail; the batches stay unwritten.
  package func failStore(_ reason: String = "disk full") {
    isFailing = true
    relay.storeFailed(reason, now: time)
    settle()
  }

  /// The disk is full, and commits go into what is kept for that; or the store is as large as it may become.
  package func fillDisk(_ reason: String = "disk full", isDisk: Bool = true) {
    relay.storeIsFull(reason, isDisk: isDisk, now: now)
    settle()
  }

  package func makeRoom() {
    relay.storeHasRoom(now: now)
    settle()
  }

  /// Writes succeed again.
  ///
  /// - Parameter written: those that failed are written first; else they wait for `commitOne`.
  package func recoverStore(written: Bool = true) {
    isFailing = false
    while written, !uncommitted.isEmpty { commitNext() }
    relay.storeRecovered(now: time)
    settle()
  }

  /// The relay stops, as at SIGTERM.
  package func stop() {
    relay.stop(now: time)
    lobby?.stop(now: time)
    settle()
  }

  /// The process is gone, with all its connections.
  package func end() {
    for client in order { client.isClosed = true }
    order = []
  }

  /// The process stands still: what it has written can be read, and it takes in nothing.
  package func freeze() { isFrozen = true }

  /// It goes on where it stood, at a time in microseconds since 1970.
  package func thaw(at time: Int64) {
    guard isFrozen else { return }
    isFrozen = false
    for client in unnoticed { notice(client) }
    unnoticed = []
    for client in order { look(at: client) }
    settle()
    advance(to: time)
  }

  /// Stops the relay as SIGTERM does, and starts another one on the store.
  ///
  /// - Parameter change: makes the options those of the other one.
  package func restart(_ change: (inout Relay.Options) -> Void = { _ in }) throws {
    stop()
    for client in order { drop(client) }
    settle()
    change(&options)
    try start()
  }

  /// Ends the relay as SIGKILL does: what was not committed never was.
  ///
  /// - Parameter written: so many of the batches that wait were on the disk all the same, and
  ///   nobody was told.
  package func kill(written: Int = 0) throws {
    for batch in uncommitted.prefix(written) { store.commit(batch) }
    end()
    try start()
  }

  private func start() throws {
    uncommitted = []
    reads = []
    segmentReads = []
    pairReads = []
    works = []
    worksDone = []
    isFailing = false
    epoch += 1
    clock = ServerClock(steady: now - asleep, system: systemTime)
    relay = try Relay(store.contents(epoch: epoch), options: options, now: clock.elapsed)
    lobby = try Self.lobby(options, now: clock.elapsed)
  }
}
