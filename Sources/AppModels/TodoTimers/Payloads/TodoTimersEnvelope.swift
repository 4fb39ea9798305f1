import Merge
package import Wire

/// Whatever the app's devices say to one another.
package enum TodoTimersMessage: Hashable, Sendable {
  case syncRequest
  case fullSync(TimerSyncPayload)
  case timerUpdate(TimerUpdateMessage)
  case quickAction(QuickActionMessage)
  case timerState(TimerStateMessage)

  /// See `TodoTimersPayload.check`.
  package func check() throws(WireError) {
    switch self {
    case .syncRequest: break
    case .fullSync(let payload): try payload.check()
    case .timerUpdate(let payload): try payload.check()
    case .quickAction(let payload): try payload.check()
    case .timerState(let payload): try payload.check()
    }
  }
}

/// The dictionary that a message of the app travels in.
///
/// ```
/// typed   {"type":"timerUpdate","payload":{"$data":"…"}}
/// keyed   {"timerUpdate":{"$data":"…"}}      also quickAction; timersData for a full sync
/// ```
package struct TodoTimersEnvelope: Hashable, Sendable {
  package enum Style: UInt8, CaseIterable, Sendable {
    case typed, keyed
  }

  /// What stands in the place of the payload's bytes.
  package enum Encoding: UInt8, CaseIterable, Sendable {
    /// `{"$data": "<base64>"}`
    case data
    /// The payload's own object, as people type it.
    case object
    /// A base64 string, as JSON encoders write data.
    case text
  }

  package var style = Style.typed
  package var encoding = Encoding.data

  package init(_ style: Style = .typed, _ encoding: Encoding = .data) {
    self.style = style
    self.encoding = encoding
  }
}

// MARK: Reading

extension TodoTimersEnvelope {
  private enum Word: String, CaseIterable {
    case syncRequest, fullSync, timerUpdate, quickAction, timerState

    /// Its key in the keyed style.
    var key: String? {
      switch self {
      case .fullSync: "timersData"
      case .timerUpdate, .quickAction: rawValue
      case .syncRequest, .timerState: nil
      }
    }
  }

  /// The message in a dictionary, and how it was put in.
  ///
  /// - Parameter dictionary: an object of the line.
  /// - Returns: nil where the dictionary is none of the app's envelopes.
  /// - Throws: 4003 or 4004 where it is one, with more than belongs into it, or with a payload that
  ///   cannot be read; 4001 where the payload's bytes are no JSON object. Its contents are not
  ///   judged.
  package static func read(
    _ dictionary: Value, _ line: UnsafeRawBufferPointer
  ) throws(WireError) -> (message: TodoTimersMessage, envelope: TodoTimersEnvelope)? {
    var members: [(name: String, value: Value)] = []
    var reader = ObjectReader(dictionary, line)
    while let member = reader.next() { members.append(member) }
    let type = members.first { $0.name == "type" && $0.value.kind == .string }
    if let type, let word = Word(rawValue: decodeString(type.value, line)) {
      try refuseOthers(members, than: ["type", "payload"])
      let payload = members.first { $0.name == "payload" }?.value
      return try typed(word, payload, line)
    }
    for word in Word.allCases {
      guard let key = word.key, let member = members.first(where: { $0.name == key }) else {
        continue
      }
      try refuseOthers(members, than: [key])
      let (message, encoding) = try message(word, member.value, line, key)
      return (message, TodoTimersEnvelope(.keyed, encoding))
    }
    return nil
  }

  private static func refuseOthers(
    _ members: [(name: String, value: Value)], than known: [String]
  ) throws(WireError) {
    for (index, member) in members.enumerated() {
      guard known.contains(member.name) else {
        throw WireError(
          .invalidField,
          "\(member.name.quoted) does not belong beside \(known.joined(separator: " and ")); one dictionary carries one message"
        )
      }
      guard !members[..<index].contains(where: { $0.name == member.name }) else {
        throw WireError(.invalidField, "\(member.name) is given twice")
      }
    }
  }

