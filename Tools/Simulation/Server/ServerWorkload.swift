import AppModels
import Device
import LaneModel
import Merge
import Seeded

/// Draws what happens next in the world of the server.
struct ServerWorkload {
  let options: ServerOptions
  var edits: EditGenerator?
  let schema: Schema?
  var draw: SplitMix64
  var at: Int64 = 0
  private(set) var count = 0
  /// What comes before anything else is drawn.
  var next: [TraceEvent] = []
  /// Names of events after which a device might open a form.
  private var moments: [String: [String]] = [:]

  init(_ options: ServerOptions, _ schema: Schema?, _ draw: SplitMix64) {
    self.options = options
    self.schema = schema
    var draw = draw
    // What whole records do not carry leaves their devices nothing to collide with.
    let carried =
      options.wholeRecords.names.isEmpty || draw.percent(10)
      ? nil : schema.flatMap(WholeRecordApp.carried)
    edits = schema.map { schema in
      EditGenerator(
        schema.kinds.map { kind in EditTemplate(kind, carried: carried?[kind.name]) },
        options.edits, can: Set(Started.Ability.allCases))
    }
    self.draw = draw
  }

  /// The next event.
  mutating func event(_ run: ServerRun) -> TraceEvent {
    if !next.isEmpty { return next.removeFirst() }
    if !draw.percent(options.sameMillisecond) { at += draw.pick([1, 1, 2, 40, 1000]) }
    count += 1
    // What needs an empty list is done first.
    let isOften = options.wholeRecords.emphasis == .episodes
    let later = isOften ? 40 : options.buries ? 25 : 6
    if draw.percent(count == 1 ? (isOften ? 100 : 60) : later) { episode(run) }
    guard next.isEmpty else { return next.removeFirst() }
    let node = draw.pick(run.nodes)
    var event = TraceEvent(at: at, node.name, .flow)
    if options.isCluster, draw.percent(22) {
      cluster(&event, node)
      if options.hasLanes, draw.percent(8) { comeBack(node, run) }
    } else if options.stepsClock || options.faults.contains(where: Self.server.contains),
      draw.percent(serverTrouble)
    {
      server(&event, run)
    } else if node.link == nil, draw.percent(55) {
      event.verb = .connect
    } else if draw.percent(30) {
      move(&event, node)
    } else if draw.percent(options.setsBack ? 35 : 12) {
      trouble(&event, node)
    } else {
      work(&event, node, run)
    }
    return event
  }

  /// How often, of a hundred times, something happens to the server: more where what is not yet on
  /// the disk can be lost with it.
  private var serverTrouble: Int {
    options.buries ? 25 : options.faults.isSuperset(of: [.crash, .delay]) ? 12 : 6
  }

  private static let server: Set<Fault> = [.crash, .disk, .collection]

  // MARK: The server

  private mutating func server(_ event: inout TraceEvent, _ run: ServerRun) {
    event.device = "server"
    if options.isCluster {
      return options.faults.contains(.collection) ? leaveAlone(&event, run) : cluster(&event, nil)
    }
    if options.stepsClock, draw.percent(40) { return clock(&event) }
    var choices: [(weight: Int, choice: TraceEvent.Verb)] = options.isReal ? [] : [(1, .commit)]
    if options.faults.contains(.crash) { choices += [(4, .kill), (2, .stop)] }
    if options.faults.contains(.disk) {
      choices.append((3, run.site.isFailing ? .recover : .fail))
    }
    event.verb = draw.pick(choices)
    if event.verb == .fail || event.verb == .recover, draw.percent(30) {
      event.lane = "pairs"
      event.verb = draw.percent(50) ? .fail : .recover
      if event.verb == .fail, draw.percent(50) { event.flag = true }
    } else if options.faults.contains(.collection), draw.percent(options.prefersLanes ? 25 : 10) {
      leaveAlone(&event, run)
    } else if event.verb == .kill {
      event.count = Int64(draw.below(3))
    } else if options.faults.contains(.collection), draw.percent(50) {
      // Long enough that nobody is waited for, or that pairs leave the memory.
      at +=
        options.buries
        ? 86_400_000 * 31 : draw.pick([31_000, 3_700_000, 86_400_000 * 31, 86_400_000 * 91])
      event = TraceEvent(at: at, "server", .commit)
    }
  }

