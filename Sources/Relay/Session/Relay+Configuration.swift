import Wire

/// Knobs, facts about devices, holds, and forgetting a pair.
extension Relay {
  func configure(_ call: Call, _ device: Device) throws(WireError) {
    let pair = device.pair
    var knobs = pair.knobs
    try refuseUnknown(call, Knobs.names, besides: [.knobs], "knob")
    try knobs.set(from: call.fields)
    if let nested = try call.fields.optionalObject(.knobs) {
      // The same members one level down.
      var envelope = Envelope()
      let bytes = call.fields.bytes(nested)
      try envelope.scan(bytes)
      for (name, _) in call.fields.members(of: nested) {
        try refuseUnknown(name, Knobs.names, "knob")
      }
      try envelope.withFields(of: bytes) { (fields) throws(WireError) in
        try knobs.set(from: fields)
      }
    }
    if knobs != pair.knobs {
      pair.knobs = knobs
      audit("configured", device, call.connection)
      changed(pair)
      watchUploads(pair)
    }
    answerAfter(latestBatch, call) { output in
      Self.begin(&output, "configured", re: call.id, of: call.request)
      output.append(",\"knobs\":")
      knobs.write(to: &output)
      output.append("}")
    }
  }

  /// Members elsewhere may come from a newer client and are ignored; one that says what to set and
  /// is not known would be a setting that silently did not take place.
  private func refuseUnknown(
    _ call: Call, _ known: [Key], besides: [Key] = [], _ what: String
  ) throws(WireError) {
    let line = call.fields.line
    let envelope = Value(kind: .object, start: 0, end: line.count, flags: [])
    for (name, _) in call.fields.members(of: envelope) {
      let isOther = ([.type, .id] + besides).contains { $0.rawValue == name }
      if !isOther { try refuseUnknown(name, known, what) }
    }
  }

  private func refuseUnknown(_ name: String, _ known: [Key], _ what: String) throws(WireError) {
    let names = known.map(\.rawValue)
    guard !names.contains(name) else { return }
    let advice = Nearest.advice(for: name, among: names, else: "see help")
    throw WireError(.invalidField, "there is no \(what) \(name); \(advice)")
  }

  func setDeviceState(_ call: Call, _ device: Device) throws(WireError) {
    let pair = device.pair
    try refuseUnknown(call, DeviceState.facts.map(\.key), "device state")
    var changes: [(device: Device, fact: DeviceState.Fact, value: Bool)] = []
    for fact in DeviceState.facts {
      guard let value = try call.fields.optionalBool(fact.key) else { continue }
      let owner: Device? =
        switch fact.owner {
        case .itself: device
        case .phone: pair.phone
        case .watch: device.isPhone ? pair.activeWatch : device
        }
      guard let owner else {
        throw WireError(
          .deviceNotPaired,
          "\(fact.key.rawValue) is a fact of the counterpart, and none has activated yet")
      }
      changes.append((owner, fact, value))
    }
    for change in changes where change.device.state[keyPath: change.fact.path] != change.value {
      change.device.state[keyPath: change.fact.path] = change.value
      changed(change.device)
      tellNewsAfterCommit(pair)
    }
    answerAfter(latestBatch, call) { output in
      Self.begin(&output, "accepted", re: call.id, of: call.request)
      output.append("}")
    }
  }

  // MARK: Holds

  func hold(_ call: Call, _ device: Device) throws(WireError) {
    for lane in try lanes(call) {
      device[lane].isHeld = true
      device[lane].allowance = 0
    }
    acceptNow(call)
  }

  func release(_ call: Call, _ device: Device) throws(WireError) {
    let count = try call.fields.optionalInteger(.count, in: 1...Int64.max)
    for lane in try lanes(call) {
      if let count, device[lane].isHeld {
        // More than a lane can ever hold is as good as any more.
        let (sum, isTooLarge) = device[lane].allowance.addingReportingOverflow(Int(count))
        device[lane].allowance = isTooLarge ? .max : sum
      } else if count == nil {
        device[lane].isHeld = false
        device[lane].allowance = 0
      }
    }
    acceptNow(call)
    pump(device)
  }

  private func lanes(_ call: Call) throws(WireError) -> [LaneName] {
    guard let text = try call.fields.optionalString(.lane) else { return LaneName.delivered }
    return [try LaneName.named(text)]
  }

  // MARK: Forgetting

  /// Unpairs: every queue of the pair is emptied, each transfer fails with 7005 at its sender,
  /// and a new pair exists once both roles have activated again. Numbers go on where they were, unless the pair is
  /// erased.
  ///
  /// Returns false where a piece of it is done, and the next turn goes on.
  func forgetPair(_ call: Call, _ device: Device) throws(WireError) -> Bool {
    let pair = device.pair
    if try call.fields.optionalBool(.erase) == true {
      audit("erased", device, call.connection)
      acceptAfterCommit(call)
      endSessions(pair)
      erase(pair)
      return true
    }
    guard failPiece(of: pair) else { return goOn(call) }
    for file in unfinishedUploads(pair) { failUpload(file, pair, .deviceNotPaired) }
    for receiver in pair.devices {
      _ = fail(.context, of: receiver, atMost: .max)
      for sender in receiver.contexts.keys.sorted() {
        receiver.contexts[sender] = nil
        changedContext(from: sender, to: receiver)
      }
      receiver.hasJoined = false
      receiver.complicationsUsed = 0
      receiver.state = DeviceState()
      changed(receiver)
    }
    audit("forgot", device, call.connection)
    pair.activeWatch = nil
    pair.knobs = Knobs()
    changed(pair)
    acceptAfterCommit(call)
    endSessions(pair)
    pair.toldWatchState = WatchState()
    return true
  }

  /// Ends all sessions of a pair that is being forgotten.
  private func endSessions(_ pair: Pair) {
    for receiver in pair.devices { receiver.toldReachable = false }
    for receiver in pair.devices {
      tellAfterCommit(receiver, evenAfterSession: true) {
        $0.append("{\"type\":\"sessionDidDeactivate\",\"reason\":\"forgotten\"}")
      }
      endSession(receiver)
    }
  }

  /// Fails some of the transfers that wait in a pair. Returns whether those were all.
  private func failPiece(of pair: Pair) -> Bool {
    var left = Work.pieceOfItems
    for receiver in pair.devices {
      for name in [LaneName.userInfo, .complication, .file, .parked] {
        left -= fail(name, of: receiver, atMost: left)
        if left <= 0 { return false }
      }
    }
    return true
  }

  /// Fails the first transfers of a lane. Returns how many there were.
  private func fail(_ name: LaneName, of receiver: Device, atMost most: Int) -> Int {
    let lane = receiver[name]
    var failed: [UInt64] = []
    var index = 0
    while index < lane.items.count, failed.count < most {
      if !lane.items[index].flags.contains(.removed) { failed.append(lane.items[index].seq) }
      index += 1
    }
    for seq in failed { _ = fail(seq, in: name, of: receiver, code: .deviceNotPaired) }
    return failed.count
  }

  func unfinishedUploads(_ pair: Pair) -> [FileTransfer] {
    pair.files.values.filter { $0.seq == 0 }.sorted { $0.number < $1.number }
  }
}
