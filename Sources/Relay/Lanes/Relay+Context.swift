import Journal
import Wire

/// The application context: one slot from each sender to each receiver, the newest wins.
extension Relay {
  func updateContext(_ call: Call, _ device: Device) throws(WireError) {
    let payload = try call.fields.object(.payload)
    let bytes = call.fields.bytes(payload)
    let knobs = device.pair.knobs
    if let own = try bridgedPayload(payload, limit: knobs.limits.context, call, device) {
      own.carryOut()
      countUncommitted(call.connection, call.fields.line.count)
      return answerAfterCommit(call) { output in
        Self.begin(&output, "accepted", call)
        own.appendRefused(to: &output)
        output.append("}")
      }
    }
    var check = SendCheck(payload: payload, limit: knobs.limits.context)
    let isIdentical =
      device.pair.counterpart(of: device)?.contexts[device.index].map {
        $0.handedOut?.elementsEqual(bytes) == true
      } ?? false
    check.isRepeated = isIdentical && knobs.identicalContext == .throw
    let receiver = try self.check(check, device, call.fields).takeUnretainedValue()
    try checkHoles(receiver[.context], "context")
    try checkQuota(ofBytes: bytes.count, device.pair)
    var slot = receiver.contexts[device.index] ?? ContextSlot(current: [])
    let isDropped = isIdentical && knobs.identicalContext == .drop && drop(&slot, receiver)
    if !isDropped {
      withdraw(&slot, receiver)
      slot.current = Array(bytes)
    }
    receiver.contexts[device.index] = slot
    if !isDropped, !device.pair.isParked(device) { queueContext(from: device, to: receiver) }
    changedContext(from: device.index, to: receiver)
    changed(receiver)
    // What a new one has replaced waits no more: of an inactive watch neither waits.
    settlePending(receiver)
    // An activation tells the sender's own context, and waits for this commit where it must.
    changed(device)
    countUncommitted(call.connection, bytes.count)
    answerAfterCommit(call) { output in
      Self.begin(&output, "accepted", re: call.id, of: call.request)
      output.append(isDropped ? ",\"dropped\":\"identicalToPrevious\"}" : "}")
    }
  }

  /// Gives the slot's context a number and has it wait.
  func queueContext(from device: Device, to receiver: Device) {
    let transfer = TransferKey(
      sender: device.index, incarnation: 0, isNumbered: false, number: 0)
    let item = enqueue(
      .init(segment: 0, offset: 0, length: 0), to: receiver, lane: .context, transfer: transfer,
      re: "")
    receiver.contexts[device.index]!.seq = item.seq
    changedContext(from: device.index, to: receiver)
  }

  /// Sets a context equal to the one last handed out. Returns whether it need not be delivered:
  /// the receiver has acknowledged it, or will be given it again until it does.
  private func drop(_ slot: inout ContextSlot, _ receiver: Device) -> Bool {
    if slot.seq > 0, slot.current == slot.handedOut { return true }
    guard slot.isAcknowledged, let handedOut = slot.handedOut else { return false }
    withdraw(&slot, receiver)
    slot.current = handedOut
    return true
  }

  /// Takes the context that waits, or was handed out and not acknowledged, out of the lane: a
  /// newer one makes it void.
  private func withdraw(_ slot: inout ContextSlot, _ receiver: Device) {
    guard slot.seq > 0 else { return }
    _ = remove(slot.seq, from: .context, of: receiver)
    slot.seq = 0
  }

  func contextAcknowledged(_ item: Item, _ receiver: Device) {
    guard receiver.contexts[item.transfer.sender]?.seq == item.seq else { return }
    receiver.contexts[item.transfer.sender]!.seq = 0
    receiver.contexts[item.transfer.sender]!.isAcknowledged = true
    changedContext(from: item.transfer.sender, to: receiver)
  }

  /// With `contextRedelivery`: contexts that were delivered before come again.
  func repeatContexts(_ receiver: Device) {
    guard receiver.pair.knobs.contextRedelivery > 0 else { return }
    for sender in receiver.contexts.keys.sorted() {
      guard let slot = receiver.contexts[sender], slot.seq == 0, slot.handedOut != nil else {
        continue
      }
      for _ in 0..<receiver.pair.knobs.contextRedelivery {
        queueContext(from: receiver.pair.devices[Int(sender)], to: receiver)
      }
    }
  }
}
