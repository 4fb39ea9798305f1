import Wire

/// Guaranteed transfers of dictionaries: `transferUserInfo` and the complication's.
extension Relay {
  func transferUserInfo(_ call: Call, _ device: Device) throws(WireError) {
    guard let number = try number(call, device) else { return }
    let payload = try call.fields.object(.payload)
    let limit = device.pair.knobs.limits.userInfo
    if let own = try bridgedPayload(payload, limit: limit, call, device) {
      return transferToHub(own, call, device, number)
    }
    let receiver = try check(SendCheck(payload: payload, limit: limit), device, call.fields)
    let bytes = call.fields.bytes(payload)
    try destination(device, receiver).use { (receiver) throws(WireError) in
      try checkRoom(receiver, bytes.count)
      let transfer = accept(call, device, number, bytes.count)
      queue(bytes, call, device, receiver, .userInfo, transfer)
      answerAfterCommit(call) { Self.accepted(&$0, call, transfer, device) }
    }
  }

  /// The hub has processed it when the batch is synced: it is finished with its acceptance.
  private func transferToHub(
    _ payload: any BridgedPayload, _ call: Call, _ device: Device, _ number: UInt64
  ) {
    let transfer = accept(call, device, number, call.fields.line.count)
    payload.carryOut()
    answerAfterCommit(call) { Self.accepted(&$0, call, transfer, device, of: payload) }
    finish(transfer, sender: device, isFile: false, re: call.id, code: nil)
  }

  func transferComplication(_ call: Call, _ device: Device) throws(WireError) {
    guard device.isPhone else {
      throw WireError(
        .invalidField,
        "only a phone has transferCurrentComplicationUserInfo; a watch may use "
          + "transferUserInfo")
    }
    guard let number = try number(call, device) else { return }
    let payload = try call.fields.object(.payload)
    let receiver = try check(
      SendCheck(payload: payload, limit: device.pair.knobs.limits.userInfo), device, call.fields
    ).takeUnretainedValue()
    let isEnabled = receiver.state.isComplicationEnabled
    if !isEnabled, device.pair.knobs.complicationDisabled == .fail {
      throw WireError(
        .deliveryFailed, "the complication is not on the active face of the active watch")
    }
    let bytes = call.fields.bytes(payload)
    try checkRoom(receiver, bytes.count)
    let isCurrent = isEnabled && remainingComplications(receiver) > 0
    if isCurrent { try checkHoles(receiver[.complication], "complication") }
    let transfer = accept(call, device, number, bytes.count)
    if isCurrent {
      untagWaiting(receiver)
      queue(bytes, call, device, receiver, .complication, transfer)
      if device.pair.knobs.complicationCharge == .call { chargeComplication(receiver) }
    } else {
      queue(bytes, call, device, receiver, .userInfo, transfer)
    }
    let remaining = remainingComplications(receiver)
    answerAfterCommit(call) {
      Self.accepted(
        &$0, call, transfer, device, remaining: remaining, isFallback: !isCurrent)
    }
  }

  // MARK: Numbers

  /// The `n` of a new request, 0 where it has none; nil where it was a retry and is answered.
  func number(_ call: Call, _ device: Device) throws(WireError) -> UInt64? {
    guard let value = try call.fields.optionalInteger(.n, in: 1...Int64.max) else { return 0 }
    let number = UInt64(value)
    let last = device.lastNumber
    if number <= last {
      try answerRetry(call, device, number)
      return nil
    }
    guard number == last + 1 else {
      throw WireError(
        .sequenceGap, "n is \(number), but the last one received is \(last): send \(last + 1) next")
    }
    return number
  }

  /// Takes a transfer's number and counts its bytes as uncommitted input.
  func accept(_ call: Call, _ device: Device, _ number: UInt64, _ bytes: Int) -> TransferKey {
    var transfer = TransferKey(
      sender: device.index, incarnation: device.incarnation, isNumbered: number > 0,
      number: number)
    let index = Int(device.incarnation)
    if number > 0 {
      device.incarnations[index].lastNumber = number
    } else {
      device.incarnations[index].lastCount += 1
      transfer.number = device.incarnations[index].lastCount
    }
    changed(device, incarnation: index)
    call.kept.use { countUncommitted($0, bytes) }
    return transfer
  }

  package func countUncommitted(_ connection: Connection, _ bytes: Int) {
    connection.uncommitted += bytes
    uncommittedTotal += bytes
    if let last = open.after.inputs.indices.last, open.after.inputs[last].connection === connection
    {
      open.after.inputs[last].bytes += bytes
    } else {
      open.after.inputs.append((connection, bytes))
    }
  }

  // MARK: Queues

  /// Where a device's transfers wait: at its counterpart, or with itself while it is an inactive
  /// watch.
  func destination(_ device: Device, _ receiver: Unmanaged<Device>) -> Unmanaged<Device> {
    device.pair.isParked(device) ? .passUnretained(device) : receiver
  }

  /// - Parameter receiver: where it waits.
  private func queue(
    _ bytes: UnsafeRawBufferPointer, _ call: Call, _ device: Device, _ receiver: Device,
    _ lane: LaneName, _ transfer: TransferKey
  ) {
    let isParked = receiver === device
    let item = enqueue(
      bytes, to: receiver, lane: isParked ? .parked : lane, target: lane, transfer: transfer,
      re: call.id, flags: lane == .complication ? .currentComplication : [])
    device.incarnations[Int(transfer.incarnation)][transfer.isNumbered].append(
      Outbox.Entry(
        number: transfer.number, receiver: receiver.index, lane: isParked ? .parked : lane,
        seq: item.seq))
  }

  /// A complication item that waits becomes ordinary user info, behind what waits there; its sender hears of it.
  private func untagWaiting(_ receiver: Device) {
    let lane = receiver[.complication]
    for index in lane.cursor..<max(lane.cursor, lane.items.count) {
      let item = lane.items[index]
      guard !item.flags.contains(.removed), item.seq > lane.highestHandedOut else { continue }
      move(item.seq, from: .complication, of: receiver, to: .userInfo, of: receiver)
      let sender = receiver.pair.devices[Int(item.transfer.sender)]
      tellAfterCommit(sender) { output in
        output.append("{\"type\":\"isCurrentComplicationInfoDidChange\",\"transfer\":")
        output.append(item.transfer, of: sender)
        output.append(",\"isCurrentComplicationInfo\":false}")
      }
    }
  }

  func checkHoles(_ lane: Lane, _ name: String) throws(WireError) {
    guard lane.holes.ranges.count < limits.holes else {
      throw WireError(
        limit: "holes",
        "too many transfers were cancelled or refused behind one that waits in lane \(name)",
        "have the receiver acknowledge what it was given")
    }
  }

  // MARK: The daily budget

  /// WCSession.remainingComplicationUserInfoTransfers, of the phone for this watch.
  func remainingComplications(_ watch: Device) -> Int {
    guard watch.state.isComplicationEnabled else { return 0 }
    let used = watch.complicationDay == complicationDay(watch.pair) ? watch.complicationsUsed : 0
    return max(0, watch.pair.knobs.complicationBudget - used)
  }

  func chargeComplication(_ watch: Device) {
    let day = complicationDay(watch.pair)
    if watch.complicationDay != day {
      watch.complicationDay = day
      watch.complicationsUsed = 0
    }
    watch.complicationsUsed += 1
    changed(watch)
  }

  private func complicationDay(_ pair: Pair) -> Int64 {
    (wall - pair.knobs.complicationReset) / 86_400_000_000
  }
}
