import Wire

/// A message whose reply has not come.
struct PendingReply {
  let sender: Device
  let senderSession: UInt64
  let receiver: Device
  let receiverSession: UInt64
  /// The sender's correlation id.
  let re: String
  let request: Request
  let line: Int
  var isOwedNoMore = false
}

/// What a message on the live lane asks for.
private struct LiveMessage {
  let payload: Value
  let isData: Bool
  let expectsReply: Bool
  let timeout: Int64
}

/// The live lane: messages and their replies. Nothing of it is stored.
extension Relay {
  /// Hands a message to a reachable counterpart. Returns false where its output is full.
  func sendMessage(_ call: Call, _ device: Device) throws(WireError) -> Bool {
    // A pattern, here and where a line's type is read: `==` of another module's type is a call of a witness.
    let isData = if case .sendMessageData = call.request { true } else { false }
    let fields = call.fields
    let payload = try isData ? fields.anyString(.data) : fields.object(.payload)
    if !isData, try sendToHub(payload, call, device) { return true }
    var check = SendCheck(
      payload: isData ? nil : payload, limit: device.pair.knobs.limits.message, isLive: true)
    if isData {
      check.field = "data"
      check.dataLength = try fields.base64Length(.data)
    }
    let message = LiveMessage(
      payload: payload, isData: isData,
      expectsReply: try fields.optionalBool(.expectsReply) ?? false,
      timeout: try fields.optionalSeconds(.timeout) ?? device.pair.knobs.replyTimeout)
    return try self.check(check, device, fields).use { (receiver) throws(WireError) in
      guard let target = receiver.$connection else { throw Self.undelivered }
      return try target.use { (target) throws(WireError) in
        try hand(message, call, device, to: receiver, on: target)
      }
    }
  }

  @inline(__always)
  private func hand(
    _ message: LiveMessage, _ call: Call, _ device: Device, to receiver: Device,
    on target: Connection
  ) throws(WireError) -> Bool {
    if message.expectsReply { try checkReply(call, receiver) }
    if target.waiting >= limits.waitingOutput {
      guard !receiver.isSaturated else { throw Self.undelivered }
      return wait(call.connection, for: receiver)
    }
    if !receiver.appState.isRunning { launch(receiver, "message") }
    var number: UInt64 = 0
    if message.expectsReply { number = expectReply(call, device, receiver, message.timeout) }
    guard !message.expectsReply || receiver.state.hasReplyDelegate else { return true }
    counts.messages &+= 1
    answer(target) { output in
      let payload = call.fields.bytes(message.payload)
      if !message.isData, !message.expectsReply {
        output.append(bytes: device.messageHead)
        output.append(bytes: payload)
        return output.append(0x7D)
      }
      output.append(
        message.isData
          ? "{\"type\":\"didReceiveMessageData\",\"from\":"
          : "{\"type\":\"didReceiveMessage\",\"from\":")
      output.append(contentsOf: device.quotedName)
      if message.expectsReply {
        output.append(",\"id\":\"m")
        output.append(decimal: epoch)
        output.append(".")
        output.append(decimal: number)
        output.append("\"")
      }
      output.append(message.isData ? ",\"data\":" : ",\"payload\":")
      output.append(bytes: payload)
      output.append("}")
    }
    return true
  }

  /// Whether a message may await a reply.
  private func checkReply(_ call: Call, _ receiver: Device) throws(WireError) {
    guard call.connection.pendingReplies < limits.pendingReplies else {
      throw WireError(
        limit: "pendingReplies",
        "\(limits.pendingReplies) messages of this connection await a reply already",
        "wait for some of them")
    }
    if !receiver.state.hasReplyDelegate,
      receiver.pair.knobs.missingReplyDelegate == .deliveryFailed
    {
      throw WireError(
        .deliveryFailed, "the counterpart's delegate does not implement the reply handler")
    }
  }

  /// Has the hub take a message that is for it. Returns whether it was.
  private func sendToHub(
    _ payload: Value, _ call: Call, _ device: Device
  ) throws(WireError) -> Bool {
    let limit = device.pair.knobs.limits.message
    guard let own = try bridgedPayload(payload, limit: limit, call, device) else { return false }
    let expectsReply = try call.fields.optionalBool(.expectsReply) ?? false
    // Commits may fail while messages to counterparts go on.
    if isInTrouble { try refuseForStore(.transferUserInfo) }
    own.carryOut()
    countUncommitted(call.connection, call.fields.line.count)
    guard expectsReply else { return true }
    answerAfterCommit(call) { output in
      Self.begin(&output, "didReceiveReply", re: call.id, of: call.request)
      output.append(",\"payload\":{\"success\":true")
      own.appendRefused(to: &output)
      output.append("}}")
    }
    return true
  }

  static let undelivered = WireError(
    .deliveryFailed, "the counterpart takes nothing at present: its output is full")

  // MARK: Replies

  private func expectReply(
    _ call: Call, _ device: Device, _ receiver: Device, _ timeout: Int64
  ) -> UInt64 {
    let number = nextReply
    nextReply += 1
    replies[number] = PendingReply(
      sender: device, senderSession: device.session, receiver: receiver,
      receiverSession: receiver.session, re: call.id, request: call.request,
      line: call.connection.lines)
    call.connection.pendingReplies += 1
    call.connection.owed += 1
    deadlines.add(.reply(number), at: now + timeout)
    pruneDeadlines()
    return number
  }

