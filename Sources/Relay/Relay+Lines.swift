import Wire

/// From bytes to requests: framing, words, the envelope, and who handles what.
extension Relay {
  /// Whether a connection's next line has to wait.
  func isBlocked(_ connection: Connection) -> Bool {
    !connection.wait.isOver
      || connection.uncommitted >= limits.uncommittedInput
      || (uncommittedTotal >= Work.commit && connection.uncommitted >= Work.commitShare)
      || (uncommittedTotal >= limits.uncommittedTotal && connection.uncommitted > 0)
      || connection.waiting >= outputLimit(connection)
  }

  /// Output above which a connection's lines wait. Who has no session yet is answered, and no more.
  private func outputLimit(_ connection: Connection) -> Int {
    connection.hasActivated
      ? 2 * limits.waitingOutput : min(limits.firstOutput, 2 * limits.waitingOutput)
  }

  /// The longest line that a connection may send.
  private func lineLimit(_ connection: Connection) -> Int {
    connection.hasActivated ? limits.line : min(limits.firstLine, limits.line)
  }

  func stall(_ connection: Connection) {
    guard connection.state == .reading else { return }
    connection.enter(.stalled)
    scheduleOutput(connection)
  }

  func consume(_ chunk: UnsafeRawBufferPointer, _ connection: Connection) {
    guard !connection.isEnded, !chunk.isEmpty else { return }
    if connection.telnet.isActive {
      consumeTelnet(chunk, connection)
    } else {
      let end = consumeLines(chunk, connection, mayHoldTelnet: true)
      keep(UnsafeRawBufferPointer(rebasing: chunk[end...]), connection)
    }
  }

  /// Takes the telnet negotiation out of a chunk before its lines are looked at.
  private func consumeTelnet(_ chunk: UnsafeRawBufferPointer, _ connection: Connection) {
    var clean: [UInt8] = []
    var replies: [UInt8] = []
    connection.telnet.filter(chunk, into: &clean, replies: &replies)
    if !replies.isEmpty {
      connection.output.append(contentsOf: replies)
      connection.position += UInt64(replies.count)
      scheduleOutput(connection)
    }
    clean.withUnsafeBytes { bytes in
      let end = consumeLines(bytes, connection, mayHoldTelnet: false)
      keep(UnsafeRawBufferPointer(rebasing: bytes[end...]), connection)
    }
  }

  /// Keeps what was not consumed: the start of a torn line, or all that is held back.
  private func keep(_ rest: UnsafeRawBufferPointer, _ connection: Connection) {
    guard !rest.isEmpty, !connection.isEnded else { return }
    connection.input.append(bytes: rest)
    if connection.state == .reading { checkLength(connection) }
  }

  /// Handles lines until they end, or one has to wait.
  ///
  /// - Returns: where in `chunk` begins what is to be kept; its end where nothing is.
  private func consumeLines(
    _ chunk: UnsafeRawBufferPointer, from start: Int = 0, _ connection: Connection,
    mayHoldTelnet: Bool
  ) -> Int {
    if connection.lines == 0, refuseTLS(chunk, connection) { return chunk.count }
    var from = start
    while from < chunk.count, !connection.isEnded {
      let state = connection.state
      // What is held back comes first, also where its reason has just gone: `settle` sees to that. The
      // rest of a line that is skipped costs nothing.
      let isWaiting = state == .stalled || state == .held
      if isWaiting || state == .reading && (connection.allowance <= 0 || isBlocked(connection)) {
        // What is held back is free of telnet's bytes, so that `resume` need not look for them.
        let rest = UnsafeRawBufferPointer(rebasing: chunk[from...])
        if mayHoldTelnet, holdsTelnet(rest) {
          consumeTelnet(rest, connection)
          return chunk.count
        }
        if isBlocked(connection) {
          stall(connection)
        } else if !isWaiting {
          hold(connection)
        }
        return from
      }
      guard let end = lineEnd(chunk, from, mayHoldTelnet) else {
        return state == .skippingLine ? chunk.count : from
      }
      if end.byte == 0xFF {
        // Telnet's bytes are no UTF-8: they are looked for along with the LF.
        consumeTelnet(UnsafeRawBufferPointer(rebasing: chunk[from...]), connection)
        return chunk.count
      }
      let piece = UnsafeRawBufferPointer(rebasing: chunk[from..<end.index])
      let before = connection.position
      // A line that has to wait has blocked the connection, and is held back with the rest.
      if consumeLine(piece, connection) {
        from = end.index + 1
        if connection.pace != nil { charge(connection, lines: 1) }
      }
      connection.allowance -= Work.line + piece.count + Int(connection.position - before)
    }
    return from
  }

