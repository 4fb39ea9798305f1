import Wire

/// Clients of other protocols that have come to this port. A browser can be made to send a request here
/// by any page that it shows, and the request's body would be read as lines: so such a connection ends
/// before a line of it is carried out.
extension Relay {
  /// Ends a connection that begins as TLS does: a record of a handshake (RFC 8446, section 5.1).
  /// - Parameter chunk: what follows `connection.input`, before the first line is whole.
  func refuseTLS(_ chunk: UnsafeRawBufferPointer, _ connection: Connection) -> Bool {
    var start: [UInt8] = Array(connection.input.prefix(2))
    start += chunk.prefix(2 - start.count)
    guard start == [0x16, 0x03] else { return false }
    refuseProtocol("TLS", connection)
    return true
  }

  /// Ends a connection without a session where a line, which cannot be read, is the request line of
  /// HTTP (RFC 9112, section 3) or the preface of HTTP/2 (RFC 9113, section 3.4).
  func refuseHTTP(_ line: UnsafeRawBufferPointer, _ connection: Connection) -> Bool {
    guard connection.device == nil, isRequestLine(line) else { return false }
    refuseProtocol("HTTP", connection)
    return true
  }

  /// Ends a connection without a session where a line that is too long may be the request line of
  /// HTTP: it has another form than a line of ours, and its end is not waited for.
  func refuseLongHTTP(_ start: UnsafeRawBufferPointer, _ connection: Connection) -> Bool {
    guard connection.device == nil, !isBegunLine(start) else { return false }
    refuseProtocol("HTTP", connection)
    return true
  }

  private func refuseProtocol(_ name: String, _ connection: Connection) {
    connection.input = []
    send(
      WireError(
        .malformedJSON,
        "this port speaks lines of JSON, and no \(name); nothing that follows is carried out"),
      to: connection, line: max(1, connection.lines))
    end(connection)
  }
}

/// Whether a line has a method, a target and `HTTP/` with a number, apart by blanks.
private func isRequestLine(_ line: UnsafeRawBufferPointer) -> Bool {
  let words = line.split(whereSeparator: isBlank)
  guard words.count >= 3, let last = words.last, last.count > 5 else { return false }
  let name = last.prefix(4).map { $0 | 0x20 }
  return name.elementsEqual("http".utf8) && last.dropFirst(4).first == 0x2F
    && last.dropFirst(5).allSatisfy { 0x30...0x39 ~= $0 || $0 == 0x2E }
}

/// Whether a line that goes on begins as ours do: with `{`, or with a word that `name=` follows.
private func isBegunLine(_ start: UnsafeRawBufferPointer) -> Bool {
  let line = start.drop(while: isBlank)
  guard line.first != 0x7B else { return true }
  let rest = line.drop { !isBlank($0) }.drop(while: isBlank)
  return rest.isEmpty || rest.drop(while: isNameByte).first == 0x3D
}

private func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

private func isNameByte(_ byte: UInt8) -> Bool {
  0x61...0x7A ~= byte | 0x20 || 0x30...0x39 ~= byte || byte == 0x2E || byte == 0x5F || byte == 0x2D
}
