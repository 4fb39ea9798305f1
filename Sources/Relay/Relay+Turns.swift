import Wire

/// What a connection may cost in a turn of the loop, and who comes next (PROTOCOL.md clause 6).
///
/// Work is counted in units instead of time, so that the same input always does the same. A unit is about
/// what a byte costs: a line costs `line` units, its own bytes, and the bytes of its answers; an edit `edit` more, a
/// refusal `refusal`.
///
/// ```
///  bytes ──► received: at once, `share` units ──► the rest is held ──► nextTurn: round robin,
///            each and `turn` together                ▲     ▲           `share` units each,
///                          what was blocked ─────────┘     └────────── `turn` units together
/// ```
/// Where those who came before have used the turn up, a connection that has sent one line is still served at once, and
/// whoever has sent more waits for the next turn with all of it.
/// So a connection that sends little is served as it comes, before those that have more than their share
/// waiting, as in fair queueing with priority for sparse flows (RFC 8290, section 4.2).
package enum Work {
  /// A line, whatever is in it: 3 to 6 µs where it is short.
  package static let line = 256
  /// A refusal beside its line: the nearest of a hundred words is looked for, some 20 µs.
  static let refusal = 1 << 10
  /// What a connection is served at a time: some 150 lines of usual length, half a turn at most. A read of a busy
  /// client mostly fits, so that it is not copied to be held, and its answers leave in one write.
  static let share = 128 << 10
  /// Bytes of a connection that waits for its turn, above which it is not read on.
  static let heldInput = 32 << 10
  /// What is served in a turn of what comes in, and of what is held: 2 to 5 ms each.
  package static let turn = 256 << 10
  /// Waiting items of which a request ends as many in a turn: 2 to 11 ms.
  static let pieceOfItems = 4_096
  /// Deliveries to one device that are acknowledged for it in a turn: some 5 ms.
  static let confirmedAtOnce = 1_024
  /// Payload bytes that one commit may bring for all, 20 to 40 ms of a disk. Above it each connection
  /// has `commitShare`, so that whoever sends one transfer does not wait for everybody's megabyte.
  static let commit = 8 << 20
  static let commitShare = 64 << 10
}

extension Relay {
  /// Whether something needs no more than a turn to go on: input that is held, or what erased pairs hold.
  package var hasMore: Bool {
    !held.isEmpty || leaving.contains(where: \.hasItems)
  }

  /// Begins a turn: those that hold input back go on, each in its turn.
  ///
  /// To be called once for each time that the sockets were looked at, and again without delay while
  /// `hasMore`.
  package func nextTurn(now time: Int64) {
    setTime(time)
    turn &+= 1
    atOnce = Work.turn
    if !leaving.isEmpty { letGo() }
    guard !held.isEmpty else { return settle() }
    runDeadlines()
    var left = Work.turn
    while left > 0, let connection = held.popFirst() {
      guard connection.state == .held else { continue }
      connection.enter(.reading)
      let units = min(Work.share, left)
      begin(connection, units)
      resume(connection)
      account(connection)
      left -= max(1, units - connection.allowance)
    }
    settle()
  }

  /// Serves what has just come in, as far as the connection and the turn allow.
  func serve(_ chunk: UnsafeRawBufferPointer, _ connection: Connection) {
    if connection.turn != turn {
      begin(connection, atOnce > 0 ? Work.share : isOneLine(chunk) ? 1 : 0)
    }
    let before = connection.allowance
    consume(chunk, connection)
    atOnce -= before - connection.allowance
  }

  /// Whether there is no more in it than a line, or less.
  private func isOneLine(_ chunk: UnsafeRawBufferPointer) -> Bool {
    endOfLine(chunk, from: 0).map { $0.index == chunk.count - 1 } ?? true
  }

  private func begin(_ connection: Connection, _ units: Int) {
    connection.turn = turn
    connection.allowance = units
  }

  /// A request has done a piece of what it asks for, and is carried out again in the next turn. What is done is as if the
  /// rest had not been asked for yet.
  ///
  /// - Returns: false, as a request that has to wait.
  package func goOn(_ call: Call) -> Bool {
    // A piece is all of a turn's work.
    call.connection.allowance = min(0, call.connection.allowance) - Work.turn
    return false
  }

  /// The rest of a connection's input waits until it is its turn.
  func hold(_ connection: Connection) {
    connection.enter(.held)
    held.append(connection)
    scheduleOutput(connection)
  }

  /// What a connection was blocked by is gone: its input goes on when the present input is done. Where nothing of it is
  /// held back, the caller is to look whether to read it again.
  @inline(__always)
  func unblock(_ connection: Connection) {
    resumeLater(connection)
    if connection.isUnread { scheduleOutput(connection) }
  }

  /// The same where the caller looks at the connection next in any case.
  @inline(__always)
  func resumeLater(_ connection: Connection) {
    if connection.state == .stalled { unblocked.append(connection) }
  }

  /// The same of all connections, where what blocked them was common to them.
  func unblockAll() {
    for case let connection? in connections { unblock(connection) }
  }

  /// Lets those go on whose reason to wait is gone, each when it is its turn: a thousand may have been let
  /// go by one commit, or have read what they had not.
  func settle() {
    for connection in unblocked
    where connection.state == .stalled && !isBlocked(connection) {
      hold(connection)
    }
    unblocked.removeAll(keepingCapacity: true)
  }
}
