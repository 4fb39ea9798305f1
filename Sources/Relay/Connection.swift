import Wire

/// One TCP connection as the relay sees it: lines in, bytes out, and at most one session.
package final class Connection {
  /// Its slot; used again after `closed`.
  package let number: Int
  /// The caller's own mark, for finding its socket.
  package var tag = 0

  // Input.
  /// Bytes received and not consumed: the start of a torn line, or all that a block holds back.
  var input: [UInt8] = []
  /// Where in `input` begins what is not consumed.
  var inputStart = 0
  var telnet = TelnetFilter()
  /// Within a line that was too long, up to its LF.
  var isSkipping = false
  /// Lines consumed.
  var lines = 0
  /// The peer has ended its input; what came before is still processed.
  var hasSeenEnd = false
  /// No further line is consumed: end of input, `quit`, replaced, server stopping.
  var isEnded = false
  /// Input is held back until what blocks the connection is gone.
  var isStalled = false
  /// Input is held back until it is the connection's turn.
  var isHeld = false
  /// The last turn in which it was served, and what it may still cost in that one (`Work`).
  var turn: UInt64 = 0
  var allowance = 0
  /// Is closed at once, to give its memory back.
  package internal(set) var isAborted = false
  /// Has had a session: it may send longer lines, and have more output wait.
  var hasActivated = false
  /// Bytes that it holds, as counted in `Relay.buffered`.
  var buffered = 0
  /// Its session has gone to another connection: nothing is owed any more.
  var isReplaced = false
  /// The receiver for whose output its live message waits, and until when.
  var waitingFor: Device?
  var waitingSince: Int64 = 0
  /// An `activate` waits for its pair to be read back.
  var isAwaitingPair = false
  /// Why that failed, for the `activate` that waited.
  var pairFailure: String?
  /// An `activate` whose answer awaits a commit.
  var isActivating = false
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
  var isTouched = false

  // Session.
  var device: Device?
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

  package internal(set) var isClosed = false

  init(number: Int) { self.number = number }

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
  var waiting: Int { output.count + unsent }

  /// Whether the caller should close it: nothing more comes in, nothing is owed, all is written.
  package var isFinished: Bool {
    guard isEnded, output.isEmpty, unsent == 0 else { return false }
    // What an automatic acknowledge waits for is waited for here too.
    return isReplaced || (owed == 0 && endMarks == nil && device?.unconfirmed.isEmpty != false)
  }

  /// Whether the device of a session that is over may not have heard the end of a transfer.
  package var isInDoubt: Bool { !formerlyTold.isEmpty }

  /// Whether there is something to write.
  package var hasOutput: Bool { !output.isEmpty }
}
