package import Journal
package import Wire

/// What keeps the merged records of all pairs: their hubs. The relay knows no more of them than this.
///
/// A relay without one keeps no records: it refuses `sync.*` and sessions that are bridged.
package protocol HubKeeper: AnyObject {
  // MARK: Requests

  /// Carries out one of the requests `sync.*`. Returns false where it has to wait and nothing has changed.
  func perform(_ call: Call, _ device: Device) throws(WireError) -> Bool

  /// Whether a pair's hubs are in use aside; the connection waits for them then.
  func waits(_ connection: Connection, for pair: Pair) -> Bool

  // MARK: Sessions

  /// Finds the hub for a session that is to be bridged. Returns false where it has to be read back first.
  ///
  /// - Parameters:
  ///   - schema: its name.
  ///   - pair: nil for one that is yet to be made.
  /// - Throws: 4004 where there is no such bridge, 4008 where the pair has no room for its hub.
  func findBridge(
    _ schema: String, _ pair: Pair?, _ connection: Connection
  ) throws(WireError) -> Bool
  /// Begins a bridged session, after `findBridge`. Comes before the activation moves the lanes' watermarks.
  func attachBridge(_ device: Device, _ request: BridgeRequest, hadJoined: Bool)
  /// The activation is over: what the device acknowledges from now on is its own word.
  func beginBridge(_ device: Device)
  /// A device's session has ended.
  func leave(_ device: Device)

  /// A device's connection takes output again.
  func drained(_ device: Device)

  // MARK: Payloads

  /// A bridged device's payload as one for the hub, looked at as a whole; nil where it is the counterpart's.
  ///
  /// - Throws: 4001, 4003, 4004 and the codes of the app's rules where it cannot be carried out, and what any
  ///   send may be refused for by the device's own state, the types in the payload, or its size.
  func payload(
    _ payload: Value, limit: Int, _ call: Call, _ device: Device
  ) throws(WireError) -> (any BridgedPayload)?
  /// A request of a bridged device was refused. Where it was a payload for the hub, that is noted.
  func noteRefusal(
    _ request: Request?, _ fields: Fields, _ device: Device, _ error: WireError)
  /// A delivery of the hub's that its receiver has acknowledged, or has refused, or that was forgotten.
  func deliveryEnded(_ seq: UInt64, _ receiver: Device, isProcessed: Bool)

  // MARK: The store

  /// The rows of a pair's hubs have come; nil where they could not be read.
  func loaded(_ pair: UInt32, _ rows: [Row]?)
  /// Puts into the open batch what its changes mean to bridged devices. The batch is taken next.
  func exportChanges()
  /// What a batch that has just been taken changes of hubs.
  func takeRows(_ batch: UInt64) -> [Row]
  /// A batch is synced.
  func committed(_ batch: UInt64)
  /// The store has failed: who waits for a commit has been told that it is uncertain.
  func storeFailed()
  /// A pair leaves the memory.
  func letGo(_ pair: Pair)
  /// A pair is erased: nothing of it is to be written.
  func erase(_ pair: Pair)

  /// Lines that tell what rows say of a pair's hubs, without their LF.
  ///
  /// - Parameter hasViews: with the records themselves.
  /// - Throws: `JournalError` where a row cannot be understood.
  func tell(_ rows: [Row], of pair: Pair, hasViews: Bool) throws(JournalError) -> [[UInt8]]
}

/// The hubs of a pair, once they are in memory.
package protocol PairRecords: AnyObject {
  /// Whether the store has none, not even of a schema that is not here.
  var isEmpty: Bool { get }
  /// Bytes of their rows.
  var bytes: Int { get }
  /// Entries of their logs.
  var entries: Int { get }
  /// Whether they are in use aside, on another thread.
  var isLent: Bool { get }
}

/// A payload that the hub takes instead of the counterpart. A class, so that it costs other sends no more
/// than to look whether there is one.
package protocol BridgedPayload: AnyObject {
  /// Carries it out, in the open batch.
  func carryOut()
  /// The records of it that are not taken, as a member of an object with the comma before it; nothing where all are.
  func appendRefused(to output: inout [UInt8])
}

/// What an activation says of its bridge.
package struct BridgeRequest {
  /// The schema's name.
  package var schema: String
  /// What the device says it has processed of the user info lane; nil where it does not say.
  package var received: UInt64?
  /// Whether its numbers are of another store.
  package var isOfOtherStore: Bool
}

extension Relay {
  /// The keeper, where a request needs one.
  ///
  /// - Throws: 4004 where this relay keeps no records.
  func requireHubs() throws(WireError) -> any HubKeeper {
    if let hubs { return hubs }
    throw WireError(.invalidField, "no records are kept here; watchline-server keeps them")
  }

  /// The payload as one for the hub; nil where it is the counterpart's.
  @inline(__always)
  func bridgedPayload(
    _ payload: Value, limit: Int, _ call: Call, _ device: Device
  ) throws(WireError) -> (any BridgedPayload)? {
    guard device.isBridged, let hubs else { return nil }
    return try hubs.payload(payload, limit: limit, call, device)
  }

  // MARK: What the keeper does with the relay

  /// The number of the batch that is being filled.
  package var openBatch: UInt64 { open.number }

  /// The open batch changes something of a pair's hubs.
  package func changedHubs(of pair: Pair) {
    pair.lastBatch = open.number
    open.hasHubRows = true
  }

  /// Asks for the rows of a pair's hubs: `HubKeeper.loaded`.
  package func readHubs(of pair: Pair) {
    effects.pairReads.append(PairRead(pair: pair.number, tables: [.hub, .operation]))
  }

  /// Has a user info wait for a receiver that no device sent.
  ///
  /// - Returns: its `seq`.
  package func deliver(_ payload: UnsafeRawBufferPointer, to receiver: Device) -> UInt64 {
    enqueue(payload, to: receiver, lane: .userInfo, transfer: .hub, re: "").seq
  }

  /// Takes such a delivery back, where nobody can have been handed it. Returns whether it was.
  package func takeBack(_ seq: UInt64, from receiver: Device) -> Bool {
    seq > receiver[.userInfo].highestHandedOut
      && receiver[.userInfo].holes.ranges.count < limits.holes
      && remove(seq, from: .userInfo, of: receiver) != nil
  }

  /// What a send must be that goes no further than the hub: nobody has to be paired or reachable.
  package func checkForHub(
    _ payload: Value, limit: Int, _ device: Device, _ fields: Fields
  ) throws(WireError) {
    let send = SendCheck(payload: payload, limit: limit)
    let own: Set<Knobs.Precondition> = [.supported, .delegate, .activated, .types, .size]
    for precondition in device.pair.knobs.preconditionOrder where own.contains(precondition) {
      try check(precondition, send, device, fields)
    }
  }
}

extension TransferKey {
  /// That of deliveries which no device sent.
  static let hub = TransferKey(sender: .max, incarnation: 0, isNumbered: false, number: 0)

  var isHub: Bool { sender == .max }
}
