package import Wire

/// What a device is handed, and what must hold of that.
extension LaneClient {
  /// Whether a delivery is to be processed: it is new in its lane.
  package func isNew(_ lane: String, _ line: Members, _ what: String) -> Bool {
    if Self.held.contains(lane), allowed != nil {
      allowed![lane, default: 0] -= 1
      if allowed![lane]! < 0 {
        checker.report(
          "I42", "held-delivered", "Something was delivered that was to be held back.",
          "The \(name) had said hold, and got \(what.isEmpty ? "a delivery" : what) in lane \(lane)."
        )
      }
    }
    let seq = note(lane, line, what)
    if seq <= told[lane] ?? 0 {
      checker.report(
        "I36", "processed-delivered", "Something was delivered that its receiver had said to have.",
        "The \(name) had activated with received \(told[lane] ?? 0) in lane \(lane), and got number \(seq)."
      )
    }
    guard seq > seqs[lane] ?? 0 else { return false }
    seqs[lane] = seq
    return true
  }

  /// Something was written to its connection, whether it reads that or not.
  ///
  /// - Returns: its number.
  @discardableResult
  func note(_ lane: String, _ line: Members, _ what: String) -> Int {
    let seq = Int(line.integer("seq") ?? 0)
    let place = "\(lane) \(seq)"
    if let before = seen[place] {
      if before != what {
        checker.report(
          "I36", "number-reused", "Two deliveries had the same number.",
          "Number \(seq) of lane \(lane) at the \(name) was two different things.")
      }
      if line.flag("redelivered") != true, lane != "file" {
        checker.report(
          "I36", "silent-redelivery", "A delivery came again and did not say so.",
          "Number \(seq) of lane \(lane) came to the \(name) again, not marked as redelivered.")
      }
    } else if seq <= seqs[lane] ?? 0 {
      checker.report(
        "I36", "number-late", "Something new came under a number below one that was processed.",
        "Number \(seq) of lane \(lane) came to the \(name) after number \(seqs[lane] ?? 0).")
    }
    if let last = last[lane], seq <= last, !hasBeenTerminated {
      checker.report(
        "I35", "numbers-fall", "A lane's numbers do not rise in one session.",
        "Number \(seq) of lane \(lane) came to the \(name) after number \(last).")
    }
    if checker.isAtRest {
      checker.report(
        "I37", "acknowledged-again", "What was acknowledged came again.",
        "The \(name) got number \(seq) of lane \(lane), and everything had been acknowledged.")
    }
    last[lane] = seq
    seen[place] = what
    refusals[lane]?.remove(seq)
    if let id = transfer(lane, seq) { handedOut(id, place) }
    return seq
  }

  /// The same of a transfer, wherever it came.
  private func handedOut(_ id: Int, _ place: String) {
    guard checker.transfers.indices.contains(id) else { return }
    checker.handedOut(id, to: name)
    let transfer = checker[id]
    if let before = places.updateValue(place, forKey: "\(id)"), before != place {
      checker.report(
        "I36", "renumbered", "A transfer that was handed out came again under another number.",
        "\(transfer.spelled) came to the \(name) as \(before), and as \(place).")
    }
    guard transfer.result == 0, let end = transfer.endedAt, end <= since else { return }
    checker.report(
      "I37", "acknowledged-again", "What was acknowledged came again.",
      "\(transfer.spelled) came to the \(name), and its sender had been told before that it arrived."
    )
  }

  /// The lane of a delivery and what it brings.
  func delivery(_ line: Members) -> (lane: String, what: String) {
    if line.string("type") == "didReceiveApplicationContext" {
      return ("context", line.object("payload")?.string("v") ?? "")
    }
    let lane = line.has("isCurrentComplicationInfo") ? "complication" : "userInfo"
    if let id = line.object("payload")?.integer("op") { return (lane, "\(id)") }
    // Those that are alike come in order.
    if let known = seen["\(lane) \(line.integer("seq") ?? 0)"] { return (lane, known) }
    let payload = line.raw("payload")
    let id = checker.transfers.first {
      [.userInfo, .complication].contains($0.kind) && $0.content == payload
        && places["\($0.id)"] == nil
    }?.id
    return (lane, id.map { "\($0)" } ?? "")
  }

