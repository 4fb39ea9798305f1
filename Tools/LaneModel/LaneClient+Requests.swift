internal import Wire

/// What a device asks for.
extension LaneClient {
  /// A new transfer.
  ///
  /// - Parameters:
  ///   - content: a file's bytes, or records; of a user info the payload, where that is not its own.
  ///   - isNumbered: whether it has an `n`; one without is lost where there is no session.
  ///   - hasWrongDigest: whether a file is announced with the digest of another one.
  @discardableResult
  package func begin(
    _ kind: DeliveryChecker.Kind, content: [UInt8] = [], isNumbered: Bool = true,
    hasWrongDigest: Bool = false
  ) -> Int {
    let id = checker.add(
      kind, from: name, number: isNumbered ? nextNumber : nil, content: content)
    checker[id].hasWrongDigest = hasWrongDigest
    if isNumbered {
      nextNumber += 1
      unanswered.append(id)
    }
    if session == .activated { request(id) }
    return id
  }

  func request(_ id: Int) {
    let transfer = checker[id]
    checker.asked(id, isPhone: isPhone, attached: attached)
    let head = "\"id\":\"op\(id)\"" + (transfer.number.map { ",\"n\":\($0)" } ?? "")
    switch transfer.kind {
    case .userInfo, .complication:
      let type =
        transfer.kind == .userInfo ? "transferUserInfo" : "transferCurrentComplicationUserInfo"
      let payload = String(decoding: payload(id), as: UTF8.self)
      send("{\"type\":\"\(type)\",\(head),\"payload\":\(payload)}")
    case .records:
      let payload = String(decoding: transfer.content, as: UTF8.self)
      send("{\"type\":\"transferUserInfo\",\(head),\"payload\":\(payload)}")
    case .file:
      let digest = Self.digest(transfer.content + (transfer.hasWrongDigest ? [0] : []))
      if transfer.content.isEmpty { checker.completed(id) }
      send(
        "{\"type\":\"transferFile\",\(head),\"name\":\"op\(id)\",\"size\":\(transfer.content.count)"
          + ",\"sha256\":\"\(digest)\""
          + ",\"metadata\":\(String(decoding: Self.payload(id), as: UTF8.self))}")
    }
  }

  /// What a user info brings, whose content is its own or else follows from its name.
  func payload(_ id: Int) -> [UInt8] {
    checker[id].content.isEmpty ? Self.payload(id) : checker[id].content
  }

  static func digest(_ bytes: [UInt8]) -> String {
    var hash = SHA256()
    bytes.withUnsafeBytes { hash.update($0) }
    return hash.hex
  }

  /// Alike but for the name, so that what is equal is not taken for the same; and spelled as nobody else
  /// would, since what is relayed keeps its bytes (clause 3.3).
  package static func payload(_ id: Int) -> [UInt8] {
    let odd = id.isMultiple(of: 2) ? ",\"o\u{301}\":[\"\u{F3}\",1.50,9007199254740993,1e2]" : ""
    return Array("{\"op\":\(id)\(odd)}".utf8)
  }

  /// Asks what is outstanding where an end may have been missed, and again, in order, what was not
  /// answered.
  package func retry() {
    guard mustRetry, session == .activated else { return }
    mustRetry = false
    configure()
    if mustAsk { send("{\"type\":\"outstandingTransfers\",\"id\":\"ask\"}") }
    for id in unanswered { request(id) }
  }

  /// Asks again for a transfer that need not be asked for again; not for a file that is under way.
  package func again(_ id: Int) {
    let isUnderWay = checker[id].kind == .file && unanswered.contains(id) || uploads[id] != nil
    if session == .activated, !isUnderWay { request(id) }
  }

  /// Whether a file has been accepted and not been sent to its end.
  package var isUploading: Bool {
    uploads.contains { id, offset in offset < checker[id].content.count }
  }

