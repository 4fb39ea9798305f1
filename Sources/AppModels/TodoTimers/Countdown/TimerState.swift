package import Merge
import Wire

/// The live message about a countdown, for devices that share what runs:
///
/// ```json
/// {"type":"timerState","payload":{"action":"started","currentTime":1500,
///   "timerID":"6F0E3A52-0C55-4F6B-9E0E-0A1B2C3D4E5F","timestamp":785412200}}
/// ```
/// The payload may also come as base64 of that object's text, as JSON encoders write data.
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
    let state = message.withUnsafeBytes { line -> TimerState? in
      var envelope = Envelope()
      guard (try? envelope.scan(line)) != nil else { return nil }
      let fields = Fields(envelope, line)
      guard (try? fields.string(.type)) == "timerState", let payload = envelope[.payload] else {
        return nil
      }
      if payload.kind == .object { return Self.read(payload, line) }
      return (try? fields.data(.payload)).flatMap(Self.read)
    }
    guard let state else { return nil }
    self = state
  }

  /// The text of a payload.
  private static func read(_ text: [UInt8]) -> TimerState? {
    // What is read strictly is an object's member.
    let line = Array("{\"data\":".utf8) + text + [0x7D]
    return line.withUnsafeBytes { line in
      var envelope = Envelope()
      guard (try? envelope.scan(line)) != nil, let payload = envelope[.data],
        payload.kind == .object
      else { return nil }
      return read(payload, line)
    }
  }

  private static func read(_ payload: Value, _ line: UnsafeRawBufferPointer) -> TimerState? {
    var texts: [String: String] = [:]
    var current: Int64?
    var reader = ObjectReader(payload, line)
    while let (name, value) = reader.next() {
      if value.kind == .string { texts[name] = decodeString(value, line) }
      if name == "currentTime", value.kind == .number { current = decodeInteger(value, line) }
    }
    guard let timer = texts["timerID"].flatMap({ Identifier($0.utf8) }),
      let action = texts["action"].flatMap(Action.init), let current
    else { return nil }
    return TimerState(
      timer: Name(timer.description), action: action,
      currentTime: Int(min(max(0, current), 359_999)))
  }
}