  /// Takes note of a line that the server has written and the device never reads.
  package func missed(_ line: Members) {
    switch line.string("type") {
    case "didReceiveUserInfo", "didReceiveApplicationContext":
      let (lane, what) = delivery(line)
      note(lane, line, what)
    case "accepted":
      if let id = line.string("re").flatMap({ Self.number($0, after: "cancel") }) {
        checker.cancelled(id)
      }
    default: break
    }
  }

  /// The lanes of which a hold is checked; of a file the announcement and its pieces come apart.
  static let held = ["userInfo", "complication", "context", "outcome"]

  /// A user info that is new.
  func receive(_ what: String, _ lane: String, _ line: Members) {
    guard let id = Int(what), checker.transfers.indices.contains(id) else {
      return checker.report(
        "I36", "delivery-invented", "A user info came that nobody had sent.",
        "The \(name) got \(String(decoding: line.bytes, as: UTF8.self)).")
    }
    let payload = line.raw("payload")
    checker.delivered(
      id, to: name, isPhone: isPhone, lane, Int(line.integer("seq") ?? 0))
    if lane == "complication" { checker.complications.tagged(id) }
    let transfer = checker[id]
    if payload != self.payload(id) {
      checker.report(
        "I10", "payload-changed", "A payload came with other bytes than it was sent with.",
        "The \(name) got \(String(decoding: payload ?? [], as: UTF8.self)) of \(transfer.spelled), "
          + "sent as \(String(decoding: self.payload(id), as: UTF8.self)).")
    }
    guard transfer.number != nil, (transfer.kind == .userInfo) == (lane == "userInfo") else {
      return
    }
    let way = "\(transfer.sender) \(lane)"
    if id < lastOrder[way] ?? 0 {
      checker.report(
        "I35", "reordered", "User infos arrived in another order than they were sent.",
        "The \(name) got \(transfer.spelled) after a later one of the same device.")
    }
    lastOrder[way] = id
  }

  // MARK: Files

  func announce(_ line: Members) {
    let transfer = line.string("transfer") ?? ""
    checkAnnounced(line)
    let offset = Int(line.integer("offset") ?? 0)
    var bytes = downloads[transfer]?.bytes ?? []
    bytes.removeSubrange(min(offset, bytes.count)...)
    downloads[transfer] = (line.string("name") ?? "", bytes)
  }

  /// What a piece of a file has in it; nothing where it cannot be read, which the file then shows.
  func data(of line: Members) -> [UInt8] {
    guard let value = line.value("data"), value.kind == .string else { return [] }
    return line.bytes.withUnsafeBytes { (try? decodeBase64(value, $0, "data")) ?? [] }
  }

  func ingest(_ line: Members) {
    let transfer = line.string("transfer") ?? ""
    guard var download = downloads[transfer],
      line.integer("offset").map(Int.init) == download.bytes.count
    else {
      return checker.report(
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
    if download.bytes != checker[id].content {
      checker.report(
        "I36", "file-damaged", "A file arrived with other bytes than were sent.",
        "The \(name) got \(checker[id].spelled) with \(download.bytes.count) of its "
          + "\(checker[id].content.count) bytes, or others.")
    }
    checker.delivered(id, to: name, isPhone: isPhone, "file", Int(line.integer("seq") ?? 0))
    let way = "\(checker[id].sender) file"
    if let last = lastOrder[way], checker.isCompleted(id, before: last) {
      checker.report(
        "I35", "files-reordered", "Files arrived in another order than they were completed.",
        "The \(name) got \(checker[id].spelled) after \(checker[last].spelled).")
    }
    lastOrder[way] = id
  }
}
