/// What the devices of a run have asked of the lanes and what became of it, and what must hold of
/// that; in the sense of a total queue, in which everything that was put in comes out once.
final class LaneLedger {
  /// - `records`: whole records for the hub, which has received what it accepts.
  enum Kind { case userInfo, complication, file, records }

  struct Transfer {
    let id: Int
    let sender: String
    let kind: Kind
    /// The sender's `n`.
    let number: Int
    /// A file's bytes; of records the payload.
    var content: [UInt8] = []
    /// The server's name for it.
    var name: String?
    var isAccepted = false
    var isCancelled = false
    var mayBeCancelled = false
    /// Its sender's storage is gone.
    var isForgotten = false
    /// Codes with which a receiver may have refused it.
    var refusals: Set<Int> = []
    var deliveries = 0
    /// Its sender lost a connection on which it may have been told the end, unknown to the server.
    var mayHaveBeenTold = false
    /// Its sender was told that it may have missed an end, has asked, and it was not outstanding.
    var isKnownOver = false
    /// The code of `didFinish…`, 0 for success; nil while it has not come.
    var result: Int?
    /// Whom its sender's sessions were attached to when it was asked for; nil where that is not known.
    var receivers: Set<String>? = []
    var isFromPhone = false
    /// How often it was asked for, and how often its sender was answered or told the end.
    var asked = 0
    var told = 0

    var spelled: String {
      switch kind {
      case .userInfo: "user info \(number) of the \(sender)"
      case .complication: "complication user info \(number) of the \(sender)"
      case .file: "file \(number) of the \(sender)"
      case .records: "record payload \(number) of the \(sender)"
      }
    }
  }

  private(set) var transfers: [Transfer] = []
  var messages = MessageLedger()
  /// Something between the devices and the server may send lines twice.
  var mayRepeat = false { didSet { messages.mayRepeat = mayRepeat } }
  var complications = ComplicationLedger()
  /// By context, the watches that a phone's sessions were attached to when they set it.
  var contextReceivers: [String: Set<String>] = [:]
  /// By sender, the context that it set last.
  var lastContext: [String: String] = [:]
  /// How many devices may each have a context for the phone.
  var watches = 1
  /// What was found wrong, in order.
  private var ownFindings: [Finding] = []
  var findings: [Finding] { ownFindings + messages.findings + complications.findings }

  subscript(id: Int) -> Transfer {
    get { transfers[id] }
    set { transfers[id] = newValue }
  }

  func add(_ kind: Kind, from sender: String, number: Int, content: [UInt8] = []) -> Int {
    transfers.append(
      Transfer(
        id: transfers.count, sender: sender, kind: kind, number: number, content: content))
    return transfers.count - 1
  }

  func report(_ invariant: String, _ slug: String, _ headline: String, _ story: String...) {
    ownFindings.append(
      Finding(invariant: invariant, slug: slug, headline: headline, story: story))
  }

  func accepted(_ id: Int) {
    transfers[id].isAccepted = true
    if transfers[id].kind == .records { transfers[id].deliveries = 1 }
  }

  /// A device has lost its storage, and with it what it knew of its transfers.
  func forget(_ sender: String) {
    for index in transfers.indices where transfers[index].sender == sender {
      transfers[index].isForgotten = true
      // The end that it has not acknowledged is told to it as to a new device.
      transfers[index].asked += 1
    }
  }

  /// A sender has asked what is outstanding.
  ///
  /// - Parameter outstanding: the transfers that are, by the server's names.
  func asked(_ sender: String, outstanding: Set<String>) {
    for index in transfers.indices
    where transfers[index].sender == sender && transfers[index].isAccepted {
      guard let name = transfers[index].name, !outstanding.contains(name) else { continue }
      transfers[index].isKnownOver = true
    }
  }

  /// A device has lost its connection to what the server takes for it: something between the two may
  /// have confirmed what the device never read.
  func noteLoss(_ sender: String) {
    for index in transfers.indices
    where transfers[index].sender == sender && transfers[index].result == nil
      && transfers[index].deliveries > 0
    {
      transfers[index].mayHaveBeenTold = true
    }
  }

  /// A sender hears the end of each transfer that arrived, or that it has to ask.
  func checkTold(_ sender: String) {
    let untold = transfers.first {
      $0.sender == sender && $0.isAccepted && !$0.isForgotten && $0.deliveries > 0
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
  func asked(_ id: Int, isPhone: Bool, attached watch: String?) {
    transfers[id].asked += 1
    transfers[id].isFromPhone = isPhone
    if transfers[id].kind == .complication { complications.asked(id, watch) }
    guard isPhone, let watch else { return transfers[id].receivers = nil }
    transfers[id].receivers?.insert(watch)
  }

  /// Each request has one answer, and each transfer one end (clauses 5.3 and 5.4).
  func told(_ id: Int) {
    transfers[id].told += 1
    let transfer = transfers[id]
    guard transfer.told > transfer.asked + 1, !mayRepeat else { return }
    report(
      "I36", "told-twice", "A sender is told of one transfer more often than it can be.",
      "Of \(transfer.spelled), asked for \(transfer.asked) times, the \(transfer.sender) has been told "
        + "\(transfer.told) times.")
  }

  func delivered(_ id: Int, to receiver: String, isPhone: Bool) {
    transfers[id].deliveries += 1
    let transfer = transfers[id]
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
    if transfer.isCancelled {
      report(
        "I40", "cancelled-delivered", "A transfer that was cancelled arrived all the same.",
        "The server had told the \(transfer.sender) that \(transfer.spelled) is cancelled; "
          + "then the \(receiver) got it.")
    }
  }

  func cancelled(_ id: Int) {
    transfers[id].isCancelled = true
    if transfers[id].deliveries > 0 {
      report(
        "I40", "cancelled-delivered", "A transfer that had arrived was said to be cancelled.",
        "The \(transfers[id].sender) was told that \(transfers[id].spelled) is cancelled, and it "
          + "had been delivered.")
    }
  }

  /// `didFinish…` came, or an answer that says the same; every one says the same of a transfer.
  func finished(_ id: Int, code: Int) {
    let transfer = transfers[id]
    if let result = transfer.result, result != code {
      report(
        "I36", "two-outcomes", "A transfer ended in two ways.",
        "\(transfer.spelled) finished with \(result), and later with \(code).")
    }
    transfers[id].result = code
    switch code {
    case 0:
      if transfer.deliveries != 1 {
        report(
          "I36", "finished-undelivered", "A transfer was reported as delivered and was not.",
          "The \(transfer.sender) was told that \(transfer.spelled) has been received; it was "
            + "delivered \(transfer.deliveries) times.")
      }
    case 7014 where transfer.mayBeCancelled: break
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
  func check() {
    for transfer in transfers where transfer.isAccepted && !transfer.isForgotten {
      if transfer.deliveries == 0, !transfer.mayBeCancelled, transfer.result ?? 0 == 0 {
        report(
          "I36", "lost-transfer", "A transfer that was accepted never arrived.",
          "The \(transfer.sender) was told that \(transfer.spelled) is accepted; when everything "
            + "had been sent and read, nobody had got it.")
      } else if transfer.result == nil {
        report(
          "I42", "never-finished", "A transfer never finished.",
          "\(transfer.spelled) was accepted, and its sender was never told what became of it.")
      }
    }
  }
}