  private static func typed(
    _ word: Word, _ payload: Value?, _ line: UnsafeRawBufferPointer
  ) throws(WireError) -> (message: TodoTimersMessage, envelope: TodoTimersEnvelope) {
    guard word != .syncRequest else {
      guard payload == nil else {
        throw WireError(.invalidField, "a syncRequest has no payload")
      }
      return (.syncRequest, TodoTimersEnvelope())
    }
    guard let payload else {
      throw WireError(
        .missingField, "payload is missing; a \(word.rawValue) carries one as {\"$data\":\"…\"}")
    }
    let (message, encoding) = try message(word, payload, line, "payload")
    return (message, TodoTimersEnvelope(.typed, encoding))
  }

  private static func message(
    _ word: Word, _ value: Value, _ line: UnsafeRawBufferPointer, _ name: String
  ) throws(WireError) -> (TodoTimersMessage, Encoding) {
    switch word {
    case .syncRequest: return (.syncRequest, .data)
    case .fullSync:
      let (payload, encoding) = try payload(TimerSyncPayload.self, value, line, name)
      return (.fullSync(payload), encoding)
    case .timerUpdate:
      let (payload, encoding) = try payload(TimerUpdateMessage.self, value, line, name)
      return (.timerUpdate(payload), encoding)
    case .quickAction:
      let (payload, encoding) = try payload(QuickActionMessage.self, value, line, name)
      return (.quickAction(payload), encoding)
    case .timerState:
      let (payload, encoding) = try payload(TimerStateMessage.self, value, line, name)
      return (.timerState(payload), encoding)
    }
  }

  private static func payload<Payload: TodoTimersPayload>(
    _ type: Payload.Type, _ value: Value, _ line: UnsafeRawBufferPointer, _ name: String
  ) throws(WireError) -> (Payload, Encoding) {
    switch value.kind {
    case .string:
      return (try Payload(json: try decodeBase64(value, line, name)), .text)
    case .object:
      var reader = ObjectReader(value, line)
      guard let (key, data) = reader.next(), key == "$data", reader.next() == nil else {
        return (try Payload(value, line, ""), .object)
      }
      guard data.kind == .string else {
        throw WireError(.invalidField, "\(name).$data must be a base64 string")
      }
      return (try Payload(json: try decodeBase64(data, line, "\(name).$data")), .data)
    default:
      throw WireError(
        .invalidField, "\(name) must be {\"$data\":\"<base64>\"}; it is \(value.kind.readable)")
    }
  }
}

// MARK: Writing

extension TodoTimersEnvelope {
  /// The dictionary that carries a message. What the keyed style has no key for is typed.
  package func dictionary(_ message: TodoTimersMessage) -> [UInt8] {
    switch message {
    case .syncRequest: Array("{\"type\":\"syncRequest\"}".utf8)
    case .fullSync(let payload): dictionary(.fullSync, payload)
    case .timerUpdate(let payload): dictionary(.timerUpdate, payload)
    case .quickAction(let payload): dictionary(.quickAction, payload)
    case .timerState(let payload): dictionary(.timerState, payload)
    }
  }

  private func dictionary(_ word: Word, _ payload: some TodoTimersPayload) -> [UInt8] {
    var output: [UInt8] = []
    if style == .keyed, let key = word.key {
      output.append("{", quoted: key)
      output.append(0x3A)
    } else {
      output.append("{\"type\":", quoted: word.rawValue)
      output.append(",\"payload\":" as StaticString)
    }
    switch encoding {
    case .object: payload.append(to: &output)
    case .data, .text:
      output.append(encoding == .data ? "{\"$data\":\"" : "\"")
      payload.json.withUnsafeBytes { output.append(base64: $0) }
      output.append(encoding == .data ? "\"}" : "\"")
    }
    output.append(0x7D)
    return output
  }
}