  /// Sends the next piece of an upload.
  ///
  /// - Returns: false where nothing is being uploaded.
  @discardableResult
  package func upload(pieceSize: Int) -> Bool {
    for id in uploads.keys.sorted() {
      let content = checker[id].content
      guard let transfer = checker[id].name, let offset = uploads[id], offset < content.count else {
        continue
      }
      // Bytes that the server has already may come again.
      let start = pieceSize.isMultiple(of: 3) ? max(0, offset - 2) : offset
      let piece = content[start..<min(content.count, offset + pieceSize)]
      uploads[id] = start + piece.count
      if piece.endIndex == content.count { checker.completed(id) }
      var line = Array(
        "{\"type\":\"fileChunk\",\"id\":\"chunk\(id)\",\"transfer\":\"\(transfer)\"".utf8)
      line.append(text: ",\"offset\":\(start),\"data\":\"")
      line.append(base64: piece)
      line.append(text: "\"}")
      output.append(line)
      return true
    }
    return false
  }

  package func setContext(_ value: String) {
    contextSet = (value, false)
    if session == .activated { sendContext(value) }
  }

  /// Sets the context again that the server has not said to have.
  package func resetContext() {
    if let (value, isAnswered) = contextSet, !isAnswered || isContextDoubted { sendContext(value) }
  }

  /// A second connection may set an older context after a newer one: from now on each session begins
  /// with the last.
  package func doubtContext() { isContextDoubted = true }

  func sendContext(_ value: String) {
    checker.sends(context: value, from: name)
    if isPhone { checker.contextReceivers[value, default: []].insert(attached ?? "?") }
    send(
      "{\"type\":\"updateApplicationContext\",\"id\":\"context \(value)\",\"payload\":{\"v\":\"\(value)\"}}"
    )
  }

  package func acknowledge(_ lane: String, back: Int) {
    guard !isAutomatic, let last = seqs[lane] else { return }
    let seq = max(0, last - back)
    noteAcknowledged(lane, seq)
    let isAll = lane == "userInfo" && back == 0
    if isAll { companion?.acknowledged() }
    send(
      "{\"type\":\"acknowledge\",\"lane\":\"\(lane)\",\"seq\":\(seq),\"id\":\"ack\(isAll ? " all" : "")\"}"
    )
  }

  package func acknowledgeAll() {
    for lane in seqs.keys.sorted() { acknowledge(lane, back: 0) }
  }

  /// The same of all that came in this session, without saying up to where.
  ///
  /// - Precondition: everything has been read.
  package func acknowledgeSession() {
    for lane in last.keys.sorted() {
      noteAcknowledged(lane, last[lane]!)
      send("{\"type\":\"acknowledge\",\"lane\":\"\(lane)\",\"id\":\"ack\"}")
    }
  }

  package func refuse(_ lane: String, back: Int) {
    guard !isAutomatic, let last = seqs[lane] else { return }
    let seq = max(1, last - back)
    guard let id = transfer(lane, seq) else { return }
    checker[id].refusals.insert(7015)
    refusals[lane, default: []].insert(seq)
    hasBeenThrough = hasBeenThrough || isThrough
    send(
      "{\"type\":\"refuse\",\"lane\":\"\(lane)\",\"seq\":\(seq),\"code\":7015,\"id\":\"refuse\"}")
  }

  func transfer(_ lane: String, _ seq: Int) -> Int? {
    guard let what = seen["\(lane) \(seq)"] else { return nil }
    if lane == "file" { return checker.transfers.first { $0.name == what }?.id }
    return Int(what)
  }

  /// Transfers of its own of which the end is not known, by the server's name.
  package var unfinished: [String] {
    transfers.filter { checker[$0.value].result == nil }.keys.sorted()
  }

  /// Whether every transfer of its own is answered and has ended, or at least come where it has no number.
  package var isSettled: Bool {
    unanswered.isEmpty
      && transfers.values.allSatisfy { id in
        let transfer = checker[id]
        return transfer.result != nil
          || transfer.number == nil && (transfer.deliveries > 0 || transfer.isCancelled)
      }
  }

