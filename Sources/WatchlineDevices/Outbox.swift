package import Foundation
import Wire

/// What an app has handed over, and what has become of it.
struct Outbox {
  struct Transfer {
    var kind: Ledger.Kind
    /// What a report shows of it.
    var shown: [UInt8]
    /// The members of the request, but for `n` and `id`.
    var members: [UInt8]
    /// The bytes of a file.
    var contents = Data()
    var sent: DeviceEvent.SentTransfer
    /// What it is called on the wire; nil until it has been accepted.
    var transfer: String?
    /// Its number on the wire, from the moment on that it is first sent: what is sent again has the same.
    var n: UInt64?
    /// The app has taken it back, and whether the relay had it is not known.
    var isCancelled = false

    /// It is known no more where it was sent to.
    mutating func forgetName() { (transfer, n) = (nil, nil) }
  }

  /// Unfinished transfers, by the order in which the app made them.
  private(set) var transfers: [UInt64: Transfer] = [:]
  /// Those that were accepted, by their names on the wire.
  private var numbers: [String: UInt64] = [:]
  var last: UInt64 = 0
  /// The last `n` that was accepted.
  var n: UInt64 = 0
  /// The last `n` that was given to a transfer; those after `n` are not answered.
  private var given: UInt64 = 0
  /// Transfers that were sent on this connection, and not answered.
  private var posted: Set<UInt64> = []
  /// One was refused, so that those behind it have the wrong `n`, and are sent again.
  private var hasGap = false
  /// A context that was set while there was no connection.
  var hasContext = false
  var lastContext: UInt64 = 0
  /// Messages that await a reply or an error: whether a reply is expected.
  var awaiting: [UInt64: Bool] = [:]
  var lastMessage: UInt64 = 0

  var unsentComplications: Int {
    transfers.values.count { $0.kind == .complication && $0.transfer == nil }
  }

  subscript(number: UInt64) -> Transfer? {
    get { transfers[number] }
    set {
      if newValue == nil, let name = transfers[number]?.transfer { numbers[name] = nil }
      transfers[number] = newValue
      if let name = newValue?.transfer { numbers[name] = number }
    }
  }

  // MARK: Posts

  /// A transfer goes out; one that went out before has the `n` that it had.
  ///
  /// - Returns: its `n`.
  mutating func send(_ number: UInt64) -> UInt64 {
    let n = transfers[number]!.n ?? max(given, n) + 1
    given = max(given, n)
    transfers[number]!.n = n
    posted.insert(number)
    return n
  }

  /// The connection is gone: what was not answered is sent again as it was.
  mutating func forgetPosts() { (posted, hasGap, given) = ([], false, 0) }

  /// A transfer was refused, and used up no `n`.
  ///
  /// - Returns: whether it is only behind one that was refused, and is sent again.
  mutating func refused(_ number: UInt64, _ error: DeviceError) -> Bool {
    guard let own = transfers[number]?.n else { return false }
    transfers[number]!.n = nil
    guard error.code == .sequenceGap, own > n + 1 else { return false }
    hasGap = true
    return true
  }

  /// An answer has come.
  ///
  /// - Returns: the transfers to send again, oldest first.
  mutating func answered(_ number: UInt64) -> [UInt64] {
    posted.remove(number)
    guard hasGap, posted.isEmpty else { return [] }
    (hasGap, given) = (false, 0)
    return transfers.filter { $0.value.transfer == nil && $0.value.n == nil }.keys.sorted()
  }

  func number(of transfer: String) -> UInt64? {
    numbers[transfer]
  }

  /// The transfer that was sent with a number, and of which no answer came.
  func number(sentAs n: UInt64) -> UInt64? {
    transfers.first { $0.value.n == n && $0.value.transfer == nil }?.key
  }

  /// Nothing of what was accepted is known any more where it was sent to.
  mutating func forgetNames() {
    for number in transfers.keys { transfers[number]!.forgetName() }
    numbers = [:]
    n = 0
  }
}

extension LinkDevice {
  // MARK: Messages

  /// - Returns: the message's number, which its reply or its error has.
  package func sendMessage(_ payload: [UInt8], isData: Bool, expectsReply: Bool) -> UInt64 {
    locked {
      outbox.lastMessage += 1
      let number = outbox.lastMessage
      outbox.awaiting[number] = expectsReply
      note(.message, payload, number)
      link.trace.add(name, .message, flag: expectsReply, payload: payload)
      if let error = link.takeFailure() {
        fail(number, error)
        return number
      }
      guard facts.activationState == 2 else {
        fail(number, facts.activationState == 1 ? Self.inactive : Self.notActivated)
        return number
      }
      guard isOnline else {
        fail(
          number, DeviceError(.notReachable, "the counterpart is not reachable: \(name) is offline")
        )
        return number
      }
      var line = Array("{\"type\":\"\(isData ? "sendMessageData" : "sendMessage")\",".utf8)
      line += Array("\"\(isData ? "data" : "payload")\":".utf8) + payload
      if expectsReply { line += Array(",\"expectsReply\":true".utf8) }
      line += Array(",\"id\":\"m\(number)\"}".utf8)
      guard !expectsReply else {
        link.post(line, from: self)
        return number
      }
      link.send(line, from: self)
      // Who expects no reply hears of a failure alone, and before the answer to what is asked next.
      if !link.carrier.isInstant { ping() }
      if outbox.awaiting.removeValue(forKey: number) != nil {
        link.ledger.end(name, .message, number, .delivered)
      }
      return number
    }
  }

