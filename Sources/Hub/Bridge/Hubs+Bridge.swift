import Bridge
import Merge
package import Relay
package import Wire

/// Devices that send and are sent whole records, in their app's own payloads: the hub takes what they
/// send, and sends them what others changed.
///
/// ```
/// payload in one of the app's envelopes ──► checked ──► operations of the bridge's replica
/// changes of the hub, by whomever ──► exportChanges, with the batch ──► user info from "hub"
/// ```
extension Hubs {
  /// - Throws: 4004 where there is no such bridge, with what there is.
  private func bridgedSchema(_ name: String) throws(WireError) -> Schema {
    if let schema = schemas.first(where: { $0.name.text == name }) { return schema }
    let names = schemas.map(\.name.text)
    let there =
      names.isEmpty
      ? "this server has none" : "there is one for \(names.joined(separator: ", "))"
    let advice = Nearest.advice(for: name, among: names, else: there)
    throw WireError(.invalidField, "there is no bridge for \(name); \(advice)")
  }

  // MARK: Activation

  package func findBridge(
    _ schema: String, _ pair: Pair?, _ connection: Connection
  ) throws(WireError) -> Bool {
    let schema = try bridgedSchema(schema)
    guard let pair else { return true }
    guard try hasHubs(pair, connection) else { return false }
    _ = try hub(schema, pair)
    return true
  }

  /// A device that is new here, or has lost its storage, is sent everything.
  package func attachBridge(_ device: Device, _ request: BridgeRequest, hadJoined: Bool) {
    // It was found before, or the pair is new and has room.
    guard let schema = try? bridgedSchema(request.schema), let hub = try? hub(schema, device.pair)
    else { preconditionFailure("the hub of \(request.schema) is gone") }
    var isReset = request.isOfOtherStore || !hadJoined
    let bridged: BridgedDevice
    if let known = hub.bridge(device) {
      bridged = known
      if known.incarnation != device.incarnation { isReset = true }
      // The lane's watermark may have passed what was taken back.
      if let received = request.received, received < known.processed { isReset = true }
    } else {
      bridged = BridgedDevice(device: device.index)
      bridged.owed = .all
      hub.bridges.append(bridged)
      hub.bridges.sort { $0.device < $1.device }
      isReset = false
    }
    bridged.incarnation = device.incarnation
    bridged.begin(
      BridgedDevice.Session(
        start: nowMS,
        deletesByAbsence: device.isPhone && !isReset
          && (request.received != nil || bridged.processed == 0)),
      isReset: isReset, now: nowMS)
    device.bridge = hub
    hub.addAuthor(hub.bridgeReplica(for: device, store: relay.storeName(of: device.pair)), device)
    changed(hub)
    // What it says next is understood by what it has lost.
    if !sendAllAside(hub) { bridged.forgetLost() }
  }

  package func beginBridge(_ device: Device) {
    device.bridge?.bridge(device)?.session.isBeginning = false
  }

  func endBridge(_ device: Device) {
    device.bridge?.bridge(device)?.session = BridgedDevice.Session()
    device.bridge = nil
  }

  package func deliveryEnded(_ seq: UInt64, _ receiver: Device, isProcessed: Bool) {
    for hub in receiver.pair.here?.hubs ?? [] {
      guard let bridged = hub.bridge(receiver) else { continue }
      if isProcessed {
        guard bridged.processed < seq else { continue }
        bridged.acknowledge(
          seq, isExplicit: !receiver.isAutomatic, accepted: receiver.lastNumber)
      } else {
        bridged.drop(seq)
      }
      changed(hub)
    }
  }

  package func noteRefusal(
    _ request: Request?, _ fields: Fields, _ device: Device, _ error: WireError
  ) {
    guard request?.mayBeForHub == true, let hub = device.bridge, let bridged = hub.bridge(device),
      let payload = try? fields.object(.payload)
    else { return }
    do throws(WireError) {
      guard try hub.codec.read(payload, fields.line, after: bridged.envelope) != nil else { return }
    } catch {
      // It is one that cannot be read.
    }
    let isGivenAgain = error.code == .overloaded || error.code == .sequenceGap
    let n = isGivenAgain ? try? fields.optionalInteger(.n, in: 1...Int64.max) : nil
    bridged.refuse(request == .transferUserInfo ? n.map { UInt64($0) } : nil)
  }

