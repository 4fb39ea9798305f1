import Wire

/// Several watches: one is active, the others wait.
extension Relay {
  func selectWatch(_ call: Call, _ device: Device) throws(WireError) {
    let pair = device.pair
    guard device.isPhone else {
      throw WireError(.invalidField, "only the phone selects its watch")
    }
    guard device.activation == .activated else {
      throw WireError(
        .sessionInactive, "the watch is being switched already; activate again, then select")
    }
    let name = try call.fields.string(.device)
    guard let watch = pair.device(named: name), !watch.isPhone else {
      let names = pair.devices.filter { !$0.isPhone }.map(\.name).joined(separator: ", ")
      throw WireError(
        .invalidField,
        "device names no watch of this pair; it has \(names.isEmpty ? "none yet" : names)")
    }
    guard watch !== pair.activeWatch else { return acceptNow(call) }
    let previous = pair.activeWatch
    pair.activeWatch = watch
    changed(pair)
    acceptAfterCommit(call)
    tellAfterCommit(device) { $0.append("{\"type\":\"sessionDidBecomeInactive\"}") }
    if let previous, pair.knobs.outstandingOnSwitch == .fail { failOutstanding(of: previous) }
    endReplies(between: device, and: previous)
    unpark(watch)
    device.activation = .inactive
    pair.isSwitching = true
    pair.switchBatch = open.number
    tellNewsAfterCommit(pair)
    pumpAfterCommit(watch)
    pumpAfterCommit(device)
  }

  /// What waits for a watch that is no longer the active one fails.
  private func failOutstanding(of watch: Device) {
    for name in [LaneName.userInfo, .complication, .file] {
      let lane = watch[name]
      let waiting = (0..<lane.items.count).map { lane.items[$0] }
      for item in waiting where !item.flags.contains(.removed) {
        _ = fail(item.seq, in: name, of: watch, code: .sessionInactive)
      }
    }
  }

  /// What a watch sent while it was not the active one gets its numbers at the phone.
  private func unpark(_ watch: Device) {
    guard let phone = watch.pair.phone else { return }
    let lane = watch[.parked]
    let waiting = (0..<lane.items.count).map { lane.items[$0] }
    for item in waiting where !item.flags.contains(.removed) {
      move(item.seq, from: .parked, of: watch, to: item.target, of: phone)
    }
    watch[.parked].highestHandedOut = 0
    if phone.contexts[watch.index]?.isOwed == true { queueContext(from: watch, to: phone) }
  }

  private func endReplies(between phone: Device, and watch: Device?) {
    guard let watch else { return }
    let error = WireError(
      .deliveryFailed, "the watch was switched before a reply came", definite: false)
    failReplies(error) { pending in
      (pending.sender === phone && pending.receiver === watch)
        || (pending.sender === watch && pending.receiver === phone)
    }
  }

  /// While the phone is inactive it is handed what had waited; then the session is deactivated,
  /// and `activate` attaches it to the new watch.
  func settleSwitch(_ pair: Pair) {
    guard pair.isSwitching, pair.switchBatch <= committed, let phone = pair.phone,
      let connection = phone.connection
    else { return }
    for name in LaneName.content {
      guard let item = phone[name].nextToHandOut(), canReceive(phone), !phone[name].isHeld,
        !isOfActiveWatch(item, pair)
      else { continue }
      return
    }
    pair.isSwitching = false
    endSession(phone)
    answer(connection) {
      $0.append("{\"type\":\"sessionDidDeactivate\",\"reason\":\"watchSwitched\"}")
    }
  }
}
