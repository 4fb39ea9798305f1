import Merge
import Wire

extension Trace {
  /// As NDJSON: the same trace gives the same bytes.
  package var ndjson: [UInt8] {
    var text = header
    text.append(0x0A)
    for event in events {
      text += event.json
      text.append(0x0A)
    }
    return text
  }

  private var header: [UInt8] {
    var line = Array("{\"trace\":\(Self.version),\"world\":\"\(world.rawValue)\"".utf8)
    line.append(text: ",\"seed\":\(seed),\"schema\":")
    line.append(jsonString: schema)
    if let own {
      line.append(text: ",\"definition\":")
      line += own.canonical
    }
    line.append(text: ",\"start\":\(start),\"options\":{")
    for (index, option) in options.enumerated() {
      if index > 0 { line.append(0x2C) }
      line.append(jsonString: option.name)
      line.append(0x3A)
      line.append(jsonString: option.value)
    }
    line.append(text: "},\"devices\":[")
    for (index, device) in devices.enumerated() {
      if index > 0 { line.append(0x2C) }
      line.append(text: "{\"device\":")
      line.append(jsonString: device.name)
      line.append(text: ",\"role\":\"\(device.isPhone ? "phone" : "watch")\"")
      if device.isWholeRecord { line.append(text: ",\"records\":\"whole\"") }
      if device.isTyped { line.append(text: ",\"records\":\"typed\"") }
      line.append(0x7D)
    }
    line.append(text: "],\"events\":\(events.count)}")
    return line
  }
}

extension TraceEvent {
  /// As one JSON object.
  package var json: [UInt8] {
    var line = Array("{\"at\":\(at)".utf8)
    line.member("event", name)
    line.member("device", device)
    line.member("do", verb.rawValue)
    if let edit { line.append(edit) }
    line.member("lane", lane)
    line.member("of", of)
    line.member("to", to)
    if let count { line.append(text: ",\"count\":\(count)") }
    if let flag { line.append(text: ",\"flag\":\(flag)") }
    if let payload {
      line.append(text: ",\"payload\":")
      line += payload
    }
    if let now { line.append(text: ",\"now\":\(now)") }
    line.append(0x7D)
    return line
  }
}

extension [UInt8] {
  /// Appends a member with a string, where there is one.
  fileprivate mutating func member(_ name: String, _ value: String?) {
    guard let value else { return }
    append(text: ",\"\(name)\":")
    append(jsonString: value)
  }

  /// Appends the members of an edit behind others.
  mutating func append(_ edit: Edit) {
    member("kind", edit.kind.text)
    member("record", edit.record.text)
    switch edit.change {
    case .create(let fields):
      append(text: ",\"create\":")
      self += fields
    case .set(let fields):
      append(text: ",\"set\":")
      self += fields
    case .delete: append(text: ",\"delete\":true")
    case .restore: append(text: ",\"restore\":true")
    case .move(let after, let into):
      append(text: ",\"move\":{\"after\":")
      if let after { append(jsonString: after.text) } else { append(text: "null") }
      member("into", into?.text)
      append(0x7D)
    case .splice(let field, let at, let remove, let insert, let result):
      append(text: ",\"splice\":{\"field\":")
      append(jsonString: field.text)
      append(text: ",\"at\":\(at),\"remove\":\(remove)")
      member("insert", insert)
      member("result", result)
      append(0x7D)
    }
    member("since", edit.since)
  }
}
