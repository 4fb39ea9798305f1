import AppModels
import Wire

/// What a device that knows whole records only says to the hub, and hears of it, over the lanes.
extension LaneClient {
  /// What an activation says besides.
  func bridging(_ app: WholeRecordApp) -> String {
    app.sessions += 1
    return ",\"bridge\":\"todoTimers\",\"incarnation\":\"\(app.incarnation)\""
  }

  /// Sends messages, now or with the next session.
  ///
  /// - Returns: the last transfer.
  @discardableResult
  func tell(_ messages: [TodoTimersMessage]) -> Int? {
    guard let app else { return nil }
    var last: Int?
    for message in messages {
      app.note(message)
      last = begin(.records, content: app.envelope.dictionary(message))
    }
    return last
  }

  /// Sends an older copy once more, as another lane would bring it late.
  func tellLate(_ message: TodoTimersMessage) {
    guard let app else { return }
    send(
      "{\"type\":\"sendMessage\",\"payload\":"
        + String(decoding: app.envelope.dictionary(message), as: UTF8.self) + "}")
  }

  /// A delivery of the hub's.
  func fromHub(_ line: Members, _ app: WholeRecordApp) {
    let payload = line.raw("payload") ?? []
    guard isNew("userInfo", line, "hub \(String(decoding: payload, as: UTF8.self))") else {
      return
    }
    guard let message = Self.message(payload) else {
      return ledger.report(
        "I40", "records-unreadable", "A whole-record device cannot read what the hub sends.",
        "The \(name) got \(String(decoding: payload, as: UTF8.self)).")
    }
    tell(app.take(message))
    if app.isPrompt { acknowledge("userInfo", back: 0) }
  }

  private static func message(_ payload: [UInt8]) -> TodoTimersMessage? {
    var line = Array("{\"type\":\"didReceiveUserInfo\",\"payload\":".utf8)
    line += payload
    line.append(0x7D)
    return line.withUnsafeBytes { bytes in
      var envelope = Envelope()
      guard (try? envelope.scan(bytes)) != nil, let value = envelope[.payload] else { return nil }
      return (try? TodoTimersEnvelope.read(value, bytes))?.message
    }
  }

  /// A payload was refused. All but a server that cannot write, or comes too early, is somebody's
  /// mistake.
  func refusedRecords(_ id: Int, _ line: Members) {
    let code = line.integer("code") ?? 0
    guard (4001...4005).contains(code) || (4020...4029).contains(code) else { return }
    ledger.report(
      "I40", "records-refused", "The server refused what a whole-record device had stored.",
      "The \(name) sent \(String(decoding: ledger[id].content, as: UTF8.self)) and was told "
        + "\(code): \(line.string("message") ?? "").")
  }
}
