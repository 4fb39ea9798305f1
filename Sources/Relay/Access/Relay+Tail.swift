import Wire

/// An operator's connection that is told the lines of pairs (PROTOCOL.md clause 15.5).
struct Tail {
  let connection: Connection
  let pair: NamePattern
  let app: NamePattern
  let hasPayloads: Bool
  /// Lines that it was not told, since it does not read, and that it has not been told of.
  var missed = 0
}

/// Whose line it is.
struct LineOrigin {
  var pair: String
  var app: String
  var device: String

  init(_ device: Device) {
    pair = device.pair.name
    app = device.pair.app
    self.device = device.name
  }
}

extension Relay {
  func tail(_ call: Call) throws(WireError) {
    let pair = try call.fields.optionalString(.pair)
    let app = NamePattern(try call.fields.optionalString(.app) ?? "*")
    let hasPayloads = try call.fields.optionalBool(.payloads) ?? false
    endTail(of: call.connection)
    if let pair {
      tails.append(
        Tail(
          connection: call.connection, pair: NamePattern(pair), app: app, hasPayloads: hasPayloads))
    }
    acceptNow(call)
  }

  func endTail(of connection: Connection) {
    tails.removeAll { $0.connection === connection }
    if tails.isEmpty { origins = [:] }
  }

  /// Tells whoever tails the pair a line that a device has sent.
  func tellSent(_ line: UnsafeRawBufferPointer, _ connection: Connection) {
    guard let origin = origin(connection) else { return }
    let first = line.first { $0 != 0x20 && $0 != 0x09 } ?? 0
    guard first != 0x7B else { return tell(line, origin, isRequest: true) }
    var spelled: [UInt8] = []
    // What cannot be understood is told by its size.
    try? Words.json(line, into: &spelled)
    spelled.withUnsafeBytes { tell($0, origin, isRequest: true, size: line.count) }
  }

  /// The same of what is on its way to a device.
  func tellOutput(_ output: [UInt8], _ connection: Connection) {
    guard let origin = origin(connection) else { return }
    output.withUnsafeBytes { bytes in
      for line in bytes.split(separator: 0x0A) {
        tell(UnsafeRawBufferPointer(rebasing: line), origin, isRequest: false)
      }
    }
  }

  /// The device that has the connection's session, or had the last one; nil for nobody's, and for those who are told
  /// themselves.
  func origin(_ connection: Connection) -> LineOrigin? {
    guard !tails.contains(where: { $0.connection === connection }) else { return nil }
    if let device = connection.device { origins[connection.number] = LineOrigin(device) }
    return origins[connection.number]
  }

  private func tell(
    _ line: UnsafeRawBufferPointer, _ origin: LineOrigin, isRequest: Bool, size: Int? = nil
  ) {
    // The right to it may have gone since: by another token, or by what this one is good for now.
    for tail in tails where tail.connection.isEnded || !allows(.admin, tail.connection) {
      endTail(of: tail.connection)
    }
    for index in tails.indices {
      let tail = tails[index]
      guard tail.pair.matches(origin.pair), tail.app.matches(origin.app) else { continue }
      guard tail.connection.waiting < limits.waitingOutput else {
        tails[index].missed += 1
        continue
      }
      tails[index].missed = 0
      answer(tail.connection) { output in
        output.append("{\"type\":\"passed\",\"now\":")
        output.append(seconds: wall)
        output.append(",\"pair\":")
        output.append(jsonString: origin.pair)
        output.append(",\"app\":")
        output.append(jsonString: origin.app)
        output.append(",\"device\":")
        output.append(jsonString: origin.device)
        output.append(isRequest ? ",\"by\":\"device\"" : ",\"by\":\"server\"")
        output.append(",\"size\":")
        output.append(decimal: size ?? line.count)
        let start = output.count
        output.append(",\"line\":")
        if !Redaction.write(line, isRequest: isRequest, hasPayloads: tail.hasPayloads, to: &output)
        {
          output.removeSubrange(start...)
        }
        if tail.missed > 0 {
          output.append(",\"missed\":")
          output.append(decimal: tail.missed)
        }
        output.append("}")
      }
    }
  }
}
