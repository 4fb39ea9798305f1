import Wire

/// A device's side of the lanes, as a careful program would be one: it keeps its numbers, remembers
/// the last seq of each lane together with what it did, and asks again by `n` what was not answered.
///
/// Lines in, lines out. Everything but the session is its storage, written with each step.
final class LaneClient {
  enum Session { case none, asked, activated, inactive }

  let name: String
  let isPhone: Bool
  let ledger: LaneLedger
  /// Of a device that knows whole records only.
  let app: WholeRecordApp?
  /// Whether the server acknowledges for it what its kernel has confirmed (clause 5.10): here what it has
  /// read.
  let isAutomatic: Bool
  /// Whether what the server knows to have been confirmed may not have reached it.
  let isBehindProxy: Bool
  /// Lines to send, without LF.
  private var output: [[UInt8]] = []

  // What it keeps in its storage.
  private var nextNumber = 1
  /// Numbered transfers without an answer, in order.
  private(set) var unanswered: [Int] = []
  private(set) var mustRetry = false
  /// The last seq processed of each lane.
  private(set) var seqs: [String: Int] = [:]
  /// What came under each number.
  private var seen: [String: String] = [:]
  private var downloads: [String: (name: String, bytes: [UInt8])] = [:]
  /// It was told that it may have missed the end of a transfer, and has not been answered since.
  private var mustAsk = false
  /// The last context received of each sender.
  var contexts: [String: String] = [:]
  /// By sender, the number in the lane of the context that came last.
  var contextSeqs: [String: Int] = [:]
  /// The last context set, and whether the server has said that it has it.
  private(set) var contextSet: (value: String, isAnswered: Bool)?
  private var isContextDoubted = false
  /// The last user info of each sender.
  private var lastOrder: [String: Int] = [:]
  /// Transfers of its own by the server's name.
  private var transfers: [String: Int] = [:]
  /// Uploads: bytes sent.
  private var uploads: [Int: Int] = [:]
  private var isCancelUncertain: Set<Int> = []

  /// The store of which its numbers are; nil before it has heard of one.
  private(set) var store: String?

  // The session.
  private(set) var session = Session.none
  /// What its activation has told to be processed, by lane.
  private var told: [String: Int] = [:]
  /// Live messages that wait for a reply: the server's name, and the number.
  var messages: [(id: String, number: Int)] = []
  /// Counts its sessions.
  private(set) var sessions = 0
  /// The watch that a phone's session is attached to, where it was told.
  private(set) var attached: String?
  /// What it was last told of its counterpart.
  var isReachable = false
  /// It found content pending when its session began, and has not heard since that there is none.
  var hasFoundPending = false
  /// All that had come was acknowledged at some time in this session.
  var hasBeenThrough = false
  /// It has said in which state its app is, or been woken, and what it found pending then it does not know.
  var hasSetState = false
  /// By lane, up to where it has said to have processed.
  private(set) var said: [String: Int] = [:]
  /// Whether it has had its deliveries stopped.
  private(set) var isHolding = false
  /// The server may take an earlier connection for the one in use, and tell it something.
  private var isOldInUse = false
  /// While the server holds deliveries back: how many of each lane it may make all the same.
  private var allowed: [String: Int]?
  /// The answer to the last `getState`.
  var state: Members?

  init(
    _ name: String, isPhone: Bool, _ ledger: LaneLedger, store: String?,
    app: WholeRecordApp? = nil, isAutomatic: Bool = false, isBehindProxy: Bool = false
  ) {
    self.isBehindProxy = isBehindProxy
    self.name = name
    self.app = app
    self.isAutomatic = isAutomatic
    self.store = store
    self.isPhone = isPhone
    self.ledger = ledger
  }

  func takeOutput() -> [[UInt8]] {
    defer { output = [] }
    return output
  }

  func send(_ line: String) { output.append(Array(line.utf8)) }

