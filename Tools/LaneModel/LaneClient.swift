package import Wire

/// A device's side of the lanes, as a careful program would be one: it keeps its numbers, remembers
/// the last seq of each lane together with what it did, and asks again by `n` what was not answered.
///
/// Lines in, lines out. Everything but the session is its storage, written with each step.
package final class LaneClient {
  package enum Session { case none, asked, activated, inactive }

  package let name: String
  package let isPhone: Bool
  package let checker: DeliveryChecker
  /// What speaks through its lanes besides.
  package let companion: (any LaneCompanion)?
  /// Whether the server acknowledges for it what its kernel has confirmed (clause 5.10): here what it has
  /// read.
  package let isAutomatic: Bool
  /// Whether what the server knows to have been confirmed may not have reached it.
  package let isBehindProxy: Bool
  /// Lines to send, without LF.
  var output: [[UInt8]] = []

  // What it keeps in its storage.
  var nextNumber = 1
  /// Numbered transfers without an answer, in order.
  package internal(set) var unanswered: [Int] = []
  package internal(set) var mustRetry = false
  /// The last seq processed of each lane.
  package internal(set) var seqs: [String: Int] = [:]
  /// What came under each number, and the number that each transfer came under.
  var seen: [String: String] = [:]
  var places: [String: String] = [:]
  var downloads: [String: (name: String, bytes: [UInt8])] = [:]
  /// It was told that it may have missed the end of a transfer, and has not been answered since.
  var mustAsk = false
  /// The last context received of each sender.
  package var contexts: [String: String] = [:]
  /// By sender, the number in the lane of the context that came last.
  package var contextSeqs: [String: Int] = [:]
  /// The last context set, and whether the server has said that it has it.
  package internal(set) var contextSet: (value: String, isAnswered: Bool)?
  var isContextDoubted = false
  /// The last transfer of each sender in each lane.
  var lastOrder: [String: Int] = [:]
  /// Transfers of its own by the server's name.
  var transfers: [String: Int] = [:]
  /// Uploads: bytes sent.
  var uploads: [Int: Int] = [:]
  var isCancelUncertain: Set<Int> = []

  /// The store of which its numbers are; nil before it has heard of one.
  package internal(set) var store: String?

  /// Its storage was wiped: the server knows more numbers of its than it does.
  var hasBeenReset = false

  // The session.
  package internal(set) var session = Session.none
  /// By lane, the number that came last in this session.
  package internal(set) var last: [String: Int] = [:]
  /// Its app was terminated in this session: one that is started again is handed anew what it has not
  /// acknowledged.
  var hasBeenTerminated = false
  /// How many ends had been told when it activated.
  var since = 0
  /// What its activation has told to be processed, by lane.
  var told: [String: Int] = [:]
  /// Live messages that wait for a reply: the server's name, and the number.
  package var messages: [(id: String, number: Int)] = []
  /// The facts that it has set, which may not be as at the start.
  var changedFacts: Set<String> = []
  /// What apps have had it told, and its own has not taken.
  package var appMessages: [[UInt8]] = []
  /// The last of its own numbers that the server knew when its session began.
  package internal(set) var numberTold: Int?
  /// Counts its sessions.
  package internal(set) var sessions = 0
  /// The watch that a phone's session is attached to, where it was told.
  package internal(set) var attached: String?
  /// What it was last told of its counterpart.
  package var isReachable = false
  /// It found content pending when its session began, and has not heard since that there is none.
  package var hasFoundPending = false
  /// All that had come was acknowledged at some time in this session.
  package var hasBeenThrough = false
  /// It has said in which state its app is, or been woken, and what it found pending then it does not know.
  package var hasSetState = false
  /// By lane, up to where it has said to have processed.
  package internal(set) var said: [String: Int] = [:]
  /// By lane, the numbers that it has refused, and that have not come again since.
  var refusals: [String: Set<Int>] = [:]
  /// Whether it has had its deliveries stopped.
  package internal(set) var isHolding = false
  /// The server may take an earlier connection for the one in use, and tell it something.
  var isOldInUse = false
  /// While the server holds deliveries back: how many of each lane it may make all the same.
  var allowed: [String: Int]?
  /// The answer to the last `getState`.
  package var state: Members?

  package init(
    _ name: String, isPhone: Bool, _ checker: DeliveryChecker, store: String?,
    companion: (any LaneCompanion)? = nil, isAutomatic: Bool = false, isBehindProxy: Bool = false
  ) {
    self.isBehindProxy = isBehindProxy
    self.name = name
    self.companion = companion
    self.isAutomatic = isAutomatic
    self.store = store
    self.isPhone = isPhone
    self.checker = checker
  }

  package func takeOutput() -> [[UInt8]] {
    defer { output = [] }
    return output
  }

  package func send(_ line: String) { output.append(Array(line.utf8)) }

  /// The connection is gone: what was not answered may or may not have been heard.
  ///
  /// - Parameter isKnown: whether the server knows, and says nothing more on it.
  package func lost(isKnown: Bool) {
    session = .none
    messages = []
    output = []
    isHolding = false
    allowed = nil
    noteLoss()
    if !isKnown { isOldInUse = true }
  }

  func noteLoss() {
    if isBehindProxy { checker.noteLoss(name) }
  }

  /// Everything that it had stored is gone.
  package func reset() {
    companion?.reset()
    lost(isKnown: false)
    checker.forget(name)
    (nextNumber, unanswered, mustRetry, mustAsk) = (1, [], false, false)
    places = [:]
    hasBeenReset = true
    (seqs, seen, downloads, contexts, contextSeqs, contextSet) = ([:], [:], [:], [:], [:], nil)
    (lastOrder, transfers, uploads, isCancelUncertain) = ([:], [:], [:], [])
    (said, refusals) = ([:], [:])
  }

  // MARK: The session

  /// - Parameters:
  ///   - tellsReceived: whether it says what it has processed.
  package func activate(pair: String, tellsReceived: Bool) {
    session = .asked
    (last, hasBeenTerminated) = ([:], false)
    var line =
      "{\"type\":\"activate\",\"id\":\"activate\",\"pair\":\"\(pair)\",\"device\":\"\(name)\""
    line += ",\"role\":\"\(isPhone ? "phone" : "watch")\""
    if let store { line += ",\"store\":\"\(store)\"" }
    line += companion?.activation() ?? ""
    if isAutomatic { line += ",\"acknowledge\":\"automatic\"" }
    if tellsReceived { line += ",\"received\":{\(Self.spelled(seqs))}" }
    told = tellsReceived ? seqs : [:]
    if tellsReceived { said = seqs }
    for (lane, seq) in told { checker.acknowledged(name, lane, through: seq) }
    since = checker.ends
    if isAutomatic { checker.automatic.insert(name) }
    let offsets = downloads.mapValues(\.bytes.count)
    if tellsReceived { line += ",\"files\":{\(Self.spelled(offsets))}" }
    // Where an upload goes on is asked anew.
    unanswered = Set(unanswered + uploads.keys).sorted()
    uploads = [:]
    send(line + "}")
  }

  static func spelled(_ numbers: [String: Int]) -> String {
    numbers.sorted { $0.key < $1.key }.map { "\"\($0.key)\":\($0.value)" }.joined(separator: ",")
  }

  func activated(_ line: Members) {
    session = .activated
    sessions += 1
    checkNumber(line)
    attached = isPhone ? line.string("activeWatch") : nil
    hasFoundPending = line.flag("hasContentPending") == true
    hasBeenThrough = false
    hasSetState = false
    checkContexts(Int(line.object("pending")?.integer("context") ?? 0))
    if isPhone { checker.complications.began() }
    configure()
    if isOldInUse { noteLoss() }
    isOldInUse = false
    if let store, let now = line.string("store"), now != store {
      checker.report(
        "I37", "other-store", "The server came back without what it had stored.",
        "The \(name) had used the store \(store), and now it is \(now).")
    }
    store = line.string("store") ?? store
    isReachable = line.flag("isReachable") ?? false
    mustAsk = mustAsk || line.flag("mayHaveMissedDidFinish") == true
    if mustAsk || !unanswered.isEmpty { mustRetry = true }
    resetContext()
    retry()
  }

  /// Asks for the complication's budget of the schedule, unless the server has confirmed it.
  package func configure() {
    let complications = checker.complications
    guard isPhone, let wanted = complications.wanted, complications.budget == nil else { return }
    send("{\"type\":\"configure\",\"complicationBudget\":\(wanted),\"id\":\"configure\"}")
  }
}
