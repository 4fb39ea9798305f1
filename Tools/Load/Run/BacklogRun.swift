/// Transfers to watches that are away, then the drain when all of them come.
final class BacklogRun: TransferRun {
  private lazy var filling = Meter(server: server, phase: "fill")
  private lazy var draining = Meter(server: server, phase: "drain")
  private var isFilling = false
  private var acceptedCount = 0

  override func perform() throws(LoadFailure) {
    meter = filling
    try activateAll()
    for lane in lanes { loop.close(lane.receiver) }
    try run(
      progress: { lanes.count { !$0.sender.isCounterpartReachable } },
      waiting: "sessionReachabilityDidChange",
      or: { lanes.allSatisfy { !$0.sender.isCounterpartReachable } })
    try fillQueues()
    try drain()
  }

  private func fillQueues() throws(LoadFailure) {
    isFilling = true
    startSending()
    try run(until: Clock.now + nanoseconds(options.warmUp))
    filling.begin(Clock.now)
    try run(
      until: Clock.now + nanoseconds(options.seconds), progress: { acceptedCount },
      waiting: "accepted", or: { false })
    filling.end(Clock.now)
    stopSending()
    let sent = lanes.reduce(0) { $0 + $1.sent }
    try run(progress: { acceptedCount }, waiting: "accepted", or: { acceptedCount == sent })
    isFilling = false
  }

  private func drain() throws(LoadFailure) {
    meter = draining
    draining.begin(Clock.now)
    // They have links of their own; the lanes' receivers change as they activate.
    try activate(.watch)
    try run(
      progress: { finishedCount }, waiting: "what is queued", or: { underWay == 0 })
    draining.end(Clock.now)
    try settle(progress: { finishedCount }) { underWay == 0 }
  }

  override func accepted(_ lane: Lane, _ number: Int, at time: Int) {
    guard isFilling else { return }
    acceptedCount += 1
    if let sentAt = lane.times[number] { filling.finished(time - sentAt) }
    finished(lane, 1)
  }

  override func ended(_ lane: Lane) {}

  override func complete(_ result: inout LoadResult) {
    filling.end(Clock.now)
    draining.end(Clock.now)
    result.fill = filling.result
    result.drain = draining.result
    switch (result.fill, result.drain) {
    case (let fill?, let drain?): result.figures = .both(fill, drain)
    case (let fill?, nil): result.figures = fill
    default: break
    }
  }
}
