/// A run whose lanes are kept full (closed loop) or fed by the clock (open loop).
class LaneRun: LoadRun {
  private(set) var lanes: [Lane] = []
  private(set) var isSending = false
  /// Of an open loop: when the first was due, on `Clock`, and how many have been due.
  private var scheduleStart: Int64 = 0
  private var due = 0
  private var interval = 0.0
  /// The one that the timer is set for.
  private var awaited = -1

  /// The lanes of a pair, once both devices are active.
  func makeLanes(_ watch: Link, _ phone: Link) {
    addLane(from: phone, to: watch)
  }

  final func addLane(from sender: Link, to receiver: Link) {
    lanes.append(Lane(index: lanes.count, sender: sender, receiver: receiver))
  }

  /// Activates all devices; the lanes are there then.
  final func activateAll() throws(LoadFailure) {
    try activate(.watch)
    try activate(.phone)
    for pair in 0..<options.pairs {
      makeLanes(loop.links[pair], loop.links[options.pairs + pair])
    }
  }

  /// Loads, measures after the warm-up, and waits for what is under way.
  final func steady() throws(LoadFailure) {
    startSending()
    try run(until: Clock.now + nanoseconds(options.warmUp))
    meter.begin(Clock.now)
    try measured()
    meter.end(Clock.now)
    stopSending()
    try settle(progress: { finishedCount }) { underWay == 0 }
  }

  /// Measures for as long as was asked for.
  final func measured() throws(LoadFailure) {
    try run(
      until: Clock.now + nanoseconds(options.seconds), progress: { finishedCount },
      waiting: "what is under way (\(lanes.reduce(0) { $0 + $1.sent }) sent)", or: { false })
  }

  final func nanoseconds(_ seconds: Double) -> Int64 { Int64(seconds * 1e9) }

  /// How many are through, as far as this workload follows them.
  var finishedCount: Int { lanes.reduce(0) { $0 + $1.deliveries.arrived } }

  /// How many were sent and are not through.
  var underWay: Int { lanes.reduce(0) { $0 + $1.sent } - finishedCount }

  // MARK: Pace

  final func startSending() {
    isSending = true
    switch options.pace {
    case .window(let window):
      for lane in lanes { grant(lane, window) }
    case .rate(let rate):
      interval = 1e9 / rate
      scheduleStart = Clock.now
      due = 0
    }
  }

  final func stopSending() {
    isSending = false
    for lane in lanes { lane.credits = 0 }
  }

  /// So many may be sent more.
  @inline(__always)
  final func grant(_ lane: Lane, _ count: Int) {
    guard count > 0, isSending else { return }
    lane.credits &+= count
    loop.scheduleOutput(lane.sender)
  }

  /// So many of a lane are through: in a closed loop as many may follow.
  @inline(__always)
  final func finished(_ lane: Lane, _ count: Int) {
    if interval == 0 { grant(lane, count) }
  }

  final override func scheduled(_ now: Int64) throws(LoadFailure) {
    guard isSending, interval > 0 else { return }
    while moment(due) <= now {
      grant(lanes[due % lanes.count], 1)
      due += 1
    }
    guard due != awaited else { return }
    awaited = due
    loop.setTimer(moment(due))
  }

  /// When the n-th of all was due, from 0, on `Clock`.
  private func moment(_ place: Int) -> Int64 { scheduleStart + Int64(Double(place) * interval) }

  /// From when the next of a lane counts, in microseconds since the run began: when it was due, or
  /// now.
  @inline(__always)
  final func sendTime(_ lane: Lane, _ number: Int, now: Int) -> Int {
    guard interval > 0 else { return now }
    return microseconds(moment((number - 1) * lanes.count + lane.index))
  }

  /// A moment of `Clock` in microseconds since the run began.
  @inline(__always)
  final func microseconds(_ moment: Int64) -> Int { Int((moment &- start) / 1_000) }

  override func check(_ faults: inout Faults) {
    for lane in lanes { faults.add(lane.deliveries, sent: lane.sent, isSettled: isSettled) }
  }

  /// A delivery's number was never given out.
  final func unknown(_ number: Int, _ link: Link) -> LoadFailure {
    LoadFailure("number \(number) came to \(link.name) before it was sent")
  }
}
