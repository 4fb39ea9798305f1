import Journal
import Wire

/// How transfers end, and how their senders hear of it.
extension Relay {
  /// Moves a lane's watermark; what it passes has been delivered.
  func acknowledge(_ device: Device, _ lane: LaneName, through seq: UInt64) {
    guard seq > device[lane].acknowledged else { return }
    while let item = device[lane].acknowledgeNext(through: seq) {
      counts.waiting.add(lane, -1)
      let re = device[lane].takeIdentifier(item.seq)
      switch lane {
      case .context: contextAcknowledged(item, device)
      case .outcome: release(item)
      case .file:
        release(item)
        removeFile(item, device.pair)
        finish(item, lane, device, re: re, code: nil)
      case .userInfo, .complication, .parked:
        release(item)
        finish(item, lane, device, re: re, code: nil)
      }
    }
    changed(device)
    settlePending(device)
  }

  /// Ends a waiting or handed-out item with an error that its sender hears of.
  func fail(_ seq: UInt64, in lane: LaneName, of device: Device, code: ErrorCode) -> Bool {
    let re = device[lane].identifier(seq)
    guard let item = remove(seq, from: lane, of: device) else { return false }
    switch lane {
    case .context: contextAcknowledged(item, device)
    case .outcome: break
    case .file, .userInfo, .complication, .parked:
      // A parked one may be a file, too.
      if item.target == .file { removeFile(item, device.pair) }
      finish(item, lane, device, re: re, code: code)
    }
    settlePending(device)
    return true
  }

  /// Ends a transfer at its sender: in its outbox, and on its connection or as an outcome.
  func finish(
    _ item: Item, _ lane: LaneName, _ receiver: Device, re: String, code: ErrorCode?
  ) {
    if item.transfer.isHub {
      // The hub's own: nobody waits to hear of it.
      hubs?.deliveryEnded(item.seq, receiver, isProcessed: code == nil)
      return
    }
    let isFile = lane == .file || item.target == .file
    receiver.pair.kept(item.transfer.sender).use { sender in
      finish(item.transfer, sender: sender, isFile: isFile, re: re, code: code)
    }
  }

  func finish(
    _ transfer: TransferKey, sender: Device, isFile: Bool, re: String, code: ErrorCode?,
    isTold: Bool = true, because reason: String? = nil
  ) {
    sender.incarnations[Int(transfer.incarnation)][transfer.isNumbered].finish(transfer.number)
    if let code {
      counts.failed[code, default: 0] += 1
      remember(transfer, code, sender)
    } else {
      counts.finished += 1
    }
    guard isTold else { return }
    if code == nil, sender.activation != .notActivated, sender.$connection != nil {
      open.after.finished.append(
        FinishedTransfer(
          transfer: transfer, sender: .passUnretained(sender), session: sender.session,
          isFile: isFile, re: re))
    } else {
      keepOutcome(transfer, sender: sender, isFile: isFile, re: re, code: code, because: reason)
    }
  }

  /// The acknowledge is committed: tells the sender, should it still be there.
  func tell(_ finished: FinishedTransfer, _ sender: Device) {
    guard !sender.pair.isErased else { return }
    guard sender.session == finished.session, let connection = sender.$connection else {
      return keepOutcome(
        finished.transfer, sender: sender, isFile: finished.isFile, re: finished.re, code: nil)
    }
    connection.use { connection in
      answer(connection) { output in
        Self.didFinish(
          &output, finished.transfer, sender, isFile: finished.isFile, re: finished.re, code: nil)
        output.append("}")
      }
      connection.toldPosition = connection.position
    }
  }

  /// The sender is away, or it is bad news: kept until acknowledged, the oldest goes first.
  private func keepOutcome(
    _ transfer: TransferKey, sender: Device, isFile: Bool, re: String, code: ErrorCode?,
    because reason: String? = nil
  ) {
    while sender[.outcome].count >= limits.outcomes, let oldest = firstLive(sender[.outcome]) {
      _ = remove(oldest, from: .outcome, of: sender)
    }
    var body: [UInt8] = []
    Self.didFinish(
      &body, transfer, sender, isFile: isFile, re: re, code: code, because: reason)
    body.withUnsafeBytes { bytes in
      _ = enqueue(
        bytes, to: sender, lane: .outcome, target: isFile ? .file : .outcome, transfer: transfer,
        re: re, code: UInt16(code?.rawValue ?? 0))
    }
  }

