package import Wire

/// What a device can tell by itself of what the server has promised.
///
/// What something between the two may do (open a connection twice) is not the server's doing: there less is
/// judged.
extension LaneClient {
  // MARK: Live messages

  package func received(message line: Members) {
    let payload = line.object("payload")
    guard let number = payload?.integer("hello").map({ Int($0) }) else { return }
    if let content = payload?.raw("app") { appMessages.append(content) }
    if let id = line.string("id") { messages.append((id, number)) }
    checker.messages.delivered(
      number, from: line.string("from") ?? "", to: name, isPhone: isPhone)
  }

  package func replied(_ line: Members) {
    guard let number = line.string("re").flatMap({ Self.number($0, after: "message") }) else {
      return
    }
    let reply = line.object("payload")?.integer("re").map { Int($0) }
    checker.messages.ended(number, session: sessions, reply: .some(reply), isDefinite: false)
  }

  // MARK: Contexts

  package func receive(_ value: String, from sender: String, seq: Int) {
    checker.received(context: value, from: sender, to: name, after: contexts[sender])
    contexts[sender] = value
    contextSeqs[sender] = seq
    guard !isPhone, let receivers = checker.contextReceivers[value], !receivers.contains(name),
      !receivers.contains("?")
    else { return }
    checker.report(
      "I41", "wrong-watch-context", "A context came to another watch than it was set for.",
      "\(value) was set for the \(receivers.sorted().joined(separator: " and ")), and the \(name) got it."
    )
  }

  /// One slot from each sender to each receiver (clause 5.6).
  package func checkContexts(_ count: Int) {
    let slots = isPhone ? checker.watches : 1
    guard count > slots else { return }
    checker.report(
      "I38", "contexts-pile-up", "More contexts wait than there are senders.",
      "\(count) contexts are pending for the \(name), and \(slots) may be.")
  }

  // MARK: Answers

  /// The server knows all numbers that it has accepted, and no others.
  func checkNumber(_ line: Members) {
    numberTold = line.integer("n").map { Int($0) }
    guard let told = numberTold, !hasBeenReset else { return }
    let accepted = checker.lastAccepted(by: name)
    guard !(accepted..<nextNumber ~= told) else { return }
    checker.report(
      "I37", "number-forgotten", "The server does not know how far a sender's numbers go.",
      "The \(name) has given \(nextNumber - 1) numbers, of which \(accepted) was accepted, and is told "
        + "\(told).")
  }

  /// An error says of a request what is so.
  func checkRefusal(_ re: String, _ line: Members, _ isDefinite: Bool) {
    let code = line.integer("code") ?? 0
    let told = "The \(name) was told \(code) of \(re): \(line.string("message") ?? "")."
    if re == "activate", code != 4008 {
      checker.report("I42", "activation-refused", "A device cannot begin a session.", told)
    }
    guard let id = Self.number(re, after: "cancel") else {
      guard checker.isTroubleFree, isDefinite else { return }
      return checker.report("I36", "refused", "A request by the rules is refused.", told)
    }
    let transfer = checker[id]
    let isOver =
      transfer.isHandedOut || transfer.isCancelled || transfer.result != nil || transfer.isKnownOver
      || isCancelUncertain.contains(id)
    switch code {
    // What was never accepted, or has ended; an upload may have been given up.
    case 4006 where transfer.isAccepted && !isOver && transfer.kind != .file: break
    case 4006, 4009: return
    default: guard checker.isTroubleFree else { return }
    }
    checker.report(
      "I40", "cancel-answer", "Cancelling a transfer that waits is answered otherwise.", told)
  }

  // MARK: Files

  package func checkAnnounced(_ line: Members) {
    guard let id = line.string("name").flatMap({ Self.number($0, after: "op") }) else { return }
    let transfer = checker[id]
    let isRight =
      line.raw("metadata") == Self.payload(id)
      && line.string("sha256") == Self.digest(transfer.content)
      && line.integer("size") == Int64(transfer.content.count)
      && line.string("from") == transfer.sender
    guard !isRight else { return }
    checker.report(
      "I10", "file-announced-otherwise", "A file is announced otherwise than it was sent.",
      "Of \(transfer.spelled) the \(name) was told \(String(decoding: line.bytes, as: UTF8.self)).")
  }

  // MARK: Reachability and pending content

  package func reachabilityChanged(_ now: Bool) {
    if now == isReachable, !isBehindProxy {
      checker.report(
        "I50", "told-no-change", "A change of reachability is told, and nothing has changed.",
        "The \(name) is told \(now), and was told that before.")
    }
    isReachable = now
  }

  /// The answer to a look.
  package func looked(_ line: Members) {
    state = line
    checkContexts(Int(line.object("lanes")?.object("context")?.integer("waiting") ?? 0))
  }

  /// It has looked when all was quiet; so what it saw is what it was told.
  package func checkLooked() {
    guard let now = state?.flag("isReachable"), now != isReachable else { return }
    checker.report(
      "I50", "reachability-not-told", "A change of reachability is not told.",
      "The \(name) looks and sees \(now), and was told \(isReachable) last.")
  }

  /// It says that it has processed a lane up to a number.
  func noteAcknowledged(_ lane: String, _ seq: Int) {
    said[lane] = max(said[lane] ?? 0, seq)
    checker.acknowledged(name, lane, through: seq)
    hasBeenThrough = hasBeenThrough || isThrough
  }

  /// Whether it has said of all that it was handed that it has processed it, or refused it.
  var isThrough: Bool {
    ["userInfo", "complication", "file"].allSatisfy { lane in
      let (said, last) = (said[lane] ?? 0, seqs[lane] ?? 0)
      return said >= last
        || (said + 1...last).allSatisfy { seq in
          seen["\(lane) \(seq)"] == nil || refusals[lane]?.contains(seq) == true
        }
    }
      && contexts.allSatisfy { sender, value in
        // A context waits no more once its sender has set another.
        contextSeqs[sender]! <= said["context"] ?? 0 || checker.lastContext[sender] != value
      }
  }

  package func pendingChanged() {
    // Where it was handed nothing, what waited may have been cancelled.
    if !hasBeenThrough, !isThrough, !isAutomatic, companion == nil, !isBehindProxy {
      checker.report(
        "I50", "pending-told-early", "Content is said not to be pending, and is.",
        "The \(name) is told so, and has not acknowledged all that it was handed.")
    }
    if !hasFoundPending, !hasSetState, !isBehindProxy {
      checker.report(
        "I50", "pending-told-for-nothing",
        "A device is told that content is drained that it never had.",
        "The \(name) had found nothing pending.")
    }
    hasFoundPending = false
  }

  /// What must hold of the session once all is drained.
  package func checkState() {
    guard !isBehindProxy, hasFoundPending, state?.flag("hasContentPending") == false else { return }
    checker.report(
      "I50", "pending-not-told", "Nobody says that what had waited is drained.",
      "The \(name) found content pending when its session began, and now none is.")
  }
}