  private func lineEnd(_ chunk: UnsafeRawBufferPointer, _ from: Int, _ mayHoldTelnet: Bool)
    -> (index: Int, byte: UInt8)?
  {
    var start = from
    while let end = endOfLine(chunk, from: start) {
      if end.byte == 0x0A || mayHoldTelnet { return end }
      start = end.index + 1
    }
    return nil
  }

  /// Handles the line that ends with `piece`; its start may be held in `input`.
  /// Returns false where it has to wait; `input` is then as before.
  @inline(__always)
  private func consumeLine(_ piece: UnsafeRawBufferPointer, _ connection: Connection) -> Bool {
    if connection.state == .skippingLine {
      connection.enter(.reading)
      connection.lines += 1
      return true
    }
    if connection.input.isEmpty {
      return process(piece, connection)
    }
    let start = connection.input
    connection.input = []
    var line = start
    line.append(bytes: piece)
    if line.withUnsafeBytes({ process($0, connection) }) { return true }
    connection.input = start
    return false
  }

  /// Goes on with what was held back.
  func resume(_ connection: Connection) {
    let kept = connection.input
    let start = connection.inputStart
    connection.input = []
    connection.inputStart = 0
    let end = kept.withUnsafeBytes {
      consumeLines($0, from: start, connection, mayHoldTelnet: false)
    }
    if end < kept.count, !connection.isEnded {
      keep(kept, from: end, connection)
    }
    scheduleOutput(connection)
    finishInputIfDue(connection)
  }

  /// Keeps the rest of what was held back already; where it is long, in its place.
  private func keep(_ kept: [UInt8], from start: Int, _ connection: Connection) {
    guard connection.state != .reading else {
      connection.input = Array(kept[start...])
      return checkLength(connection)
    }
    precondition(connection.input.isEmpty, "a line was taken out of the middle of what is held")
    connection.input = kept
    connection.inputStart = start
  }

  /// After the peer's end of input: the last line needs no LF.
  func finishInputIfDue(_ connection: Connection) {
    guard connection.hasSeenEnd else { return }
    switch connection.state {
    case .reading: break
    case .skippingLine: connection.enter(.reading)
    default: return
    }
    if isBlocked(connection) { return stall(connection) }
    let last = connection.input
    connection.input = []
    if !last.isEmpty, !last.withUnsafeBytes({ process($0, connection) }) {
      connection.input = last
      return isBlocked(connection) ? stall(connection) : hold(connection)
    }
    if connection.isEnded { return }
    if isBlocked(connection) { return stall(connection) }
    end(connection)
  }

  /// No further line is consumed; what is owed is still brought.
  func end(_ connection: Connection) {
    connection.end(.draining)
    connection.input = []
    if let device = connection.device {
      connection.endMarks = device.lanes.map { $0.next - 1 }
      settleEnd(device)
    }
    scheduleOutput(connection)
  }

  /// A torn line beyond the limit is answered now and skipped up to its LF.
  private func checkLength(_ connection: Connection) {
    // A CR before the LF does not count, and it may be the last byte here.
    let length = connection.input.count - (connection.input.last == 0x0D ? 1 : 0)
    guard length > lineLimit(connection) else { return }
    if connection.input.withUnsafeBytes({ refuseLongHTTP($0, connection) }) { return }
    connection.input = []
    connection.enter(.skippingLine)
    refuseLength(connection, line: connection.lines + 1)
  }

  private func refuseLength(_ connection: Connection, line: Int? = nil) {
    send(
      WireError(
        .lineTooLong,
        "a line has at most \(lineLimit(connection)) bytes\(connection.hasActivated ? "" : " before activate")"
          + "; this one is skipped up to its end"),
      to: connection, line: line)
  }

