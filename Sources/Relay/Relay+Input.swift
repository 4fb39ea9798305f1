package import Journal
import Wire

/// The inputs, in the order of a connection's life.
extension Relay {
  /// What a connection holds of which the memory is worth giving back.
  private static let muchHeld = 32 << 10

  /// A connection was accepted. Says `hello`, or refuses it where there are too many.
  ///
  /// - Parameters:
  ///   - activationTime: microseconds in which it has to activate; nil for any.
  ///   - peer: its address and port, for the log of a server with tokens.
  ///   - address: of the peer's machine; nil where that is this one.
  ///   - isSecure: TLS is spoken on it.
  package func opened(
    activationTime: Int64? = nil, peer: String = "", address: String? = nil,
    isSecure: Bool = false, now time: Int64
  ) -> Connection {
    setTime(time)
    let connection = makeConnection()
    connection.peer = peer
    connection.address = address
    addresses.add(address)
    setPace(of: connection)
    if let refusal = refusal(of: connection) {
      send(refusal, to: connection)
      connection.end(.draining)
    } else {
      answer(connection) { output in
        output.append("{\"type\":\"hello\",\"server\":\"watchline ")
        output.append(text: options.version)
        output.append("\",\"protocol\":1")
        let hasAccess = options.access != nil
        if hasAccess { output.append(",\"auth\":\"token\"") }
        if isSecure { output.append(",\"tls\":true") }
        output.append(",\"hint\":\"type help, or activate pair=demo role=phone")
        output.append(hasAccess ? " token=wl1_…\"}" : "\"}")
      }
      if let activationTime { awaitActivation(connection, within: activationTime) }
    }
    return connection
  }

  /// A new connection, in a slot that is free.
  func makeConnection() -> Connection {
    let number = freeConnections.popLast() ?? connections.count
    let connection = Connection(number: number)
    if number == connections.count {
      connections.append(connection)
    } else {
      connections[number] = connection
    }
    connectionCount += 1
    counts.connections += 1
    return connection
  }

  /// A connection has so many microseconds to activate in.
  func awaitActivation(_ connection: Connection, within time: Int64) {
    connection.activateBy = now + time
    deadlines.add(.notActivated(connection), at: now + time)
    pruneDeadlines()
  }

  /// Why a new connection is one too many; nil where it is not.
  private func refusal(of connection: Connection) -> WireError? {
    if connectionCount > limits.connections {
      return WireError(
        limit: "connections", code: .tooManyConnections,
        "this server takes \(limits.connections) connections at once", "try again later")
    }
    guard let address = connection.address, addresses[address] > limits.addressConnections else {
      return nil
    }
    return WireError(
      limit: "addressConnections", code: .tooManyConnections,
      "\(address) has \(limits.addressConnections) connections open, as many as one address may have",
      "close some of them")
  }

  /// Bytes came in. They are used before the call returns.
  package func received(_ chunk: UnsafeRawBufferPointer, on connection: Connection, now time: Int64)
  {
    setTime(time)
    runDeadlines()
    serve(chunk, connection)
    if connection.pace != nil { charge(connection, bytes: chunk.count) }
    account(connection)
    settle()
  }

  /// The peer has ended its input; it can still be written to.
  package func ended(_ connection: Connection, now time: Int64) {
    setTime(time)
    guard !connection.isEnded else { return }
    connection.hasSeenEnd = true
    finishInputIfDue(connection)
    settle()
  }

  /// The caller has begun to close a finished connection: its session is over, though the peer may
  /// take its time.
  package func finished(_ connection: Connection, now time: Int64) {
    setTime(time)
    if let device = connection.device { endSession(device) }
    if isStopping { evictIdle() }
    settle()
  }

  /// The connection is gone, whatever was owed on it.
  package func closed(_ connection: Connection, now time: Int64) {
    setTime(time)
    guard !connection.isClosed else { return }
    if let device = connection.device { endSession(device) }
    missEnds(on: connection)
    connection.enter(.closed)
    stopWaiting(connection)
    if connection.buffered >= Self.muchHeld { releasedBytes += connection.buffered }
    connection.input = []
    connection.output = []
    connection.unsent = 0
    account(connection)
    connections[connection.number] = nil
    freeConnections.append(connection.number)
    connectionCount -= 1
    hold(nil, connection)
    addresses.remove(connection.address)
    if !tails.isEmpty {
      endTail(of: connection)
      origins[connection.number] = nil
    }
    if isStopping { evictIdle() }
    settle()
  }

  /// The bytes to write to a connection. They count as waiting until `wrote`.
  package func takeOutput(_ connection: Connection) -> [UInt8] {
    let output = connection.takeOutput()
    if !tails.isEmpty { tellOutput(output, connection) }
    return output
  }

  /// All but `unsent` bytes of what was taken have been written. The caller looks at the connection next.
  package func wrote(_ connection: Connection, unsent: Int, now time: Int64) {
    setTime(time)
    connection.unsent = unsent
    account(connection)
    guard !connection.isClosed else { return }
    resumeLater(connection)
    if connection.waiting < limits.waitingOutput, let device = connection.device { drained(device) }
    settle()
  }

  /// The peer's kernel has confirmed everything up to output position `position`. Where that is very much, it is taken in
  /// a piece at a time: to be called again while `unconfirmedPosition` is not beyond it.
  package func confirmed(_ connection: Connection, through position: UInt64, now time: Int64) {
    setTime(time)
    // Where it says nothing new nothing is to be looked at again.
    let isWaiting = connection.device?.unconfirmed.first.map { $0.position <= position } ?? false
    guard position > connection.confirmedPosition || isWaiting else { return }
    confirmEnds(connection, through: position)
    guard let device = connection.device else { return }
    confirm(device, through: position)
    settle()
  }

