package import Journal
import Merge
package import Relay
package import Wire

/// Which hub a request is for, and its coming into memory.
extension Hubs {
  package func perform(_ call: Call, _ device: Device) throws(WireError) -> Bool {
    guard try hasHubs(device.pair, call.connection) else { return false }
    let isDone: Bool
    switch call.request {
    case .syncOpen: isDone = try openHub(call, device)
    case .syncView: isDone = try view(call, device)
    case .syncConflicts: isDone = try conflicts(call, device)
    case .syncDigest: isDone = try digest(call, device)
    default:
      try change(call, device)
      isDone = true
    }
    guard isDone else { return false }
    if open.hubs.contains(where: { $0.pair === device.pair }) {
      relay.countUncommitted(call.connection, call.fields.line.count)
    }
    return true
  }

  /// Requests that are carried out at once.
  private func change(_ call: Call, _ device: Device) throws(WireError) {
    switch call.request {
    case .syncPush: try push(call, device)
    case .syncEdit: try edit(call, device)
    case .syncRestore: try restore(call, device)
    default: try acknowledgeLog(call, device)
    }
  }

  // MARK: Waiting

  /// Whether the pair's hubs are in memory, and nothing uses them aside; else has them read, and the connection wait.
  func hasHubs(_ pair: Pair, _ connection: Connection) throws(WireError) -> Bool {
    if let failure = connection.pairFailure {
      connection.pairFailure = nil
      throw WireError(.overloaded, failure)
    }
    if pair.merged != nil { return !waits(connection, for: pair) }
    if waiting[pair.number] == nil { relay.readHubs(of: pair) }
    wait(connection, for: pair)
    return false
  }

  package func waits(_ connection: Connection, for pair: Pair) -> Bool {
    guard pair.here?.isLent == true else { return false }
    wait(connection, for: pair)
    return true
  }

  func wait(_ connection: Connection, for pair: Pair) {
    connection.wait(for: .pair)
    waiting[pair.number, default: []].append(connection)
  }

  package func loaded(_ number: UInt32, _ rows: [Row]?) {
    guard let pair = relay.pairs[number] else { return endWait(for: number) }
    let restoration = HubRestoration(pair, schemas: schemas, codecs: codecs)
    relay.read(rows, restoration.read) { [self] result in
      // Where it has left the memory, whoever still waits asks for it again.
      guard relay.pairs[number] === pair else { return endWait(for: number) }
      switch result {
      case .success(let records):
        pair.records = .read(records)
        endWait(for: number)
      case .failure(let error): endWait(for: number, error)
      }
    }
  }

  /// Those who wait for a pair's hubs go on.
  func endWait(for number: UInt32, _ error: JournalError? = nil) {
    let waiting = waiting.removeValue(forKey: number) ?? []
    for connection in waiting { relay.endAwaiting(connection) }
    guard let error else { return }
    relay.log("event=hubUnreadable pair=\(number) reason=\("\(error)".quoted)")
    for connection in waiting {
      connection.pairFailure =
        "the records of this pair cannot be read back (\(error)); nothing was changed"
    }
  }

  // MARK: Opening

  private func openHub(_ call: Call, _ device: Device) throws(WireError) -> Bool {
    let name = try call.fields.string(.schema)
    guard let schema = schemas.first(where: { $0.name.text == name }) else {
      let names = schemas.map(\.name.text)
      let advice = Nearest.advice(
        for: name, among: names, else: "this server has \(names.joined(separator: ", "))")
      throw WireError(.invalidField, "there is no schema \(name); \(advice)")
    }
    let replica = try replica(call)
    let vector = try call.fields.optionalObject(.vector).map { (value) throws(WireError) in
      guard let vector = VersionVector(plain: value, call.fields.line) else {
        throw WireError(
          .invalidField,
          "vector must be what the device holds, {\"<UUID>.<incarnation>\":\"<seq>\"}")
      }
      return vector
    }
    let hub = try hub(schema, device.pair)
    if let replica, let owner = hub.device(of: replica), owner !== device {
      throw WireError(
        .invalidField, "replica \(replica) is that of \(owner.name); every device has its own")
    }
    if let replica { try checkRoom(for: replica, of: device, hub) }
    var snapshot: Prepared?
    if let replica, needsSnapshot(hub, replica, vector ?? VersionVector(), device) {
      snapshot = self.snapshot(call, hub)
      guard snapshot != nil else { return false }
    }
    let session = SyncSession(
      hub: hub, replica: replica, cursor: hub.replica.position, openBatch: relay.openBatch)
    let member = hub.member(device)
    if let replica {
      hub.members[member].replicaHeard = max(1, nowMS)
      hub.addAuthor(replica, device)
      start(session, replica, vector ?? VersionVector(), snapshot)
    }
    device.sync = session
    changed(hub)
    if replica != nil { forgetAcknowledge(device, hub, vector ?? VersionVector()) }
    let isRetired = session.isRetired
    relay.answerAfterCommit(call) { output in
      Relay.begin(&output, "sync.opened", re: call.id, of: call.request)
      Self.append(hub, at: hub.replica.position, &output)
      output.append(",\"vector\":")
      output += hub.replica.vector.datum.canonical
      output.append(",\"frontier\":")
      output.append(decimal: hub.replica.base)
      output.append(",\"now\":")
      output.append(seconds: Int64(nowMS) * 1000)
      output.append(",\"rank\":")
      output.append(decimal: device.rank)
      output.append(",\"schemaDigest\":", quoted: schema.digest.hexadecimal)
      if let replica {
        output.append(",\"head\":")
        Self.append(hub.replica.chain(replica).head, &output)
      }
      output.append(isRetired ? ",\"retired\":true}" : "}")
    }
    open.opened.append((device, device.session))
    return true
  }