  /// Answers a message.
  package func reply(to message: DeviceEvent.MessageID, _ payload: [UInt8], isData: Bool) {
    locked {
      guard isOnline else { return }
      link.trace.brought(link.devices)
      link.trace.add(name, .reply)
      var line = Array("{\"type\":\"reply\",\"re\":\(quoted(message.text)),".utf8)
      line += Array("\"\(isData ? "data" : "payload")\":".utf8) + payload
      link.post(line + [0x7D], from: self)
    }
  }

  /// A message has come to nothing; told once.
  func fail(_ number: UInt64, _ error: DeviceError) {
    link.ledger.end(name, .message, number, .failed(error))
    guard outbox.awaiting.removeValue(forKey: number) != nil else { return }
    tell(.reply(to: number, .failure(error)))
  }

  static let notActivated = DeviceError(
    .sessionNotActivated, "the session is not activated: call activate() and wait for its callback")
  static let inactive = DeviceError(
    .sessionInactive, "the watch is being switched: activate again after sessionDidDeactivate")

  // MARK: Context

  /// - Throws: what the relay says against it.
  package func updateApplicationContext(_ payload: [UInt8]) throws(DeviceError) {
    let failure = locked { () -> DeviceError? in
      guard facts.activationState == 2 else {
        return facts.activationState == 1 ? Self.inactive : Self.notActivated
      }
      if let error = link.takeFailure() { return error }
      if isOnline {
        store?.note(unsentContext: payload)
        let answer = request(
          Array("{\"type\":\"updateApplicationContext\",\"payload\":".utf8) + payload)
        // Without an answer it is sent again.
        outbox.hasContext = answer == nil
        if answer != nil { store?.note(unsentContext: nil) }
        if let error = answer?.error { return error }
      } else {
        outbox.hasContext = true
        store?.note(unsentContext: payload)
      }
      set(applicationContext: payload)
      link.ledger.end(name, .context, outbox.lastContext, .replaced)
      outbox.lastContext += 1
      note(.context, payload, outbox.lastContext)
      link.trace.add(name, .context, count: Int(outbox.lastContext), payload: payload)
      return nil
    }
    if let failure { throw failure }
  }

  // MARK: Transfers

  /// - Returns: the transfer's number, with which its end is told.
  package func transferUserInfo(_ payload: [UInt8], isComplication: Bool) -> UInt64 {
    let type = isComplication ? "transferCurrentComplicationUserInfo" : "transferUserInfo"
    return locked {
      add(
        Outbox.Transfer(
          kind: isComplication ? .complication : .userInfo, shown: payload,
          members: Array("{\"type\":\"\(type)\",\"payload\":".utf8) + payload,
          sent: .init(isComplication: isComplication, payload: payload)))
    }
  }

  package func transferFile(_ file: URL, _ contents: Data, metadata: [UInt8]?) -> UInt64 {
    let name = file.lastPathComponent
    return transfer(name, contents, metadata, .init(payload: metadata, file: file))
  }

  private func transfer(
    _ name: String, _ contents: Data, _ metadata: [UInt8]?, _ sent: DeviceEvent.SentTransfer
  ) -> UInt64 {
    locked {
      var digest = SHA256()
      contents.withUnsafeBytes { digest.update($0) }
      var line = Array("{\"type\":\"transferFile\",\"name\":\(quoted(name)),".utf8)
      line += Array("\"size\":\(contents.count),\"sha256\":\"\(digest.hex)\"".utf8)
      if let metadata { line += Array(",\"metadata\":".utf8) + metadata }
      return add(
        Outbox.Transfer(
          kind: .file, shown: Array(quoted(name).utf8), members: line, contents: contents,
          sent: sent))
    }
  }

  /// A transfer that cannot be made is told as one that has failed.
  ///
  /// - Parameter shown: what it was, for people.
  package func transferFailed(_ kind: Ledger.Kind, _ shown: String, _ error: DeviceError) -> UInt64
  {
    locked {
      failed &+= 1
      let number = UInt64.max - failed
      note(kind, Array(shown.utf8), number)
      link.ledger.end(name, kind, number, .failed(error))
      tell(.didFinish(number, sent: nil, error))
      return number
    }
  }

