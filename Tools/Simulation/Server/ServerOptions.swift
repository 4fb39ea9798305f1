import AppModels
import Merge
import Seeded

/// What a schedule in the world of the server is made of; each seed has its own emphasis.
struct ServerOptions {
  var schema: String
  var devices: Int
  var events: Int
  var faults: Set<Fault>
  var hasLanes: Bool
  var hasTyping: Bool
  /// How often, of a hundred times, the clock stands still between two events.
  var sameMillisecond: Int
  /// Stores are tidied, logs collected and receivers full at once.
  var isSparse: Bool
  var isNarrow: Bool
  var hasLobby: Bool
  /// Another pair's transfers share segments with those of the run.
  var hasNeighbour: Bool
  /// No batch is taken while another one is on its way to the disk.
  var commitsAlone: Bool
  /// The watches have the server acknowledge for them, in every eighth simulated schedule with lanes.
  var isAutomatic: Bool
  /// The complication's budget of a day, in three of sixteen simulated schedules with lanes; the default's 50
  /// are never used up.
  var budget: Int?
  /// The last forms of a device stay open and hold collection up, in every fourth simulated schedule.
  var holdsForms: Bool
  /// Time passes by the month, so that what is deleted is gone for good; in every eighth simulated schedule
  /// with collection.
  var buries: Bool
  /// The clock of the server's machine steps and the machine sleeps, in every eighth simulated schedule
  /// without devices that know whole records only, which judge what they are sent by their own clocks.
  var stepsClock: Bool
  /// Most of what is done is done with the lanes, of several watches; in every fourth simulated schedule.
  var prefersLanes: Bool
  /// Devices are set back often, in every eighth simulated schedule with records, where all keep operations.
  var setsBack: Bool
  /// Those that know whole records only.
  var wholeRecords: WholeRecords
  /// What people do mostly.
  var edits = EditGenerator.Settings(records: 3, hot: 60, isThorough: true)
  /// The server is a process of its own.
  let isReal: Bool
  /// Connections stop in one direction or both; of the simulated ones in every eighth schedule.
  let hasOneWay: Bool

  /// Several servers with one log, which may lose and double what passes between them.
  private(set) var isCluster = false
  private(set) var hasParts = false
  private(set) var isSilent = false

  static let faults: Set<Fault> = [
    .delay, .cut, .restart, .backup, .clock, .crash, .disk, .takeover, .membership, .collection,
  ]

  /// - Parameter possible: the faults of a real server's target; nil in memory.
  init(_ plan: Plan, _ draw: inout SplitMix64, possible: Set<Fault>? = nil) {
    isReal = possible != nil
    hasOneWay = isReal || plan.seed % 8 == 5
    if let asked = plan.schema {
      schema = asked
    } else if plan.wholeRecords ?? 0 > 0 {
      schema = "todoTimers"
    } else {
      schema = draw.pick([
        (6, "todoTimers"), (2, "timeTracker"), (1, "pomodoro"), (1, "none"),
      ])
    }
    let drawnDevices = draw.pick([(4, 2), (4, 3), (1, 4)])
    devices = plan.devices ?? (!isReal && plan.seed % 8 == 5 ? max(3, drawnDevices) : drawnDevices)
    events = plan.events ?? draw.pick([(5, 8), (5, 16), (4, 40), (1, 120)])
    // Few at a time, so that each shows what it does.
    let chance = draw.pick([15, 40, 70])
    var drawn: Set<Fault> = []
    let known = possible ?? Self.faults
    for fault in Fault.allCases where known.contains(fault) && draw.percent(chance) {
      drawn.insert(fault)
    }
    faults = plan.faults.map { $0.intersection(known) } ?? drawn
    // Of the simulated schedules every eighth, whatever else is drawn.
    if let asked = plan.faults {
      if asked.contains(.versions) { faults.insert(.versions) }
    } else if !isReal, plan.seed % 8 == 3 {
      faults.insert(.versions)
    }
    prefersLanes = !isReal && plan.seed % 4 == 1
    if prefersLanes, plan.faults == nil {
      faults.formUnion([.cut, plan.seed % 8 == 1 ? .crash : .membership])
    }
    let isEighth = !isReal && plan.seed % 8 == 0 && plan.faults == nil
    wholeRecords = WholeRecords(
      plan, schema: plan.own ?? ShippedSchemas.named(Name(schema)), devices: devices)
    setsBack = isEighth && schema != "none" && wholeRecords.names.isEmpty
    if setsBack { faults.formUnion([.backup, .delay, .cut]) }
    hasLanes =
      schema == "none" || prefersLanes
      || !setsBack && wholeRecords.emphasis != .resets
        && draw.percent(isReal ? 70 : plan.seed % 8 == 6 ? 100 : 45)
    // A store that is set back is judged by its records.
    if hasLanes { faults.remove(.backup) }
    isAutomatic = hasLanes && !isReal && plan.seed % 8 == 1
    let isSpending = plan.seed % 8 == 6 || plan.seed % 16 == 5
    budget = hasLanes && !isReal && isSpending ? draw.pick([1, 1, 2]) : nil
    // A budget outlives the server.
    if budget != nil, plan.faults == nil { faults.insert(.crash) }
    // Forms hold up what is collected.
    let mayHoldForms = !faults.contains(.collection) || plan.seed % 4 == 2
    holdsForms = mayHoldForms && schema != "none" && !isReal
    buries = faults.contains(.collection) && schema != "none" && !isReal && plan.seed % 8 == 7
    if buries, plan.faults == nil { faults.insert(.cut) }
    // Who begins with a snapshot has what was typed, and erased, before.
    hasTyping =
      schema != "none" && draw.percent(holdsForms && faults.contains(.collection) ? 80 : 30)
    stepsClock = !isReal && plan.seed % 8 == 4 && wholeRecords.names.isEmpty
    sameMillisecond = draw.pick([0, 50, 90])
    edits.isNested = draw.percent(30)
    isSparse = draw.percent(50) && !isReal
    isNarrow = draw.percent(25) && !isReal
    hasLobby = !isReal && plan.seed % 4 == 3
    hasNeighbour = isSparse && hasLanes && draw.percent(schema == "none" ? 100 : 50)
    commitsAlone = draw.percent(50) && !isReal
    emphasize(plan)
  }

