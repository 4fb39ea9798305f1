import Wire

/// What a receiver says of its deliveries, and a sender of its transfers.
extension Relay {
  /// Returns false where a piece of it is done, and the next turn goes on.
  func acknowledge(_ call: Call, _ device: Device) throws(WireError) -> Bool {
    let lane = try lane(call, required: false) ?? .userInfo
    let highest = device[lane].highestHandedOut
    var seq = highest
    if let value = try call.fields.optionalInteger(.seq, in: 0...Int64.max) {
      seq = UInt64(value)
      guard seq <= highest else {
        throw WireError(
          .invalidField,
          highest == 0
            ? "nothing has been delivered in lane \(lane) yet, so \(seq) cannot be acknowledged"
            : "seq is \(seq), but the last delivery in lane \(lane) was \(highest)")
      }
    } else {
      // What has been handed out since the first piece is not meant.
      seq = call.connection.acknowledging ?? lastOnThisConnection(device, lane)
    }
    if let piece = device[lane].seq(after: Work.pieceOfItems), piece < seq {
      call.connection.acknowledging = seq
      acknowledge(device, lane, through: piece)
      return goOn(call)
    }
    call.connection.acknowledging = nil
    acknowledge(device, lane, through: seq)
    let left = LaneName.delivered.filter { $0 != lane && lastOnThisConnection(device, $0) > 0 }
    // Who types nothing more may have meant all of them.
    let isBare = call.fields[.lane] == nil && call.fields[.seq] == nil
    let isTold = call.isTyped && isBare && !left.isEmpty
    guard call.hasID || isTold else { return true }
    answerAfter(latestBatch, call) { output in
      Self.begin(&output, "accepted", call)
      if !left.isEmpty {
        output.append(",\"left\":[")
        for (index, lane) in left.enumerated() {
          output.append(index > 0 ? "," : "", quoted: "\(lane)")
        }
        output.append("]")
      }
      output.append("}")
    }
    return true
  }

  /// The last delivery of the present connection in a lane.
  private func lastOnThisConnection(_ device: Device, _ name: LaneName) -> UInt64 {
    let lane = device[name]
    return lane.cursor > 0 ? lane.items[lane.cursor - 1].seq : 0
  }

  private func lane(_ call: Call, required: Bool) throws(WireError) -> LaneName? {
    let text = try required ? call.fields.string(.lane) : call.fields.optionalString(.lane)
    return try text.map { (text) throws(WireError) in try LaneName.named(text) }
  }

  func refuse(_ call: Call, _ device: Device) throws(WireError) {
    let lane = try lane(call, required: true)!
    let seq = UInt64(try call.fields.integer(.seq, in: 1...Int64.max))
    let number = try call.fields.integer(.code, in: 7001...7019)
    guard let code = ErrorCode(rawValue: Int(number)) else {
      throw WireError(.invalidField, "code is a WCError from 7001 to 7019")
    }
    guard lane != .context, lane != .outcome else {
      throw WireError(.invalidField, "only userInfo, complication and file items can be refused")
    }
    guard seq <= device[lane].highestHandedOut, device[lane].index(of: seq) != nil else {
      throw WireError(
        .invalidField, "lane \(lane) has no delivered, unacknowledged item with seq \(seq)")
    }
    try checkHoles(device[lane], "\(lane)")
    _ = fail(seq, in: lane, of: device, code: code)
    if call.hasID { acceptAfterCommit(call) }
  }