  /// The connection is gone: what was not answered may or may not have been heard.
  ///
  /// - Parameter isKnown: whether the server knows, and says nothing more on it.
  func lost(isKnown: Bool) {
    session = .none
    messages = []
    output = []
    isHolding = false
    allowed = nil
    noteLoss()
    if !isKnown { isOldInUse = true }
  }

  private func noteLoss() {
    if isBehindProxy { ledger.noteLoss(name) }
  }

  /// Everything that it had stored is gone.
  func reset() {
    app?.reset()
    lost(isKnown: false)
    ledger.forget(name)
    (nextNumber, unanswered, mustRetry, mustAsk) = (1, [], false, false)
    (seqs, seen, downloads, contexts, contextSeqs, contextSet) = ([:], [:], [:], [:], [:], nil)
    (lastOrder, transfers, uploads, isCancelUncertain) = ([:], [:], [:], [])
    said = [:]
  }

  // MARK: The session

  /// - Parameters:
  ///   - tellsReceived: whether it says what it has processed.
  func activate(pair: String, tellsReceived: Bool) {
    session = .asked
    var line =
      "{\"type\":\"activate\",\"id\":\"activate\",\"pair\":\"\(pair)\",\"device\":\"\(name)\""
    line += ",\"role\":\"\(isPhone ? "phone" : "watch")\""
    if let store { line += ",\"store\":\"\(store)\"" }
    if let app { line += bridging(app) }
    if isAutomatic { line += ",\"acknowledge\":\"automatic\"" }
    if tellsReceived { line += ",\"received\":{\(Self.spelled(seqs))}" }
    told = tellsReceived ? seqs : [:]
    if tellsReceived { said = seqs }
    let offsets = downloads.mapValues(\.bytes.count)
    if tellsReceived { line += ",\"files\":{\(Self.spelled(offsets))}" }
    // Where an upload goes on is asked anew.
    unanswered = Set(unanswered + uploads.keys).sorted()
    uploads = [:]
    send(line + "}")
  }

  private static func spelled(_ numbers: [String: Int]) -> String {
    numbers.sorted { $0.key < $1.key }.map { "\"\($0.key)\":\($0.value)" }.joined(separator: ",")
  }

  private func activated(_ line: Members) {
    session = .activated
    sessions += 1
    attached = isPhone ? line.string("activeWatch") : nil
    hasFoundPending = line.flag("hasContentPending") == true
    hasBeenThrough = false
    hasSetState = false
    checkContexts(Int(line.object("pending")?.integer("context") ?? 0))
    if isPhone, let budget = ledger.complications.budget {
      send("{\"type\":\"configure\",\"complicationBudget\":\(budget),\"id\":\"configure\"}")
    }
    if isOldInUse { noteLoss() }
    isOldInUse = false
    if let store, let now = line.string("store"), now != store {
      ledger.report(
        "I37", "other-store", "The server came back without what it had stored.",
        "The \(name) had used the store \(store), and now it is \(now).")
    }
    store = line.string("store") ?? store
    isReachable = line.flag("isReachable") ?? false
    mustAsk = mustAsk || line.flag("mayHaveMissedDidFinish") == true
    if mustAsk { send("{\"type\":\"outstandingTransfers\",\"id\":\"ask\"}") }
    if !unanswered.isEmpty { mustRetry = true }
    resetContext()
    retry()
  }

  // MARK: Requests

  /// A new numbered transfer.
  @discardableResult
  func begin(_ kind: LaneLedger.Kind, content: [UInt8] = []) -> Int {
    let id = ledger.add(kind, from: name, number: nextNumber, content: content)
    nextNumber += 1
    unanswered.append(id)
    if session == .activated { request(id) }
    return id
  }

