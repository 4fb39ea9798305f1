package import Bridge
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

  package var style = Style.typed
  package var encoding = PayloadEncoding.data

  package init(_ style: Style = .typed, _ encoding: PayloadEncoding = .data) {
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
    let members = PayloadDictionary(dictionary, line)
    if let word = members.type.flatMap(Word.init) {
      try members.refuseOthers(than: ["type", "payload"])
      guard word != .syncRequest else {
        try members.refusePayload(of: word.rawValue)
        return (.syncRequest, TodoTimersEnvelope())
      }
      let payload = try members.payload(of: word.rawValue)
      let (message, encoding) = try message(word, payload, line, "payload")
      return (message, TodoTimersEnvelope(.typed, encoding))
    }
    for word in Word.allCases {
      guard let key = word.key, let value = members[key] else { continue }
      try members.refuseOthers(than: [key])
      let (message, encoding) = try message(word, value, line, key)
      return (message, TodoTimersEnvelope(.keyed, encoding))
    }
    return nil
  }

  private static func message(
    _ word: Word, _ value: Value, _ line: UnsafeRawBufferPointer, _ name: String
  ) throws(WireError) -> (TodoTimersMessage, PayloadEncoding) {
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
  ) throws(WireError) -> (Payload, PayloadEncoding) {
    try PayloadEncoding.read(value, line, name) { value, line throws(WireError) in
      try Payload(value, line, "")
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
    encoding.append(payload.json, to: &output)
    output.append(0x7D)
    return output
  }
}