  private func add(_ transfer: Outbox.Transfer) -> UInt64 {
    guard facts.activationState == 2 else {
      return transferFailed(
        transfer.kind, String(decoding: transfer.shown, as: UTF8.self),
        facts.activationState == 1 ? Self.inactive : Self.notActivated)
    }
    if transfer.kind == .complication {
      // Of those that wait here only the newest is the current one; the relay says so of the others.
      for (older, other) in outbox.transfers where other.transfer == nil { untag(older) }
    }
    outbox.last += 1
    let number = outbox.last
    outbox[number] = transfer
    store?.add(number, transfer)
    note(transfer.kind, transfer.shown, number)
    link.trace.add(transfer, of: name)
    if let error = link.takeFailure() {
      end(number, error)
    } else if isOnline {
      hand(over: number)
    }
    return number
  }

  /// Sends a transfer. Of a file the answer is waited for, as its bytes follow.
  private func hand(over number: UInt64) {
    // Without a connection it gets no `n`.
    guard isOnline, let transfer = outbox[number] else { return }
    let n = outbox.send(number)
    if transfer.n == nil { store?.note(number, n: n) }
    let line = transfer.members + Array(",\"n\":\(n)".utf8)
    guard transfer.kind != .file else {
      if let answer = request(line) { answered(number, answer) }
      return
    }
    acknowledge()
    link.post(line + Array(",\"id\":\"t\(number)\"}".utf8), from: self)
  }

  /// The relay has taken a transfer, or refused it.
  func answered(_ number: UInt64, _ answer: Answer) {
    defer { for again in outbox.answered(number) { hand(over: again) } }
    if let error = answer.error {
      if !outbox.refused(number, error) { end(number, error) }
      return
    }
    // It may have ended by now.
    guard let transfer = outbox[number], let name = answer.members.string("transfer") else {
      return
    }
    outbox.n = max(outbox.n, transfer.n ?? 0)
    outbox[number]?.transfer = name
    store?.note(number, name: name)
    guard !transfer.isCancelled else {
      takeBack(number, name)
      return
    }
    if answer.members.flag("isCurrentComplicationInfo") == false { untag(number) }
    if transfer.kind == .file {
      upload(transfer.contents, name, from: Int(answer.members.integer("offset") ?? 0))
    }
  }

  /// A complication transfer goes as ordinary user info: a newer one took its place, or the day's budget is used up.
  func untag(_ number: UInt64) {
    guard outbox[number]?.sent.isComplication == true else { return }
    outbox[number]!.sent.isComplication = false
    tell(.complicationWasUntagged(number))
  }

  /// - Returns: whether it was taken back.
  @discardableResult
  private func takeBack(_ number: UInt64, _ name: String) -> Bool {
    guard let answer = request("cancelTransfer", "\"transfer\":\(quoted(name))"),
      answer.error == nil, let transfer = outbox[number]
    else { return false }
    forget(number, transfer)
    return true
  }

  private func forget(_ number: UInt64, _ transfer: Outbox.Transfer) {
    outbox[number] = nil
    store?.ended(number)
    link.ledger.end(name, transfer.kind, number, .cancelled)
  }

  private func upload(_ contents: Data, _ transfer: String, from offset: Int) {
    let size = 48 << 10
    // A file without content needs no piece.
    for start in stride(from: offset, to: contents.count, by: size) {
      guard isOnline else { return }
      let chunk = contents[
        contents.startIndex + start..<min(contents.startIndex + start + size, contents.endIndex)]
      request(
        "fileChunk",
        "\"transfer\":\(quoted(transfer)),\"offset\":\(start),\"data\":\"\(chunk.base64EncodedString())\""
      )
    }
  }

  /// Goes on with a file of which a part may have come.
  private func resume(_ number: UInt64, _ name: String, _ transfer: Outbox.Transfer) {
    let answer = request("transferFile", "\"transfer\":\(quoted(name))")
    guard let answer, answer.error == nil, let offset = answer.members.integer("offset") else {
      return
    }
    upload(transfer.contents, name, from: Int(offset))
  }

  /// Sends what was handed over while there was no connection.
  func flush() {
    guard isOnline else { return }
    if outbox.hasContext {
      let answer = request(
        Array("{\"type\":\"updateApplicationContext\",\"payload\":".utf8) + latestContext)
      outbox.hasContext = answer == nil
      if answer != nil { store?.note(unsentContext: nil) }
    }
    let unsent = outbox.transfers.filter { $0.value.transfer == nil }.keys
    // What may have come there comes first, under the number that it had.
    for number in unsent.sorted(by: {
      (outbox[$0]?.n ?? .max, $0) < (outbox[$1]?.n ?? .max, $1)
    }) { hand(over: number) }
    guard !link.carrier.isInstant else { return }
    for (number, transfer) in outbox.transfers where transfer.kind == .file {
      if let name = transfer.transfer, !transfer.isCancelled { resume(number, name, transfer) }
    }
  }