  // MARK: What comes in

  package func payload(
    _ payload: Value, limit: Int, _ call: Call, _ device: Device
  ) throws(WireError) -> (any BridgedPayload)? {
    guard let hub = device.bridge, let bridged = hub.bridge(device),
      let said = try hub.codec.read(payload, call.fields.line, after: bridged.envelope)
    else { return nil }
    call.connection.allowance -= said.message.records * Work.edit
    try relay.checkForHub(payload, limit: limit, device, call.fields)
    if said.message.records > 0 {
      try checkRoom(hub)
      // What the hub makes of it may be more, and is counted with the next.
      try relay.checkQuota(ofBytes: call.fields.line.count, device.pair)
    }
    let isInOrder = call.request == .transferUserInfo && call.fields[.n] != nil
    let known = KnownRecords(
      bridged, hub.replica.fold, hub.schema, hub.shape, isInOrder: isInOrder)
    let refused = try said.check(known)
    return WholeRecordPayload(self, device, hub, bridged, said, refused, isInOrder: isInOrder)
  }

  /// Carries a payload out, in the open batch.
  fileprivate func carryOut(_ payload: WholeRecordPayload) {
    let (device, hub, bridged) = (payload.device, payload.hub, payload.bridged)
    let store = relay.storeName(of: device.pair)
    let intake = Intake(
      bridged, hub.replica, hub.schema, hub.shape,
      author: hub.bridgeReplica(for: device, store: store),
      isBridge: { hub.isBridge($0, store: store) }, rank: device.rank, now: nowMS,
      isInOrder: payload.isInOrder,
      oldest: hub.replica.base, present: hub.wholeRecord,
      // What cannot be taken in has been logged; the device is sent the present state.
      append: { try? self.append($0, hub) })
    bridged.heard = max(1, nowMS)
    bridged.envelope = payload.said.envelope
    let looked = bridged.looked
    intake.ingest(payload.said.message, without: Set(payload.refused.map(\.target)))
    bridged.accept(device.lastNumber)
    device.connection?.allowance -= (bridged.looked - looked) * Work.looked
    changed(hub)
    collect(hub)
  }
}

/// Whole records that a bridged device has said, looked at and not carried out yet.
private final class WholeRecordPayload: BridgedPayload {
  private let hubs: Hubs
  let device: Device
  let hub: Hub
  let bridged: BridgedDevice
  let said: any SaidRecords
  /// Records of a list that are not taken.
  let refused: [RefusedRecord]
  /// It came in the device's lane of transfers, with a number.
  let isInOrder: Bool

  init(
    _ hubs: Hubs, _ device: Device, _ hub: Hub, _ bridged: BridgedDevice, _ said: any SaidRecords,
    _ refused: [RefusedRecord], isInOrder: Bool
  ) {
    self.hubs = hubs
    self.device = device
    self.hub = hub
    self.bridged = bridged
    self.said = said
    self.refused = refused
    self.isInOrder = isInOrder
  }

  func carryOut() { hubs.carryOut(self) }

  func appendRefused(to output: inout [UInt8]) {
    guard !refused.isEmpty else { return }
    output.append(",\"refused\":[" as StaticString)
    for (index, refusal) in refused.enumerated() {
      output.append(index > 0 ? ",{\"kind\":" : "{\"kind\":", quoted: refusal.target.kind.text)
      output.append(",\"record\":", quoted: refusal.target.record.text)
      output.append(",\"code\":" as StaticString)
      output.append(decimal: refusal.error.code.rawValue)
      output.append(",\"message\":", quoted: refusal.error.message)
      output.append(0x7D)
    }
    output.append(0x5D)
  }
}
