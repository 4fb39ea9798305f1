internal import Wire

/// What a phone and a watch have sent, been told and got, and what is wrong with it: lost,
/// duplicated, unexpected or reordered (the verdicts of a total queue; Kingsbury, "Jepsen", 2013).
///
/// It knows the protocol and nothing of how a server does it.
struct QueueLedger {
  struct Fault {
    var invariant: String
    var slug: String
    var headline: String

    init(_ invariant: String, _ slug: String, _ headline: String) {
      self.invariant = invariant
      self.slug = slug
      self.headline = headline
    }
  }

  private struct Transfer {
    var isComplication: Bool
    /// Its payload is that of others.
    var isAnonymous = false
    var isTold = false
    /// How often it was sent, and how often it was told to have ended.
    var sent = 0
    var finished = 0
    var isCancelled = false
    var isCancelUnanswered = false
    /// Where it was handed out.
    var lane: String?
    var seq: Int64 = 0
    /// On which of the watch's connections, the last time.
    var connection = 0
    var effects = 0
  }

  private var transfers: [Transfer] = []
  /// Of each context whether it was told to be accepted.
  private var contexts: [Bool] = []
  private var shownContexts: [Int] = []
  /// What the phone wants to send and could not.
  private var waiting: [QueueScript.Step] = []

  private var store: String?
  /// What the watch has processed, by lane; written together with the effect.
  private var processed: [String: Int64] = [:]
  /// What it was delivered on this connection, by lane.
  private var delivered: [String: Int64] = [:]
  private var connection = 0
  /// In the order in which their effects took place.
  private var effects: [Int] = []
  private var seqs: [String: [Int64: Int]] = [:]
  private var contextsHandedOut: [Int: Int] = [:]
  private var outcomes: Set<Int64> = []

  /// Everything is acknowledged and told: nothing may come any more.
  var isAtRest = false

  // MARK: The phone

  mutating func keep(_ step: QueueScript.Step) { waiting.append(step) }

  /// The line of a new request.
  mutating func request(_ step: QueueScript.Step) -> String {
    switch step {
    case .transfer(let isComplication):
      transfers.append(Transfer(isComplication: isComplication))
      return line(transfer: transfers.count)
    case .same:
      transfers.append(Transfer(isComplication: false, isAnonymous: true))
      return line(transfer: transfers.count)
    case .context:
      contexts.append(false)
      return
        "updateApplicationContext payload=\(Self.context(contexts.count)) id=c\(contexts.count)"
    case .cancel(let number):
      if number <= transfers.count { transfers[number - 1].isCancelUnanswered = true }
      return "cancelTransfer transfer=phone:0.\(number) id=x\(number)"
    case .acknowledge, .refuse, .leave, .come:
      preconditionFailure("\(step) is no request of the phone's")
    }
  }

  private mutating func line(transfer number: Int) -> String {
    transfers[number - 1].sent += 1
    let word =
      transfers[number - 1].isComplication
      ? "transferCurrentComplicationUserInfo" : "transferUserInfo"
    return "\(word) payload=\(payload(number)) n=\(number) id=t\(number)"
  }

  private func payload(_ number: Int) -> String {
    #"{"item":"item-\#(transfers[number - 1].isAnonymous ? 0 : number)"}"#
  }

