/// What the devices of a run have asked of the lanes and what became of it, and what must hold of
/// that; in the sense of a total queue, in which everything that was put in comes out once (Kingsbury,
/// "Jepsen", 2013).
package final class DeliveryChecker {
  /// - `records`: whole records for the hub, which has received what it accepts.
  package enum Kind: Sendable { case userInfo, complication, file, records }

  package struct Transfer {
    package let id: Int
    package let sender: String
    package let kind: Kind
    /// The sender's `n`; nil for a transfer without, which nobody asks for again.
    package let number: Int?
    /// A file's bytes; of records the payload.
    package var content: [UInt8] = []
    /// Of a file: the digest that was announced is another one's.
    package var hasWrongDigest = false
    /// The server's name for it.
    package var name: String?
    package var isAccepted = false
    /// It was said that certainly nothing was done; of a transfer without a number.
    package var isRefused = false
    package var isCancelled = false
    package var mayBeCancelled = false
    /// Its sender's storage is gone.
    package var isForgotten = false
    /// Codes with which a receiver may have refused it.
    package var refusals: Set<Int> = []
    package var deliveries = 0
    /// It was written to a connection, whether that was read or not.
    package var isHandedOut = false
    /// Under which number it was processed, and by whom.
    fileprivate(set) package var place: (receiver: String, lane: String, seq: Int)?
    /// The how manyth end of the run this one was.
    fileprivate(set) package var endedAt: Int?
    /// Of a file: the how manyth it was whose last piece was sent; nil where it was sent more than once.
    fileprivate var completedAt: Int?
    fileprivate var completions = 0
    /// Its sender lost a connection on which it may have been told the end, unknown to the server.
    package var mayHaveBeenTold = false
    /// Its sender was told that it may have missed an end, has asked, and it was not outstanding.
    package var isKnownOver = false
    /// The code of `didFinish…`, 0 for success; nil while it has not come.
    package var result: Int?
    /// Whom its sender's sessions were attached to when it was asked for; nil where that is not known.
    package var receivers: Set<String>? = []
    package var isFromPhone = false
    /// How often it was asked for, and how often its sender was answered or told the end.
    package var asked = 0
    package var told = 0

    /// Whether its sender knows what became of its request, or asks again.
    package var isKnown: Bool { number != nil || isAccepted || isRefused || isForgotten }

    package var spelled: String {
      let what =
        switch kind {
        case .userInfo: "user info"
        case .complication: "complication user info"
        case .file: "file"
        case .records: "record payload"
        }
      return "\(what) \(number.map { "\($0)" } ?? "without a number (\(id))") of the \(sender)"
    }
  }

  package private(set) var transfers: [Transfer] = []
  package var messages = MessageChecker()
  /// Something between the devices and the server may send lines twice.
  package var mayRepeat = false { didSet { messages.mayRepeat = mayRepeat } }
  package var complications = ComplicationChecker()
  /// By context, the watches that a phone's sessions were attached to when they set it.
  package var contextReceivers: [String: Set<String>] = [:]
  /// By sender, the context that it set last.
  package var lastContext: [String: String] { contexts.compactMapValues(\.last) }
  /// By sender, the contexts that it has sent, also those that it sent again.
  private var contexts: [String: [String]] = [:]
  /// By receiver and lane, up to where it has said to have processed.
  private var acknowledged: [String: Int] = [:]
  /// Who has the server acknowledge for them.
  package var automatic: Set<String> = []
  /// How many ends were told.
  package private(set) var ends = 0
  private var completions = 0
  /// Nothing goes wrong but connections and the server: every request by the rules is served.
  package var isTroubleFree = false
  /// Everything is acknowledged and told: nothing may come any more.
  package var isAtRest = false
  /// How many devices may each have a context for the phone.
  package var watches = 1
  /// What was found wrong, in order.
  private var own: [Violation] = []
  package var violations: [Violation] { own + messages.violations + complications.violations }

  package subscript(id: Int) -> Transfer {
    get { transfers[id] }
    set { transfers[id] = newValue }
  }

  package init() {}

  package func add(
    _ kind: Kind, from sender: String, number: Int?, content: [UInt8] = []
  ) -> Int {
    transfers.append(
      Transfer(
        id: transfers.count, sender: sender, kind: kind, number: number, content: content))
    return transfers.count - 1
  }

  package func report(_ invariant: String, _ slug: String, _ headline: String, _ story: String...) {
    own.append(
      Violation(invariant: invariant, slug: slug, headline: headline, story: story))
  }

  package func accepted(_ id: Int) {
    transfers[id].isAccepted = true
    if transfers[id].kind == .records { transfers[id].deliveries = 1 }
  }

  /// It was said that certainly nothing was done.
  package func refused(_ id: Int) { transfers[id].isRefused = true }

  /// The last piece of a file is sent.
  package func completed(_ id: Int) {
    completions += 1
    transfers[id].completions += 1
    transfers[id].completedAt = transfers[id].completions == 1 ? completions : nil
  }

  /// Whether the last piece of a file was sent before another one's, as far as that is known.
  package func isCompleted(_ id: Int, before other: Int) -> Bool {
    guard let one = transfers[id].completedAt, let two = transfers[other].completedAt else {
      return false
    }
    return one < two
  }

  /// A device says that it has processed a lane up to a number.
  package func acknowledged(_ receiver: String, _ lane: String, through seq: Int) {
    let place = "\(receiver) \(lane)"
    acknowledged[place] = max(acknowledged[place] ?? 0, seq)
  }

  /// The highest number of a sender's that was accepted; 0 where none was.
  package func lastAccepted(by sender: String) -> Int {
    transfers.reduce(0) {
      $1.sender == sender && $1.isAccepted ? max($0, $1.number ?? 0) : $0
    }
  }

  // MARK: Contexts

  package func sends(context value: String, from sender: String) {
    contexts[sender, default: []].append(value)
  }

  /// A context comes to somebody who has had `previous` of that sender.
  package func received(
    context value: String, from sender: String, to receiver: String, after previous: String?
  ) {
    guard let sent = contexts[sender], let last = sent.lastIndex(of: value) else {
      return report(
        "I38", "context-invented", "A context came that nobody had set.",
        "The \(receiver) got \(value) of the \(sender).")
    }
    guard !mayRepeat, let previous, let first = sent.firstIndex(of: previous), last < first else {
      return
    }
    report(
      "I38", "older-context", "An older application context came after a newer one.",
      "The \(receiver) got \(value) of the \(sender) after \(previous).")
  }

  // MARK: Transfers

  /// A device has lost its storage, and with it what it knew of its transfers.
  package func forget(_ sender: String) {
    for index in transfers.indices where transfers[index].sender == sender {
      transfers[index].isForgotten = true
      // The end that it has not acknowledged is told to it as to a new device.
      transfers[index].asked += 1
    }
  }

  /// A sender has asked what is outstanding.
  ///
  /// - Parameter outstanding: the transfers that are, by the server's names.
  package func asked(_ sender: String, outstanding: Set<String>) {
    for index in transfers.indices
    where transfers[index].sender == sender && transfers[index].isAccepted {
      guard let name = transfers[index].name, !outstanding.contains(name) else { continue }
      transfers[index].isKnownOver = true
    }
  }

  /// A device has lost its connection to what the server takes for it: something between the two may
  /// have confirmed what the device never read.
  package func noteLoss(_ sender: String) {
    for index in transfers.indices
    where transfers[index].sender == sender && transfers[index].result == nil
      && transfers[index].deliveries > 0
    {
      transfers[index].mayHaveBeenTold = true
    }
  }

  /// A sender hears the end of each transfer that arrived, or that it has to ask.
  package func checkTold(_ sender: String) {
    let untold = transfers.first {
      $0.sender == sender && $0.number != nil && $0.isAccepted && !$0.isForgotten
        && $0.deliveries > 0
        && $0.result == nil && !$0.mayBeCancelled && !$0.isKnownOver && !$0.mayHaveBeenTold
    }
    guard let untold else { return }
    report(
      "I42", "end-not-told", "A sender is not told that its transfer has arrived.",
      "\(untold.spelled) was delivered and acknowledged; the \(sender) has been connected since, "
        + "was not told that it may have missed anything, and would have to ask.")
  }

  /// A request is sent, once more perhaps.
  ///
  /// - Parameter watch: whom the phone's session is attached to, of a phone.
  package func asked(_ id: Int, isPhone: Bool, attached watch: String?) {
    transfers[id].asked += 1
    transfers[id].isFromPhone = isPhone
    if transfers[id].kind == .complication { complications.asked(id, watch) }
    guard isPhone, let watch else { return transfers[id].receivers = nil }
    transfers[id].receivers?.insert(watch)
  }

  /// Each request has one answer, and each transfer one end (clauses 5.3 and 5.4).
  package func told(_ id: Int) {
    transfers[id].told += 1
    let transfer = transfers[id]
    guard transfer.told > transfer.asked + 1, !mayRepeat else { return }
    report(
      "I36", "told-twice", "A sender is told of one transfer more often than it can be.",
      "Of \(transfer.spelled), asked for \(transfer.asked) times, the \(transfer.sender) has been told "
        + "\(transfer.told) times.")
  }

  /// Something is written to a connection of its receiver's.
  package func handedOut(_ id: Int, to receiver: String) {
    transfers[id].isHandedOut = true
    guard transfers[id].isCancelled else { return }
    report(
      "I40", "cancelled-delivered", "A transfer that was cancelled arrived all the same.",
      "The server had told the \(transfers[id].sender) that \(transfers[id].spelled) is cancelled; "
        + "then the \(receiver) got it.")
  }

  /// A receiver has processed something that was handed out.
  package func delivered(
    _ id: Int, to receiver: String, isPhone: Bool, _ lane: String, _ seq: Int
  ) {
    transfers[id].deliveries += 1
    transfers[id].place = (receiver, lane, seq)
    let transfer = transfers[id]
    let isOfLane =
      switch transfer.kind {
      case .userInfo: lane == "userInfo"
      // One that a newer one has untagged.
      case .complication: lane != "file"
      case .file: lane == "file"
      case .records: false
      }
    if !isOfLane {
      report(
        "I36", "wrong-lane", "A transfer came in another lane than it was sent in.",
        "The \(receiver) got \(transfer.spelled) in lane \(lane).")
    }
    let isMeant = transfer.receivers?.contains(receiver) ?? true
    if !isMeant || isPhone == transfer.isFromPhone {
      let receivers = transfer.receivers?.sorted().joined(separator: " or ") ?? "other one"
      report(
        "I41", "wrong-watch", "A transfer came to somebody else than it was for.",
        "\(transfer.spelled) was for the \(receivers), and the \(receiver) got it.")
    }
    if transfer.deliveries > 1 {
      report(
        "I36", "delivered-twice", "A transfer was delivered twice.",
        "The \(receiver) got \(transfer.spelled) under two numbers.")
    }
    if transfer.isRefused {
      report(
        "I36", "refused-delivered", "A transfer was delivered that certainly was not accepted.",
        "The \(transfer.sender) was told so of \(transfer.spelled), and the \(receiver) got it.")
    }
  }

  package func cancelled(_ id: Int) {
    transfers[id].isCancelled = true
    if transfers[id].isHandedOut {
      report(
        "I40", "cancelled-delivered", "A transfer that had arrived was said to be cancelled.",
        "The \(transfers[id].sender) was told that \(transfers[id].spelled) is cancelled, and it "
          + "had been delivered.")
    }
  }

  /// `didFinish…` came, or an answer that says the same; every one says the same of a transfer.
  package func finished(_ id: Int, code: Int) {
    let transfer = transfers[id]
    if let result = transfer.result, result != code {
      report(
        "I36", "two-outcomes", "A transfer ended in two ways.",
        "\(transfer.spelled) finished with \(result), and later with \(code).")
    }
    transfers[id].result = code
    if transfer.endedAt == nil {
      ends += 1
      transfers[id].endedAt = ends
    }
    switch code {
    case 0:
      if transfer.deliveries != 1 {
        report(
          "I36", "finished-undelivered", "A transfer was reported as delivered and was not.",
          "The \(transfer.sender) was told that \(transfer.spelled) has been received; it was "
            + "delivered \(transfer.deliveries) times.")
      } else if let (receiver, lane, seq) = transfer.place, !automatic.contains(receiver),
        seq > acknowledged["\(receiver) \(lane)"] ?? 0
      {
        report(
          "I36", "finished-unacknowledged",
          "A transfer was reported as received before its receiver had said so.",
          "The \(transfer.sender) was told so of \(transfer.spelled), number \(seq) in lane \(lane) "
            + "of the \(receiver), which has not acknowledged it.")
      }
    case 7014 where transfer.mayBeCancelled || transfer.hasWrongDigest: break
    // An upload that was left lying.
    case 7017 where transfer.kind == .file && transfer.deliveries == 0: break
    default:
      if !transfer.refusals.contains(code) {
        report(
          "I36", "failed-for-nothing", "A transfer failed for no reason.",
          "\(transfer.spelled) finished with error \(code); nobody refused or cancelled it.")
      }
    }
  }

  /// What must hold once all is drained.
  package func check() {
    for transfer in transfers where transfer.isAccepted && !transfer.isForgotten {
      let mayFail = transfer.mayBeCancelled || transfer.hasWrongDigest
      if transfer.deliveries == 0, !mayFail, transfer.result ?? 0 == 0 {
        report(
          "I36", "lost-transfer", "A transfer that was accepted never arrived.",
          "The \(transfer.sender) was told that \(transfer.spelled) is accepted; when everything "
            + "had been sent and read, nobody had got it.")
      } else if transfer.number != nil, transfer.result == nil {
        report(
          "I42", "never-finished", "A transfer never finished.",
          "\(transfer.spelled) was accepted, and its sender was never told what became of it.")
      }
    }
  }
}
