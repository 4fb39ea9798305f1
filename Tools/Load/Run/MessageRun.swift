/// Live messages, phone to watch; through when delivered.
final class MessageRun: LaneRun {
  private lazy var payload = PayloadForm.dictionary(size: options.payload)
  private lazy var sent = LineForm("{\"type\":\"sendMessage\",\"payload\":", payload, "}\n")
  private lazy var delivered = LineForm(
    "{\"type\":\"didReceiveMessage\",\"from\":\"phone\",\"payload\":", payload, "}\n")

  override func perform() throws(LoadFailure) {
    try activateAll()
    try steady()
  }

  override func ingest(
    _ link: Link, _ bytes: UnsafeRawBufferPointer, at now: Int64
  ) throws(LoadFailure) -> Int {
    guard link.role == .watch, link.pair < lanes.count, let base = bytes.baseAddress else {
      return 0
    }
    let lane = lanes[link.pair]
    let form = delivered
    let (size, time, known) = (form.count, microseconds(now), lane.sent)
    var check = lane.deliveries
    var at = 0
    while at &+ size <= bytes.count, let (number, sentAt) = form.read(base + at) {
      guard number <= known else { throw unknown(number, link) }
      check.note(number)
      meter.finished(time &- sentAt)
      at &+= size
    }
    lane.deliveries = check
    finished(lane, at / size)
    return at
  }

  override func fill(_ link: Link) throws(LoadFailure) {
    guard link.role == .phone, link.pair < lanes.count else { return }
    let lane = lanes[link.pair]
    let form = sent
    while lane.credits > 0, loop.isReady(link) {
      let count = min(lane.credits, LinkLoop.writeSize / form.count)
      let now = microseconds(Clock.now)
      var place = loop.output
      for _ in 0..<count {
        let number = lane.next()
        form.write(number, sendTime(lane, number, now: now), at: place)
        place += form.count
      }
      try loop.send(link, count * form.count)
    }
  }
}
