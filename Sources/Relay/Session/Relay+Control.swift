import Wire

/// Requests about the connection and the server itself.
extension Relay {
  func ping(_ call: Call) {
    answer(call.connection) { output in
      Self.begin(&output, "pong", re: call.id, of: .ping)
      output.append(",\"now\":")
      output.append(seconds: wall)
      output.append("}")
    }
  }

  /// Who says so does not wait for replies; who ends its input does.
  func quit(_ call: Call) {
    dropReplies(
      from: call.connection,
      "this device said quit before the reply came; the counterpart may have "
        + "processed the message")
    end(call.connection)
  }

  /// The end of the year 9999, in microseconds since 1970.
  private static let lastManualTime: Int64 = 253_402_300_799_000_000

  /// Moves a manual clock; what becomes due on the way happens in order.
  func advance(_ call: Call) throws(WireError) {
    try check(.clock, call)
    guard options.hasManualClock else {
      throw WireError(
        .invalidField, "advance needs a server started with --clock manual; this one has real time")
    }
    let seconds = try call.fields.seconds(.seconds)
    guard seconds <= Self.lastManualTime - now else {
      throw WireError(.invalidField, "the clock would pass the year 9999; it moves no further")
    }
    let target = now + seconds
    service.target = target
    while let deadline = deadlines.popDue(target) {
      now = max(now, deadline.time)
      run(deadline.event)
    }
    now = target
    isStoreRowDirty = true
    answerAfterCommit(call) { output in
      Self.begin(&output, "advanced", re: call.id, of: .advance)
      output.append(",\"now\":")
      output.append(seconds: now)
      output.append("}")
    }
  }

  func getState(_ call: Call, _ device: Device) {
    answerAfter(latestBatch, call) { output in
      Self.begin(&output, "state", re: call.id, of: .getState)
      output.append(",\"pair\":")
      output.append(jsonString: device.pair.name)
      output.append(",\"app\":")
      output.append(jsonString: device.pair.app)
      output.append(",\"device\":")
      output.append(jsonString: device.name)
      output.append(",\"role\":", quoted: device.role.rawValue)
      output.append(",\"appState\":", quoted: device.appState.rawValue)
      describeSession(device, &output)
      describeLanes(device, &output)
      output.append(",\"devices\":[")
      for (index, other) in device.pair.devices.enumerated() {
        output.append(index == 0 ? "{\"device\":" : ",{\"device\":")
        output.append(jsonString: other.name)
        output.append(",\"role\":", quoted: other.role.rawValue)
        output.append(",\"isConnected\":")
        output.append(bool: other.connection != nil)
        output.append("}")
      }
      output.append("],\"knobs\":")
      device.pair.knobs.write(to: &output)
      output.append("}")
    }
  }

  /// Appends what a device receives, as the member `lanes`.
  func describeLanes(_ device: Device, _ output: inout [UInt8]) {
    output.append(",\"lanes\":{")
    for (index, name) in LaneName.delivered.enumerated() {
      let lane = device[name]
      output.append(index == 0 ? "\"" : ",\"")
      output.append(name.name)
      output.append("\":{\"waiting\":")
      output.append(decimal: lane.count)
      output.append(",\"handedOut\":")
      output.append(decimal: lane.highestHandedOut)
      output.append(",\"acknowledged\":")
      output.append(decimal: lane.acknowledged)
      output.append(",\"isHeld\":")
      output.append(bool: lane.isHeld)
      output.append("}")
    }
    output.append("}")
  }

  func help(_ call: Call) throws(WireError) {
    var lines = Help.overview()
    if let topic = try call.fields.optionalString(.topic) {
      guard let found = Help.lines(on: topic) else {
        let advice = Nearest.advice(for: topic, among: Help.topics, else: "type help")
        throw WireError(.invalidField, "there is no help on \(topic); \(advice)")
      }
      lines = found
    }
    for line in lines {
      answer(call.connection) { output in
        Self.begin(&output, "help", re: call.id, of: .help)
        line(&output)
        output.append("}")
      }
    }
  }
}