  /// Asks which transfers have ended while nobody could be told.
  func reconcile() {
    var left: Set<String> = []
    var line = Array("{\"type\":\"outstandingTransfers\"".utf8)
    while true {
      guard let members = request(line)?.members, let transfers = members.objects("transfers")
      else { return }
      for transfer in transfers {
        guard let name = transfer.string("transfer") else { continue }
        left.insert(name)
        guard transfer.flag("isCurrentComplicationInfo") == false else { continue }
        if let number = outbox.number(of: name) { untag(number) }
      }
      guard let after = members.raw("after") else { break }
      line = Array("{\"type\":\"outstandingTransfers\",\"after\":".utf8) + after
    }
    for (number, transfer) in outbox.transfers.sorted(by: { $0.key < $1.key }) {
      guard let name = transfer.transfer, !left.contains(name) else { continue }
      end(number, nil)
    }
  }

  private func end(
    _ number: UInt64, _ error: DeviceError?, acknowledge: (lane: String, seq: UInt64)? = nil
  ) {
    guard let transfer = outbox[number] else { return }
    guard !transfer.isCancelled else { return forget(number, transfer) }
    outbox[number] = nil
    link.ledger.end(name, transfer.kind, number, error.map { .failed($0) } ?? .delivered)
    tell(.didFinish(number, sent: transfer.sent, error), acknowledge: acknowledge)
  }

  private func note(_ kind: Ledger.Kind, _ payload: [UInt8], _ number: UInt64) {
    link.ledger.add(Ledger.Item(from: name, kind: kind, payload: payload), number)
  }

  func finished(_ members: Members) {
    let acknowledge = members.integer("seq").map { (lane: "outcome", seq: UInt64($0)) }
    let error = members.object("error").map(Self.error)
    let named = members.string("transfer").flatMap(outbox.number(of:))
    guard let number = named ?? members.integer("n").flatMap({ outbox.number(sentAs: UInt64($0)) })
    else {
      // Of one whose end is known.
      if let acknowledge {
        request("acknowledge", "\"lane\":\"outcome\",\"seq\":\(acknowledge.seq)")
      }
      return
    }
    end(number, error, acknowledge: acknowledge)
  }

  /// Takes a transfer back that has not been handed out.
  ///
  /// - Returns: whether it was taken back.
  package func cancel(_ number: UInt64) -> Bool {
    locked {
      // Whether it has been handed out is known once it was answered.
      if outbox[number]?.n != nil, outbox[number]?.transfer == nil { ping() }
      guard let transfer = outbox[number] else { return false }
      if let name = transfer.transfer { return takeBack(number, name) }
      guard transfer.n == nil else {
        // It may have come there: it is taken back once that is known.
        outbox[number]?.isCancelled = true
        return true
      }
      forget(number, transfer)
      return true
    }
  }

  /// What an unfinished transfer was made of.
  package func sent(_ number: UInt64) -> DeviceEvent.SentTransfer? {
    locked { outbox[number]?.sent }
  }

  /// The numbers of the transfers that have not ended, oldest first.
  package var outstanding: [UInt64] {
    locked {
      link.carryOut()
      return outbox.transfers.filter { !$0.value.isCancelled }.keys.sorted()
    }
  }
}

extension LinkDevice {
  /// Runs a body under the link's lock: a session's own tables are guarded by it too.
  package func perform<Result>(_ body: () throws -> Result) rethrows -> Result { try locked(body) }

  /// A message that cannot be sent is told as one that has failed.
  package func messageFailed(_ error: DeviceError) -> UInt64 {
    locked {
      outbox.lastMessage += 1
      note(.message, Array("{…}".utf8), outbox.lastMessage)
      outbox.awaiting[outbox.lastMessage] = true
      fail(outbox.lastMessage, error)
      return outbox.lastMessage
    }
  }

  /// The app has no method for a message that expects a reply.
  package func failMessage(_ message: DeviceEvent.MessageID) {
    locked { _ = request("reply", "\"re\":\(quoted(message.text)),\"code\":7014") }
  }

  /// A reply cannot be encoded: the sender is told 7011, as the relay refuses it.
  package func failReply(_ message: DeviceEvent.MessageID) {
    locked {
      _ = request("reply", "\"re\":\(quoted(message.text)),\"payload\":{\"unsupported\":null}")
    }
  }

  /// The folder that an app keeps for the active watch.
  package var watchDirectory: URL? { link.folder.appendingPathComponent("WatchDirectory") }
}