  /// The payload of an item is gone from the store, or is not as it was accepted. A transfer fails at its
  /// sender; what became of a transfer is said anew.
  func lose(_ item: Item, in name: LaneName, of receiver: Device) {
    let sender = item.transfer.isHub ? nil : receiver.pair.devices[Int(item.transfer.sender)]
    log(
      "event=payloadLost transfer=\((sender.map { item.transfer.text($0) } ?? "hub").quoted) "
        + "lane=\(name) seq=\(item.seq) segment=\(item.reference.segment) "
        + "receiver=\(receiver.name.quoted) pair=\(receiver.pair.name.quoted)")
    guard name == .outcome, let sender else {
      _ = fail(item.seq, in: name, of: receiver, code: .deliveryFailed)
      return
    }
    let re = receiver[name].identifier(item.seq)
    _ = remove(item.seq, from: name, of: receiver)
    keepOutcome(
      item.transfer, sender: sender, isFile: item.target == .file, re: re,
      code: ErrorCode(rawValue: Int(item.code)))
    settlePending(receiver)
  }

  private func firstLive(_ lane: Lane) -> UInt64? {
    for index in 0..<lane.items.count where !lane.items[index].flags.contains(.removed) {
      return lane.items[index].seq
    }
    return nil
  }

  /// The `didFinish…` line of a transfer, but for its closing brace.
  static func didFinish(
    _ output: inout [UInt8], _ transfer: TransferKey, _ sender: Device, isFile: Bool, re: String,
    code: ErrorCode?, because reason: String? = nil
  ) {
    if isFile {
      output.append("{\"type\":\"didFinishFileTransfer\",\"transfer\":")
      output.append(transfer, of: sender)
    } else {
      output.append(transfer, of: sender, .finishedUserInfo)
    }
    if transfer.isNumbered {
      output.append(",\"n\":")
      output.append(decimal: transfer.number)
    }
    if !re.isEmpty {
      output.append(",\"re\":")
      output.append(text: re)
    }
    if let code {
      output.append(",\"error\":{\"code\":")
      output.append(decimal: code.rawValue)
      output.append(",\"name\":", quoted: code.name)
      output.append(",\"message\":", quoted: reason ?? code.transferMessage)
      output.append("}")
    }
  }

  // MARK: What failed, for a retry by n

  private func remember(_ transfer: TransferKey, _ code: ErrorCode, _ sender: Device) {
    guard transfer.isNumbered else { return }
    sender.failures.append((transfer, UInt16(code.rawValue)))
    if sender.failures.count > limits.rememberedFailures {
      let oldest = sender.failures.removeFirst().transfer
      let known = sender.forgottenFailures[oldest.incarnation] ?? 0
      sender.forgottenFailures[oldest.incarnation] = max(known, oldest.number)
      changed(sender, incarnation: Int(oldest.incarnation))
    }
    changed(sender)
  }

  /// Answers a request whose `n` was received before: as then, or with how it ended.
  func answerRetry(_ call: Call, _ device: Device, _ number: UInt64) throws(WireError) {
    let transfer = TransferKey(
      sender: device.index, incarnation: device.incarnation, isNumbered: true, number: number)
    let isFile = call.request == .transferFile
    if let entry = device.isOutstanding(transfer) {
      let batch = self.batch(of: entry, device.pair)
      if entry.lane == .file || isFile, let file = file(transfer, device.pair) {
        if call.hasID {
          file.re = call.id
          changed(file, of: device.pair)
        }
        // That batch has all that was received: of a file that is whole the rest of it, else it is the latest one.
        let offset = file.received
        return answerAfter(batch, call) { output in
          Self.accepted(&output, call, transfer, device, offset: offset)
        }
      }
      return answerAfter(batch, call) { Self.accepted(&$0, call, transfer, device) }
    }
    var code: ErrorCode?
    if let failure = device.failures.last(where: { $0.transfer == transfer }) {
      code = ErrorCode(rawValue: Int(failure.code))
    } else if number <= device.forgottenFailures[device.incarnation] ?? 0 {
      throw WireError(
        .unknownTransfer,
        "transfer \(number) finished long ago; whether it was delivered is no longer known")
    }
    answerAfter(latestBatch, call) { output in
      Self.didFinish(&output, transfer, device, isFile: isFile, re: call.id, code: code)
      if !call.hasID { output.append(",\"of\":", quoted: call.request.rawValue) }
      output.append("}")
    }
  }