  private func request(_ id: Int) {
    let transfer = ledger[id]
    ledger.asked(id, isPhone: isPhone, attached: attached)
    let head = "\"id\":\"op\(id)\",\"n\":\(transfer.number)"
    switch transfer.kind {
    case .userInfo, .complication:
      let type =
        transfer.kind == .userInfo ? "transferUserInfo" : "transferCurrentComplicationUserInfo"
      let payload = String(decoding: Self.payload(id), as: UTF8.self)
      send("{\"type\":\"\(type)\",\(head),\"payload\":\(payload)}")
    case .records:
      let payload = String(decoding: transfer.content, as: UTF8.self)
      send("{\"type\":\"transferUserInfo\",\(head),\"payload\":\(payload)}")
    case .file:
      var hash = SHA256()
      transfer.content.withUnsafeBytes { hash.update($0) }
      send(
        "{\"type\":\"transferFile\",\(head),\"name\":\"op\(id)\",\"size\":\(transfer.content.count)"
          + ",\"sha256\":\"\(hash.hex)\""
          + ",\"metadata\":\(String(decoding: Self.payload(id), as: UTF8.self))}")
    }
  }

  /// Alike but for the name, so that what is equal is not taken for the same; and spelled as nobody else
  /// would, since what is relayed keeps its bytes (clause 3.3).
  static func payload(_ id: Int) -> [UInt8] {
    let odd = id.isMultiple(of: 2) ? ",\"o\u{301}\":[\"\u{F3}\",1.50,9007199254740993,1e2]" : ""
    return Array("{\"op\":\(id)\(odd)}".utf8)
  }

  /// Asks again, in order, what was not answered.
  func retry() {
    guard mustRetry, session == .activated else { return }
    mustRetry = false
    for id in unanswered { request(id) }
  }

