import Journal
import Wire

package enum Role: String, Sendable {
  case phone, watch
}

enum AppState: String {
  case foreground, background, suspended, terminated

  /// Whether the app runs, so that a delegate can be called.
  var isRunning: Bool { self == .foreground || self == .background }
}

/// A phone or a watch of a pair, connected or not.
///
/// ```
///              activate                 selectWatch (phone)         all handed out
/// notActivated ────────► activated ───────────────────► inactive ──────────────────► notActivated
///       ▲                    │  deactivate, replaced, end of connection
///       └────────────────────┘
/// ```
package final class Device {
  /// It holds this device as well, until `Pair.dissolve`. A constant costs no count of references.
  package let pair: Pair
  package let index: UInt16
  package let name: String
  /// The name as JSON text.
  let quotedName: [UInt8]
  /// How its lines begin.
  var heads = LineHeads()
  let role: Role

  // Durable.
  var incarnations: [Incarnation] = []
  var lanes: [Lane] = LaneName.allCases.map { _ in Lane() }
  /// The last `Item.order` given.
  var order: UInt64 = 0
  /// Bytes of files for this device that are on their way, as announced.
  var fileBytes = 0
  /// Contexts addressed to this device, by sender.
  var contexts: [UInt16: ContextSlot] = [:]
  var state = DeviceState() { didSet { pair.conditionsChanged() } }
  var hasJoined = false { didSet { pair.conditionsChanged() } }
  /// Complication transfers charged on `complicationDay`.
  var complicationsUsed = 0
  var complicationDay: Int64 = 0
  /// Failed transfers, oldest first, for a retry by `n`.
  var failures: [(transfer: TransferKey, code: UInt16)] = []
  /// An end of a transfer may have been told and not heard: the next activation says so.
  var mayHaveMissedEnd = false
  /// What its row says of that.
  var isMissedEndInRow = false
  /// Of transfers numbered at or below it the failures are not all known any more, by incarnation.
  var forgottenFailures: [UInt16: UInt64] = [:]

  // The present session.
  /// The relay keeps it until it is closed, and then no session has it.
  @Uncounted package internal(set) var connection: Connection? {
    didSet { pair.conditionsChanged() }
  }
  /// Rises with every activation; tells a late answer from a present one.
  package internal(set) var session: UInt64 = 0
  var activation = Activation.notActivated { didSet { pair.conditionsChanged() } }
  package internal(set) var incarnation: UInt16 = 0
  package internal(set) var isAutomatic = false
  var appState = AppState.foreground { didSet { pair.conditionsChanged() } }
  /// What it was last told of `isReachable`.
  var toldReachable = false
  /// Of a watch: whether the app is on the phone, as it was told last.
  var toldCompanionApp = false
  /// Whether the drain of what waited at activation has yet to be told.
  var owesPendingChange = false
  /// The 7014 of a receiver that did not drain in time: until it does.
  var isSaturated = false
  /// Senders whose live message waits for this device's output to drain.
  var waiters: [Connection] = []
  /// Deliveries that an automatic acknowledge will cover, by the output position after each.
  var unconfirmed = Deque<(position: UInt64, lane: LaneName, seq: UInt64)>()
  /// Offsets at which unfinished downloads are to go on.
  var resumeOffsets: [String: Int] = [:]
  /// Whether a hub takes and sends its whole records.
  package var isBridged = false
  /// The `activate` that is being answered: its id and line.
  var activationCall = (id: "", line: 0)

  /// Connections of its former sessions on which an end of a transfer was told that is not confirmed.
  var doubtful: [Connection] = []

  /// Whom its sends go to, as found out last.
  var clearance = Clearance()

  // Bookkeeping.
  /// The last batch that carries its row, as it does when anything of it changed but its incarnations.
  var dirtyBatch: UInt64 = 0
  /// The last batch that carries any row of it.
  var changedBatch: UInt64 = 0
  /// The last batch after which it is to be pumped.
  var pumpBatch: UInt64 = 0
  /// Payloads read back from the store and not handed out yet.
  var fetched: [Reference: [UInt8]] = [:]
  var isFetching = false
  /// A read has failed: the next one asks for one payload, to find which.
  var fetchesSingly = false

  enum Activation: Int {
    case notActivated = 0
    case inactive = 1
    case activated = 2
  }

  init(pair: Pair, index: UInt16, name: String, role: Role) {
    self.pair = pair
    self.index = index
    self.name = name
    quotedName = Array(name.quoted.utf8)
    self.role = role
  }

  subscript(lane: LaneName) -> Lane {
    _read { yield lanes[Int(lane.rawValue)] }
    _modify { yield &lanes[Int(lane.rawValue)] }
  }

  /// The number of the next user info for it.
  package var nextUserInfo: UInt64 { self[.userInfo].next }

  /// Whether anything is left to hand out in any lane.
  var hasRest: Bool {
    for index in 0..<lanes.count where lanes[index].hasRest { return true }
    return false
  }

  package var isPhone: Bool { role == .phone }

  /// Whether content waits for the app or is not acknowledged yet (WCSession.hasContentPending).
  var hasContentPending: Bool { LaneName.content.contains { self[$0].count > 0 } }

  /// The `n` of the last transfer that was accepted of its present incarnation; 0 for none.
  package var lastNumber: UInt64 { incarnations[Int(incarnation)].lastNumber }

  /// Unfinished transfers of all incarnations.
  var outstanding: Int { incarnations.reduce(0) { $0 + $1.numbered.count + $1.counted.count } }

  func isOutstanding(_ transfer: TransferKey) -> Outbox.Entry? {
    guard Int(transfer.incarnation) < incarnations.count else { return nil }
    return incarnations[Int(transfer.incarnation)][transfer.isNumbered].find(transfer.number)
  }
}
