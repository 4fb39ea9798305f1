/// What was sent, accepted, delivered and told, and whether that keeps the protocol's promises.
///
/// Both devices report to it whatever happens; the server's crashes are none of its business.
struct Ledger {
  enum Kind: String { case userInfo, complication, file }

  private(set) var violations: [String] = []

  // The sender.
  private var sent: [Int: Kind] = [:]
  private var accepted: Set<Int> = []
  private var finished: Set<Int> = []
  private var sentContext = 0
  private var acceptedContext = 0

  // The receiver.
  /// The last `seq` processed, by lane: all that a device has to remember.
  private(set) var received: [String: Int] = [:]
  private var items: [String: [Int: Int]] = [:]
  private var lanes: [Int: String] = [:]
  private var lastInOrder: [String: Int] = [:]
  private var acknowledged: [String: Int] = [:]
  private var deliveredContext = 0
  /// What had finished before the receiver's present connection.
  private var settled: Set<Int> = []

  var lastAccepted: Int { accepted.max() ?? 0 }
  var deliveredCount: Int { lanes.count }

  private mutating func complain(_ text: String) {
    if violations.count < 20 { violations.append(text) }
  }

  mutating func unexpected(_ text: String) { complain("unexpected: \(text)") }

  // MARK: The sender

  mutating func send(_ n: Int, _ kind: Kind) { sent[n] = kind }

  mutating func accept(_ n: Int) {
    if sent[n] == nil { complain("\(n) was accepted and never sent") }
    accepted.insert(n)
  }

  /// The sender has activated and was told the last `n` that the server has.
  mutating func resume(_ n: Int) {
    let last = accepted.max() ?? 0
    if n < last { complain("\(last) was accepted, but the server knows numbers up to \(n) only") }
    if n > sent.keys.max() ?? 0 { complain("the server has \(n), which was never sent") }
  }

  mutating func finish(_ n: Int, error: String? = nil) {
    if let error { complain("\(n) failed: \(error)") }
    if let lane = lanes[n], let seq = items[lane]!.first(where: { $0.value == n })?.key {
      if seq > acknowledged[lane] ?? 0 { complain("\(n) finished without an acknowledge") }
    } else {
      complain("\(n) finished without a delivery")
    }
    finished.insert(n)
  }

  mutating func sendContext(_ version: Int) { sentContext = max(sentContext, version) }

  mutating func acceptContext(_ version: Int) { acceptedContext = max(acceptedContext, version) }

  // MARK: The receiver

  /// The receiver is about to activate on a new connection.
  mutating func connect() { settled = finished }

  /// Returns whether the item is news: above the last one processed in its lane.
  @discardableResult
  mutating func deliver(_ n: Int, lane: String, seq: Int, isRedelivered: Bool) -> Bool {
    guard isNew(n, lane, seq, isRedelivered) else { return false }
    guard let kind = sent[n] else {
      complain("\(n) was delivered and never sent")
      return true
    }
    if let other = lanes[n] { complain("\(n) was delivered in lane \(other) and again in \(lane)") }
    lanes[n] = lane
    // A complication's that a newer one has untagged comes behind what waited then.
    let isMoved = kind == .complication && lane == "userInfo"
    if kind.rawValue != lane, !isMoved {
      complain("\(n), a \(kind), was delivered in lane \(lane)")
    }
    if !isMoved {
      if n < lastInOrder[lane] ?? 0 { complain("\(n) came after \(lastInOrder[lane]!) in \(lane)") }
      lastInOrder[lane] = n
    }
    return true
  }

  /// Returns whether the context is news.
  @discardableResult
  mutating func deliverContext(_ version: Int, seq: Int, isRedelivered: Bool) -> Bool {
    guard isNew(version, "context", seq, isRedelivered) else { return false }
    if version > sentContext { complain("context \(version) was delivered and never sent") }
    if version <= deliveredContext {
      complain("context \(version) was delivered after \(deliveredContext)")
    }
    deliveredContext = version
    return true
  }

  private mutating func isNew(_ value: Int, _ lane: String, _ seq: Int, _ isRedelivered: Bool)
    -> Bool
  {
    if let known = items[lane]?[seq] {
      if known != value { complain("\(lane) \(seq) was \(known) and is \(value) now") }
      if !isRedelivered { complain("\(lane) \(seq) came again and does not say so") }
      // An acknowledge may be lost with the server, but not once the sender was told of it.
      if lane != "context", settled.contains(value) {
        complain("\(lane) \(seq) came again though its sender was told that it had arrived")
      }
      return false
    }
    let last = received[lane] ?? 0
    if seq <= last { complain("\(lane) \(seq) came for the first time, after \(last)") }
    received[lane] = max(last, seq)
    items[lane, default: [:]][seq] = value
    return true
  }

  /// The receiver is about to say that it has processed everything up to `seq`.
  mutating func acknowledge(_ lane: String, _ seq: Int) {
    acknowledged[lane] = max(acknowledged[lane] ?? 0, seq)
  }

  // MARK: The end

  /// Everything has drained.
  ///
  /// - Parameters:
  ///   - n: the last number that the server has of the sender.
  ///   - context: the sender's context as the server has it.
  ///   - outstanding: how many transfers the server has not finished. What it told of the others may
  ///     be lost with a connection: a sender goes by this.
  mutating func settle(n: Int, context: Int, outstanding: Int) {
    resume(n)
    if outstanding > 0 { complain("\(outstanding) transfers never finished") }
    for number in 1...max(1, n) where n > 0 {
      if lanes[number] == nil { complain("\(number) was accepted and never delivered") }
    }
    for number in lanes.keys.sorted() where number > n {
      complain("\(number) was delivered, but the server has numbers up to \(n) only")
    }
    if context < acceptedContext {
      complain("context \(acceptedContext) was accepted, but the server has \(context)")
    }
    if deliveredContext != context {
      complain("the last context is \(context), but \(deliveredContext) was delivered last")
    }
  }
}
