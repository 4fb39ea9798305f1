package import AppModels
internal import Dispatch
internal import Pages
package import Simulation
internal import Wire

/// `watchline studio`: a world of a phone and watches, and the page that shows it.
///
/// ```
/// page ──intents──► Studio ──steps──► StudioWorld
///   ▲                 │
///   └──────state──────┘
/// ```
/// The world is here alone: every page shows the same, and one that is reloaded loses nothing.
package final class Studio {
  private var timeline: StudioTimeline
  var world: StudioWorld { timeline.world }
  /// What is shown in the place of the world: a trace of devices alone.
  private(set) var recording: StudioRecording?
  /// Who plays such a trace.
  private let harness: any Harness
  /// The app and the watches of a fresh world.
  private var app: ShippedApp
  private var watches: Int
  var pages: Pages!
  let assets: Assets
  let token: String
  /// Whether pages of other machines are let in.
  let isRemote: Bool
  private let isOver: () -> Bool
  /// By page, up to which line and step it has been told.
  var told: [UInt64: Told] = [:]
  /// Where the server is; in memory where nil.
  let target: (any ServerTarget)?
  /// Whether time passes by itself, and how often it has.
  private(set) var isRunning = false
  private var ticks = 0
  /// Whether everything is carried after each step.
  private(set) var flows = true
  /// Those that wait to be told what a judge says.
  var judgements: [(client: UInt64, json: Later<[UInt8]>)] = []
  /// Worlds that a thread brings to their places.
  private var errands: [Later<StudioTimeline.Errand>] = []
  /// What was opened.
  private(set) var title: String?
  /// Whether that is a trace, which is judged where it is opened.
  private(set) var isOpened = false

  struct Told {
    var world = 0
    var lines = 0
    var steps = 0
  }

  /// Counts worlds, so that a page knows when another one has begun.
  private(set) var worlds = 1

  /// How often time passes by itself, in milliseconds.
  private static let tick = 250

  /// - Parameters:
  ///   - target: where the server is; in memory where nil.
  ///   - harness: who plays traces of devices alone.
  ///   - token: what a page has to know.
  ///   - isRemote: whether pages of other machines are let in, who know that.
  ///   - read: reads a file of the page, in the place of what is built in.
  ///   - isOver: whether to end.
  package init(
    _ app: ShippedApp, watches: Int, on target: (any ServerTarget)?, harness: any Harness,
    opening trace: Trace?, title: String?, token: String, isRemote: Bool,
    read: ((String) -> [UInt8]?)?,
    isOver: @escaping () -> Bool
  ) throws(HarnessFailure) {
    self.app = app
    self.watches = watches
    self.target = target
    self.harness = harness
    self.token = token
    self.isRemote = isRemote
    self.title = title
    self.isOver = isOver
    assets = Assets(read)
    guard let trace, trace.world != .exchange else {
      timeline = try StudioTimeline(StudioWorld(app, watches: watches, on: target))
      recording = try trace.map { trace throws(HarnessFailure) in
        try StudioRecording(trace, by: harness)
      }
      return
    }
    let world = try StudioWorld(opening: trace, on: target)
    world.seekToFinding()
    timeline = StudioTimeline(world)
    flows = false
    isOpened = true
  }

  /// Listens.
  ///
  /// - Returns: the page's address; nil where it cannot be listened at.
  package func listen(_ address: String, port: Int) -> String? {
    guard let pages = Pages(address, port: port, self) else { return nil }
    self.pages = pages
    // All addresses are no address; this machine's own is one of them.
    return "http://\(address == "0.0.0.0" ? "127.0.0.1" : address):\(pages.port)/?token=\(token)"
  }

  /// Serves until it is over.
  package func serve() {
    pages.serve(every: Self.tick)
    // Whoever looks on is let go while there is somebody to be told.
    pages = nil
  }

  /// Lets time pass, where it does.
  ///
  /// - Returns: false where the studio is to end.
  func passed() -> Bool {
    tellJudgements()
    guard recording == nil, world.isReal || isRunning else {
      prepare()
      return !isOver()
    }
    var isNews = false
    if world.isReal {
      isNews = world.poll(flows: flows)
    } else {
      timeline.change { $0.pass(Int64(Self.tick)) }
    }
    ticks += 1
    if isNews || ticks.isMultiple(of: 1000 / Self.tick) { tellAll() }
    return !isOver()
  }

  // MARK: Intents

  /// - Throws: where it is none that makes sense; nothing has changed then.
  func carryOut(_ intent: Members) throws(HarnessFailure) {
    let device = intent.string("device") ?? ""
    switch intent.string("do") {
    case "type": try act(.type(device: device, line: intent.string("line") ?? ""))
    case "wait":
      let milliseconds = intent.integer("milliseconds") ?? 0
      guard 1...31_536_000_000 ~= milliseconds else {
        throw HarnessFailure("time passes by 1 ms to a year")
      }
      try act(.wait(milliseconds))
    case "event":
      guard let verb = TraceEvent.Verb(rawValue: intent.string("verb") ?? "") else {
        throw HarnessFailure("there is no event \(intent.string("verb") ?? "")")
      }
      var event = TraceEvent(at: 0, device, verb)
      event.lane = intent.string("lane")
      event.to = intent.string("to")
      event.count = intent.integer("count")
      event.flag = intent.flag("flag")
      event.payload = intent.raw("payload")
      try act(.event(event))
    case "set":
      guard let edit = StudioWorld.edit(intent) else {
        throw HarnessFailure("a value is set by kind, record, field and value")
      }
      var event = TraceEvent(at: 0, device, .edit)
      event.edit = edit
      try act(.event(event))
    case "seek": seek(Int(clamping: intent.integer("to") ?? 0))
    case "flows": flows = intent.flag("on") ?? true
    case "run": isRunning = intent.flag("on") ?? true
    case "begin": try begin(intent)
    case "example":
      guard let example = Example.all.first(where: { $0.name == intent.string("name") }) else {
        throw HarnessFailure("there is no such example")
      }
      let fresh = try StudioWorld(example.app, watches: example.watches, on: target)
      fresh.plan(example.steps)
      replace(fresh, example.title, flows: true)
    case "open": try open(intent)
    default: throw HarnessFailure("there is nothing that is called \(intent.string("do") ?? "so")")
    }
  }

  private func begin(_ intent: Members) throws(HarnessFailure) {
    if let name = intent.string("app") {
      guard let app = ShippedApp(rawValue: name) else {
        throw HarnessFailure("there is no \(name)")
      }
      self.app = app
    }
    if let watches = intent.integer("watches") {
      guard 1...3 ~= watches else { throw HarnessFailure("there are 1 to 3 watches") }
      self.watches = Int(watches)
    }
    try replace(StudioWorld(app, watches: watches, on: target), nil, flows: true)
  }

  private func open(_ intent: Members) throws(HarnessFailure) {
    let trace: Trace
    do throws(TraceFault) {
      trace = try Trace(ndjson: Array((intent.string("trace") ?? "").utf8))
    } catch {
      throw HarnessFailure("the trace cannot be read: \(error.description)")
    }
    let title = intent.string("name") ?? "a trace"
    if trace.world == .exchange {
      let recording = try StudioRecording(trace, by: harness)
      try replace(StudioWorld(app, watches: watches, on: target), title, flows: true)
      self.recording = recording
    } else {
      try replace(StudioWorld(opening: trace, on: target), title, flows: false)
      isOpened = true
    }
  }

  private func act(_ intent: StudioWorld.Intent) throws(HarnessFailure) {
    guard recording == nil else {
      throw HarnessFailure("this can be looked at alone; “Begin anew” has devices to play with")
    }
    timeline.change { $0.perform(intent, flows: flows) }
  }

  private func seek(_ step: Int) {
    if recording != nil {
      recording?.seek(to: step)
      return worlds += 1
    }
    prepare()
    if timeline.seek(to: step) { worlds += 1 }
  }

  /// A thread brings worlds to where somebody may want to go.
  private func prepare() {
    errands.removeAll { later in
      guard let errand = later.value else { return false }
      timeline.adopt(errand)
      return true
    }
    for errand in timeline.errands() {
      errands.append(
        Later(on: Self.preparing) {
          errand.run()
          return errand
        })
    }
  }

  private static let preparing = DispatchQueue(label: "prepare")

  private func replace(_ world: StudioWorld, _ title: String?, flows: Bool) {
    timeline = StudioTimeline(world)
    recording = nil
    isOpened = false
    self.title = title
    self.flows = flows
    isRunning = false
    worlds += 1
    // They are of what was shown before.
    judgements = []
    errands = []
    prepare()
  }
}
