import Bridge
import Merge
import Relay
import Wire

/// Operations that devices hand in.
extension Hubs {
  func push(_ call: Call, _ device: Device) throws(WireError) {
    let session = try session(call, device)
    guard let replica = session.replica else {
      throw WireError(
        .invalidField,
        "this session has opened \(session.hub.schema.name) without a replica; open it with one, or use sync.edit"
      )
    }
    if session.isRetired {
      throw WireError(
        .replicaRetired,
        "replica \(replica) was away for longer than operations are kept; take a new incarnation, take the snapshot, and issue anew what is not in it"
      )
    }
    let items = try operations(call)
    let hub = session.hub
    let admission: Admission
    do throws(PushRefusal) {
      admission = try hub.replica.admit(
        items, from: replica, rank: device.rank, now: nowMS, schema: hub.schema)
    } catch {
      switch error {
      case .error(let error): throw error
      case .retime(let stamp): return retime(call, hub, replica, stamp)
      }
    }
    if !admission.operations.isEmpty {
      try checkRoom(hub)
      let bytes = admission.operations.reduce(0) { $0 + $1.bytes.count }
      try relay.checkQuota(ofBytes: bytes, device.pair)
    }
    for operation in admission.operations { try append(operation, hub) }
    hub.members[hub.member(device)].replicaHeard = max(1, nowMS)
    if !admission.operations.isEmpty { changed(hub) }
    relay.answerAfter(relay.latestBatch, call) { output in
      Relay.begin(&output, "sync.accepted", re: call.id, of: call.request)
      Self.append(hub, at: hub.replica.position, &output)
      output.append(",\"vector\":")
      output += hub.replica.vector.datum.canonical
      output.append(",\"head\":")
      Self.append(hub.replica.chain(replica).head, &output)
      output.append("}")
    }
  }

  /// Levels of objects and arrays in an operation. Lines and snapshots put a few around it, and are
  /// read with `Envelope.maximumDepth` at most.
  private static let deepestOperation = Envelope.maximumDepth - 16

  private func operations(_ call: Call) throws(WireError) -> [OperationText] {
    guard let value = call.fields[.ops] else {
      throw call.fields.missing(.ops, "a list of operations")
    }
    guard value.kind == .array else {
      throw call.fields.invalid(.ops, value, "a list of operations")
    }
    return try OperationText.list(value, call.fields.line, deepest: Self.deepestOperation)
  }

  /// - Throws: 4008 where a hub is as large as it may become. A device whose operations are refused cannot acknowledge,
  ///   and so holds up what would make room: a bound for the sake of the other pairs.
  func checkRoom(_ hub: Hub) throws(WireError) {
    let entries = hub.replica.log.count
    guard entries < limits.syncEntries else {
      throw WireError(
        limit: "syncEntries",
        "the log of \(hub.schema.name) has \(entries) entries that not all devices have read",
        "nothing was changed, connect those that are away and try again")
    }
    let records = hub.replica.fold.recordCount
    guard records < limits.syncRecords else {
      throw WireError(
        limit: "syncRecords",
        "there are \(records) records of \(hub.schema.name), as many as there may be",
        "nothing was changed")
    }
    if let full = hub.bridges.first(where: \.isFull) {
      throw WireError(
        .overloaded,
        "device \(hub.pair.devices[Int(full.device)].name) has known \(full.tracks.count) whole records of \(hub.schema.name), as many as one may; nothing was changed, go on with another pair"
      )
    }
  }

  /// Takes in an operation that has been looked at.
  func append(_ written: Replica.Written, _ hub: Hub) throws(WireError) {
    do throws(WireError) {
      try hub.replica.append(written)
    } catch {
      // It was looked at as a whole before: this is a fault of ours, and must not pass unseen.
      relay.log("event=operationRefused reason=\(error.message.quoted)")
      throw error
    }
  }

  private func retime(_ call: Call, _ hub: Hub, _ replica: ReplicaID, _ stamp: Stamp) {
    let isAhead = stamp.ms > nowMS
    // Rounded up, so that what is said to be too much is more than what is taken.
    let seconds = isAhead ? (stamp.ms - nowMS + 999) / 1000 : 0
    relay.answerAfter(relay.latestBatch, call) { output in
      Relay.begin(&output, "sync.retime", re: call.id, of: call.request)
      output.append(",\"schema\":", quoted: hub.schema.name.text)
      output.append(",\"now\":")
      output.append(seconds: Int64(nowMS) * 1000)
      output.append(",\"stamp\":", quoted: stamp.spelled)
      output.append(",\"head\":")
      Self.append(hub.replica.chain(replica).head, &output)
      output.append(",\"code\":")
      output.append(decimal: ErrorCode.clockAhead.rawValue)
      output.append(
        ",\"message\":",
        quoted: isAhead
          ? "the stamp is \(seconds) s ahead of the hub's clock and at most 60 s are taken; correct the clock, stamp what is above the head anew, and push again; nothing is lost"
          : "the stamp is of before 2020; correct the clock, stamp what is above the head anew, and push again; nothing is lost"
      )
      output.append("}")
    }
  }

  // MARK: Acknowledging

  func acknowledgeLog(_ call: Call, _ device: Device) throws(WireError) {
    let session = try session(call, device)
    let hub = session.hub
    let at = UInt64(try call.fields.integer(.at, in: 0...Int64.max))
    guard at <= hub.committed else {
      throw WireError(
        .invalidField, "at must be at most \(hub.committed), the log's end; it is \(at)")
    }
    let horizon = try call.fields.optionalInteger(.horizon, in: 0...Int64.max) ?? 0
    let member = hub.member(device)
    hub.members[member].replicaHeard = max(1, nowMS)
    hub.members[member].acknowledged = max(hub.members[member].acknowledged, at)
    hub.members[member].horizon = max(hub.members[member].horizon, UInt64(horizon))
    changed(hub)
    collect(hub)
    if call.hasID { relay.acceptAfterCommit(call) }
  }
}
