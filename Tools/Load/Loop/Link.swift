internal import Glibc
internal import TLS

/// One connection to the server: a phone's or a watch's.
final class Link {
  enum Role: String {
    case phone, watch
  }

  enum State {
    case connecting
    /// The socket is open; TLS is not yet.
    case securing
    /// The socket is open; `hello` is awaited.
    case open
    /// The server has said `hello`.
    case greeted
    /// `activate` is sent.
    case activating
    case active
    case closed
  }

  /// Its place in the loop's list.
  let index: Int
  let pair: Int
  let role: Role
  let descriptor: Int32
  /// nil without TLS.
  let channel: TLSChannel?
  var state = State.connecting
  /// When it began what it is at, on `Clock`.
  var since: Int64
  /// The start of a line that is torn.
  var rest: [UInt8] = []
  /// What the kernel did not take, from `pendingStart`.
  var pending: [UInt8] = []
  var pendingStart = 0
  /// It has something to say at the end of the turn.
  var isScheduled = false
  /// The highest number delivered to it (`seq`, or `at` of a log), and the last acknowledged.
  var delivered = 0
  var acknowledged = 0
  /// What `sessionReachabilityDidChange` said last.
  var isCounterpartReachable = false

  init(
    index: Int, pair: Int, role: Role, descriptor: Int32, channel: TLSChannel?, since: Int64
  ) {
    self.channel = channel
    self.index = index
    self.pair = pair
    self.role = role
    self.descriptor = descriptor
    self.since = since
  }

  var name: String { "the \(role.rawValue) of pair \(pair + 1)" }
}