  /// The last batch that has anything in it: what is known now is told after it.
  package var latestBatch: UInt64 {
    open.isEmpty ? inFlight.last?.number ?? committed : open.number
  }

  /// The batch that covers an outstanding transfer.
  private func batch(of entry: Outbox.Entry, _ pair: Pair) -> UInt64 {
    let receiver = pair.devices[Int(entry.receiver)]
    guard entry.seq > 0, let index = receiver[entry.lane].index(of: entry.seq) else {
      return latestBatch
    }
    return receiver[entry.lane].items[index].batch
  }

  /// `accepted` with the transfer that was made.
  static func accepted(
    _ output: inout [UInt8], _ call: Call, _ transfer: TransferKey, _ sender: Device,
    offset: Int? = nil, remaining: Int? = nil, isFallback: Bool = false,
    of payload: (any BridgedPayload)? = nil
  ) {
    if call.request == .transferUserInfo, !call.hasID {
      output.append(transfer, of: sender, .acceptedUserInfo)
    } else {
      begin(&output, "accepted", call)
      output.append(",\"transfer\":")
      output.append(transfer, of: sender)
    }
    if let offset {
      output.append(",\"offset\":")
      output.append(decimal: offset)
    }
    if let remaining {
      output.append(",\"remainingComplicationUserInfoTransfers\":")
      output.append(decimal: remaining)
    }
    if isFallback { output.append(",\"isCurrentComplicationInfo\":false") }
    payload?.appendRefused(to: &output)
    output.append("}")
  }
}

extension [UInt8] {
  /// Appends `TransferKey.text` as JSON text, and before it what `head` says.
  mutating func append(
    _ transfer: TransferKey, of sender: Device, _ head: TransferHead = .name
  ) {
    append(bytes: sender.head(head, transfer))
    append(decimal: transfer.number)
    append(0x22)
  }
}

extension TransferKey {
  /// The `transfer` of the wire: device, incarnation by its index, and `.n` or the server's `#count`.
  func text(_ sender: Device) -> String {
    "\(sender.name):\(incarnation)\(isNumbered ? "." : "#")\(number)"
  }

  /// The transfer of `sender` with this text; nil where it is no such text.
  init?(_ text: String, sender: Device) {
    guard let colon = text.lastIndex(of: ":"), text[..<colon].utf8.elementsEqual(sender.name.utf8)
    else { return nil }
    let rest = text[text.index(after: colon)...]
    guard let mark = rest.firstIndex(where: { $0 == "." || $0 == "#" }),
      let incarnation = UInt16(rest[..<mark]),
      let number = UInt64(rest[rest.index(after: mark)...]),
      Int(incarnation) < sender.incarnations.count
    else { return nil }
    self.init(
      sender: sender.index, incarnation: incarnation, isNumbered: rest[mark] == ".",
      number: number)
  }
}

extension ErrorCode {
  /// What a failed transfer's error says.
  var transferMessage: String {
    switch self {
    case .deviceNotPaired: "The pair was forgotten before the transfer was delivered."
    case .fileAccessDenied: "The receiver could not access the file."
    case .deliveryFailed: "Payload could not be delivered."
    case .insufficientSpace: "The receiver has no space for it."
    case .sessionInactive: "The watch was switched before the transfer was delivered."
    case .transferTimedOut: "The transfer took too long."
    default: "The receiver refused it."
    }
  }
}