  /// Has happen what few schedules would have by chance.
  private mutating func emphasize(_ plan: Plan) {
    var added: Set<Fault> = []
    switch wholeRecords.emphasis {
    case .nothing: return
    case .moves: (edits.records, edits.isNested) = (5, false)
    case .between:
      (edits.records, edits.isNested) = (3, true)
      added = [.delay]
    case .unread:
      edits.records = 2
      added = [.delay, .clock]
    case .resets:
      (edits.records, edits.hot) = (1, 85)
      added = hasLanes ? [.cut, .delay] : [.backup, .cut, .delay]
    case .episodes:
      edits.records = 3
      added = [.cut, .clock, .collection]
    }
    // What comes later hides what came before: some are long, and some are not.
    if plan.events == nil {
      if wholeRecords.emphasis == .episodes {
        events = 16
      } else if plan.seed % 3 != 0 {
        events = max(events, 60)
      }
    }
    if plan.faults == nil, !isReal { faults.formUnion(added) }
  }

  /// There are several servers. What needs one machine's clock or disk, or another pair, is left out.
  mutating func cluster(_ draw: inout SplitMix64) {
    isCluster = true
    hasParts = draw.percent(40)
    isSilent = draw.percent(40)
    hasNeighbour = false
    stepsClock = false
    budget = nil
    faults.remove(.disk)
    faults.insert(.crash)
  }

  var trace: [Trace.Option] {
    var options = [
      Trace.Option("devices", "\(devices)"), Trace.Option("events", "\(events)"),
      Trace.Option("schema", schema),
      Trace.Option(
        "faults", faults.isEmpty ? "none" : faults.map(\.rawValue).sorted().joined(separator: ",")),
    ]
    if faults.contains(.collection) { options.append(Trace.Option("collect", "")) }
    if isSparse { options.append(Trace.Option("sparse", "")) }
    if isNarrow { options.append(Trace.Option("narrow", "")) }
    if hasLobby { options.append(Trace.Option("lobby", "")) }
    if hasNeighbour { options.append(Trace.Option("neighbour", "")) }
    if commitsAlone { options.append(Trace.Option("alone", "")) }
    if let budget { options.append(Trace.Option("budget", "\(budget)")) }
    if isAutomatic { options.append(Trace.Option("automatic", "")) }
    if hasParts { options.append(Trace.Option("parts", "")) }
    if isSilent { options.append(Trace.Option("silent", "")) }
    if holdsForms { options.append(Trace.Option("forms", "")) }
    return options + wholeRecords.trace
  }

  var nodes: [Trace.Device] {
    var nodes = [
      Trace.Device("phone", isPhone: true),
      Trace.Device("watch", isPhone: false),
      Trace.Device("second", isPhone: false),
      Trace.Device("third", isPhone: false),
    ].prefix(max(1, min(devices, 4))).map { device in
      var device = device
      device.isWholeRecord = wholeRecords.names.contains(device.name)
      return device
    }
    if hasTyping { nodes.append(Trace.Device("person", isPhone: false, isTyped: true)) }
    return nodes
  }
}