  /// Handles one line without its LF. Returns false where it has to wait.
  private func process(_ raw: UnsafeRawBufferPointer, _ connection: Connection) -> Bool {
    var line = raw
    if line.last == 0x0D { line = UnsafeRawBufferPointer(rebasing: line.dropLast()) }
    connection.lines += 1
    if line.count > lineLimit(connection) {
      if !refuseLongHTTP(line, connection) { refuseLength(connection) }
      return true
    }
    guard let first = line.first(where: { $0 != 0x20 && $0 != 0x09 }) else { return true }
    // Noted before it is carried out, since the session may end with it.
    if !tails.isEmpty { _ = origin(connection) }
    let isWord = (first | 0x20) >= 0x61 && (first | 0x20) <= 0x7A
    var isDone = true
    do throws(WireError) {
      isDone = isWord ? try handleWords(line, connection) : try handle(line, connection)
    } catch {
      connection.allowance -= Work.refusal
      if !refuseHTTP(line, connection) { send(error, to: connection) }
    }
    if !isDone {
      connection.lines -= 1
    } else if !tails.isEmpty {
      tellSent(line, connection)
    }
    return isDone
  }

  /// A line typed at a keyboard means the JSON line that it spells.
  private func handleWords(_ line: UnsafeRawBufferPointer, _ connection: Connection)
    throws(WireError) -> Bool
  {
    var text = spelled
    spelled = []
    text.removeAll(keepingCapacity: true)
    defer { spelled = text }
    try Words.json(line, into: &text)
    return try text.withUnsafeBufferPointer { (bytes) throws(WireError) in
      try handle(UnsafeRawBufferPointer(bytes), connection, typed: line)
    }
  }

  /// - Parameter typed: the typed line that the line is the meaning of.
  private func handle(
    _ line: UnsafeRawBufferPointer, _ connection: Connection, typed: UnsafeRawBufferPointer? = nil
  ) throws(WireError) -> Bool {
    let isWord = typed != nil
    try envelope.scan(line)
    let fields = envelope.fields(of: line)
    var id: Value?
    var request: Request?
    do throws(WireError) {
      do throws(WireError) {
        id = try fields.optionalIdentifier(.id)
      } catch {
        request = try? self.request(fields, isWord: isWord)
        throw error
      }
      request = try self.request(fields, isWord: isWord)
      let call = Call(
        kept: .passUnretained(connection), fields: fields, request: request!, identifier: id,
        isTyped: isWord)
      return try perform(call)
    } catch {
      connection.allowance -= Work.refusal
      counts.refused[error.code, default: 0] += 1
      if let device = connection.device, device.isBridged {
        hubs?.noteRefusal(request, fields, device, error)
      }
      var error = error
      if let typed { error = error.moved { Words.offset(of: $0, in: typed) } }
      if error.code == .missingField, let request {
        error.message += Self.misspelt(fields.line, request) ?? ""
      }
      send(error, to: connection, re: id.map(fields.text) ?? "", of: request)
      return true
    }
  }

  /// Names a member that the request does not have, where one that it has to have is missing.
  private static func misspelt(
    _ line: UnsafeRawBufferPointer, _ request: Request
  ) -> String? {
    guard let start = line.firstIndex(of: 0x7B),
      let description = MessageDescription.requests.first(where: { $0.name == request.rawValue })
    else { return nil }
    let known = ["type"] + description.allMembers.map(\.name)
    var given: [String] = []
    var reader = ObjectReader(Value(kind: .object, start: start, end: line.count), line)
    while let member = reader.next() { given.append(member.name) }
    guard let other = given.first(where: { !known.contains($0) }) else { return nil }
    let advice = Nearest.advice(
      for: other, among: known.filter { !given.contains($0) },
      else: "help \(request.rawValue) lists those that there are")
    return "; there is no member \(other.count > 64 ? other.prefix(64) + "…" : other); \(advice)"
  }

  private func request(_ fields: Fields, isWord: Bool) throws(WireError) -> Request {
    guard let type = fields[.type] else {
      throw WireError(.missingField, "a line needs a type, such as \"type\":\"activate\"; see help")
    }
    guard case .string = type.kind else {
      throw WireError(.invalidField, "type is a string, such as \"type\":\"activate\"; see help")
    }
    let name = UnsafeRawBufferPointer(rebasing: fields.line[(type.start + 1)..<(type.end - 1)])
    if let request = Request(name: name) { return request }
    let word = decodeString(type, fields.line)
    if let request = Request(rawValue: word) { return request }
    let shown = word.count > 64 ? word.prefix(64) + "…" : word[...]
    // At a keyboard an unknown word is a line that cannot be read.
    let code = isWord ? ErrorCode.malformedJSON : .unknownType
    let what = isWord ? "word" : "type"
    let advice = Nearest.advice(
      for: word, among: Request.allCases.map(\.rawValue), else: "type help for those that there are"
    )
    throw WireError(code, "there is no \(what) \(shown); \(advice)")
  }
}
