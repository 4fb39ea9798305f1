package import AppModels
internal import Dispatch
internal import Pages
package import Simulation
internal import Synchronization
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
  private var world: StudioWorld { timeline.world }
  /// The app and the watches of a fresh world.
  private var app: ShippedApp
  private var watches: Int
  private var pages: Pages!
  private let assets: Assets
  private let token: String
  private let isOver: () -> Bool
  /// By page, up to which line and step it has been told.
  private var told: [UInt64: Told] = [:]
  /// Where the server is; in memory where nil.
  private let target: (any ServerTarget)?
  /// Whether time passes by itself, and how often it has.
  private var isRunning = false
  private var ticks = 0
  /// Whether everything is carried after each step.
  private var flows = true
  /// Those that wait to be told what a judge says.
  private var judgements: [(client: UInt64, json: Later<[UInt8]>)] = []
  /// Worlds that a thread brings to their places.
  private var errands: [Later<StudioTimeline.Errand>] = []
  /// What was opened.
  private var title: String?
  /// Whether that is a trace, which is judged where it is opened.
  private var isRecording = false

  private struct Told {
    var world = 0
    var lines = 0
    var steps = 0
  }

  /// Counts worlds, so that a page knows when another one has begun.
  private var worlds = 1

  /// How often time passes by itself, in milliseconds.
  private static let tick = 250
  /// Lines in one message at most: of more the newest.
  private static let mostLines = 500

  /// - Parameters:
  ///   - target: where the server is; in memory where nil.
  ///   - token: what a page has to know.
  ///   - read: reads a file of the page, in the place of what is built in.
  ///   - isOver: whether to end.
  package init(
    _ app: ShippedApp, watches: Int, on target: (any ServerTarget)?, opening trace: Trace?,
    title: String?, token: String,
    read: ((String) -> [UInt8]?)?, isOver: @escaping () -> Bool
  ) throws(HarnessFailure) {
    self.app = app
    self.watches = watches
    self.target = target
    self.token = token
    self.title = title
    self.isOver = isOver
    assets = Assets(read)
    if let trace {
      let world = try StudioWorld(opening: trace, on: target)
      world.seekToFinding()
      timeline = StudioTimeline(world)
      flows = false
      isRecording = true
    } else {
      timeline = try StudioTimeline(StudioWorld(app, watches: watches, on: target))
    }
  }

  /// Listens.
  ///
  /// - Returns: the page's address; nil where it cannot be listened at.
  package func listen(_ address: String, port: Int) -> String? {
    guard let pages = Pages(address, port: port, self) else { return nil }
    self.pages = pages
    return "http://\(address):\(pages.port)/?token=\(token)"
  }

  /// Serves until it is over.
  package func serve() {
    pages.serve(every: Self.tick)
    // Whoever looks on is let go while there is somebody to be told.
    pages = nil
  }

  // MARK: What is told

  private func tellAll() { for client in told.keys.sorted() { tell(client) } }

  private func tell(_ client: UInt64) {
    guard var told = told[client] else { return }
    if told.world != worlds { told = Told(world: worlds) }
    var json = JSONWriter()
    json.object { json in
      json.member("type", "state")
      json.member("world", worlds)
      json.member("title", title)
      json.raw("isRunning", isRunning ? "true" : "false")
      json.raw("flows", flows ? "true" : "false")
      world.write(&json)
      let end = world.droppedLines + world.lines.count
      let first = max(told.lines, world.droppedLines, end - Self.mostLines)
      json.member("linesSkipped", first - told.lines)
      json.array("lines", Array(world.lines[(first - world.droppedLines)...])) { json, line in
        json.object { json in
          json.member("at", line.at)
          json.member("from", line.from)
          json.member("to", line.to)
          json.member("step", line.step)
          json.member("text", line.text)
        }
      }
      json.member("historyFrom", min(told.steps, world.steps.count))
      world.writeSteps(from: told.steps, &json)
      told.lines = end
      told.steps = world.steps.count
    }
    self.told[client] = told
    pages.send(json.bytes, to: client)
  }

  /// Everything is played anew for that. In memory a thread does so, and nobody waits for it.
  private func judge(for client: UInt64) {
    if let target {
      pages.send(
        Self.judged { () throws(HarnessFailure) in
          try StudioWorld.judged(world.trace, on: target)
        }, to: client)
    } else {
      let trace = world.trace
      let json = Later(on: .global()) {
        Self.judged { () throws(HarnessFailure) in try StudioWorld.judged(trace) }
      }
      judgements.append((client, json))
    }
  }

  private func tellJudgements() {
    judgements.removeAll { client, later in
      guard let json = later.value else { return false }
      if told[client] != nil { pages.send(json, to: client) }
      return true
    }
  }

  private static func judged(
    _ judge: () throws(HarnessFailure) -> StudioWorld.Judgement
  ) -> [UInt8] {
    do throws(HarnessFailure) {
      let judgement = try judge()
      var json = JSONWriter()
      json.object { json in
        json.member("type", "judged")
        StudioWorld.write(judgement, &json)
      }
      return json.bytes
    } catch {
      return refusal(error.description)
    }
  }

  private static func refusal(_ message: String) -> [UInt8] {
    var json = JSONWriter()
    json.object { json in
      json.member("type", "error")
      json.member("message", message)
    }
    return json.bytes
  }

  private func refuse(_ client: UInt64, _ message: String) {
    pages.send(Self.refusal(message), to: client)
  }

  // MARK: Intents

  /// - Throws: where it is none that makes sense; nothing has changed then.
  private func take(_ intent: Members) throws(HarnessFailure) {
    let device = intent.string("device") ?? ""
    switch intent.string("do") {
    case "type": act(.type(device: device, line: intent.string("line") ?? ""))
    case "wait":
      let milliseconds = intent.integer("milliseconds") ?? 0
      guard 1...31_536_000_000 ~= milliseconds else {
        throw HarnessFailure("time passes by 1 ms to a year")
      }
      act(.wait(milliseconds))
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
      act(.event(event))
    case "set":
      guard let edit = StudioWorld.edit(intent) else {
        throw HarnessFailure("a value is set by kind, record, field and value")
      }
      var event = TraceEvent(at: 0, device, .edit)
      event.edit = edit
      act(.event(event))
    case "seek": seek(Int(clamping: intent.integer("to") ?? 0))
    case "flows": flows = intent.flag("on") ?? true
    case "run": isRunning = intent.flag("on") ?? true
    case "begin":
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
    case "example":
      guard let example = Example.all.first(where: { $0.name == intent.string("name") }) else {
        throw HarnessFailure("there is no such example")
      }
      let fresh = try StudioWorld(example.app, watches: example.watches, on: target)
      fresh.plan(example.steps)
      replace(fresh, example.title, flows: true)
    case "open":
      let trace: Trace
      do throws(TraceFault) {
        trace = try Trace(ndjson: Array((intent.string("trace") ?? "").utf8))
      } catch {
        throw HarnessFailure("the trace cannot be read: \(error.description)")
      }
      try replace(
        StudioWorld(opening: trace, on: target), intent.string("name") ?? "a trace", flows: false,
        isRecording: true)
    default: throw HarnessFailure("there is nothing that is called \(intent.string("do") ?? "so")")
    }
  }

  private func act(_ intent: StudioWorld.Intent) {
    timeline.change { $0.perform(intent, flows: flows) }
  }

  private func seek(_ step: Int) {
    prepare()
    if timeline.seek(to: step) { worlds += 1 }
  }

  /// A thread brings worlds to where somebody may want to go.
  private func prepare() {
    errands.removeAll { later in
      guard let errand = later.value else { return false }
      timeline.take(errand)
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

  private func replace(
    _ world: StudioWorld, _ title: String?, flows: Bool, isRecording: Bool = false
  ) {
    timeline = StudioTimeline(world)
    self.isRecording = isRecording
    self.title = title
    self.flows = flows
    isRunning = false
    worlds += 1
    prepare()
  }
}

extension Studio: PageHandler {
  func page(_ path: String, query: String, host: String) -> Page {
    guard isOurs(host) else { return Page(403, "This address is not the studio's own.") }
    guard path == "/" || path == "/trace" else {
      return assets[path] ?? Page(404, "There is no such page.")
    }
    guard knowsToken(query) else {
      return Page(403, "The address lacks the token that watchline studio has printed.")
    }
    if path == "/trace" { return Page(world.trace.ndjson, type: "application/x-ndjson") }
    return assets.index
  }

  /// Only a page of this server may: another site's page has another origin.
  func mayOpen(query: String, origin: String, host: String) -> Bool {
    isOurs(host) && origin == "http://\(host)" && knowsToken(query)
  }

  private func isOurs(_ host: String) -> Bool {
    ["127.0.0.1", "localhost"].contains { host == "\($0):\(pages.port)" }
  }

  private func knowsToken(_ query: String) -> Bool {
    query.split(separator: "&").contains { $0 == "token=\(token)" }
  }

  func opened(_ client: UInt64) {
    told[client] = Told()
    var json = JSONWriter()
    json.object { json in
      json.member("type", "hello")
      json.member("build", assets.build)
      json.array("examples", Example.all) { json, example in
        json.object { json in
          json.member("name", example.name)
          json.member("title", example.title)
        }
      }
      json.array("apps", ShippedApp.allCases) { $0.string($1.rawValue) }
    }
    pages.send(json.bytes, to: client)
    tell(client)
    if isRecording { judge(for: client) }
  }

  func received(_ message: [UInt8], from client: UInt64) {
    guard let intent = try? Members(message) else {
      return refuse(client, "that is no JSON object")
    }
    do throws(HarnessFailure) {
      if intent.string("do") == "judge" { return judge(for: client) }
      try take(intent)
    } catch {
      return refuse(client, error.description)
    }
    tellAll()
    if intent.string("do") == "open" { judge(for: client) }
  }

  func closed(_ client: UInt64) { told[client] = nil }

  func passed() -> Bool {
    tellJudgements()
    if world.isReal {
      ticks += 1
      let isNews = world.poll(flows: flows)
      if isNews || ticks.isMultiple(of: 1000 / Self.tick) { tellAll() }
    } else if isRunning {
      timeline.change { $0.pass(Int64(Self.tick)) }
      ticks += 1
      if ticks.isMultiple(of: 1000 / Self.tick) { tellAll() }
    } else {
      prepare()
    }
    return !isOver()
  }
}

/// What a thread makes.
private final class Later<Value: Sendable>: Sendable {
  private let made = Mutex<Value?>(nil)

  init(on queue: DispatchQueue, _ make: @escaping @Sendable () -> Value) {
    queue.async {
      let value = make()
      self.made.withLock { $0 = value }
    }
  }

  /// nil until it is there.
  var value: Value? { made.withLock { $0 } }
}