  func cancelTransfer(_ call: Call, _ device: Device) throws(WireError) {
    let text = try call.fields.string(.transfer)
    guard let transfer = TransferKey(text, sender: device),
      let entry = device.isOutstanding(transfer)
    else {
      throw WireError(
        .unknownTransfer,
        "this device has no unfinished transfer \(text); see outstandingTransfers")
    }
    let pair = device.pair
    let receiver = pair.devices[Int(entry.receiver)]
    let isTold = pair.knobs.cancelCallback == .error
    if entry.lane == .file, entry.seq == 0 {
      if let file = file(transfer, pair) { failUpload(file, pair, .deliveryFailed, isTold: isTold) }
      return acceptAfterCommit(call)
    }
    let isHandedOut = entry.lane != .parked && entry.seq <= receiver[entry.lane].highestHandedOut
    guard !isHandedOut, !isBeingHandedOut(transfer, entry, pair) else {
      throw WireError(
        .alreadyDelivered,
        "transfer \(text) has been handed to \(receiver.name) and can no longer be cancelled")
    }
    try checkHoles(receiver[entry.lane], "\(entry.lane)")
    let re = receiver[entry.lane].identifier(entry.seq)
    guard let item = remove(entry.seq, from: entry.lane, of: receiver) else {
      preconditionFailure("\(text) is outstanding, and not in lane \(entry.lane)")
    }
    let isFile = item.target == .file || entry.lane == .file
    if isFile { removeFile(item, pair) }
    finish(
      transfer, sender: device, isFile: isFile, re: re, code: .deliveryFailed, isTold: isTold)
    settlePending(receiver)
    acceptAfterCommit(call)
  }

  private func isBeingHandedOut(_ transfer: TransferKey, _ entry: Outbox.Entry, _ pair: Pair)
    -> Bool
  {
    entry.lane == .file && file(transfer, pair)?.isAnnounced == true
  }

  /// Unfinished transfers listed in one answer at most.
  static let listed: Int64 = 1_000

  func outstandingTransfers(_ call: Call, _ device: Device) throws(WireError) {
    let limit = Int(try call.fields.optionalInteger(.limit, in: 1...Self.listed) ?? Self.listed)
    let after = Int(try call.fields.optionalInteger(.after, in: 0...Int64.max) ?? 0)
    answerAfter(latestBatch, call) { output in
      Self.begin(&output, "outstandingTransfers", re: call.id, of: call.request)
      output.append(",\"count\":")
      output.append(decimal: device.outstanding)
      output.append(",\"n\":")
      output.append(decimal: device.lastNumber)
      output.append(",\"transfers\":[")
      var (skipped, left, isFirst) = (after, limit, true)
      for (incarnation, life) in device.incarnations.enumerated() {
        for isNumbered in [true, false] {
          let outbox = life[isNumbered]
          if skipped >= outbox.count {
            skipped -= outbox.count
            continue
          }
          outbox.forEachUnfinished(after: skipped, limit: left) { entry in
            if !isFirst { output.append(",") }
            isFirst = false
            left -= 1
            let transfer = TransferKey(
              sender: device.index, incarnation: UInt16(incarnation), isNumbered: isNumbered,
              number: entry.number)
            describe(transfer, entry, device, &output)
          }
          skipped = 0
        }
      }
      output.append("]")
      // `after` may be any number; what is left to list is there only where this one is not beyond it.
      if after < device.outstanding - limit {
        output.append(",\"after\":")
        output.append(decimal: after + limit)
      }
      output.append("}")
    }
  }

  private func describe(
    _ transfer: TransferKey, _ entry: Outbox.Entry, _ device: Device, _ output: inout [UInt8]
  ) {
    let receiver = device.pair.devices[Int(entry.receiver)]
    output.append("{\"transfer\":")
    output.append(transfer, of: device)
    if transfer.isNumbered {
      output.append(",\"n\":")
      output.append(decimal: transfer.number)
    }
    var lane = entry.lane
    if let index = receiver[entry.lane].index(of: entry.seq) {
      let item = receiver[entry.lane].items[index]
      lane = item.target
      output.append(",\"isCurrentComplicationInfo\":")
      output.append(bool: item.flags.contains(.currentComplication))
    }
    output.append(",\"lane\":\"")
    output.append(lane.name)
    output.append("\",\"isTransferring\":")
    let isHandedOut =
      entry.lane != .parked && entry.seq > 0
      && entry.seq <= receiver[entry.lane].highestHandedOut
    output.append(bool: isHandedOut || isBeingHandedOut(transfer, entry, device.pair))
    if let file = lane == .file ? file(transfer, device.pair) : nil {
      output.append(",\"name\":")
      output.append(jsonString: file.name)
      output.append(",\"size\":")
      output.append(decimal: file.size)
      output.append(",\"offset\":")
      output.append(decimal: file.synced)
    }
    output.append("}")
  }
}
