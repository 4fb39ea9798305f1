package import Wire

/// What a device hears.
extension LaneClient {
  /// Takes in a line of the server's; those that are not about lanes or the session are passed over.
  package func received(_ line: Members) {
    switch line.string("type") {
    case "activationDidComplete": activated(line)
    case "sessionDidBecomeInactive": session = .inactive
    case "sessionDidDeactivate":
      session = .none
      messages = []
    case "sessionReachabilityDidChange": reachabilityChanged(line.flag("isReachable") ?? false)
    case "hasContentPendingDidChange": pendingChanged()
    case "didReceiveReply": replied(line)
    case "appStateDidChange": hasSetState = true
    case "accepted": accepted(line)
    case "isCurrentComplicationInfoDidChange":
      if let id = line.string("transfer").flatMap({ transfers[$0] }) {
        checker.complications.untagged(id)
      }
    case "configured": checker.complications.configured()
    case "error": refused(line)
    case "didReceiveUserInfo":
      if let companion, line.string("from") == "hub" {
        return companion.received(line, on: self)
      }
      let (lane, what) = delivery(line)
      if isNew(lane, line, what) { receive(what, lane, line) }
    case "didReceiveApplicationContext":
      let (lane, value) = delivery(line)
      if isNew(lane, line, value) {
        receive(value, from: line.string("from") ?? "", seq: Int(line.integer("seq") ?? 0))
      }
    case "didReceiveFile": announce(line)
    case "fileChunk": ingest(line)
    case "didFinishUserInfoTransfer", "didFinishFileTransfer": finished(line)
    case "didReceiveMessage": received(message: line)
    case "state": looked(line)
    case "outstandingTransfers": answered(line)
    default: break
    }
  }

  // MARK: Answers

  package static func number(_ text: String, after prefix: String) -> Int? {
    text.hasPrefix(prefix) ? Int(text.dropFirst(prefix.count)) : nil
  }

  func accepted(_ line: Members) {
    guard let re = line.string("re") else { return }
    if let id = Self.number(re, after: "op") {
      checker.accepted(id)
      checker.told(id)
      if checker[id].kind == .records { companion?.accepted(id) }
      if checker[id].kind == .complication {
        checker.complications.accepted(
          id, remaining: line.integer("remainingComplicationUserInfoTransfers"))
        if line.flag("isCurrentComplicationInfo") == false { checker.complications.untagged(id) }
      }
      if let transfer = line.string("transfer") {
        checker[id].name = transfer
        transfers[transfer] = id
      }
      if let offset = line.integer("offset") { uploads[id] = Int(offset) }
      unanswered.removeAll { $0 == id }
    } else if let id = Self.number(re, after: "cancel") {
      checker.cancelled(id)
    } else if re == "ack all" {
      companion?.settled()
    } else if re == "hold" {
      allowed = [:]
    } else if let count = Self.number(re, after: "release ") {
      if count == 0 { allowed = nil }
      for lane in Self.held where allowed != nil { allowed![lane, default: 0] += count }
    } else if re.hasPrefix("context "), let set = contextSet, re == "context \(set.value)" {
      contextSet = (set.value, true)
    }
  }

  func answered(_ line: Members) {
    guard line.string("re") == "ask" else { return }
    mustAsk = false
    checker.asked(
      name, outstanding: Set((line.objects("transfers") ?? []).compactMap { $0.string("transfer") })
    )
  }

  func refused(_ line: Members) {
    guard let re = line.string("re") else {
      // Whoever pushes operations asks without a name.
      if line.string("of")?.hasPrefix("sync.") == true { return }
      return checker.report(
        "I42", "unasked-error", "A device is told of an error that nothing has asked for.",
        "The \(name) got \(String(decoding: line.bytes, as: UTF8.self)).")
    }
    let isDefinite = line.flag("definite") == true
    checkRefusal(re, line, isDefinite)
    if let number = Self.number(re, after: "message") {
      checker.messages.ended(number, session: sessions, reply: nil, isDefinite: isDefinite)
    } else if let id = Self.number(re, after: "op"), checker[id].number == nil {
      if isDefinite { checker.refused(id) }
    } else if let id = Self.number(re, after: "op") {
      // Nothing that was begun is given up.
      mustRetry = true
      if checker[id].kind == .records { companion?.refused(id, line, on: self) }
    } else if let id = Self.number(re, after: "cancel") {
      if !isDefinite {
        isCancelUncertain.insert(id)
      } else if !isCancelUncertain.contains(id) {
        checker[id].mayBeCancelled = false
      }
    } else if let id = Self.number(re, after: "chunk") {
      // Asks where to go on.
      if uploads.removeValue(forKey: id) != nil, !unanswered.contains(id) {
        unanswered = (unanswered + [id]).sorted()
      }
      mustRetry = true
    } else if re == "ask" || re == "configure" {
      mustRetry = true
    } else if re.hasPrefix("ack") {
      // It may say so again.
      said = [:]
    } else if re == "activate" {
      session = .none
    } else if re == "late" {
      companion?.refusedMessage()
    }
  }

  func finished(_ line: Members) {
    let code = Int(line.object("error")?.integer("code") ?? 0)
    let isRepeated = line.has("seq") && !isNew("outcome", line, line.string("transfer") ?? "")
    var id = line.string("transfer").flatMap { transfers[$0] }
    if id == nil, let re = line.string("re") { id = Self.number(re, after: "op") }
    guard let id else { return }
    uploads[id] = nil
    unanswered.removeAll { $0 == id }
    if line.string("re") != "op\(id)" {
      checker.report(
        "I36", "correlation-lost", "The end of a transfer is told without the name of its request.",
        "Of \(checker[id].spelled), asked for as op\(id), the \(name) was told the end as "
          + "\(line.string("re") ?? "nothing").")
    }
    checker.accepted(id)
    if !isRepeated { checker.told(id) }
    checker.finished(id, code: code)
  }
}
