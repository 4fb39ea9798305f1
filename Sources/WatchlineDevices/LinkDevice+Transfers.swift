package import Foundation
import Relay
import Wire

/// What an app hands over for certain, and what becomes of it.
extension LinkDevice {
  // MARK: Transfers

  /// - Returns: the transfer's number, with which its end is told.
  package func transferUserInfo(_ payload: [UInt8], isComplication: Bool) -> UInt64 {
    let type = isComplication ? Self.complication : Self.userInfo
    return locked {
      add(
        Outbox.Transfer(
          kind: isComplication ? .complication : .userInfo, shown: payload,
          members: type + payload,
          sent: .init(isComplication: isComplication, payload: payload)))
    }
  }

  private static let userInfo = Array(#"{"type":"transferUserInfo","payload":"#.utf8)
  private static let complication = Array(
    #"{"type":"transferCurrentComplicationUserInfo","payload":"#.utf8)

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
  package func transferFailed(_ kind: DeliveryHistory.Kind, _ shown: String, _ error: DeviceError)
    -> UInt64
  {
    locked {
      failed &+= 1
      let number = UInt64.max - failed
      link.history.end(note(kind, Array(shown.utf8)), .failed(error))
      tell(.didFinish(number, sent: nil, error))
      return number
    }
  }

  private func add(_ transfer: Outbox.Transfer) -> UInt64 {
    guard shown.activationState == 2 else {
      return transferFailed(
        transfer.kind, String(decoding: transfer.shown, as: UTF8.self),
        shown.activationState == 1 ? Self.inactive : Self.notActivated)
    }
    if transfer.kind == .complication {
      // Of those that wait here only the newest is the current one; of those that were sent the relay says so.
      for (older, other) in outbox.transfers where other.n == nil { untag(older) }
    }
    outbox.last += 1
    let number = outbox.last
    outbox[number] = transfer
    store?.add(number, transfer)
    transfer.place = note(transfer.kind, transfer.shown)
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
    let isNew = transfer.n == nil
    let n = outbox.send(number)
    if isNew { store?.note(number, n: n) }
    var line = transfer.members
    line.append(",\"n\":" as StaticString)
    line.append(decimal: n)
    guard transfer.kind != .file else {
      if let answer = request(line) { answered(number, answer) }
      return
    }
    acknowledge()
    link.post(line, id: "t", number, from: self)
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
    outbox.accepted(number, as: name)
    store?.note(number, name: name)
    guard !transfer.isCancelled else {
      takeBack(number, name)
      return
    }
    if answer.members.flag("isCurrentComplicationInfo") == false { untag(number) }
    if transfer.kind == .file {
      upload(transfer.contents, name, from: answer.members.count("offset") ?? 0)
    }
  }

  /// A complication transfer goes as ordinary user info: a newer one took its place, or the day's budget is used up.
  func untag(_ number: UInt64) {
    guard let transfer = outbox[number], transfer.sent.isComplication else { return }
    transfer.sent.isComplication = false
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
    link.history.end(transfer.place, .cancelled)
  }

  private func upload(_ contents: Data, _ transfer: String, from offset: UInt64) {
    let size = 48 << 10
    // A file without content needs no piece.
    for start in stride(from: Int(offset), to: contents.count, by: size) {
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
    guard let answer, answer.error == nil, let offset = answer.members.count("offset") else {
      return
    }
    upload(transfer.contents, name, from: offset)
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
    _ number: UInt64, _ error: DeviceError?, acknowledge: (lane: LaneName, seq: UInt64)? = nil
  ) {
    guard let transfer = outbox[number] else { return }
    guard !transfer.isCancelled else { return forget(number, transfer) }
    outbox[number] = nil
    link.history.end(transfer.place, error.map { .failed($0) } ?? .delivered)
    tell(.didFinish(number, sent: transfer.sent, error), acknowledge: acknowledge)
  }

  func note(_ kind: DeliveryHistory.Kind, _ payload: [UInt8]) -> DeliveryHistory.Place {
    link.history.add(DeliveryHistory.Item(from: name, kind: kind, payload: payload))
  }

  func finished(_ members: Members) {
    let acknowledge = members.count("seq").map { (lane: LaneName.outcome, seq: $0) }
    let error = members.object("error").map(Self.error)
    let named = members.string("transfer").flatMap(outbox.number(of:))
    guard let number = named ?? members.count("n").flatMap({ outbox.number(sentAs: $0) })
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
      // Whether it can be taken back is known once it was answered, which waits for a commit.
      if outbox[number]?.n != nil, outbox[number]?.transfer == nil { _ = state() }
      guard let transfer = outbox[number] else { return false }
      if let name = transfer.transfer { return takeBack(number, name) }
      guard transfer.n == nil else {
        // It may have come there: it is taken back once that is known.
        transfer.isCancelled = true
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
