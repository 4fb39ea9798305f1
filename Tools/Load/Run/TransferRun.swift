internal import Wire

/// Guaranteed user info: accepted, delivered, acknowledged once for each chunk read, and through
/// when the phone hears `didFinishUserInfoTransfer`.
class TransferRun: LaneRun {
  private lazy var payload = PayloadForm.dictionary(size: options.payload)
  private lazy var sent = LineForm("{\"type\":\"transferUserInfo\",\"payload\":", payload, "}\n")
  private lazy var received = LineForm(
    "{\"type\":\"didReceiveUserInfo\",\"from\":\"phone\",\"payload\":", payload, ",\"seq\":")
  private let closing = Prefix("}\n")
  private let redelivered = Prefix(",\"redelivered\":true}\n")
  // Transfers without `n` are counted by the server (PROTOCOL.md clause 5.3), so for a pair that is
  // new the count is the number in the payload.
  private let accepted = Prefix(
    "{\"type\":\"accepted\",\"of\":\"transferUserInfo\",\"transfer\":\"phone:0#")
  private let ended = Prefix("{\"type\":\"didFinishUserInfoTransfer\",\"transfer\":\"phone:0#")
  private let quote = Prefix("\"}\n")

  override func perform() throws(LoadFailure) {
    try activateAll()
    try steady()
  }

  /// The end of a transfer and its delivery come over two connections, in either order.
  override var finishedCount: Int {
    lanes.reduce(0) { $0 + min($1.ends.arrived, $1.deliveries.arrived) }
  }

  /// A transfer is on the server's disk. `time` is in microseconds since the run began.
  func accepted(_ lane: Lane, _ number: Int, at time: Int) {}

  /// A transfer is through.
  func ended(_ lane: Lane) { finished(lane, 1) }

  final override func ingest(
    _ link: Link, _ bytes: UnsafeRawBufferPointer, at now: Int64
  ) throws(LoadFailure) -> Int {
    guard link.pair < lanes.count else { return 0 }
    let (lane, time) = (lanes[link.pair], microseconds(now))
    return link.role == .watch
      ? try takeDeliveries(link, lane, bytes, time) : try takeAnswers(link, lane, bytes, time)
  }

  private func takeDeliveries(
    _ link: Link, _ lane: Lane, _ bytes: UnsafeRawBufferPointer, _ time: Int
  ) throws(LoadFailure) -> Int {
    guard let base = bytes.baseAddress else { return 0 }
    let (form, closing, known) = (received, closing, lane.sent)
    var check = lane.deliveries
    var used = 0
    while used &+ form.count <= bytes.count, let (number, sentAt) = form.read(base + used) {
      var at = used &+ form.count
      let seq = Digits.read(bytes, &at)
      if closing.stands(in: bytes, at: at) {
        at &+= closing.count
      } else if redelivered.stands(in: bytes, at: at) {
        at &+= redelivered.count
      } else {
        break
      }
      guard number <= known else { throw unknown(number, link) }
      check.note(number)
      meter.delivered(time &- sentAt)
      link.delivered = seq
      used = at
    }
    lane.deliveries = check
    if used > 0 { loop.scheduleOutput(link) }
    return used
  }

  private func takeAnswers(
    _ link: Link, _ lane: Lane, _ bytes: UnsafeRawBufferPointer, _ time: Int
  ) throws(LoadFailure) -> Int {
    var used = 0
    while used < bytes.count {
      let isEnd = ended.stands(in: bytes, at: used)
      guard isEnd || accepted.stands(in: bytes, at: used) else { break }
      var at = used &+ (isEnd ? ended : accepted).count
      let number = Digits.read(bytes, &at)
      guard number > 0, quote.stands(in: bytes, at: at) else { break }
      guard number <= lane.sent else { throw unknown(number, link) }
      if isEnd {
        lane.ends.note(number)
        if let sentAt = lane.times[number] { meter.finished(time &- sentAt) }
        lane.times.drop(through: number)
        ended(lane)
      } else {
        accepted(lane, number, at: time)
      }
      used = at &+ quote.count
    }
    return used
  }

  override func fill(_ link: Link) throws(LoadFailure) {
    guard link.pair < lanes.count else { return }
    if link.role == .watch {
      guard link.delivered > link.acknowledged else { return }
      link.acknowledged = link.delivered
      return try loop.send(link, "{\"type\":\"acknowledge\",\"seq\":\(link.delivered)}\n")
    }
    let (lane, form) = (lanes[link.pair], sent)
    while lane.credits > 0, loop.isReady(link) {
      let count = min(lane.credits, LinkLoop.writeSize / form.count)
      let now = microseconds(Clock.now)
      var place = loop.output
      for _ in 0..<count {
        let number = lane.next()
        let time = sendTime(lane, number, now: now)
        form.write(number, time, at: place)
        lane.times.append(time)
        place += form.count
      }
      try loop.send(link, count * form.count)
    }
  }

  override func check(_ faults: inout Faults) {
    super.check(&faults)
    // What was lost on the way has no end either, and is one loss.
    var ends = Faults()
    for lane in lanes { ends.add(lane.ends, sent: lane.sent, isSettled: isSettled) }
    faults.lost = max(faults.lost, ends.lost)
    faults.inFlight = max(faults.inFlight, ends.inFlight)
    faults.duplicated += ends.duplicated
    faults.reordered += ends.reordered
  }
}