  private static func context(_ number: Int) -> String { #"{"context":"context-\#(number)"}"# }

  /// What is sent again after an activation: transfers not told to be accepted, and the newest
  /// context where that was not; then what could not be sent before.
  var unaccepted: [String] {
    mutating get {
      var lines = transfers.indices.filter { !transfers[$0].isTold }.map { line(transfer: $0 + 1) }
      if contexts.last == false {
        lines.append(
          "updateApplicationContext payload=\(Self.context(contexts.count)) id=c\(contexts.count)")
      }
      return lines + kept()
    }
  }

  mutating func kept() -> [String] {
    defer { waiting = [] }
    return waiting.map { request($0) }
  }

  mutating func phoneGets(_ type: String, _ members: Members, isRead: Bool) -> [Fault] {
    let id = members.string("re") ?? ""
    let number = Int(id.dropFirst()) ?? 0
    switch (type, id.first) {
    case ("accepted", "t") where isRead: transfers[number - 1].isTold = true
    case ("accepted", "c") where isRead: contexts[number - 1] = true
    case ("accepted", "x"):
      transfers[number - 1].isCancelled = true
      transfers[number - 1].isCancelUnanswered = false
      if transfers[number - 1].lane != nil {
        return [
          Fault(
            "I40", "cancelled-delivered",
            "A transfer was handed out, and cancelling it is answered as done.")
        ]
      }
    case ("error", "x"):
      guard isRead else { return [] }
      transfers[number - 1].isCancelUnanswered = false
      let isKnown = transfers[number - 1].effects > 0 || transfers[number - 1].isCancelled
      switch members.integer("code") {
      case 4009 where !transfers[number - 1].isCancelled: return []
      // A transfer that the server has never got, or that has ended.
      case 4006 where isKnown || !transfers[number - 1].isTold: return []
      default:
        return [
          Fault(
            "I40", "cancel-answer",
            "Cancelling a transfer that waits is answered with \(members.integer("code") ?? 0).")
        ]
      }
    case ("error", _) where members.flag("definite") != false:
      return [
        Fault(
          "I36", "refused", "A request by the rules is refused: \(members.string("message") ?? "")."
        )
      ]
    case ("didFinishUserInfoTransfer", _): return finished(members, isRead: isRead)
    case ("outstandingTransfers", _):
      if members.integer("count") != 0 {
        return [
          Fault(
            "I42", "outstanding", "Everything is acknowledged, and a transfer is still outstanding."
          )
        ]
      }
    default: break
    }
    return []
  }

  private mutating func finished(_ members: Members, isRead: Bool) -> [Fault] {
    guard isRead else { return [] }
    if isAtRest, members.integer("seq") != nil {
      return [Fault("I36", "outcome-again", "A transfer's end was acknowledged and is told again.")]
    }
    if let seq = members.integer("seq"), !outcomes.insert(seq).inserted { return [] }
    guard let number = members.integer("n").map({ Int($0) }), transfers.indices.contains(number - 1)
    else { return [Fault("I36", "unexpected-end", "A transfer ends that was never sent.")] }
    transfers[number - 1].finished += 1
    // A request that is sent again after the end is answered with the end.
    transfers[number - 1].isTold = true
    var faults: [Fault] = []
    if transfers[number - 1].effects == 0, !transfers[number - 1].isCancelled,
      !transfers[number - 1].isCancelUnanswered
    {
      faults.append(
        Fault(
          "I36", "finished-undelivered",
          "A transfer is told to be finished and has not been delivered."))
    }
    return faults
  }

  // MARK: The watch

  var watchActivation: String {
    mutating get {
      connection += 1
      delivered = [:]
      guard let store else { return "activate pair=demo role=watch" }
      let received = processed.keys.sorted().map { #""\#($0)":\#(processed[$0]!)"# }
      return #"{"type":"activate","pair":"demo","role":"watch","store":"\#(store)","received":{"#
        + received.joined(separator: ",") + "}}"
    }
  }

  mutating func watchCame(store: String) { self.store = store }

  var lanesDelivered: [String] { delivered.keys.sorted() }

  mutating func watchGets(
    _ type: String, _ members: Members, isRead: Bool, isOnDisk: (String) -> Bool
  ) -> [Fault] {
    switch type {
    case "didReceiveUserInfo", "didReceiveApplicationContext": break
    case "error":
      return [Fault("I36", "refused", "The watch is refused: \(members.string("message") ?? "").")]
    default: return []
    }
    let seq = members.integer("seq") ?? 0
    let isContext = type == "didReceiveApplicationContext"
    let isCurrent = members.flag("isCurrentComplicationInfo") == true
    let lane = isContext ? "context" : isCurrent ? "complication" : "userInfo"
    let text = members.object("payload")?.string(isContext ? "context" : "item") ?? ""
    guard let named = text.split(separator: "-").last.flatMap({ Int($0) }) else {
      return [Fault("I36", "unexpected", "The watch gets what nobody sent.")]
    }
    let number = named == 0 ? anonymous(seq) : named
    guard
      isContext ? contexts.indices.contains(number - 1) : transfers.indices.contains(number - 1)
    else { return [Fault("I36", "unexpected", "The watch gets what nobody sent.")] }
    var faults: [Fault] = []
    if isAtRest {
      faults.append(
        Fault(
          "I37", "acknowledged-again", "What the watch had acknowledged comes again after a crash.")
      )
    }
    if !isOnDisk(isContext ? Self.context(number) : payload(number)) {
      faults.append(
        Fault(
          "I37", "before-commit", "The watch gets something that is not on the server's disk yet."))
    }
    if let other = seqs[lane, default: [:]].updateValue(number, forKey: seq), other != number {
      faults.append(
        Fault("I36", "number-reused", "Two different deliveries of one lane have the same number."))
    }
    if let last = delivered[lane], seq <= last {
      faults.append(Fault("I35", "numbers-fall", "A lane's numbers do not rise on one connection."))
    }
    let isAgain =
      isContext
      ? (contextsHandedOut[number] ?? connection) < connection
      : transfers[number - 1].lane != nil && transfers[number - 1].connection < connection
    if isAgain, members.flag("redelivered") != true {
      faults.append(
        Fault(
          "I36", "redelivered-unsaid",
          "Something that was handed out before comes again and does not say so."))
    }
    if isContext {
      contextsHandedOut[number] = connection
    } else {
      let known = transfers[number - 1]
      if let before = known.lane, before != lane || known.seq != seq {
        faults.append(
          Fault(
            "I36", "renumbered", "A transfer that was handed out comes again under another number.")
        )
      }
      transfers[number - 1].lane = lane
      transfers[number - 1].seq = seq
      transfers[number - 1].connection = connection
    }
    guard isRead else { return faults }
    delivered[lane] = seq
    guard seq > processed[lane, default: 0] else { return faults }
    processed[lane] = seq
    return faults + (isContext ? shows(number) : takes(number))
  }

  /// Which of the transfers with equal payloads a delivery is: they come in order.
  private func anonymous(_ seq: Int64) -> Int {
    seqs["userInfo"]?[seq] ?? (seqs["userInfo"]?.values.max() ?? 0) + 1
  }

  /// The line that refuses the last user info of this connection; nil where there was none.
  var refusal: String? {
    delivered["userInfo"].map { "refuse lane=userInfo seq=\($0) code=7015" }
  }

  private mutating func shows(_ number: Int) -> [Fault] {
    defer { shownContexts.append(number) }
    if let last = shownContexts.last, last >= number {
      return [
        Fault("I38", "older-context", "An older application context comes after a newer one.")
      ]
    }
    return []
  }

  private mutating func takes(_ number: Int) -> [Fault] {
    transfers[number - 1].effects += 1
    effects.append(number)
    var faults: [Fault] = []
    if transfers[number - 1].effects > 1 {
      faults.append(Fault("I36", "duplicated", "A transfer takes effect twice."))
    }
    if transfers[number - 1].isCancelled {
      faults.append(Fault("I40", "cancelled-delivered", "A cancelled transfer is delivered."))
    }
    let isLate = effects.dropLast().contains {
      $0 > number && !transfers[$0 - 1].isComplication && !transfers[number - 1].isComplication
    }
    if isLate {
      faults.append(
        Fault("I35", "reordered", "Two transfers arrive in another order than they were sent."))
    }
    return faults
  }

  // MARK: The end

  func endFaults() -> [Fault] {
    var faults: [Fault] = []
    for transfer in transfers where transfer.effects == 0 {
      if transfer.isCancelled || transfer.isCancelUnanswered { continue }
      faults.append(Fault("I36", "lost", "A transfer that was sent is never delivered."))
    }
    if transfers.contains(where: { !$0.isTold && !$0.isCancelled && !$0.isCancelUnanswered }) {
      faults.append(Fault("I42", "unanswered", "A transfer is never answered."))
    }
    if transfers.contains(where: { $0.finished > $0.sent }) {
      faults.append(Fault("I36", "finished-twice", "A transfer is told to be finished twice."))
    }
    if !contexts.isEmpty, shownContexts.last != contexts.count {
      faults.append(
        Fault("I38", "context-lost", "The watch does not end with the newest application context."))
    }
    return faults
  }
}