  /// What the hub amounts to, in pieces; nil where the connection waits.
  private func snapshot(_ call: Call, _ hub: Hub) -> Prepared? {
    while let found = prepared(call, hub, weight: hub.weight, { $0.snapshot() }) {
      call.connection.prepared = nil
      // What came behind it has to be in the log still.
      if found.at >= hub.replica.base { return found }
    }
    return nil
  }

  /// A device that holds less than it has acknowledged was reset: it has yet to read the log. Whether it has been set back
  /// to before it promised to leave records alone, its vector does not tell: it says so again.
  private func forgetAcknowledge(_ device: Device, _ hub: Hub, _ vector: VersionVector) {
    let member = hub.member(device)
    hub.members[member].horizon = min(hub.members[member].horizon, hub.replica.fold.horizon)
    let acknowledged = hub.members[member].acknowledged
    if let known = hub.replica.vector(at: acknowledged), vector.contains(known) { return }
    hub.members[member].acknowledged = 0
    hub.members[member].horizon = 0
  }

  private func checkRoom(
    for replica: ReplicaID, of device: Device, _ hub: Hub
  ) throws(WireError) {
    guard hub.device(of: replica) == nil,
      hub.authors.count(where: { $0.device == device.index }) >= limits.incarnations
    else { return }
    throw WireError(
      limit: "incarnations",
      "\(device.name) has \(limits.incarnations) replicas, as many as it may",
      "go on with one of them")
  }

  private func replica(_ call: Call) throws(WireError) -> ReplicaID? {
    guard let text = try call.fields.optionalString(.replica) else { return nil }
    guard let replica = ReplicaID(Array(text.utf8)) else {
      throw WireError(
        .invalidField,
        "replica must be <UUID>.<incarnation>, such as 6F0E3A52-0C55-4F6B-9E0E-0A1B2C3D4E5F.1")
    }
    return replica
  }

  /// Whether the log no longer has all that a device lacks, or what it has written may be built upon what was purged.
  private func needsSnapshot(
    _ hub: Hub, _ replica: ReplicaID, _ vector: VersionVector, _ device: Device
  ) -> Bool {
    guard vector.contains(hub.replica.baseVector) else { return true }
    return hasWritten(replica, vector, hub) && !hasPromised(device, hub)
  }

  /// What it has yet to push was written upon something, too.
  private func hasWritten(_ replica: ReplicaID, _ vector: VersionVector, _ hub: Hub) -> Bool {
    hub.replica.end(of: replica).seq > 0 || vector[replica] > 0
  }

  /// Where a device's reading begins: with what it lacks of the log, or with a snapshot.
  private func start(
    _ session: SyncSession, _ replica: ReplicaID, _ vector: VersionVector, _ snapshot: Prepared?
  ) {
    let hub = session.hub
    session.ownHead = hub.replica.end(of: replica).seq
    guard let snapshot else {
      session.cursor = hub.replica.base
      session.held = vector
      return
    }
    session.isRetired = hasWritten(replica, vector, hub)
    session.snapshot = SyncSession.Snapshot(pieces: snapshot.pieces, position: snapshot.at)
    session.cursor = snapshot.at
  }

  /// Whether a device has built on nothing that was purged: it had acknowledged that, or has read the log
  /// beyond the purge, or began with what was left.
  private func hasPromised(_ device: Device, _ hub: Hub) -> Bool {
    let member = hub.members.first { $0.device == device.index }
    let (base, acknowledged) = (hub.replica.base, member?.acknowledged ?? 0)
    return base == 0 || acknowledged >= hub.replica.lastPurge ?? hub.replica.position
      || acknowledged >= base && member?.horizon ?? 0 >= hub.replica.fold.horizon
  }

  func hub(_ schema: Schema, _ pair: Pair) throws(WireError) -> Hub {
    let records = pair.merged!
    if let hub = records.hubs.first(where: { $0.schema.name == schema.name }) { return hub }
    let taken = records.absent.union(records.hubs.map(\.index))
    guard let index = (UInt8(0)..<16).first(where: { !taken.contains($0) }) else {
      throw WireError(.overloaded, "a pair has at most 16 schemas")
    }
    let hub = Hub(pair: pair, index: index, schema: schema, codecs: codecs)
    records.hubs.append(hub)
    return hub
  }

  /// The session's hub.
  func session(_ call: Call, _ device: Device) throws(WireError) -> SyncSession {
    guard let session = device.sync else {
      throw WireError(
        .invalidField, "open a schema first, such as: sync.open schema=todoTimers")
    }
    if let name = try call.fields.optionalString(.schema), name != session.hub.schema.name.text {
      throw WireError(
        .invalidField, "this session has opened \(session.hub.schema.name); open \(name) first")
    }
    return session
  }

  // MARK: Pieces of lines

  static func append(_ hub: Hub, at position: UInt64, _ output: inout [UInt8]) {
    output.append(",\"schema\":", quoted: hub.schema.name.text)
    output.append(",\"at\":")
    output.append(decimal: position)
  }

  static func append(_ head: Head, _ output: inout [UInt8]) {
    output.append("{\"seq\":\"")
    output.append(decimal: head.seq)
    output.append("\",\"hash\":", quoted: head.hash.hexadecimal)
    output.append("}")
  }
}
