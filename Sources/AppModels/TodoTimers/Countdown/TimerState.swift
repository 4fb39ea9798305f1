package import Merge
import Wire

/// The live message about a countdown, for devices that share what runs:
///
/// ```json
/// {"type":"timerState","payload":{"action":"started","currentTime":1500,
///   "timerID":"6F0E3A52-0C55-4F6B-9E0E-0A1B2C3D4E5F","timestamp":785412200}}
/// ```
/// The payload may also come as base64 of that object's text, alone or as `{"$data":"…"}`.
package struct TimerState: Hashable, Sendable {
  package enum Action: String, CaseIterable, Sendable {
    case started, paused, resumed, reset, completed
  }

  package var timer: Name
  package var action: Action
  /// Seconds left.
  package var currentTime: Int

  package init(timer: Name, action: Action, currentTime: Int) {
    self.timer = timer
    self.action = action
    self.currentTime = currentTime
  }

  /// - Parameter now: milliseconds since 1970.
  package func message(_ now: Int64) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.append("{\"type\":\"timerState\",\"payload\":{\"action\":", quoted: action.rawValue)
    bytes.append(",\"currentTime\":" as StaticString)
    bytes.append(decimal: currentTime)
    bytes.append(",\"timerID\":", quoted: timer.text)
    bytes.append(",\"timestamp\":" as StaticString)
    bytes.append(text: canonicalDate(ms: UInt64(max(0, now))))
    bytes.append("}}" as StaticString)
    return bytes
  }

  /// nil for every other message.
  package init?(message: [UInt8]) {
    let state = Self.within(message) { fields in
      (try? fields.string(.type)) == "timerState" ? Self.payload(fields) : nil
    }
    guard let state else { return nil }
    self = state
  }

  private static func within(_ line: [UInt8], _ read: (Fields) -> TimerState?) -> TimerState? {
    line.withUnsafeBytes { line in
      var envelope = Envelope()
      guard (try? envelope.scan(line)) != nil else { return nil }
      return envelope.withFields(of: line, read)
    }
  }

  private static func payload(_ fields: Fields) -> TimerState? {
    guard let payload = fields[.payload] else { return nil }
    switch payload.kind {
    case .string:
      guard let text = try? fields.data(.payload) else { return nil }
      return within(Array("{\"payload\":".utf8) + text + [0x7D], Self.payload)
    case .object:
      let members = fields.members(of: payload)
      if let data = members.first(where: { $0.name == "$data" }), data.value.kind == .string {
        let text = Array(fields.bytes(data.value))
        return within(Array("{\"payload\":".utf8) + text + [0x7D], Self.payload)
      }
      return read(members, fields)
    default: return nil
    }
  }

  private static func read(
    _ members: [(name: String, value: Value)], _ fields: Fields
  ) -> TimerState? {
    func text(_ name: String) -> String? {
      members.first { $0.name == name && $0.value.kind == .string }
        .map { decodeString($0.value, fields.line) }
    }
    guard let timer = text("timerID").flatMap({ Identifier($0.utf8) }),
      let action = text("action").flatMap(Action.init),
      let current = members.first(where: { $0.name == "currentTime" }),
      let seconds = fields.integer(current.value)
    else { return nil }
    return TimerState(
      timer: Name(timer.description), action: action,
      currentTime: Int(min(max(0, seconds), 359_999)))
  }
}