  /// Takes a pending reply out; its sender is owed it no longer.
  private func removeReply(_ number: UInt64) -> PendingReply? {
    guard let pending = replies.removeValue(forKey: number) else { return nil }
    if pending.sender.session == pending.senderSession, let connection = pending.sender.connection {
      connection.pendingReplies -= 1
      connection.owed -= 1
      finishIfEnded(connection)
    }
    return pending
  }

  /// Tells the sender of a message of an error, where its session is still that one.
  private func tell(_ pending: PendingReply, _ error: WireError) {
    guard pending.sender.session == pending.senderSession,
      let connection = pending.sender.connection
    else { return }
    send(error, to: connection, re: pending.re, of: pending.request, line: pending.line)
  }

  func reply(_ call: Call, _ device: Device) throws(WireError) {
    let text = try call.fields.string(.re)
    let prefix = "m\(epoch)."
    guard text.hasPrefix(prefix), let number = UInt64(text.dropFirst(prefix.count)),
      let pending = replies[number], pending.receiver === device,
      pending.receiverSession == device.session
    else {
      throw WireError(
        .invalidField,
        "re names no message that awaits a reply of this session; it may have been answered, "
          + "have timed out, or its sender may have gone")
    }
    if call.fields[.code] != nil {
      let code = try call.fields.integer(.code, in: 7001...7019)
      _ = removeReply(number)
      tell(
        pending,
        WireError(
          ErrorCode(rawValue: Int(code)) ?? .genericError,
          "the counterpart's app does not take this message", definite: false))
      if call.hasID { acceptNow(call) }
      return
    }
    let isData = call.fields[.payload] == nil && call.fields[.data] != nil
    let payload = try isData ? call.fields.anyString(.data) : call.fields.object(.payload)
    do throws(WireError) {
      var check = SendCheck(
        payload: isData ? nil : payload, limit: device.pair.knobs.limits.message)
      if isData {
        check.field = "data"
        check.dataLength = try call.fields.base64Length(.data)
      }
      try self.check(check, device, call.fields)
    } catch {
      _ = removeReply(number)
      tell(
        pending,
        WireError(
          .messageReplyFailed, "the counterpart's reply could not be sent: \(error.message)",
          definite: false))
      throw error
    }
    _ = removeReply(number)
    guard let connection = pending.sender.connection else { return }
    answer(connection) { output in
      Self.begin(&output, "didReceiveReply", re: pending.re, of: pending.request)
      output.append(isData ? ",\"data\":" : ",\"payload\":")
      output.append(bytes: call.fields.bytes(payload))
      output.append("}")
    }
    if call.hasID { acceptNow(call) }
  }

  func replyTimedOut(_ number: UInt64) {
    guard let pending = removeReply(number) else { return }
    tell(
      pending,
      WireError(.messageReplyTimedOut, "no reply came in time", definite: false))
  }

  /// A session has ended: whoever awaits a reply of it is told, what it awaited is dropped.
  func endReplies(of device: Device) {
    let ended = replies.filter { $0.value.sender === device || $0.value.receiver === device }
    for number in ended.keys.sorted() {
      guard let pending = removeReply(number) else { continue }
      guard pending.receiver === device else { continue }
      tell(
        pending,
        WireError(
          .deliveryFailed, "the counterpart's session ended before it replied", definite: false))
    }
  }

  /// Ends the pending replies that `isMeant`, with an error to their senders.
  func failReplies(_ error: WireError, _ isMeant: (PendingReply) -> Bool) {
    for number in replies.filter({ isMeant($0.value) }).keys.sorted() {
      if let pending = removeReply(number) { tell(pending, error) }
    }
  }

  /// A connection waits for replies no more.
  func dropReplies(from connection: Connection, _ reason: String) {
    guard connection.pendingReplies > 0, let device = connection.device else { return }
    failReplies(WireError(.deliveryFailed, reason, definite: false)) {
      $0.sender === device
    }
  }

  /// With `errorHandlerTwice`: a counterpart that has become unreachable is told of at once, and
  /// the timeout still comes.
  func warnOfReplies(to device: Device) {
    for number in replies.filter({ $0.value.sender === device }).keys.sorted() {
      guard let pending = replies[number], !pending.isOwedNoMore else { continue }
      replies[number]!.isOwedNoMore = true
      tell(
        pending,
        WireError(
          .notReachable, "the counterpart became unreachable before it replied", definite: false))
    }
  }

  // MARK: Full receivers

  /// Has a sender's input wait for its receiver's output to drain. Returns false.
  private func wait(_ connection: Connection, for receiver: Device) -> Bool {
    connection.wait(for: .receiver(receiver, since: now))
    receiver.waiters.append(connection)
    deadlines.add(
      .fullReceiver(connection, since: now), at: now + Int64(limits.receiverGrace))
    return false
  }

  func stopWaiting(_ connection: Connection) {
    guard case .receiver(let receiver, _) = connection.wait else { return }
    connection.endWait()
    receiver.waiters.removeAll { $0 === connection }
    unblock(connection)
  }

  /// Whoever waits for a receiver's output goes on.
  func letWaitersGo(_ receiver: Device) {
    let waiters = receiver.waiters
    receiver.waiters = []
    for connection in waiters {
      connection.endWait()
      unblock(connection)
    }
  }

  /// The receiver did not drain in time: its messages fail until it does.
  func receiverStayedFull(_ connection: Connection, _ since: Int64) {
    guard case .receiver(let receiver, since) = connection.wait else { return }
    receiver.isSaturated = true
    letWaitersGo(receiver)
  }
}
