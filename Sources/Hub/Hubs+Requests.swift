package import Journal
import Merge
package import Relay
package import Wire

/// Which hub a request is for, and its coming into memory.
extension Hubs {
  package func perform(_ call: Call, _ device: Device) throws(WireError) -> Bool {
    guard try hasHubs(device.pair, call.connection) else { return false }
    switch call.request {
    case .syncOpen: try openHub(call, device)
    case .syncPush: try push(call, device)
    case .syncEdit: try edit(call, device)
    case .syncRestore: try restore(call, device)
    case .syncView: try view(call, device)
    case .syncConflicts: try conflicts(call, device)
    case .syncDigest: try digest(call, device)
    default: try acknowledgeLog(call, device)
    }
    if open.hubs.contains(where: { $0.pair === device.pair }) {
      relay.countUncommitted(call.connection, call.fields.line.count)
    }
    return true
  }

  /// Whether the pair's hubs are in memory; else has them read, and the connection wait.
  func hasHubs(_ pair: Pair, _ connection: Connection) throws(WireError) -> Bool {
    if let failure = connection.pairFailure {
      connection.pairFailure = nil
      throw WireError(.overloaded, failure)
    }
    if pair.merged != nil { return true }
    if waiting[pair.number] == nil {
      waiting[pair.number] = []
      relay.readHubs(of: pair)
    }
    connection.wait(for: .pair)
    waiting[pair.number]!.append(connection)
    return false
  }

  package func loaded(_ number: UInt32, _ rows: [Row]?) {
    guard let pair = relay.pairs[number] else { return endHubLoad(number) }
    do throws(JournalError) {
      guard let rows else { throw JournalError(description: "the store cannot be read at present") }
      restorations.append(
        try HubRestoration(
          rows, pair: pair, schemas: schemas, codecs: codecs))
    } catch {
      endHubLoad(number, error)
    }
  }

  package var isReading: Bool { !restorations.isEmpty }

  package func nextTurn() {
    var left = Work.turn
    while left > 0, !restorations.isEmpty {
      let pair = restorations[0].pair
      guard relay.pairs[pair.number] === pair else {
        // It has left the memory: whoever still waits asks for it again.
        restorations.removeFirst()
        endHubLoad(pair.number)
        continue
      }
      do throws(JournalError) {
        if let units = try restorations[0].next() {
          left -= units
          continue
        }
        pair.records = .read(restorations[0].result)
        endHubLoad(pair.number)
      } catch {
        endHubLoad(pair.number, error)
      }
      restorations.removeFirst()
    }
  }

  /// Those who wait for a pair's hubs go on.
  private func endHubLoad(_ number: UInt32, _ error: JournalError? = nil) {
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

  private func openHub(_ call: Call, _ device: Device) throws(WireError) {
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
    let session = SyncSession(
      hub: hub, replica: replica, cursor: hub.replica.position, openBatch: relay.openBatch)
    let member = hub.member(device)
    if let replica {
      hub.members[member].replicaHeard = max(1, nowMS)
      hub.addAuthor(replica, device)
      start(session, replica, vector ?? VersionVector(), device)
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
      output.append(decimal: hub.oldest)
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
    if replica != nil { tellFrontier(device, hub) }
    open.opened.append((device, device.session))
  }

  /// A device that holds less than it has acknowledged was reset: it has yet to read the log. Whether it
  /// holds what it had sealed, its vector does not tell: it says so again until that is purged.
  private func forgetAcknowledge(_ device: Device, _ hub: Hub, _ vector: VersionVector) {
    let member = hub.member(device)
    hub.members[member].sealed = min(hub.members[member].sealed, hub.replica.base)
    let acknowledged = hub.members[member].acknowledged
    if let known = hub.replica.vector(at: acknowledged), vector.contains(known) { return }
    hub.members[member].acknowledged = 0
    hub.members[member].sealed = 0
  }

  private func checkRoom(
    for replica: ReplicaID, of device: Device, _ hub: Hub
  ) throws(WireError) {
    guard hub.device(of: replica) == nil,
      hub.authors.count(where: { $0.device == device.index }) >= limits.incarnations
    else { return }
    throw WireError(.overloaded, "a device has at most \(limits.incarnations) replicas")
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

  /// Where a device's reading begins: with what it lacks of the log, or with a snapshot where the
  /// log no longer has it.
  private func start(
    _ session: SyncSession, _ replica: ReplicaID, _ vector: VersionVector, _ device: Device
  ) {
    let hub = session.hub
    session.ownHead = hub.replica.end(of: replica).seq
    // What it has yet to push was written upon something, too.
    let hasWritten = session.ownHead > 0 || vector[replica] > 0
    if vector.contains(hub.replica.baseVector), !hasWritten || hasSealed(device, hub) {
      session.cursor = hub.replica.base
      session.held = vector
      return
    }
    session.isRetired = hasWritten
    let pieces = hub.replica.snapshot()
    device.connection?.allowance -= pieces.reduce(0) { $0 + $1.count } * Work.made
    session.snapshot = SyncSession.Snapshot(pieces: pieces, position: hub.replica.position)
    session.cursor = hub.replica.position
  }

  /// Whether a device has built on nothing that was purged: it has sealed that, or has read the log
  /// beyond the purge, or began with what was left.
  private func hasSealed(_ device: Device, _ hub: Hub) -> Bool {
    let member = hub.members[hub.member(device)]
    let base = hub.replica.base
    return base == 0 || member.sealed >= base
      || member.acknowledged >= hub.replica.lastPurge ?? hub.replica.position
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