  /// What happens to one of several servers, or to what passes between them and their log.
  private mutating func cluster(_ event: inout TraceEvent, _ node: ServerNode?) {
    event.to = draw.pick(ClusterSite.names)
    if node != nil, draw.percent(20) {
      event.verb = .connect
      return
    }
    event.device = "server"
    event.verb = draw.pick([
      (6, .claim), (3, .kill), (1, .stop), (4, .freeze), (4, .thaw), (1, .trim), (18, .arrive),
      (4, .lose), (2, .lag),
      // Time for who waits to ask again, and for the log to be silent.
      (3, .commit),
    ])
    switch event.verb {
    case .arrive, .lose, .lag:
      event.to = nil
      event.count = Int64(draw.pick([(3, 0), (1, draw.below(6)), (1, -1)]))
      if event.verb == .arrive, draw.percent(20) { event.flag = true }
      if draw.percent(10) { doubt() }
    case .claim: if draw.percent(40) { doubt() }
    case .kill: if draw.percent(30) { event.flag = true }
    case .commit:
      event.to = nil
      event.count = 0
      at += draw.pick([300, 1_100, 2_200])
      event.at = at
    default: break
    }
  }

  /// What is sent arrives at once, often twice, and now and then the answer is lost: so whoever asks again is refused, and
  /// the entry is its own.
  private mutating func doubt() {
    for _ in 0..<draw.pick([3, 4, 6]) {
      let isLost = draw.percent(25)
      var event = TraceEvent(at: at, "server", isLost ? .lose : .arrive, count: -1)
      if !isLost, draw.percent(60) { event.flag = true }
      next.append(event)
    }
  }

  /// The owner stands still, and another one takes over and serves a device. The owner goes on, and the device comes to it.
  private mutating func comeBack(_ node: ServerNode, _ run: ServerRun) {
    guard let owner = run.site.owner else { return }
    let other = draw.pick(run.site.servers.filter { $0 != owner })
    for (device, verb, to) in [
      ("server", .freeze, owner), ("server", .claim, other), ("server", .commit, nil),
      (node.name, .connect, other), (node.name, .flow, nil), (node.name, .transfer, nil),
      (node.name, .flow, nil), ("server", .thaw, owner), (node.name, .connect, owner),
      (node.name, .up, nil), (node.name, .down, nil),
    ] as [(String, TraceEvent.Verb, String?)] {
      var event = TraceEvent(at: at, device, verb, to: to)
      if verb == .commit { event.count = 20 }
      if verb == .transfer { event.lane = "userInfo" }
      next.append(event)
    }
  }

  /// All are away for long enough that their pair leaves the memory.
  private mutating func leaveAlone(_ event: inout TraceEvent, _ run: ServerRun) {
    for node in run.nodes where node.link != nil {
      next.append(TraceEvent(at: at, node.name, .drop))
    }
    at += 31_000
    next.append(TraceEvent(at: at, "server", .commit))
    event = next.removeFirst()
  }

  /// The machine's clock is corrected, or the machine has slept.
  private mutating func clock(_ event: inout TraceEvent) {
    if draw.percent(40) {
      at += draw.pick([5_000, 70_000, 7_200_000])
      event.at = at
      event.verb = .suspend
    } else {
      event.verb = .clock
      event.count = draw.pick([0, 2_000, -2_000, 70_000, -70_000, 3_600_000, -3_600_000])
    }
  }

  // MARK: Bytes

