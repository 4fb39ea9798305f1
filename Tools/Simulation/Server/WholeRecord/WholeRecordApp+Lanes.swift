import LaneModel
import Merge
import Wire

/// What a device that knows whole records only says to the hub, and hears of it, over the lanes.
extension WholeRecordApp: LaneCompanion {
  func activation() -> String {
    begin()
    return ",\"bridge\":\"\(schema.name)\",\"incarnation\":\"\(incarnation)\""
  }

  /// Sends messages, now or with the next session.
  ///
  /// - Returns: the last transfer.
  @discardableResult
  func tell(_ messages: [Said], on client: LaneClient) -> Int? {
    var last: Int?
    for message in messages {
      note(message.message)
      last = client.begin(.records, content: message.dictionary)
    }
    return last
  }

  /// Sends an older copy once more, as another lane would bring it late.
  func tellLate(_ message: Said, on client: LaneClient) {
    client.send(
      "{\"type\":\"sendMessage\",\"id\":\"late\",\"payload\":"
        + String(decoding: message.dictionary, as: UTF8.self) + "}")
  }

  func received(_ line: Members, on client: LaneClient) {
    let payload = line.raw("payload") ?? []
    guard client.isNew("userInfo", line, "hub \(String(decoding: payload, as: UTF8.self))") else {
      return
    }
    guard let answers = ingest(payload) else {
      return client.checker.report(
        "I40", "records-unreadable", "A whole-record device cannot read what the hub sends.",
        "The \(client.name) got \(String(decoding: payload, as: UTF8.self)).")
    }
    tell(answers, on: client)
    if isPrompt { client.acknowledge("userInfo", back: 0) }
  }

  /// All but a server that cannot write, or comes too early, is somebody's mistake.
  func refused(_ id: Int, _ line: Members, on client: LaneClient) {
    let code = line.integer("code") ?? 0
    guard (4001...4005).contains(code) || (4020...4029).contains(code) else { return }
    client.checker.report(
      "I40", "records-refused", "The server refused what a whole-record device had stored.",
      "The \(client.name) sent \(String(decoding: client.checker[id].content, as: UTF8.self)) and "
        + "was told \(code): \(line.string("message") ?? "").")
  }
}
