import AppModels
import Merge
import Wire

/// What happens among devices as it would at a server, and the other way round.
extension Trace {
  /// A trace of devices that hand each other what they hold, for devices at a server.
  ///
  /// - Returns: also how many events of each sort have no counterpart.
  package var atServer: (trace: Trace, skipped: [String: Int]) {
    var translated = self
    translated.world = .server
    translated.devices = devices.map {
      Device($0.name, isPhone: $0.isPhone, isWholeRecord: $0.isWholeRecord)
    }
    var translation = ServerTranslation(translated.devices)
    translated.events = translation.beginning
    for event in events { translated.events += translation.events(for: event) }
    return (translated, translation.skipped)
  }

  /// A trace of devices at a server, for devices that hand each other what they hold.
  ///
  /// Where a device and the phone are connected, `flow` hands what each of the two holds to the other,
  /// at once; of the phone it does so with every watch that is connected.
  ///
  /// - Returns: also how many events of each sort have no counterpart.
  package var amongDevices: (trace: Trace, skipped: [String: Int]) {
    var translated = self
    translated.world = .exchange
    translated.options = []
    translated.devices = devices.map { Device($0.name, isPhone: $0.isPhone) }
    translated.events = []
    var skipped: [String: Int] = [:]
    var connected: Set<String> = []
    var sends = 0
    guard let phone = devices.first(where: \.isPhone)?.name else { return (translated, [:]) }
    let known = recordSchema
    for event in events {
      func hand(_ from: String, _ to: String) -> [TraceEvent] {
        sends += 1
        let name = "handed \(sends)"
        return [
          TraceEvent(at: event.at, from, .send, name: name, lane: "context", to: to),
          TraceEvent(at: event.at, to, .deliver, of: name),
        ]
      }
      switch event.verb {
      case .edit: translated.events.append(event.withoutNullTexts(known))
      case .clock, .restart: translated.events.append(event)
      case .connect:
        connected.insert(event.device)
        translated.events.append(TraceEvent(at: event.at, event.device, .connect))
      case .drop:
        connected.remove(event.device)
        translated.events.append(TraceEvent(at: event.at, event.device, .disconnect))
      case .flow:
        let others = event.device == phone ? devices.map(\.name) : [phone]
        guard connected.contains(event.device) else { continue }
        for other in others where other != event.device && connected.contains(other) {
          translated.events += hand(event.device, other) + hand(other, event.device)
        }
      default: skipped[event.verb.rawValue, default: 0] += 1
      }
      if event.verb == .restart { connected.remove(event.device) }
    }
    return (translated, skipped)
  }
}

extension TraceEvent {
  /// A text that is null is empty, which a merge of one's own need not know.
  fileprivate func withoutNullTexts(_ schema: Schema?) -> TraceEvent {
    guard var edit, let kind = schema?[edit.kind] else { return self }
    func cleaned(_ fields: [UInt8]) -> [UInt8] {
      guard let members = try? Members(fields) else { return fields }
      var text = Array("{".utf8)
      for (name, value) in members.all {
        if text.count > 1 { text.append(0x2C) }
        text.append(jsonString: name)
        text.append(0x3A)
        let isEmpty = value.kind == .null && kind[Name(name)]?.form == .text
        text += isEmpty ? Array("\"\"".utf8) : Array(members.bytes[value.start..<value.end])
      }
      text.append(0x7D)
      return text
    }
    switch edit.change {
    case .create(let fields): edit.change = .create(fields: cleaned(fields))
    case .set(let fields): edit.change = .set(fields: cleaned(fields))
    default: return self
    }
    var event = self
    event.edit = edit
    return event
  }
}