  private mutating func move(_ event: inout TraceEvent, _ node: ServerNode) {
    guard options.faults.contains(.delay), draw.percent(70) else {
      event.verb = .flow
      return
    }
    if node.app != nil, options.wholeRecords.emphasis == .unread {
      event.verb = draw.pick([(8, .up), (1, .down)])
    } else {
      event.verb = draw.pick([(4, .up), (options.isReal ? 0 : 4, .commit), (4, .down), (1, .flow)])
    }
    switch event.verb {
    case .commit: event.device = "server"
    case .up:
      if !node.zombies.isEmpty, draw.percent(40) { event.flag = true }
      if draw.percent(25) { event.count = Int64(1 + draw.below(200)) }
    case .down: if draw.percent(25) { event.count = Int64(1 + draw.below(300)) }
    default: break
    }
  }

  // MARK: Trouble at a device

  private mutating func trouble(_ event: inout TraceEvent, _ node: ServerNode) {
    var choices: [(weight: Int, choice: TraceEvent.Verb)] = [(1, .flow)]
    if options.faults.contains(.cut), node.link != nil { choices.append((4, .drop)) }
    if options.faults.contains(.takeover) { choices.append((3, .connect)) }
    if options.faults.contains(.restart) { choices.append((3, .restart)) }
    if options.faults.contains(.clock) { choices.append((3, .clock)) }
    if options.faults.contains(.backup), node.app != nil {
      choices.append((2, .goBack))
    } else if options.faults.contains(.backup), !node.device.isTyped {
      // What was issued anew is rarely there to be issued anew once more.
      let isRare = options.setsBack && node.isBeyondBackup
      choices +=
        isRare
        ? [(30, .goBack)]
        : options.setsBack ? [(8, .backup), (6, .goBack)] : [(3, .backup), (2, .goBack)]
    }
    choices += network(node)
    event.verb = draw.pick(choices)
    switch event.verb {
    case .delay: event.count = Int64(draw.pick([0, 2, 10, 40]))
    case .slice: event.count = Int64(draw.pick([1, 7, 64, 1500]))
    case .oneWay:
      event.lane = draw.pick(["up", "down", "both"])
      event.flag = draw.percent(50)
    case .clock: event.count = draw.pick([0, 1, -1, 2_000, 70_000, -3_600_000, 3_600_000])
    case .connect: if draw.percent(30) { event.flag = false }
    default: break
    }
  }

  /// What can happen to a connection.
  private func network(_ node: ServerNode) -> [(weight: Int, choice: TraceEvent.Verb)] {
    guard node.link != nil else { return [] }
    var choices: [(weight: Int, choice: TraceEvent.Verb)] = []
    if options.isReal, options.faults.contains(.delay) { choices += [(2, .delay), (2, .slice)] }
    if options.hasOneWay, options.faults.contains(.cut) { choices += [(3, .oneWay), (3, .heal)] }
    if options.isReal, options.faults.contains(.duplicate) { choices.append((3, .duplicate)) }
    return choices
  }

  // MARK: Work

  private mutating func work(_ event: inout TraceEvent, _ node: ServerNode, _ run: ServerRun) {
    if options.hasLanes, edits == nil || draw.percent(options.prefersLanes ? 85 : 50) {
      lane(&event, node)
    } else if edits != nil {
      edit(&event, node, run)
    }
  }

  private mutating func edit(_ event: inout TraceEvent, _ node: ServerNode, _ run: ServerRun) {
    // Who types looks at what some device shows.
    guard let fold = (node.sync ?? run.likeliest(node.app))?.fold else { return }
    if let app = node.app { return records(&event, app, fold) }
    if options.faults.contains(.versions), node === run.nodes.dropFirst().first, draw.percent(30) {
      event.verb = .extend
      event.count = Int64(draw.below(30))
      return
    }
    event.verb = .edit
    event.edit = drawn(fold, makesAnew: !node.device.isTyped)
    guard !node.device.isTyped else { return }
    let name = "e\(count)"
    if let moment = moments[node.name]?.suffix(4).first, draw.percent(20) {
      event.edit?.since = moment
    }
    event.name = name
    moments[node.name, default: []].append(name)
  }