  package func cancel(_ transfer: String) {
    guard let id = transfers[transfer], checker[id].result == nil else { return }
    cancel(id, transfer)
  }

  /// Also one of which it does not know yet whether it was accepted.
  package func cancel(_ id: Int, _ transfer: String) {
    if checker[id].mayBeCancelled { isCancelUncertain.insert(id) }
    checker[id].mayBeCancelled = true
    send("{\"type\":\"cancelTransfer\",\"id\":\"cancel\(id)\",\"transfer\":\"\(transfer)\"}")
  }

  /// Sends the numbered requests again whose end was told to a connection that was gone.
  package func askAgain() {
    for transfer in checker.transfers
    where transfer.sender == name && transfer.number != nil && transfer.isAccepted
      && transfer.result == nil
      && !transfer.isForgotten
    {
      request(transfer.id)
    }
  }

  package func hold() {
    isHolding = true
    send("{\"type\":\"hold\",\"id\":\"hold\"}")
  }

  /// - Parameter count: so many deliveries; all from now on where nil.
  package func release(_ count: Int? = nil) {
    if count == nil { isHolding = false }
    let count = count.map { max(1, $0) }
    let number = count.map { ",\"count\":\($0)" } ?? ""
    send("{\"type\":\"release\",\"id\":\"release \(count ?? 0)\"\(number)}")
  }

  /// - Parameters:
  ///   - expectsReply: whether its end is to be told.
  ///   - content: a JSON object that an app has its counterpart told.
  package func message(expectsReply: Bool, content: [UInt8]? = nil) {
    let number = checker.messages.add(
      from: name, session: sessions, to: attached, expectsReply: expectsReply)
    let more = content.map { ",\"app\":\(String(decoding: $0, as: UTF8.self))" } ?? ""
    send(
      "{\"type\":\"sendMessage\",\"payload\":{\"hello\":\(number)\(more)},\"expectsReply\":\(expectsReply)"
        + ",\"id\":\"message\(number)\"}")
  }

  package func reply() {
    guard let (id, number) = messages.popLast() else { return }
    checker.messages.replied(number)
    send(
      "{\"type\":\"reply\",\"re\":\"\(id)\",\"payload\":{\"re\":\(number)},\"id\":\"reply\"}")
  }

  /// - Parameter state: one of WCSession's app states; who is terminated forgets what it was asked.
  package func setAppState(_ state: String) {
    if state == "terminated" {
      hasBeenTerminated = true
      messages = []
      checker.messages.forget(name)
    }
    hasSetState = true
    send("{\"type\":\"setAppState\",\"state\":\"\(state)\",\"id\":\"state\"}")
  }

  /// Sets facts of its own that the system would know (clause 4.6).
  ///
  /// - Returns: false where it has no such fact.
  package func setFacts(_ facts: [String: Bool]) -> Bool {
    let own =
      isPhone
      ? ["isPaired", "isCompanionAppInstalled"] : ["isWatchAppInstalled", "isComplicationEnabled"]
    guard !facts.isEmpty, facts.keys.allSatisfy(own.contains) else { return false }
    changedFacts.formUnion(facts.keys)
    let members = facts.sorted { $0.key < $1.key }.map { "\"\($0.key)\":\($0.value)" }
    send("{\"type\":\"setDeviceState\",\(members.joined(separator: ",")),\"id\":\"facts\"}")
    return true
  }

  /// All that it has set is as at the start.
  package func resetFacts() {
    guard setFacts(Dictionary(uniqueKeysWithValues: changedFacts.map { ($0, true) })) else {
      return
    }
    changedFacts = []
  }

  package func look() {
    state = nil
    send("{\"type\":\"getState\",\"id\":\"look\"}")
  }
}
