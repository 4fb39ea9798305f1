internal import Wire

/// What a device can tell by itself of what the server has promised.
///
/// What something between the two may do (open a connection twice) is not the server's doing: there less is
/// judged.
extension LaneClient {
  // MARK: Live messages

  func received(message line: Members) {
    guard let number = line.object("payload")?.integer("hello").map({ Int($0) }) else { return }
    if let id = line.string("id") { messages.append((id, number)) }
    ledger.messages.delivered(
      number, from: line.string("from") ?? "", to: name, isPhone: isPhone)
  }

  func replied(_ line: Members) {
    guard let number = line.string("re").flatMap({ Self.number($0, after: "message") }) else {
      return
    }
    let reply = line.object("payload")?.integer("re").map { Int($0) }
    ledger.messages.ended(number, session: sessions, reply: .some(reply), isDefinite: false)
  }

  // MARK: Contexts

  func receive(_ value: String, from sender: String, seq: Int) {
    contexts[sender] = value
    contextSeqs[sender] = seq
    guard !isPhone, let receivers = ledger.contextReceivers[value], !receivers.contains(name),
      !receivers.contains("?")
    else { return }
    ledger.report(
      "I41", "wrong-watch-context", "A context came to another watch than it was set for.",
      "\(value) was set for the \(receivers.sorted().joined(separator: " and ")), and the \(name) got it."
    )
  }

  /// One slot from each sender to each receiver (clause 5.6).
  func checkContexts(_ count: Int) {
    let slots = isPhone ? ledger.watches : 1
    guard count > slots else { return }
    ledger.report(
      "I38", "contexts-pile-up", "More contexts wait than there are senders.",
      "\(count) contexts are pending for the \(name), and \(slots) may be.")
  }

  // MARK: Files

  func checkAnnounced(_ line: Members) {
    guard let id = line.string("name").flatMap({ Self.number($0, after: "op") }) else { return }
    let transfer = ledger[id]
    let isRight =
      line.raw("metadata") == Self.payload(id)
      && line.integer("size") == Int64(transfer.content.count)
      && line.string("from") == transfer.sender
    guard !isRight else { return }
    ledger.report(
      "I10", "file-announced-otherwise", "A file is announced otherwise than it was sent.",
      "Of \(transfer.spelled) the \(name) was told \(String(decoding: line.bytes, as: UTF8.self)).")
  }

  // MARK: Reachability and pending content

  func reachabilityChanged(_ now: Bool) {
    if now == isReachable, !isBehindProxy {
      ledger.report(
        "I50", "told-no-change", "A change of reachability is told, and nothing has changed.",
        "The \(name) is told \(now), and was told that before.")
    }
    isReachable = now
  }

  /// The answer to a look.
  func looked(_ line: Members) {
    state = line
    checkContexts(Int(line.object("lanes")?.object("context")?.integer("waiting") ?? 0))
  }

  /// It has looked when all was quiet; so what it saw is what it was told.
  func checkLooked() {
    guard let now = state?.flag("isReachable"), now != isReachable else { return }
    ledger.report(
      "I50", "reachability-not-told", "A change of reachability is not told.",
      "The \(name) looks and sees \(now), and was told \(isReachable) last.")
  }

  /// It says that it has processed something.
  func noteProcessed() {
    hasBeenThrough = hasBeenThrough || isThrough
  }

  /// Whether it has said of all that it was handed that it has processed it.
  private var isThrough: Bool {
    ["userInfo", "complication", "file"].allSatisfy { (seqs[$0] ?? 0) <= (said[$0] ?? 0) }
      && contexts.allSatisfy { sender, value in
        // A context waits no more once its sender has set another.
        contextSeqs[sender]! <= said["context"] ?? 0 || ledger.lastContext[sender] != value
      }
  }

  func pendingChanged() {
    // Where it was handed nothing, what waited may have been cancelled.
    if !hasBeenThrough, !isThrough, !isAutomatic, app == nil, !isBehindProxy {
      ledger.report(
        "I50", "pending-told-early", "Content is said not to be pending, and is.",
        "The \(name) is told so, and has not acknowledged all that it was handed.")
    }
    if !hasFoundPending, !hasSetState, !isBehindProxy {
      ledger.report(
        "I50", "pending-told-for-nothing",
        "A device is told that content is drained that it never had.",
        "The \(name) had found nothing pending.")
    }
    hasFoundPending = false
  }

  /// What must hold of the session once all is drained.
  func checkState() {
    guard !isBehindProxy, hasFoundPending, state?.flag("hasContentPending") == false else { return }
    ledger.report(
      "I50", "pending-not-told", "Nobody says that what had waited is drained.",
      "The \(name) found content pending when its session began, and now none is.")
  }
}