  private mutating func drawn(_ fold: Fold, makesAnew: Bool) -> Edit? {
    guard let schema else { return nil }
    // Who knows whole records gives each an id of its own.
    edits!.tombstones =
      makesAnew ? fold.tombstones.keys.filter { !fold.isCreated($0) }.sorted() : []
    return edits!.edit(Shown(fold, schema), isStale: false, &draw)
  }

  /// What is done at a device with whole records.
  private mutating func records(
    _ event: inout TraceEvent, _ app: WholeRecordApp, _ fold: Fold
  ) {
    let emphasis = options.wholeRecords.emphasis
    // Who reads rarely has much that is unread.
    let late = options.wholeRecords.isLazy ? (emphasis == .unread ? 4 : 25) : 0
    let lists =
      switch emphasis {
      case .moves(let isOften): isOften ? 80 : 12
      default: 6
      }
    event.verb = draw.pick([
      (80, .edit), (lists, .fullSync), (3, .syncRequest), (5, .resend), (late, .acknowledge),
    ])
    switch event.verb {
    case .fullSync:
      if draw.percent(lists > 6 ? 90 : 50) { event.count = Int64(draw.below(120)) }
    case .edit:
      // Of what others show it may not have all, and it cannot do all that they can.
      for _ in 0..<5 {
        event.edit = drawn(fold, makesAnew: false)
        if event.edit.map(app.can) ?? false { break }
      }
    case .resend: event.count = Int64(draw.below(3))
    case .acknowledge:
      event.lane = "userInfo"
      event.count = Int64(draw.pick([(3, 0), (1, 1)]))
    default: break
    }
  }

  private mutating func lane(_ event: inout TraceEvent, _ node: ServerNode) {
    // A budget is used up by the phone alone, and only the phone selects.
    let isPhone = node.device.isPhone
    let isSpender = options.budget != nil && isPhone
    let switches = options.faults.contains(.membership) && isPhone
    let isOften = options.prefersLanes
    let isAsked = !node.lanes.messages.isEmpty
    event.verb = draw.pick([
      (isSpender ? 80 : 30, .transfer), (24, .acknowledge), (isOften ? 14 : 10, .context),
      (6, .upload), (9, .cancel), (5, .refuse), (isOften ? 20 : 12, .message),
      (isAsked ? 40 : 0, .reply), (5, .look), (switches ? (isOften ? 40 : 16) : 0, .select),
      (isAsked ? 30 : isOften ? 16 : 9, .appState), (isOften ? 8 : 4, .hold), (3, .release),
    ])
    let lanes = ["userInfo", "complication", "file", "context", "outcome"]
    switch event.verb {
    case .transfer:
      let complications = isSpender ? 20 : 2
      event.lane = draw.pick([(6, lanes[0]), (complications, lanes[1]), (2, lanes[2])])
      if event.lane == "file" { event.count = Int64(draw.below(300)) }
      if draw.percent(12) { event.flag = false }
    case .acknowledge:
      if draw.percent(55) {
        event.lane = draw.pick([
          (5, lanes[0]), (1, lanes[1]), (1, lanes[2]), (1, lanes[3]), (1, lanes[4]),
        ])
        event.count = Int64(draw.below(3))
      }
    case .context: event.count = Int64(count - (draw.percent(25) ? 1 : 0))
    case .message: if draw.percent(30) { event.flag = false }
    case .upload: event.count = Int64(1 + draw.below(150))
    case .cancel: event.count = Int64(draw.below(4))
    case .refuse:
      event.lane = draw.pick(lanes.prefix(3))
      event.count = Int64(draw.below(3))
    case .select: event.to = draw.pick(["watch", "second"])
    // An app that ends owes what it was asked.
    case .appState: event.count = isAsked && draw.percent(50) ? 3 : draw.pick([0, 0, 1, 2, 3])
    case .release: if draw.percent(50) { event.count = Int64(1 + draw.below(2)) }
    default: break
    }
  }
}
