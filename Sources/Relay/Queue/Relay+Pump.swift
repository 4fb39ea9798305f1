import Journal
import Wire

/// Handing out what waits, in order, as far as the receiver's output has room.
extension Relay {
  func pump(_ device: Device) {
    guard let connection = device.$connection, device.activation != .notActivated,
      !device.pair.isParked(device)
    else { return }
    if !device.appState.isRunning, !wake(device) { return }
    connection.use { connection in
      while device.hasRest, connection.waiting < limits.waitingOutput, !connection.isClosed {
        guard let lane = nextLane(device), handOut(lane, to: device, connection) else { break }
      }
    }
    settleEnd(device)
    settleSwitch(device.pair)
  }

  /// The lane whose first waiting item is next: complications first, then in the order that the
  /// pair's `crossKindOrder` asks for, files last.
  private func nextLane(_ device: Device) -> LaneName? {
    if isReady(.complication, device) { return .complication }
    if isReady(.outcome, device) { return .outcome }
    if device.pair.knobs.crossKindOrder == .sent {
      // Only the earliest of all may go, ready or not.
      var earliest: (order: UInt64, lane: LaneName)?
      for lane in [LaneName.context, .userInfo, .file] {
        guard let item = device[lane].nextToHandOut() else { continue }
        if item.order < earliest?.order ?? .max { earliest = (item.order, lane) }
      }
      return earliest.flatMap { isReady($0.lane, device) ? $0.lane : nil }
    }
    for lane in [LaneName.context, .userInfo, .file] where isReady(lane, device) { return lane }
    return nil
  }

  /// Whether a lane's next item may be handed out: committed, not held, and durably said to be
  /// possibly handed out. Where only the last is missing, it is put into the open batch.
  private func isReady(_ name: LaneName, _ device: Device) -> Bool {
    guard device[name].hasRest, let item = device[name].nextToHandOut() else { return false }
    guard item.batch <= committed, !device[name].isHeld || device[name].allowance > 0,
      !device[name].isBehindRemoval(item, committed: committed)
    else { return false }
    // While the watch is being switched, only what the old one sent.
    if device.activation == .inactive, isOfActiveWatch(item, device.pair) { return false }
    if item.flags.contains(.offered)
      || (item.seq <= device[name].offered && device[name].offerBatch <= committed)
    {
      return true
    }
    if item.seq > device[name].offered {
      device[name].offered = device[name].next - 1
      device[name].offerBatch = open.number
      changed(device)
      if name == .context { changedContext(from: item.transfer.sender, to: device) }
    }
    pumpAfterCommit(device)
    return false
  }

  func isOfActiveWatch(_ item: Item, _ pair: Pair) -> Bool {
    !item.transfer.isHub && pair.devices[Int(item.transfer.sender)] === pair.activeWatch
  }

  /// Writes the lane's next item, or the next piece of its file. Returns false where its bytes
  /// have to be read back first.
  private func handOut(_ name: LaneName, to device: Device, _ connection: Connection) -> Bool {
    guard let item = device[name].nextToHandOut() else { return false }
    if name == .file { return handOutFile(item, to: device, connection) }
    if name == .context {
      handOutContext(item, to: device, connection)
    } else {
      guard let payload = payload(item.reference, device) else {
        fetch(name, for: device)
        return false
      }
      answer(connection) { output in
        payload.withUnsafeBytes { bytes in
          let start = payload.isOwn ? 0 : Int(item.reference.offset)
          let body = UnsafeRawBufferPointer(
            rebasing: bytes[start..<(start + Int(item.reference.length))])
          if name == .outcome {
            output.append(bytes: body)
          } else {
            if item.transfer.isHub {
              output.append("{\"type\":\"didReceiveUserInfo\",\"from\":\"hub\",\"payload\":")
            } else {
              output.append(bytes: device.pair.kept(item.transfer.sender).use { $0.userInfoHead })
            }
            output.append(bytes: body)
          }
          Self.close(&output, item, name, redelivered: item.seq <= device[name].highestHandedOut)
        }
      }
      if !device.fetched.isEmpty { device.fetched[item.reference] = nil }
    }
    handedOut(item, name, device, connection)
    return true
  }

  private static func close(
    _ output: inout [UInt8], _ item: Item, _ lane: LaneName, redelivered: Bool
  ) {
    output.append(",\"seq\":")
    output.append(decimal: item.seq)
    if lane == .complication { output.append(",\"isCurrentComplicationInfo\":true") }
    output.append(redelivered ? ",\"redelivered\":true}" : "}")
  }

  private func handOutContext(_ item: Item, to device: Device, _ connection: Connection) {
    guard var slot = device.contexts[item.transfer.sender] else { return }
    let isRedelivered = item.seq <= device[.context].highestHandedOut
    answer(connection) { output in
      output.append("{\"type\":\"didReceiveApplicationContext\",\"from\":")
      output.append(contentsOf: device.pair.devices[Int(item.transfer.sender)].quotedName)
      output.append(",\"payload\":")
      output.append(contentsOf: slot.current)
      Self.close(&output, item, .context, redelivered: isRedelivered)
    }
    if slot.handedOut != slot.current || !isRedelivered { slot.isAcknowledged = false }
    slot.handedOut = slot.current
    device.contexts[item.transfer.sender] = slot
  }