  /// Sends the next piece of an upload.
  ///
  /// - Returns: false where nothing is being uploaded.
  @discardableResult
  func upload(pieceSize: Int) -> Bool {
    for id in uploads.keys.sorted() {
      let content = ledger[id].content
      guard let transfer = ledger[id].name, let offset = uploads[id], offset < content.count else {
        continue
      }
      // Bytes that the server has already may come again.
      let start = pieceSize.isMultiple(of: 3) ? max(0, offset - 2) : offset
      let piece = content[start..<min(content.count, offset + pieceSize)]
      uploads[id] = start + piece.count
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

  func setContext(_ value: String) {
    contextSet = (value, false)
    if session == .activated { sendContext(value) }
  }

  /// Sets the context again that the server has not said to have.
  func resetContext() {
    if let (value, isAnswered) = contextSet, !isAnswered || isContextDoubted { sendContext(value) }
  }

  /// A second connection may set an older context after a newer one: from now on each session begins
  /// with the last.
  func doubtContext() { isContextDoubted = true }

  private func sendContext(_ value: String) {
    ledger.lastContext[name] = value
    if isPhone { ledger.contextReceivers[value, default: []].insert(attached ?? "?") }
    send(
      "{\"type\":\"updateApplicationContext\",\"id\":\"context \(value)\",\"payload\":{\"v\":\"\(value)\"}}"
    )
  }

  func acknowledge(_ lane: String, back: Int) {
    guard !isAutomatic, let last = seqs[lane] else { return }
    let seq = max(0, last - back)
    said[lane] = max(said[lane] ?? 0, seq)
    noteProcessed()
    if lane == "userInfo", back == 0 { app?.acknowledge() }
    send("{\"type\":\"acknowledge\",\"lane\":\"\(lane)\",\"seq\":\(seq),\"id\":\"ack\"}")
  }

  func acknowledgeAll() {
    for lane in seqs.keys.sorted() { acknowledge(lane, back: 0) }
  }

  func refuse(_ lane: String, back: Int) {
    guard !isAutomatic, let last = seqs[lane], let id = transfer(lane, max(1, last - back)) else {
      return
    }
    ledger[id].refusals.insert(7015)
    // What is refused is done with as well.
    hasBeenThrough = true
    send(
      "{\"type\":\"refuse\",\"lane\":\"\(lane)\",\"seq\":\(max(1, last - back)),\"code\":7015"
        + ",\"id\":\"refuse\"}")
  }

  private func transfer(_ lane: String, _ seq: Int) -> Int? {
    guard let what = seen["\(lane) \(seq)"] else { return nil }
    if lane == "file" { return ledger.transfers.first { $0.name == what }?.id }
    return Int(what)
  }

  /// Transfers of its own of which the end is not known, by the server's name.
  var unfinished: [String] {
    transfers.filter { ledger[$0.value].result == nil }.keys.sorted()
  }

  func cancel(_ transfer: String) {
    guard let id = transfers[transfer], ledger[id].result == nil else { return }
    if ledger[id].mayBeCancelled { isCancelUncertain.insert(id) }
    ledger[id].mayBeCancelled = true
    send("{\"type\":\"cancelTransfer\",\"id\":\"cancel\(id)\",\"transfer\":\"\(transfer)\"}")
  }

  /// Sends the numbered requests again whose end was told to a connection that was gone.
  func askAgain() {
    for transfer in ledger.transfers
    where transfer.sender == name && transfer.isAccepted && transfer.result == nil
      && !transfer.isForgotten
    {
      request(transfer.id)
    }
  }

  func hold() {
    isHolding = true
    send("{\"type\":\"hold\",\"id\":\"hold\"}")
  }

  /// - Parameter count: so many deliveries; all from now on where nil.
  func release(_ count: Int? = nil) {
    if count == nil { isHolding = false }
    let count = count.map { max(1, $0) }
    let number = count.map { ",\"count\":\($0)" } ?? ""
    send("{\"type\":\"release\",\"id\":\"release \(count ?? 0)\"\(number)}")
  }

  /// - Parameter expectsReply: whether its end is to be told.
  func message(expectsReply: Bool) {
    let number = ledger.messages.add(
      from: name, session: sessions, to: attached, expectsReply: expectsReply)
    send(
      "{\"type\":\"sendMessage\",\"payload\":{\"hello\":\(number)},\"expectsReply\":\(expectsReply)"
        + ",\"id\":\"message\(number)\"}")
  }

  func reply() {
    guard let (id, number) = messages.popLast() else { return }
    ledger.messages.replied(number)
    send(
      "{\"type\":\"reply\",\"re\":\"\(id)\",\"payload\":{\"re\":\(number)},\"id\":\"reply\"}")
  }

  /// - Parameter state: one of WCSession's app states; who is terminated forgets what it was asked.
  func setAppState(_ state: String) {
    if state == "terminated" {
      messages = []
      ledger.messages.forget(name)
    }
    hasSetState = true
    send("{\"type\":\"setAppState\",\"state\":\"\(state)\",\"id\":\"state\"}")
  }

  func look() {
    state = nil
    send("{\"type\":\"getState\",\"id\":\"look\"}")
  }

  // MARK: Lines

  /// Takes in a line of the server's; those that are not about lanes or the session are passed over.
  func received(_ line: Members) {
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
    case "error": refused(line)
    case "didReceiveUserInfo":
      if let app, line.string("from") == "hub" { return fromHub(line, app) }
      let lane = line.has("isCurrentComplicationInfo") ? "complication" : "userInfo"
      let what = line.object("payload")?.integer("op").map { "\($0)" } ?? ""
      if isNew(lane, line, what), let id = Int(what) { receive(id, lane, line.raw("payload")) }
    case "didReceiveApplicationContext":
      let value = line.object("payload")?.string("v") ?? ""
      if isNew("context", line, value) {
        receive(value, from: line.string("from") ?? "", seq: Int(line.integer("seq") ?? 0))
      }
    case "didReceiveFile": announce(line)
    case "fileChunk": take(line)
    case "didFinishUserInfoTransfer", "didFinishFileTransfer": finished(line)
    case "didReceiveMessage": received(message: line)
    case "state": looked(line)
    case "outstandingTransfers": answered(line)
    default: break
    }
  }

  /// Whether a delivery is to be processed: it is new in its lane.
  func isNew(_ lane: String, _ line: Members, _ what: String) -> Bool {
    if Self.held.contains(lane), allowed != nil {
      allowed![lane, default: 0] -= 1
      if allowed![lane]! < 0 {
        ledger.report(
          "I42", "held-delivered", "Something was delivered that was to be held back.",
          "The \(name) had said hold, and got \(what.isEmpty ? "a delivery" : what) in lane \(lane)."
        )
      }
    }
    let seq = Int(line.integer("seq") ?? 0)
    let place = "\(lane) \(seq)"
    if let before = seen[place] {
      if before != what {
        ledger.report(
          "I36", "number-reused", "Two deliveries had the same number.",
          "Number \(seq) of lane \(lane) at the \(name) was two different things.")
      }
      if line.flag("redelivered") != true, lane != "file" {
        ledger.report(
          "I36", "silent-redelivery", "A delivery came again and did not say so.",
          "Number \(seq) of lane \(lane) came to the \(name) again, not marked as redelivered.")
      }
    }
    if seq <= told[lane] ?? 0 {
      ledger.report(
        "I36", "processed-delivered", "Something was delivered that its receiver had said to have.",
        "The \(name) had activated with received \(told[lane] ?? 0) in lane \(lane), and got number \(seq)."
      )
    }
    seen[place] = what
    guard seq > seqs[lane] ?? 0 else { return false }
    seqs[lane] = seq
    return true
  }

  /// The lanes of which a hold is checked; of a file the announcement and its pieces come apart.
  private static let held = ["userInfo", "complication", "context", "outcome"]

  private func receive(_ id: Int, _ lane: String, _ payload: [UInt8]?) {
    ledger.delivered(id, to: name, isPhone: isPhone)
    if lane == "complication" { ledger.complications.tagged(id) }
    let transfer = ledger[id]
    if payload != Self.payload(id) {
      ledger.report(
        "I10", "payload-changed", "A payload came with other bytes than it was sent with.",
        "The \(name) got \(String(decoding: payload ?? [], as: UTF8.self)) of \(transfer.spelled), "
          + "sent as \(String(decoding: Self.payload(id), as: UTF8.self)).")
    }
    guard transfer.kind == .userInfo else { return }
    if id < lastOrder[transfer.sender] ?? 0 {
      ledger.report(
        "I35", "reordered", "User infos arrived in another order than they were sent.",
        "The \(name) got \(transfer.spelled) after a later one of the same device.")
    }
    lastOrder[transfer.sender] = id
  }

  // MARK: Answers

  static func number(_ text: String, after prefix: String) -> Int? {
    text.hasPrefix(prefix) ? Int(text.dropFirst(prefix.count)) : nil
  }

  private func accepted(_ line: Members) {
    guard let re = line.string("re") else { return }
    if let id = Self.number(re, after: "op") {
      ledger.accepted(id)
      ledger.told(id)
      app?.accept(id)
      if ledger[id].kind == .complication {
        ledger.complications.accepted(
          id, remaining: line.integer("remainingComplicationUserInfoTransfers"))
      }
      if let transfer = line.string("transfer") {
        ledger[id].name = transfer
        transfers[transfer] = id
      }
      if let offset = line.integer("offset") { uploads[id] = Int(offset) }
      unanswered.removeAll { $0 == id }
    } else if let id = Self.number(re, after: "cancel") {
      ledger.cancelled(id)
    } else if re == "hold" {
      allowed = [:]
    } else if let count = Self.number(re, after: "release ") {
      if count == 0 { allowed = nil }
      for lane in Self.held where allowed != nil { allowed![lane, default: 0] += count }
    } else if re.hasPrefix("context "), let set = contextSet, re == "context \(set.value)" {
      contextSet = (set.value, true)
    }
  }

  private func answered(_ line: Members) {
    guard line.string("re") == "ask" else { return }
    mustAsk = false
    ledger.asked(
      name, outstanding: Set((line.objects("transfers") ?? []).compactMap { $0.string("transfer") })
    )
  }

  private func refused(_ line: Members) {
    guard let re = line.string("re") else { return }
    let isDefinite = line.flag("definite") == true
    if let number = Self.number(re, after: "message") {
      ledger.messages.ended(number, session: sessions, reply: nil, isDefinite: isDefinite)
    } else if let id = Self.number(re, after: "op") {
      // Nothing that was begun is given up.
      mustRetry = true
      if ledger[id].kind == .records { refusedRecords(id, line) }
    } else if let id = Self.number(re, after: "cancel") {
      if !isDefinite {
        isCancelUncertain.insert(id)
      } else if !isCancelUncertain.contains(id) {
        ledger[id].mayBeCancelled = false
      }
    } else if let id = Self.number(re, after: "chunk") {
      // Asks where to go on.
      if uploads.removeValue(forKey: id) != nil, !unanswered.contains(id) {
        unanswered = (unanswered + [id]).sorted()
      }
      mustRetry = true
    } else if re == "activate" {
      session = .none
    }
  }

  private func finished(_ line: Members) {
    let code = Int(line.object("error")?.integer("code") ?? 0)
    let isRepeated = line.has("seq") && !isNew("outcome", line, line.string("transfer") ?? "")
    var id = line.string("transfer").flatMap { transfers[$0] }
    if id == nil, let re = line.string("re") { id = Self.number(re, after: "op") }
    guard let id else { return }
    uploads[id] = nil
    unanswered.removeAll { $0 == id }
    if line.string("re") != "op\(id)" {
      ledger.report(
        "I36", "correlation-lost", "The end of a transfer is told without the name of its request.",
        "Of \(ledger[id].spelled), asked for as op\(id), the \(name) was told the end as "
          + "\(line.string("re") ?? "nothing").")
    }
    ledger.accepted(id)
    if !isRepeated { ledger.told(id) }
    ledger.finished(id, code: code)
  }

  // MARK: Files

  private func announce(_ line: Members) {
    let transfer = line.string("transfer") ?? ""
    checkAnnounced(line)
    let offset = Int(line.integer("offset") ?? 0)
    var bytes = downloads[transfer]?.bytes ?? []
    bytes.removeSubrange(min(offset, bytes.count)...)
    downloads[transfer] = (line.string("name") ?? "", bytes)
  }

  /// What a piece of a file has in it; nothing where it cannot be read, which the file then shows.
  private func data(of line: Members) -> [UInt8] {
    guard let value = line.value("data"), value.kind == .string else { return [] }
    return line.bytes.withUnsafeBytes { (try? decodeBase64(value, $0, "data")) ?? [] }
  }

  private func take(_ line: Members) {
    let transfer = line.string("transfer") ?? ""
    guard var download = downloads[transfer],
      line.integer("offset").map(Int.init) == download.bytes.count
    else {
      return ledger.report(
        "I36", "chunk-misplaced", "A piece of a file came out of its place.",
        "The \(name) got a piece of a file that does not follow what it has.")
    }
    download.bytes += data(of: line)
    downloads[transfer] = download
    guard line.flag("last") == true else { return }
    downloads[transfer] = nil
    guard let id = Self.number(download.name, after: "op"), isNew("file", line, transfer) else {
      return
    }
    if download.bytes != ledger[id].content {
      ledger.report(
        "I36", "file-damaged", "A file arrived with other bytes than were sent.",
        "The \(name) got \(ledger[id].spelled) with \(download.bytes.count) of its "
          + "\(ledger[id].content.count) bytes, or others.")
    }
    ledger.delivered(id, to: name, isPhone: isPhone)
  }
}
