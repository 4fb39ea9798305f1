package import Wire

/// What stands in a dictionary in the place of a payload's bytes.
package enum PayloadEncoding: UInt8, CaseIterable, Sendable {
  /// `{"$data": "<base64>"}`
  case data
  /// The payload's own object, as people type it.
  case object
  /// A base64 string, as JSON encoders write data.
  case text

  /// Reads a payload.
  ///
  /// - Parameters:
  ///   - name: what the value is called in errors.
  ///   - body: reads the payload's object, which is in the line that it is given.
  /// - Throws: 4004 where it is in none of these forms, 4001 where its bytes are no JSON object; what `body` throws.
  package static func read<Payload>(
    _ value: Value, _ line: UnsafeRawBufferPointer, _ name: String,
    _ body: (Value, UnsafeRawBufferPointer) throws(WireError) -> Payload
  ) throws(WireError) -> (Payload, PayloadEncoding) {
    switch value.kind {
    case .string: return (try read(json: try decodeBase64(value, line, name), body), .text)
    case .object:
      var reader = ObjectReader(value, line)
      guard let (key, data) = reader.next(), key == "$data", reader.next() == nil else {
        return (try body(value, line), .object)
      }
      guard data.kind == .string else {
        throw WireError(.invalidField, "\(name).$data must be a base64 string")
      }
      return (try read(json: try decodeBase64(data, line, "\(name).$data"), body), .data)
    default:
      throw WireError(
        .invalidField, "\(name) must be {\"$data\":\"<base64>\"}; it is \(value.kind.readable)")
    }
  }

  /// Reads a text that is one JSON object.
  ///
  /// - Throws: 4001 with the offset in the text where it is not, else what `body` throws.
  package static func read<Payload>(
    json: [UInt8], _ body: (Value, UnsafeRawBufferPointer) throws(WireError) -> Payload
  ) throws(WireError) -> Payload {
    // A typed throw does not pass through the closure of an array's bytes.
    let result: Result<Payload, WireError> = json.withUnsafeBytes { bytes in
      do throws(WireError) {
        var envelope = Envelope()
        try envelope.scan(bytes)
        let start = bytes.firstIndex(of: 0x7B) ?? 0
        let end = (bytes.lastIndex(of: 0x7D) ?? 0) + 1
        return .success(try body(Value(kind: .object, start: start, end: end), bytes))
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }

  /// Appends a payload's object.
  package func append(_ json: [UInt8], to output: inout [UInt8]) {
    guard self != .object else { return output += json }
    output.append(self == .data ? "{\"$data\":\"" : "\"")
    json.withUnsafeBytes { output.append(base64: $0) }
    output.append(self == .data ? "\"}" : "\"")
  }
}

/// The members of a dictionary that an app sends.
package struct PayloadDictionary {
  private var members: [(name: String, value: Value)] = []
  /// Its member `type`, where that is a string.
  package let type: String?

  package init(_ dictionary: Value, _ line: UnsafeRawBufferPointer) {
    var reader = ObjectReader(dictionary, line)
    while let member = reader.next() { members.append(member) }
    type = members.first { $0.name == "type" && $0.value.kind == .string }.map {
      decodeString($0.value, line)
    }
  }

  package subscript(name: String) -> Value? { members.first { $0.name == name }?.value }

  /// - Throws: 4004 where there is another member than those of one message, or one of them twice.
  package func refuseOthers(than known: [String]) throws(WireError) {
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

  /// The payload beside `type`.
  ///
  /// - Throws: 4003 where there is none.
  package func payload(of type: String) throws(WireError) -> Value {
    guard let payload = self["payload"] else {
      throw WireError(
        .missingField, "payload is missing; a \(type) carries one as {\"$data\":\"…\"}")
    }
    return payload
  }

  /// - Throws: 4004 where there is a payload beside `type`.
  package func refusePayload(of type: String) throws(WireError) {
    guard self["payload"] == nil else {
      throw WireError(.invalidField, "a \(type) has no payload")
    }
  }
}
