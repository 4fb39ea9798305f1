package import AppModels
package import Merge
package import Wire

/// A device that knows whole records only, kept in step with the hub's bridge (clause 13 of the protocol):
/// lines in, lines out, no sockets.
///
/// ```
/// app ──edit──► records ──differences──► WholeRecordDevice ──messages──► queue ──lanes──► hub
///                  ▲                        │        ▲
///                  └────── all of it ───────┴────────┴──────────── userInfo ◄──────────── hub
/// ```
/// The app's screens read and edit a replica that goes nowhere. The list goes by the application context, a
/// toggle by a message, else by user info; the running countdown by a message and the complication.
package final class WholeRecordSync: RecordSync {
  package let schema: Schema
  package var clock: Int64
  package internal(set) var model: WholeRecordDevice
  /// What the app is shown.
  private let replica: DeviceReplica
  private let newIdentifier: () -> Identifier

  /// Chosen anew by a device that has lost what it held.
  var incarnation: String
  /// The server's store of which the numbers are.
  var store = ""
  /// The last number of a transfer that the server is known to have accepted.
  var accepted: Int64 = 0
  /// By lane, the last delivery that was processed.
  var received: [String: Int64] = [:]
  /// What the server has yet to accept, in order.
  var queue: [Item] = []
  private var madeItems = 0

  /// Processed, and not yet acknowledged on this connection.
  var owed: [String: Int64] = [:]
  var isActive = false
  var isReachable = false
  /// Something waits for it at the server, or did when it activated.
  var hasContentPending = false
  var output: [[UInt8]] = []
  package var errors: [String] = []
  package var waits: UInt64 = 0
  package var formShown: VersionVector?

  /// How long it waits before it asks a server again that could not write, in milliseconds.
  static let patience: UInt64 = 1_000

  /// The request that carries a message.
  enum Lane: String {
    case userInfo = "transferUserInfo"
    case complication = "transferCurrentComplicationUserInfo"
    case context = "updateApplicationContext"
    case message = "sendMessage"

    /// Its requests are numbered, so that a repeat does nothing (clause 5.3).
    var isNumbered: Bool { self == .userInfo || self == .complication }
  }

  /// A message on its way to the server.
  struct Item {
    /// Its request's `id`, after `item`.
    let id: Int
    var lane: Lane
    var message: TodoTimersMessage
    var number: Int64?
    /// Sent on this connection, and not answered.
    var isSent = false
  }

  /// A new installation.
  ///
  /// - Parameters:
  ///   - identifier: the device's own, which no other has.
  ///   - clock: in milliseconds since 1970.
  ///   - newIdentifier: gives another one at each call.
  package init(
    _ identifier: Identifier, isPhone: Bool, schema: Schema, clock: Int64,
    newIdentifier: @escaping () -> Identifier
  ) {
    self.schema = schema
    self.clock = clock
    self.newIdentifier = newIdentifier
    model = WholeRecordDevice(isPhone ? .phone : .watch)
    incarnation = newIdentifier().description
    replica = DeviceReplica(
      id: ReplicaID(device: identifier, incarnation: 1), rank: isPhone ? 2 : 1)
  }

  var isPhone: Bool { model.role == .phone }

  /// Seconds since 2001-01-01 UTC.
  var date: Double { RecordDate.date(milliseconds: UInt64(max(0, clock))) }

  // MARK: Records

  package var fold: Fold { replica.fold }
  package var vector: VersionVector { replica.fold.vector }
  package var carried: [Name: Set<Name>]? { TodoTimersCodec().fields }
  /// Whole records say where each stands, and not whether somebody put it there.
  package var order: TimerOrder { .merged }

  package func newRecord() -> Name { Name(newIdentifier().description) }

  /// What the app wrote is what its person did on the device.
  package func write(
    _ actions: [Action], shown: VersionVector, now: Int64
  ) throws(WireError) {
    clock = now
    let before = timers
    try replica.write(actions, shown: shown, clock: now)
    do throws(WireError) {
      enqueue(try model.perform(before, to: timers, now: date))
    } catch {
      showModel()
      throw error
    }
    showModel()
  }

  private var timers: [TimerRecord] { TimerLibrary(Records(self), order: .merged).timers }

  /// Shows the app what the device holds.
  func showModel() {
    do throws(WireError) {
      try model.show(in: Records(Shown(schema, replica)))
    } catch {
      errors.append("a timer cannot be shown: \(error.message)")
    }
  }

  /// The replica of the app's screens, written to without sending anything.
  private final class Shown: RecordKeeper {
    let schema: Schema
    private let replica: DeviceReplica

    init(_ schema: Schema, _ replica: DeviceReplica) {
      self.schema = schema
      self.replica = replica
    }

    var fold: Fold { replica.fold }
    var vector: VersionVector { replica.fold.vector }

    func write(_ actions: [Action], shown: VersionVector, now: Int64) throws(WireError) {
      try replica.write(actions, shown: shown, clock: now)
    }

    func newRecord() -> Name { preconditionFailure("what is shown has its id") }
  }

  // MARK: What waits

  package var pendingCount: Int {
    queue.count { if case .timerState = $0.message { false } else { true } }
  }

  package var isDrained: Bool { isActive && queue.isEmpty }
  package var isUpToDate: Bool { isDrained && owed.isEmpty && !hasContentPending }

  package func takeOutput() -> [[UInt8]] {
    defer { output = [] }
    return output
  }

  /// Another message waits for the server, behind all that do. One that replaces others takes them out.
  func add(_ message: TodoTimersMessage, _ lane: Lane) {
    if lane == .context || lane == .complication {
      queue.removeAll { $0.lane == lane && !$0.isSent && $0.number == nil }
    }
    madeItems += 1
    queue.append(Item(id: madeItems, lane: lane, message: message))
  }

  /// Sends what people did, by the lanes that the seed names.
  func enqueue(_ messages: [TodoTimersMessage]) {
    for message in messages { add(message, lane(of: message)) }
    send()
  }

  private func lane(of message: TodoTimersMessage) -> Lane {
    switch message {
    case .fullSync: return .context
    case .timerUpdate: return .userInfo
    case .syncRequest: return canMessage ? .message : .userInfo
    case .timerState: return isPhone ? .complication : .userInfo
    case .quickAction(let action):
      guard case .todoToggled = action.action else { return .userInfo }
      return canMessage ? .message : .userInfo
    }
  }

  private var canMessage: Bool { isActive && isReachable && queue.allSatisfy(\.isSent) }

  package func syncNow() {
    guard isActive else { return }
    push()
    enqueue(isPhone ? [model.fullSync(now: date), .syncRequest] : [.syncRequest])
  }

  package func carry(_ message: [UInt8]) -> Bool {
    guard let state = try? TimerStateMessage(live: message) else { return false }
    if isActive, isReachable {
      let head = Array(#"{"type":"sendMessage","id":"message","payload":"#.utf8)
      output.append(head + message + [0x7D])
      // The watch's app shows it on its complication itself, where it is there to do so.
      guard isPhone else { return true }
    }
    enqueue([.timerState(state)])
    return true
  }
}