  /// Notes that the item at the lane's cursor has been handed out.
  func handedOut(_ item: Item, _ name: LaneName, _ device: Device, _ connection: Connection) {
    let isFirstTime = item.seq > device[name].highestHandedOut
    if isFirstTime { counts.delivered.add(name) } else { counts.redelivered += 1 }
    device[name].cursor += 1
    device[name].highestHandedOut = max(device[name].highestHandedOut, item.seq)
    // The queue row says what was handed out.
    if isFirstTime, device.pair.hasQueueRow { touched(device.pair) }
    if device[name].isHeld { device[name].allowance -= 1 }
    if device.isAutomatic {
      device.unconfirmed.append((connection.position, name, item.seq))
    }
    if name == .complication, isFirstTime,
      device.pair.knobs.complicationCharge == .delivery
    {
      chargeComplication(device)
    }
  }

  // MARK: Payloads

  /// Bytes of a payload: a segment at hand, or a copy that was read back.
  struct Payload {
    let bytes: [UInt8]
    /// Whether `bytes` is the payload alone.
    let isOwn: Bool

    func withUnsafeBytes(_ body: (UnsafeRawBufferPointer) -> Void) {
      bytes.withUnsafeBytes(body)
    }
  }

  func payload(_ reference: Reference, _ device: Device) -> Payload? {
    if reference.segment == open.number { return Payload(bytes: open.body, isOwn: false) }
    if let body = segments.body(reference.segment) { return Payload(bytes: body, isOwn: false) }
    return device.fetched[reference].map { Payload(bytes: $0, isOwn: true) }
  }

  /// Bytes of payloads asked for at once.
  static let readAhead = 256 << 10

  /// Asks the store for the lane's next payloads.
  private func fetch(_ name: LaneName, for device: Device) {
    guard !device.isFetching else { return }
    var wanted: [Reference] = []
    var bytes = 0
    var index = device[name].cursor
    while index < device[name].items.count, bytes < Self.readAhead {
      let item = device[name].items[index]
      index += 1
      if item.flags.contains(.removed) { continue }
      guard item.batch <= committed, !segments.hasBody(item.reference.segment) else { break }
      wanted.append(item.reference)
      bytes += Int(item.reference.length)
    }
    fetch(wanted, for: device)
  }

  func fetch(_ wanted: [Reference], for device: Device) {
    guard !device.isFetching, !wanted.isEmpty else { return }
    let wanted = device.fetchesSingly ? Array(wanted.prefix(1)) : wanted
    device.isFetching = true
    let token = nextFetch
    nextFetch += 1
    fetches[token] = (device, wanted)
    effects.reads.append((token, wanted))
  }

  func deliverFetched(_ token: Int, _ payloads: [[UInt8]]?) {
    guard let (device, wanted) = fetches.removeValue(forKey: token) else { return }
    device.isFetching = false
    device.fetchesSingly = payloads == nil
    if let payloads {
      // Fewer than were asked for, where the next one is damaged.
      device.fetched = [:]
      for (reference, bytes) in zip(wanted, payloads) { device.fetched[reference] = bytes }
    } else if wanted.count == 1 {
      dropMissing(wanted[0], device)
    }
    pump(device)
    if !device.pair.isConnected { evictIdle() }
  }

  /// What was asked for is gone or damaged. Mostly its segment was copied forward meanwhile, and its
  /// items have other places now; an item that has not is lost, and that is said.
  private func dropMissing(_ wanted: Reference, _ device: Device) {
    for name in LaneName.delivered where name != .context {
      guard let item = device[name].nextToHandOut() else { continue }
      let file = name == .file ? file(item.transfer, device.pair) : nil
      guard wanted == item.reference || wanted == file.flatMap({ nextPiece(of: $0) }) else {
        continue
      }
      lose(item, in: name, of: device)
    }
  }

  // MARK: After output has drained

  /// A device's connection has room again.
  func drained(_ device: Device) {
    device.isSaturated = false
    letWaitersGo(device)
    pump(device)
    hubs?.drained(device)
  }

  /// The end of input is settled once what waited then has been handed out.
  func settleEnd(_ device: Device) {
    guard let connection = device.connection, let marks = connection.endMarks else { return }
    for name in LaneName.delivered where canReceive(device) {
      guard let item = device[name].nextToHandOut(), item.seq <= marks[Int(name.rawValue)],
        !device[name].isHeld || device[name].allowance > 0
      else { continue }
      return
    }
    connection.endMarks = nil
    scheduleOutput(connection)
  }

  // MARK: Automatic acknowledgement

  /// Acknowledges for a device what its peer's kernel has confirmed: as much as a turn allows, the rest when the caller
  /// tells it again.
  func confirm(_ device: Device, through position: UInt64) {
    var left = Work.confirmedAtOnce
    while left > 0, let first = device.unconfirmed.first, first.position <= position {
      left -= 1
      _ = device.unconfirmed.removeFirst()
      acknowledge(device, first.lane, through: first.seq)
    }
    if let connection = device.connection { finishIfEnded(connection) }
  }
}
