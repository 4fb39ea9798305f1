import AppModels
package import Merge
package import Wire

/// A device's replica, kept in step with the hub: lines in, lines out, no sockets.
///
/// ```
/// open ──► sync.opened ──► (log or snapshot) ──► pushes, acknowledges
///              │ other chain, or retired
///              └──► open as a new incarnation, read the log, take over from the old one
/// ```
/// It sends one push at a time and acknowledges behind its own operations, as the specification
/// asks. What it holds outlives its connections.
package final class SyncDevice: CustomStringConvertible {
  package let name: String
  package let isPhone: Bool
  package let schema: Schema
  package private(set) var replica: DeviceReplica
  /// The device's own clock, in milliseconds since 1970.
  package var clock: Int64
  /// Lines to send, without LF.
  private var output: [[UInt8]] = []
  package private(set) var errors: [String] = []
  /// Operations that could not be issued anew.
  package private(set) var stranded: [Operation] = []
  /// How many were issued anew.
  package private(set) var reissued = 0
  package private(set) var retimings = 0
  package private(set) var snapshots = 0
  /// How long the hub wants it to wait before it pushes again.
  package var waits: UInt64 = 0
  /// Operations in one push at most.
  package var pushSize = 64
  /// Leaves operations with the device.
  package var holdsPushes = false
  package var holdsAcknowledges = false
  /// By replica, its last operation that the hub said it has.
  package private(set) var told: [ReplicaID: UInt64] = [:]

  private var identifier: Identifier { replica.id.device }
  private let newIdentifier: () -> Identifier
  /// Stands for a random number: also a backup that is put back gives none a second time.
  private var incarnations: UInt64 = 1
  private var previous: DeviceReplica?
  private var state = SyncState.closed
  /// It was open under another name on this connection before, and what that one asked may still be answered.
  package private(set) var isSuperseded = false
  private var pieces: [[UInt8]] = []
  /// Positions that are reached once everything within a vector is here.
  private var marks: [(at: UInt64, vector: VersionVector)] = []
  /// What it acknowledged last on this connection, and when by its clock.
  private var acknowledged: (at: UInt64, clock: Int64)?
  /// The hub's position as it opened, and what it had promised by then.
  private var opening = (at: UInt64(0), promise: Replica.Purge(frontier: .init(), horizon: 0))

  /// How long it waits before it asks a hub again that could not write, in milliseconds.
  private static let patience: UInt64 = 1_000

  /// A new installation.
  ///
  /// - Parameters:
  ///   - identifier: the device's own, which no other has.
  ///   - clock: in milliseconds since 1970.
  ///   - newIdentifier: gives another one at each call, for records.
  package init(
    _ name: String, _ identifier: Identifier, isPhone: Bool, schema: Schema, clock: Int64,
    newIdentifier: @escaping () -> Identifier
  ) {
    self.name = name
    self.isPhone = isPhone
    self.schema = schema
    self.clock = clock
    self.newIdentifier = newIdentifier
    replica = DeviceReplica(
      id: ReplicaID(device: identifier, incarnation: 1), rank: isPhone ? 2 : 1)
  }

  /// What the person sees and edits: the incarnation before goes on until the new one is filled.
  package var current: DeviceReplica { previous ?? replica }
  package var fold: Fold { current.fold }
  package var view: View { fold.view(schema) }

  /// Nothing of its own is unknown to the hub, as far as it knows.
  package var isDrained: Bool {
    state == .open && previous == nil && replica.pending.isEmpty && output.isEmpty
  }

  /// It has read the log up to where the hub said that it was, too.
  package var isUpToDate: Bool { isDrained && marks.isEmpty }

  package var description: String {
    "\(name) as \(replica.id.incarnation), \(replica.pending.count) pending behind "
      + "\(replica.accepted), read to \(replica.position), \(state), "
      + "waits \(waits), fills up \(previous != nil), "
      + "last error \(errors.last ?? "none")"
  }

  /// What the oldest open form was opened on; nil where none is open. Until it is saved or left, the
  /// device acknowledges nothing newer.
  package var formShown: VersionVector? {
    get { current.formShown }
    set {
      current.formShown = newValue
      if state.isOpen { acknowledge() }
    }
  }

  // MARK: The connection

  package func takeOutput() -> [[UInt8]] {
    defer { output = [] }
    return output
  }

  private func send(_ text: String) { output.append(Array(text.utf8)) }

  /// A new connection has activated.
  package func open() {
    disconnected()
    reopen()
  }

  private func nextIncarnation() -> UInt64 {
    incarnations += 1
    return incarnations
  }

  private func enter(_ next: SyncState) {
    #if DEBUG
      // An assert would be optimised away in this target.
      precondition(state.canGo(to: next), "\(name) cannot go from \(state) to \(next)")
    #endif
    state = next
  }

  private func reopen() {
    if case .opening(let unanswered) = state {
      enter(.opening(unanswered: unanswered + 1))
    } else {
      enter(.opening(unanswered: 1))
    }
    pieces = []
    marks = []
    acknowledged = nil
    let vector = String(decoding: replica.replica.vector.datum.canonical, as: UTF8.self)
    send(
      """
      {"type":"sync.open","schema":\(schema.name.text.quoted),"replica":"\(replica.id)",\
      "vector":\(vector),"id":"open"}
      """)
  }

  package func disconnected() {
    output = []
    enter(.closed)
    isSuperseded = false
    pieces = []
    marks = []
  }

  /// A line from the server; those that are not about records are passed over.
  package func received(_ bytes: [UInt8]) throws {
    let line = try Members(bytes)
    if line.type == "error" { return try failed(line) }
    guard line.type.hasPrefix("sync."), line.string("schema") == schema.name.text else { return }
    let at = line.has("at") ? try line.counted("at") : 0
    // What is of an opening that another one has followed is passed over.
    if line.type == "sync.opened" {
      guard case .opening(let unanswered) = state else {
        throw SyncFault("sync.opened at \(name), which did not ask for it")
      }
      if unanswered > 1 { return enter(.opening(unanswered: unanswered - 1)) }
    } else if isSuperseded {
      return
    }
    switch line.type {
    case "sync.opened": try opened(line, at)
    case "sync.ops":
      guard state.isOpen else { throw SyncFault("sync.ops before sync.opened at \(name)") }
      try replica.receive(try line.operations(), through: at)
    case "sync.snapshot": try snapshot(line, at)
    case "sync.accepted":
      pushAnswered()
      replica.accepted(try line.head())
      told[replica.id] = replica.accepted
      marks.append((at, try line.vector("vector")))
    case "sync.retime": try retime(line)
    case "sync.purge":
      let purge = Replica.Purge(
        frontier: try line.vector("frontier"), horizon: try line.counted("horizon"))
      guard replica.fold.vector.contains(purge.frontier) else {
        throw SyncFault("the hub collects what \(name) has not been sent")
      }
      // It had promised that, and was set back since: what it wrote after may stand upon what goes. What it has
      // promised since it opened says nothing of a purge from before.
      let promise = at <= opening.at ? opening.promise : replica.promise
      guard promise.contains(purge) else { return renew() }
      replica.purge(purge, position: at)
    default: return
    }
    try proceed()
  }

  private func opened(_ line: Members, _ at: UInt64) throws {
    guard line.string("schemaDigest") == schema.digest.hexadecimal else {
      throw SyncFault("the hub has another schema \(schema.name)")
    }
    enter(.open)
    isSuperseded = false
    let standing = replica.opened(try line.head())
    if standing == .setBack || line.isTrue("retired") { return renew() }
    opening = (at, replica.promise)
    told[replica.id] = replica.accepted
    marks.append((at, try line.vector("vector")))
  }

  /// Goes on as a new incarnation, which is filled by the hub first.
  package func renew() {
    // The one that was being filled has written nothing.
    if previous == nil { previous = replica }
    replica = DeviceReplica(
      id: ReplicaID(device: identifier, incarnation: nextIncarnation()),
      rank: replica.rank)
    isSuperseded = true
    reopen()
  }

  private func snapshot(_ line: Members, _ at: UInt64) throws {
    guard state.isOpen else { throw SyncFault("sync.snapshot before sync.opened at \(name)") }
    guard replica.replica.log.isEmpty else { return renew() }
    guard line.integer("index") == Int64(pieces.count) else {
      throw SyncFault("a piece of the snapshot is missing: \(line.text.prefix(200))")
    }
    pieces.append(try line.datum("piece").canonical)
    guard line.isTrue("last") else { return }
    try replica.receive(snapshot: pieces, position: at)
    pieces = []
    snapshots += 1
  }

  private func retime(_ line: Members) throws {
    pushAnswered()
    retimings += 1
    // What the hub has by now keeps its stamps: an answer that it was taken may have been lost.
    guard replica.accepted(try line.head()) == .inStep else { return renew() }
    told[replica.id] = replica.accepted
    let now = try line.found(line.milliseconds("now").flatMap { UInt64(exactly: $0) }, "now")
    switch try replica.retime(now: now, clock: clock) {
    case .restamped: waits = 0
    case .wait(let milliseconds): waits = milliseconds
    }
  }

  private func failed(_ line: Members) throws {
    pushAnswered()
    let isOverloaded = line.integer("code") == Int64(ErrorCode.overloaded.rawValue)
    if line.string("re") == "open", case .opening(let unanswered) = state {
      if unanswered > 1 {
        enter(.opening(unanswered: unanswered - 1))
      } else {
        enter(isOverloaded ? .refused : .closed)
      }
    }
    if line.integer("code") == Int64(ErrorCode.replicaRetired.rawValue) { return renew() }
    if isOverloaded { waits = Self.patience }
    errors.append(line.text)
  }

  /// What was pushed has been taken or refused; another push may go out.
  private func pushAnswered() {
    if state == .pushing { enter(.open) }
  }

  /// Does what there is to do after a line.
  private func proceed() throws {
    guard state.isOpen else { return }
    for mark in marks where replica.replica.vector.contains(mark.vector) {
      try replica.receive([], through: mark.at)
    }
    marks.removeAll { $0.at <= replica.position }
    if let old = previous, marks.isEmpty, pieces.isEmpty, told[replica.id] != nil {
      let before = replica.replica.end(of: replica.id).seq
      stranded += try replica.takeOver(from: old)
      reissued += Int(replica.replica.end(of: replica.id).seq - before)
      previous = nil
    }
    push()
    acknowledge()
  }

  /// Pushes what is pending, where nothing is on its way; opens where the hub had refused to.
  package func push() {
    if state == .refused, waits == 0 { return reopen() }
    guard state == .open, !holdsPushes, waits == 0, previous == nil else { return }
    let pending = replica.pending.prefix(pushSize)
    guard !pending.isEmpty else { return }
    enter(.pushing)
    var line = Array(#"{"type":"sync.push","id":"push","ops":["#.utf8)
    for (index, written) in pending.enumerated() {
      if index > 0 { line.append(0x2C) }
      line += written.bytes
    }
    line += Array("]}".utf8)
    output.append(line)
  }

  private func acknowledge() {
    guard !holdsAcknowledges, previous == nil else { return }
    // Time alone makes records old: a day is soon enough.
    if let last = acknowledged, last.at == replica.position, clock < last.clock + 86_400_000 {
      return
    }
    guard let now = replica.acknowledge(clock: clock) else { return }
    acknowledged = (now.position, clock)
    send("{\"type\":\"sync.acknowledge\",\"at\":\(now.position),\"horizon\":\(now.horizon)}")
  }

  // MARK: Loss

  /// What it holds, as a store or a backup would keep it.
  package var saved: [[UInt8]] { current.saved }

  /// What was saved takes the place of what it held.
  ///
  /// - Throws: as `DeviceReplica.init(saved:)`; nothing has changed then.
  package func restore(_ saved: some Collection<[UInt8]>) throws(WireError) {
    let restored = try DeviceReplica(saved: saved)
    disconnected()
    replica = restored
    previous = nil
    incarnations = max(incarnations, restored.id.incarnation)
  }

  /// It loses everything and starts as a new installation.
  package func reset() {
    disconnected()
    previous = nil
    replica = DeviceReplica(
      id: ReplicaID(device: identifier, incarnation: nextIncarnation()),
      rank: replica.rank)
  }
}

/// A server or a device that breaks the protocol.
package struct SyncFault: Error, CustomStringConvertible {
  package let description: String

  package init(_ description: String) { self.description = description }
}

extension SyncDevice: RecordKeeper {
  package var vector: VersionVector { current.replica.vector }

  /// The operation is pushed as soon as it can be.
  package func write(
    _ actions: [Action], shown: VersionVector, now: Int64
  ) throws(WireError) {
    clock = now
    try current.write(actions, shown: shown, clock: now)
    push()
  }

  package func newRecord() -> Name { Name(newIdentifier().description) }
}
