import Bridge
import Merge
import Wire

/// Devices that send and are sent whole records, in their app's own payloads: the hub takes what they
/// send, and sends them what others changed.
///
/// ```
/// payload in one of the app's envelopes ──► checked ──► operations of the bridge's replica
/// changes of the hub, by whomever ──► exportChanges, with the batch ──► user info from "hub"
/// ```
extension Relay {
  /// How whole records of a schema are said; nil where nobody says them.
  func codec(of schema: Name) -> (any WholeRecordCodec)? {
    options.codecs.first { $0.schema == schema }
  }

  /// What an activation says of its bridge.
  struct BridgeRequest {
    var schema: Schema
    /// What the device says it has processed of the user info lane; nil where it does not say.
    var received: UInt64?
    /// Whether its numbers are of another store.
    var isOfOtherStore: Bool
  }

  /// - Throws: 4004 where there is no such bridge, with what there is.
  func bridgedSchema(_ name: String) throws(WireError) -> Schema {
    let known = options.schemas.filter { codec(of: $0.name) != nil }
    if let schema = known.first(where: { $0.name.text == name }) { return schema }
    let names = known.map(\.name.text)
    let there =
      names.isEmpty
      ? "this server has none" : "there is one for \(names.joined(separator: ", "))"
    let advice = Nearest.advice(for: name, among: names, else: there)
    throw WireError(.invalidField, "there is no bridge for \(name); \(advice)")
  }

  // MARK: Activation

  /// Begins a bridged session. Comes before the activation moves the lanes' watermarks.
  ///
  /// A device that is new here, or has lost its storage, is sent everything.
  func attachBridge(
    _ device: Device, _ request: BridgeRequest, hub: Hub, hadJoined: Bool
  ) {
    var isReset = request.isOfOtherStore || !hadJoined
    let bridged: BridgedDevice
    if let known = hub.bridge(device) {
      bridged = known
      if known.incarnation != device.incarnation { isReset = true }
      // The lane's watermark may have passed what was taken back.
      if let received = request.received, received < known.processed { isReset = true }
    } else {
      bridged = BridgedDevice(device: device.index)
      bridged.isOwedAll = true
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
    hub.addAuthor(hub.bridgeReplica(for: device, store: storeName(of: device.pair)), device)
    changed(hub)
  }

  /// The activation is over: what the device acknowledges from now on is its own word.
  func beginBridge(_ device: Device) {
    device.bridge?.bridge(device)?.session.isBeginning = false
  }

  func endBridge(_ device: Device) {
    device.bridge?.bridge(device)?.session = BridgedDevice.Session()
    device.bridge = nil
  }

  /// A delivery of the hub's that its receiver has acknowledged.
  func hubDeliveryProcessed(_ seq: UInt64, _ receiver: Device) {
    for hub in receiver.pair.hubs ?? [] {
      guard let bridged = hub.bridge(receiver), bridged.processed < seq else { continue }
      bridged.acknowledge(seq, isOwnWord: !receiver.isAutomatic)
      changed(hub)
    }
  }

  /// A delivery of the hub's that its receiver refused, or that was forgotten.
  func hubDeliveryFailed(_ seq: UInt64, _ receiver: Device) {
    for hub in receiver.pair.hubs ?? [] {
      guard let bridged = hub.bridge(receiver) else { continue }
      bridged.drop(seq)
      changed(hub)
    }
  }

  /// A request was refused. Where it was a payload for the hub, that is noted.
  func noteRefusal(_ request: Request?, _ fields: Fields, _ device: Device?) {
    switch request {
    case .transferUserInfo, .sendMessage, .updateApplicationContext:
      guard let device, let hub = device.bridge, let bridged = hub.bridge(device),
        let codec = codec(of: hub.schema.name), let payload = try? fields.object(.payload)
      else { return }
      do throws(WireError) {
        guard try codec.read(payload, fields.line, after: bridged.envelope) != nil else { return }
      } catch {
        // It is one that cannot be read.
      }
      bridged.session.hasRefused = true
    default: break
    }
  }

  // MARK: What comes in

  /// A payload that the hub takes instead of the counterpart. A class, so that it costs other sends no more
  /// than to look whether there is one.
  final class BridgedPayload {
    let hub: Hub
    let bridged: BridgedDevice
    let said: any SaidRecords
    /// Records of a list that are not taken.
    let refused: [RefusedRecord]

    init(
      _ hub: Hub, _ bridged: BridgedDevice, _ said: any SaidRecords, _ refused: [RefusedRecord]
    ) {
      self.hub = hub
      self.bridged = bridged
      self.said = said
      self.refused = refused
    }

    /// As a member of an object, with the comma before it; nothing where all is taken.
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

  /// The payload as one for the hub, looked at as a whole; nil where it is the counterpart's.
  ///
  /// - Throws: 4001, 4003, 4004 and the codes of the app's rules where it cannot be carried out, and what any
  ///   send may be refused for by the device's own state, the types in the payload, or its size.
  func bridgedPayload(
    _ payload: Value, limit: Int, _ call: Call, _ device: Device
  ) throws(WireError) -> BridgedPayload? {
    guard let hub = device.bridge, let bridged = hub.bridge(device),
      let codec = codec(of: hub.schema.name),
      let said = try codec.read(payload, call.fields.line, after: bridged.envelope)
    else { return nil }
    call.connection.allowance -= said.message.records * Work.edit
    try checkForHub(SendCheck(payload: payload, limit: limit), device, call.fields)
    if said.message.records > 0 {
      try checkRoom(hub)
      // What the hub makes of it may be more, and is counted with the next.
      try checkQuota(ofBytes: call.fields.line.count, device.pair)
    }
    let refused = try said.check(KnownRecords(bridged, hub.replica.fold, hub.schema))
    return BridgedPayload(hub, bridged, said, refused)
  }

  /// Carries a payload out, in the open batch.
  func take(_ payload: BridgedPayload, _ device: Device) {
    let (hub, bridged) = (payload.hub, payload.bridged)
    let store = storeName(of: device.pair)
    let intake = Intake(
      bridged, hub.replica, hub.schema, hub.shape!,
      author: hub.bridgeReplica(for: device, store: store),
      isBridge: { hub.isBridge($0, store: store) }, rank: device.rank, now: nowMS,
      oldest: hub.oldest, present: hub.wholeRecord,
      // What cannot be taken in has been logged; the device is sent the present state.
      append: { try? self.take($0, hub) })
    bridged.heard = max(1, nowMS)
    bridged.envelope = payload.said.envelope
    let looked = bridged.looked
    intake.take(payload.said.message, without: Set(payload.refused.map(\.target)))
    device.connection?.allowance -= (bridged.looked - looked) * Work.looked
    changed(hub)
    collect(hub)
  }

  /// What a send must be that goes no further than the hub: nobody has to be paired or reachable.
  private func checkForHub(
    _ send: SendCheck, _ device: Device, _ fields: Fields
  ) throws(WireError) {
    let own: Set<Knobs.Precondition> = [.supported, .delegate, .activated, .types, .size]
    for precondition in device.pair.knobs.preconditionOrder where own.contains(precondition) {
      try check(precondition, send, device, fields)
    }
  }
}