  /// The position up to which the relay wants to know of confirmation; nil for none.
  package func unconfirmedPosition(_ connection: Connection) -> UInt64? {
    let acknowledged = connection.device?.unconfirmed.last?.position
    let told = max(connection.formerlyTold.last?.position ?? 0, unconfirmedEnd(connection))
    return told > 0 ? max(told, acknowledged ?? 0) : acknowledged
  }

  /// A finished connection should be closed once this position is confirmed, or after a while; 0 where
  /// it may be closed at once.
  package func unconfirmedEnd(_ connection: Connection) -> UInt64 {
    let position = connection.toldPosition
    return connection.isEnded && position > connection.confirmedPosition ? position : 0
  }

  /// How many bytes of a connection's output have been written so far.
  package func writtenPosition(_ connection: Connection) -> UInt64 {
    connection.position - UInt64(connection.waiting)
  }

  /// Whether a connection's bytes are wanted. Who waits for its turn is read on while it is not much that waits: it costs
  /// more to stop reading and begin again.
  package func wantsInput(_ connection: Connection) -> Bool {
    (connection.state < .held
      || connection.state == .held && connection.input.count < Work.heldInput)
      && !connection.hasSeenEnd && !isBlocked(connection)
  }

  /// Whether the caller should read from a connection from now on. Where it should not, the connection is touched
  /// when that may have changed.
  package func decideReading(_ connection: Connection) -> Bool {
    let isRead = wantsInput(connection)
    connection.isUnread = !isRead
    return isRead
  }

  /// Every batch up to this one is synced.
  package func committed(through number: UInt64, now time: Int64) {
    setTime(time)
    runDeadlines()
    finishBatches(through: number)
    settle()
  }

  /// A commit has failed and is being retried by the store.
  package func storeFailed(_ reason: String, now time: Int64) {
    setTime(time)
    guard storeFailure == nil else {
      storeFailure = reason
      return
    }
    storeFailure = reason
    log("event=storeFailing reason=\(reason.quoted)")
    answerUncommitted(reason)
    hubs?.storeFailed()
    settle()
  }

  /// The disk is full, or the store as large as it may become. Commits go on, into room that is kept for what makes the
  /// store smaller.
  package func storeIsFull(_ reason: String, isDisk: Bool, now time: Int64) {
    setTime(time)
    storeFullness = (reason, isDisk)
    compactIfDue()
    settle()
  }

  /// There is room again.
  package func storeHasRoom(now time: Int64) {
    setTime(time)
    storeFullness = nil
    evictIdle()
    compactIfDue()
    settle()
  }

  /// Commits succeed again.
  package func storeRecovered(now time: Int64) {
    setTime(time)
    storeFailure = nil
    log("event=storeRecovered")
    evictIdle()
    settle()
  }

  /// Payloads that were asked for; nil where a segment had gone meanwhile.
  package func fetched(token: Int, _ payloads: [[UInt8]]?, now time: Int64) {
    setTime(time)
    deliverFetched(token, payloads)
    settle()
  }

  /// The segment that was asked for; nil where it had gone meanwhile.
  package func fetchedSegment(_ segment: Segment?, now time: Int64) {
    setTime(time)
    compact(segment)
    settle()
  }

  /// The rows that were asked for; nil where they could not be read.
  package func loaded(_ read: PairRead, _ rows: [Row]?, now time: Int64) {
    setTime(time)
    if read.tables.contains(.hub) {
      hubs?.loaded(read.pair, rows)
    } else {
      takeLoad(read.pair, rows)
    }
    settle()
  }

  /// Time has passed.
  package func tick(now time: Int64) {
    setTime(time)
    runDeadlines()
    settle()
  }

  /// The server is to stop: no further input; what is owed is still brought.
  package func stop(now time: Int64) {
    setTime(time)
    isStopping = true
    for case let connection? in connections {
      dropReplies(from: connection, "the server is stopping")
      connection.end(.draining)
      connection.input = []
      scheduleOutput(connection)
    }
    evictIdle()
    saveService()
    settle()
  }

  /// Whether all that was accepted is committed and told.
  package var isIdle: Bool {
    inFlight.isEmpty && open.isEmpty
      && connections.allSatisfy { connection in
        guard let connection else { return true }
        return connection.owed == 0 && connection.waiting == 0
      }
  }

  func runDeadlines() {
    while let deadline = deadlines.popDue(now) { run(deadline.event) }
  }

  func run(_ event: Deadline.Event) {
    switch event {
    case .reply(let id): replyTimedOut(id)
    case .fullReceiver(let connection, let since): receiverStayedFull(connection, since)
    case .uploadsIdle(let pair): uploadsDue(pair)
    case .backgroundTask(let pair, let device, let session, let woken):
      guard let pair = pairs[pair] else { return }
      backgroundTaskEnded(pair.devices[Int(device)], session, woken)
    case .notActivated(let connection): activationOverdue(connection)
    case .tokenExpires(let connection): tokenMayHaveExpired(connection)
    case .delayOver(let connection): delayEnded(connection)
    case .pairIdle:
      isEvictionAwaited = false
      evictIdle()
    case .pairsUnused: lookForUnused()
    }
  }
}
