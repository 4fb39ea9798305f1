import AppModels
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
  /// The schemas that have whole records.
  static let bridgedSchemas: [Name] = ["todoTimers"]

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
    let known = options.schemas.filter { Self.bridgedSchemas.contains($0.name) }
    if let schema = known.first(where: { $0.name.text == name }) { return schema }
    let names = known.map(\.name.text)
    let nearest = Nearest.word(to: name, among: names)
    throw WireError(
      .invalidField,
      "there is no bridge for \(name)"
        + (nearest.map { "; did you mean \($0)?" }
          ?? (names.isEmpty
            ? "; this server has none" : "; there is one for \(names.joined(separator: ", "))"))
    )
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
    hub.addAuthor(hub.bridgeReplica(for: device, store: identity), device)
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
      guard let device, let bridged = device.bridge?.bridge(device),
        let payload = try? fields.object(.payload)
      else { return }
      do throws(WireError) {
        guard try TodoTimersEnvelope.read(payload, fields.line) != nil else { return }
      } catch {
        // It is one that cannot be read.
      }
      bridged.session.hasRefused = true
    default: break
    }
  }

  // MARK: What comes in

  /// A payload that the hub takes instead of the counterpart.
  struct BridgedPayload {
    let hub: Hub
    let bridged: BridgedDevice
    let message: TodoTimersMessage
    let envelope: TodoTimersEnvelope
  }

  /// The payload as one for the hub, looked at as a whole; nil where it is the counterpart's.
  ///
  /// - Throws: 4001, 4003, 4004, 4020 to 4024 where it cannot be carried out, and what any send may be
  ///   refused for by the device's own state, the types in the payload, or its size.
  func bridgedPayload(
    _ payload: Value, limit: Int, _ call: Call, _ device: Device
  ) throws(WireError) -> BridgedPayload? {
    guard let hub = device.bridge, let bridged = hub.bridge(device),
      let (message, envelope) = try TodoTimersEnvelope.read(payload, call.fields.line)
    else { return nil }
    if case .timerState = message { return nil }
    try checkForHub(SendCheck(payload: payload, limit: limit), device, call.fields)
    let taken = BridgedPayload(hub: hub, bridged: bridged, message: message, envelope: envelope)
    try check(taken)
    return taken
  }

  /// Carries a payload out, in the open batch.
  func take(_ payload: BridgedPayload, _ device: Device) {
    let (hub, bridged) = (payload.hub, payload.bridged)
    let intake = Intake(
      bridged, hub.replica, hub.schema, RecordShape(hub.schema)!,
      author: hub.bridgeReplica(for: device, store: identity), rank: device.rank, now: nowMS,
      oldest: hub.oldest, present: hub.wholeRecords,
      // What cannot be taken in has been logged; the device is sent the present state.
      append: { try? self.take($0, hub) })
    bridged.heard = max(1, nowMS)
    var envelope = payload.envelope
    switch payload.message {
    case .syncRequest:
      bridged.isOwedAll = true
      envelope = TodoTimersEnvelope(bits: bridged.envelope)
      envelope.style = .typed
    case .fullSync(let sync): intake.take(sync.timers.map(\.whole), madeAt: sync.syncTimestamp)
    case .timerUpdate(let update):
      if let timer = update.timer, update.type != .deleted {
        intake.take(timer.whole)
      } else {
        intake.delete(.timer(update.timerID), held: update.timer?.whole)
      }
    case .quickAction(let action):
      let timer = Target.timer(action.timerID)
      switch action.action {
      case .noteUpdated(let text):
        intake.act(WholeRecord.Field(target: timer, name: "notes"), .string(text), in: timer)
      case .todoToggled(let id, let isCompleted):
        intake.act(
          WholeRecord.Field(target: .todo(id), name: "isCompleted"), .bool(isCompleted), in: timer)
      }
    case .timerState: break
    }
    bridged.envelope = envelope.bits
    changed(hub)
    collect(hub)
  }

  // MARK: Checks

  private func check(_ payload: BridgedPayload) throws(WireError) {
    switch payload.message {
    case .syncRequest, .timerState: break
    case .fullSync(let sync):
      var probe = sync
      for index in probe.timers.indices {
        try checkTodos(probe.timers[index], payload)
        probe.timers[index] = probe.timers[index].withoutOld(payload.bridged)
        try probe.timers[index].check()
      }
      try probe.withoutTwins {
        payload.hub.replica.fold.container(of: .todo($0), payload.hub.schema)?.record
      }.check()
    case .timerUpdate(let update):
      if let timer = update.timer, update.type != .deleted, timer.id == update.timerID {
        try TimerUpdateMessage(update.type, timer.withoutOld(payload.bridged)).check()
        try checkTodos(timer, payload)
      } else {
        try update.check()
      }
    case .quickAction(let action): try check(action, payload)
    }
  }

  /// To-dos that the device never had in this timer must not be another timer's. A copy that is late
  /// changes nothing, and may be of before they left it.
  private func checkTodos(_ timer: TimerDTO, _ payload: BridgedPayload) throws(WireError) {
    let fold = payload.hub.replica.fold
    let track = payload.bridged[.timer(timer.id)]
    if track?.isLate(timer.whole) == true { return }
    let known = payload.bridged.mayHold(.timer(timer.id))
    for todo in timer.todoItems where fold.isCreated(.todo(todo.id)) {
      guard !known.contains(where: { $0.child(.todo(todo.id)) != nil }),
        let owner = fold.container(of: .todo(todo.id), payload.hub.schema)?.record,
        owner != Name(timer.id.description), track?.base != .unknown || !known.isEmpty
      else { continue }
      throw WireError(
        .invalidField, "to-do \(todo.id) belongs to timer \(owner), not to timer \(timer.id)")
    }
  }

  private func check(
    _ action: QuickActionMessage, _ payload: BridgedPayload
  ) throws(WireError) {
    let fold = payload.hub.replica.fold
    let timer = Target.timer(action.timerID)
    guard fold.isKnown(timer) else {
      throw WireError(
        .invalidField, "there is no timer \(action.timerID); send it with timerUpdate first")
    }
    guard case .todoToggled(let id, _) = action.action else { return }
    guard fold.isKnown(.todo(id)) else {
      throw WireError(
        .invalidField,
        "there is no to-do \(id); send its timer with timerUpdate first")
    }
    let isHeld = payload.bridged.mayHold(timer).contains { $0.child(.todo(id)) != nil }
    if let owner = fold.container(of: .todo(id), payload.hub.schema)?.record,
      owner != timer.record, !isHeld
    {
      throw WireError(
        .invalidField, "to-do \(id) belongs to timer \(owner), not to timer \(action.timerID)")
    }
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

extension TimerSyncPayload {
  /// Without to-dos in timers that they have left, where their timer has them as well: a device that was
  /// sent the one and keeps its own newer copy of the other has them in both.
  fileprivate func withoutTwins(owner: (Identifier) -> Name?) -> TimerSyncPayload {
    var sync = self
    var places: [Identifier: Set<Identifier>] = [:]
    for timer in timers {
      for todo in timer.todoItems { places[todo.id, default: []].insert(timer.id) }
    }
    for index in sync.timers.indices {
      let timer = sync.timers[index].id
      sync.timers[index].todoItems.removeAll { todo in
        guard places[todo.id]!.count > 1, let owner = owner(todo.id) else { return false }
        return owner != Name(timer.description)
          && places[todo.id]!.contains { Name($0.description) == owner }
      }
    }
    return sync
  }
}

extension TimerDTO {
  /// The timer with what the device was sent, or sent before, made right: what was wrong before must
  /// not refuse a change of something else.
  fileprivate func withoutOld(_ bridged: BridgedDevice) -> TimerDTO {
    let known = bridged.mayHold(.timer(id)).map { TimerDTO($0) }
    var timer = self
    if known.contains(where: { $0.name == name }) { timer.name = "known" }
    if known.contains(where: { $0.durationInSeconds == durationInSeconds }) {
      timer.durationInSeconds = 1
    }
    for index in timer.todoItems.indices {
      let todo = timer.todoItems[index]
      if known.contains(where: {
        $0.todoItems.contains { $0.id == todo.id && $0.text == todo.text }
      }) {
        timer.todoItems[index].text = "known"
      }
    }
    return timer
  }
}

extension BridgedDevice {
  /// The copies of a record that the device may have.
  fileprivate func mayHold(_ target: Target) -> [WholeRecord] {
    guard let track = self[target] else { return [] }
    return [track.held].compactMap { $0 } + track.inFlight.compactMap(\.record)
  }
}
