import Wire

/// One TCP connection as the relay sees it: lines in, bytes out, and at most one session.
package final class Connection {
  /// Its slot; used again after `closed`.
  package let number: Int
  /// The caller's own mark, for finding its socket.
  package var tag = 0

  private(set) var state = ConnectionState.reading
  private(set) var wait = Wait.nothing

  // Input.
  /// Bytes received and not consumed: the start of a torn line, or all that a block holds back.
  var input: [UInt8] = []
  /// Where in `input` begins what is not consumed.
  var inputStart = 0
  var telnet = TelnetFilter()
  /// The caller was told not to read from it.
  var isUnread = false
  /// Lines consumed.
  package internal(set) var lines = 0
  /// The peer has ended its input; what came before is still processed.
  var hasSeenEnd = false
  /// The last turn in which it was served, and what it may still cost in that one (`Work`).
  var turn: UInt64 = 0
  package var allowance = 0
  /// How fast it may send; nil for as fast as it can.
  var pace: Pace?
  /// What its device may do, on a server with tokens.
  var token: Token?
  /// Tokens of this connection that were refused since one was not.
  var refusals = 0
  /// Its address for the log; empty where the caller did not say.
  var peer = ""
  /// The address of its machine; nil where that is this one.
  var address: String?
  /// Has had a session: it may send longer lines, and have more output wait.
  var hasActivated = false
  /// What its `acknowledge` is about that goes on in the next turn.
  var acknowledging: UInt64?
  /// Bytes that it holds, as counted in `Relay.buffered`.
  var buffered = 0
  /// Why a pair could not be read back, for the line that waited for it.
  package var pairFailure: String?
  /// What was put together for the line that waits for it, and the bytes that it holds.
  package var prepared: (answer: AnyObject, bytes: Int)?
  /// Bytes of what its keeper has put together and not sent yet, beside that.
  package var yetToSend = 0
  /// The shard that it has asked for, which is not here.
  var destination: Int?
  /// When its time to activate is over; nil for never.
  var activateBy: Int64?
  /// The line with which it activates, once a commit that came after it has shown whose the store is.
  var activatingLine: Int?
  /// Payload bytes that no commit covers yet.
  var uncommitted = 0

  // Output.
  /// Bytes to write, taken by the caller with `Relay.takeOutput`.
  var output: [UInt8] = []
  /// About how much output a turn brings, by the last ones: room for it is made at once. Small ones
  /// between, as where input is served in parts, let it fall slowly.
  private var expected = 0
  /// Bytes that the caller took and has not written yet.
  var unsent = 0
  /// Bytes ever appended to `output`.
  var position: UInt64 = 0
  var isScheduled = false

  // Session.
  /// Its pair keeps it: no pair is evicted while somebody has a session in it.
  @Uncounted var device: Device?
  /// Answers that a commit or a reply still has to bring.
  var owed = 0
  /// What was to be handed out when the input ended, by lane: owed like an answer.
  var endMarks: [UInt64]?
  var pendingReplies = 0

  // Ends of transfers that its devices were told without a `seq`.
  /// The output position behind the last one of its present session; 0 where there was none.
  var toldPosition: UInt64 = 0
  /// The same of sessions that are over, until the peer's kernel has confirmed it.
  var formerlyTold: [(device: Device, position: UInt64)] = []
  /// The output position up to which the peer's kernel is known to have confirmed.
  var confirmedPosition: UInt64 = 0

  init(number: Int) { self.number = number }

  // MARK: States

  @inline(__always)
  func enter(_ next: ConnectionState) {
    #if DEBUG
      // An assert would be optimised away in this target.
      precondition(state.canGo(to: next), "connection \(number) cannot go from \(state) to \(next)")
    #endif
    state = next
  }

  /// No further line is carried out. Of several endings the one that brings least counts.
  func end(_ ending: ConnectionState) {
    if state < ending { enter(ending) }
  }

  /// Its next line waits for something.
  package func wait(for reason: Wait) {
    #if DEBUG
      // An assert would be optimised away in this target.
      precondition(wait.isOver, "connection \(number) waits for \(reason), and for \(wait) already")
    #endif
    wait = reason
  }

  /// What it waited for has come, or never will.
  func endWait() { wait = .nothing }

  @inline(__always)
  package var isClosed: Bool { state == .closed }

  /// Whether no further line is carried out.
  @inline(__always)
  var isEnded: Bool { state >= .draining }

  /// Whether it is to be closed at once, whatever there is to write.
  @inline(__always)
  package var isAborted: Bool { state == .aborted }

  /// Whether it gets what commits and replies still bring.
  @inline(__always)
  var takesAnswers: Bool { state <= .draining }

  /// Whether another relay serves it (`Relay+Visits`).
  var isAway: Bool {
    if case .visit = wait { true } else { false }
  }

  /// Whether its `activate` awaits a commit.
  package var isActivating: Bool {
    if case .activation = wait { true } else { false }
  }

  /// Whether its next line waits for what the server has to do, and not for its own sake.
  var isAwaited: Bool {
    switch wait {
    case .nothing, .delay: false
    case .activation, .commit, .pair, .receiver, .destination, .visit: true
    }
  }

  // MARK: Output

  /// Makes room for as much output as there was last time, once there is some again.
  @inline(__always)
  func prepareOutput() {
    if output.isEmpty, expected > 0 { output.reserveCapacity(expected) }
  }

  /// Output goes to the caller.
  func takeOutput() -> [UInt8] {
    let taken = output
    output = []
    unsent += taken.count
    expected = min(max(taken.count, expected - expected / 4), Self.mostExpected)
    return taken
  }

  private static let mostExpected = 64 << 10

  /// Bytes that the peer has not been given yet.
  package var waiting: Int { output.count + unsent }

  /// Whether the caller should close it: nothing more comes in, nothing is owed, all is written.
  package var isFinished: Bool {
    guard isEnded, output.isEmpty, unsent == 0 else { return false }
    // What an automatic acknowledge waits for is waited for here too.
    return state == .replaced
      || (owed == 0 && endMarks == nil && device?.unconfirmed.isEmpty != false)
  }

  /// Whether the device of a session that is over may not have heard the end of a transfer.
  package var isInDoubt: Bool { !formerlyTold.isEmpty }

  /// Whether there is something to write.
  package var hasOutput: Bool { !output.isEmpty }
}
