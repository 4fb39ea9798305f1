package import Wire

/// What a line says that this program has to know.
package struct LineSummary: Equatable {
  /// Nil where the line is no object with a type.
  package var type: String?
  /// `7007 notReachable: …` of an `error` line.
  package var error: String?
  /// The reason of a `sessionDidDeactivate`.
  package var reason: String?
  /// The number of a delivery.
  package var delivery: Deliveries.Number?

  package init(type: String?, error: String? = nil, reason: String? = nil) {
    self.type = type
    self.error = error
    self.reason = reason
  }

  /// Reads a line of either direction.
  ///
  /// - Parameters:
  ///   - line: without LF.
  ///   - envelope: any; it is lent for its memory.
  package init(_ line: UnsafeRawBufferPointer, _ envelope: inout Envelope) {
    do throws(WireError) {
      try envelope.scan(line)
      let fields = envelope.fields(of: line)
      type = try fields.optionalString(.type)
      switch type {
      case "error": error = Self.error(fields)
      case "sessionDidDeactivate": reason = Self.strings(line)["reason"]
      default: delivery = Self.delivery(type, fields)
      }
    } catch {
      // Not a line of the protocol: it has no type.
      type = nil
    }
  }

  /// Reads a line that goes to the server, which may be typed words.
  package init(sent line: String, _ envelope: inout Envelope) {
    var json = Array(line.utf8)
    if json.first(where: { $0 != 0x20 && $0 != 0x09 }) != 0x7B {
      var words: [UInt8] = []
      do {
        try json.withUnsafeBytes { try Words.json($0, into: &words) }
      } catch {
        // The server will say what is wrong with it.
        self.init(type: nil)
        return
      }
      json = words
    }
    self = json.withUnsafeBytes { LineSummary($0, &envelope) }
  }

  private static func error(_ fields: Fields) -> String {
    let strings = strings(fields.line)
    let code = fields[.code].map { String(decoding: fields.bytes($0), as: UTF8.self) }
    let head = [code, strings["name"]].compactMap(\.self).joined(separator: " ")
    return [head, strings["message"] ?? ""].filter { !$0.isEmpty }.joined(separator: ": ")
  }

  /// The number that a line has, in the lane that its type and tag tell.
  private static func delivery(_ type: String?, _ fields: Fields) -> Deliveries.Number? {
    guard let value = fields[.seq], let seq = decodeInteger(value, fields.line) else {
      return nil
    }
    let lane: String
    switch type {
    case "didReceiveUserInfo": lane = isComplication(fields) ? "complication" : "userInfo"
    case "didReceiveApplicationContext": lane = "context"
    case "fileChunk": lane = "file"
    case "didFinishUserInfoTransfer", "didFinishFileTransfer": lane = "outcome"
    default: return nil
    }
    return Deliveries.Number(lane: lane, seq: seq)
  }

  private static func isComplication(_ fields: Fields) -> Bool {
    var reader = ObjectReader(object(fields.line), fields.line)
    while let (name, value) = reader.next() {
      if name == "isCurrentComplicationInfo" { return fields.line[value.start] == 0x74 }
    }
    return false
  }

  private static func object(_ line: UnsafeRawBufferPointer) -> Value {
    Value(kind: .object, start: line.firstIndex(of: 0x7B) ?? 0, end: line.count)
  }

  /// The members of the line that are strings.
  private static func strings(_ line: UnsafeRawBufferPointer) -> [String: String] {
    var strings: [String: String] = [:]
    var reader = ObjectReader(object(line), line)
    while let (name, value) = reader.next() {
      if value.kind == .string { strings[name] = decodeString(value, line) }
    }
    return strings
  }
}
