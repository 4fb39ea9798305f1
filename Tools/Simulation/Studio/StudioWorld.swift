package import AppModels
import Device
import LaneModel
import Merge
package import Wire

/// A phone and watches at a server, in memory, moved step by step by a person who looks on.
///
/// ```
/// steps ──► events ──► ServerRun ──► lines, screens, queues
///   ▲          └─► trace: `watchline replay` plays it
///   └── seek: the first of them, in a fresh world
/// ```
/// What is typed at a device becomes edits of the trace before anything happens: so the world does what its
/// trace does.
package final class StudioWorld {
  /// What a person does.
  package enum Intent: Equatable {
    /// A line is typed at a device, as at a terminal.
    case type(device: String, line: String)
    /// Something happens; the time of the event does not count.
    case event(TraceEvent)
    /// So many milliseconds pass.
    case wait(Int64)
  }

  package struct Step: Equatable {
    package var intent: Intent
    /// Whether everything is carried afterwards, and connections that are wanted are opened.
    package var flows: Bool
    /// A sentence, where somebody guides through the steps.
    package var caption: String?
    /// Whether it comes from a trace, which has what the apps said in it.
    var isRecorded = false

    package init(_ intent: Intent, flows: Bool, caption: String? = nil) {
      self.intent = intent
      self.flows = flows
      self.caption = caption
    }
  }

  /// A line, or a part of one, as it went.
  package struct Line {
    package var at: Int64
    package var from: String
    package var to: String
    package var text: String
    /// The step in which it went.
    package var step: Int
  }

  /// Lines that are kept; the oldest go.
  package static let lineLimit = 20_000
  /// How often everything may go up and come down until nothing moves.
  private static let mostRounds = 20

  package let app: ShippedApp?
  private let header: Trace
  /// Where the server is; in memory where nil.
  let target: (any ServerTarget)?
  package private(set) var steps: [Step] = []
  /// How many of them were done in this world.
  package private(set) var position = 0
  /// What has happened, ready to be written down.
  package private(set) var trace: Trace
  /// Lines that went, of which the oldest may have been dropped.
  package private(set) var lines: [Line] = []
  package private(set) var droppedLines = 0
  var run: ServerRun
  private(set) var screens: [StudioScreen] = []
  /// Milliseconds since the start.
  private(set) var at: Int64 = 0
  /// When the world began, by its server's clock.
  private var start: Int64 = 0
  /// Devices that want a connection.
  private(set) var wanted: Set<String> = []
  /// After how many bytes of what a device sends next its connection is cut.
  private var cuts: [String: Int64] = [:]
  /// Whether what apps want to say is said.
  private var appsSpeak = true
  /// What the last step was answered with, where it could not be done.
  package private(set) var refusal: String?

  /// A fresh world with a phone and watches, all connected.
  ///
  /// - Parameter target: where the server is; in memory where nil. Time passes there by itself.
  package convenience init(
    _ app: ShippedApp, watches: Int, on target: (any ServerTarget)? = nil
  ) throws(HarnessFailure) {
    let names = ["phone", "watch", "second", "third"].prefix(1 + max(1, min(watches, 3)))
    let devices = names.map { Trace.Device($0, isPhone: $0 == "phone") }
    try self.init(
      Trace(world: .server, seed: 0, schema: app.rawValue, devices: devices), steps: [],
      on: target)
    // A phone is told at its activation which watch is the active one.
    for name in names.dropFirst() + names.prefix(1) {
      perform(.event(TraceEvent(at: 0, name, .connect)), flows: true)
    }
  }

  /// A recorded one, at its beginning.
  ///
  /// - Throws: where it is no trace of a server and its devices.
  package convenience init(
    opening trace: Trace, on target: (any ServerTarget)? = nil
  ) throws(HarnessFailure) {
    guard trace.world != .exchange else {
      throw HarnessFailure(
        "it is a trace of devices alone; the studio shows those with a server (--world server)")
    }
    var header = trace
    header.events = []
    let steps = trace.events.map { event in
      var step = Step(.event(event), flows: false)
      step.isRecorded = true
      return step
    }
    try self.init(header, steps: steps, on: target)
  }

  private init(
    _ header: Trace, steps: [Step], on target: (any ServerTarget)?
  ) throws(HarnessFailure) {
    self.header = header
    self.target = target
    self.steps = steps
    app = ShippedApp(rawValue: header.schema)
    trace = header
    run = try ServerRun(header, on: target, isRecorded: false)
    begin()
  }

  /// Another one of the same story, at its beginning.
  func atItsBeginning() throws(HarnessFailure) -> StudioWorld {
    try StudioWorld(header, steps: steps, on: target)
  }

  /// Its story goes on as another one's does, with which it is the same so far.
  func adopt(stepsOf other: StudioWorld) { steps = other.steps }

  private func begin() {
    trace = header
    position = 0
    at = 0
    lines = []
    droppedLines = 0
    start = run.now
    wanted = []
    cuts = [:]
    refusal = nil
    run.recorder.listener = { [unowned self] at, from, to, bytes in
      note(at, from, to, bytes)
    }
    screens = []
    guard let app else { return }
    screens = run.nodes.compactMap { node in
      node.sync.map { StudioScreen(app, node.name, $0, isPhone: node.device.isPhone, self) }
    }
  }

  private func note(_ at: Int64, _ from: String, _ to: String, _ bytes: [UInt8]) {
    for line in bytes.split(separator: 0x0A) {
      lines.append(
        Line(
          at: at, from: from, to: to, text: String(decoding: line, as: UTF8.self), step: position))
    }
    if lines.count > Self.lineLimit * 5 / 4 { dropLines(butFor: Self.lineLimit) }
  }

  /// Keeps the newest lines alone.
  func dropLines(butFor kept: Int = 500) {
    let excess = max(0, lines.count - kept)
    lines.removeFirst(excess)
    droppedLines += excess
  }

  // MARK: Steps

  /// Does something, after what has been done up to here: steps beyond are given up.
  package func perform(_ intent: Intent, flows: Bool) {
    steps.removeLast(steps.count - position)
    let step = Step(intent, flows: flows)
    steps.append(step)
    play(step)
  }

  /// Sets captions and steps of a guided tour in place of what is still to come.
  package func plan(_ next: [Step]) {
    steps.removeLast(steps.count - position)
    steps += next
  }

  /// Goes to where so many steps are done, back or forward.
  package func seek(to count: Int) {
    let count = max(0, min(count, steps.count))
    if count < position {
      do throws(HarnessFailure) {
        run = try ServerRun(header, on: target, isRecorded: false)
      } catch {
        return refusal = error.description
      }
      begin()
    }
    while position < count { play(steps[position]) }
  }

  private func play(_ step: Step) {
    refusal = nil
    appsSpeak = !step.isRecorded
    if isReal { at = max(at, run.now - start) }
    switch step.intent {
    case .type(let device, let line): type(line, at: device)
    case .event(let event):
      let time = step.flows ? at : max(at, event.at)
      at = time
      var event = event
      event.at = time
      if !perform(event), step.flows { refusal = "that makes no sense here now" }
    case .wait where isReal: refusal = "time passes by itself at a real server"
    case .wait(let milliseconds):
      at += max(0, milliseconds)
      perform(TraceEvent(at: at, "server", .commit))
    }
    settle(flows: step.flows)
    position += 1
  }

  /// The apps hear how things stand; what they say then is carried too.
  private func settle(flows: Bool) {
    for _ in 0..<Self.mostRounds {
      if flows { flow() }
      let events = trace.events.count
      for screen in screens { screen.settle() }
      guard flows, trace.events.count > events else { return }
    }
  }

  /// An app has something to tell its counterpart at once.
  ///
  /// - Returns: false where it cannot.
  func tellCounterpart(_ message: [UInt8], from device: String) -> Bool {
    !appsSpeak
      || perform(TraceEvent(at: at, device, .message, flag: false, payload: message))
  }

  // MARK: A real server

  /// Whether the server is a process of its own, with real time.
  package var isReal: Bool { target != nil }

  /// Takes in what the server has said by itself.
  ///
  /// - Returns: whether there was something.
  package func poll(flows: Bool) -> Bool {
    guard isReal, position == steps.count else { return false }
    run.site.settle()
    let isThere = run.nodes.contains {
      $0.link?.wire.hasInput == true || $0.link?.wire.isClosed == true
    }
    if isThere, flows {
      at = max(at, run.now - start)
      flow()
    }
    for screen in screens { screen.settle() }
    return isThere
  }

  /// - Returns: whether it made sense.
  @discardableResult
  func perform(_ event: TraceEvent) -> Bool {
    var event = event
    // A form that is opened now says so later.
    if event.name == nil, event.device != "server" { event.name = "s\(trace.events.count)" }
    switch event.verb {
    case .connect: wanted.insert(event.device)
    case .drop: wanted.remove(event.device)
    default: break
    }
    guard run.perform(event) else { return false }
    trace.events.append(event)
    return true
  }

  /// Everything is carried, and who wants a connection gets one.
  private func flow() {
    for _ in 0..<Self.mostRounds {
      var hasMoved = false
      for node in run.nodes {
        // An app whose session was deactivated activates it again, as Apple's own do. A real server that has refused one,
        // or is gone, is left alone.
        if wanted.contains(node.name), !isReal || findings.isEmpty,
          node.link == nil || node.lanes.session == .none,
          perform(TraceEvent(at: at, node.name, .connect))
        {
          hasMoved = true
        }
        if cut(node) { hasMoved = true }
        if node.link != nil, perform(TraceEvent(at: at, node.name, .flow)) { hasMoved = true }
      }
      guard hasMoved else { return }
    }
  }

  /// - Returns: whether its connection is cut in the midst of what it sends.
  private func cut(_ node: ServerNode) -> Bool {
    guard let count = cuts[node.name], node.isActive, let link = node.link, !link.up.isEmpty else {
      return false
    }
    let size = min(count, Int64(link.up.count))
    cuts[node.name] = size < count ? count - size : nil
    if size > 0 { perform(TraceEvent(at: at, node.name, .up, count: size)) }
    if size == count { perform(TraceEvent(at: at, node.name, .drop)) }
    return true
  }

  /// Time passes by itself: however often that is said, it is one step.
  package func pass(_ milliseconds: Int64) {
    guard position == steps.count, case .wait(let before) = steps.last?.intent else {
      return perform(.wait(milliseconds), flows: true)
    }
    position -= 1
    steps.removeLast()
    let step = Step(.wait(before + milliseconds), flows: true)
    steps.append(step)
    play(Step(.wait(milliseconds), flows: true))
  }

  /// A value that somebody sets outside an app: an object with `kind`, `record`, `field` and `value`.
  package static func edit(_ object: Members) -> Edit? {
    guard let kind = object.string("kind"), let record = object.string("record"),
      let field = object.string("field"), let value = object.string("value")
    else { return nil }
    var fields = JSONWriter()
    fields.object { $0.raw(field, value) }
    guard (try? Datum(json: fields.bytes)) != nil else { return nil }
    return Edit(Name(kind), Name(record), .set(fields: fields.bytes))
  }

  // MARK: Devices

  private func type(_ line: String, at device: String) {
    let words = CommandLine(line)
    switch words.word {
    case "offline": perform(TraceEvent(at: at, device, .drop))
    case "online": perform(TraceEvent(at: at, device, .connect))
    case "cut":
      guard let count = Int64(words.rest.isEmpty ? "20" : words.rest), 0...1_000_000 ~= count else {
        return refusal = "cut has a number of bytes, such as: cut 20"
      }
      cuts[device] = count
    case "kill":
      perform(TraceEvent(at: at, device, .restart))
      do throws(WireError) {
        try screens.first { $0.name == device }?.relaunch()
      } catch {
        refusal = error.message
      }
    default:
      guard let screen = screens.first(where: { $0.name == device }) else {
        return refusal = "nothing can be typed at the \(device)"
      }
      do throws(WireError) {
        try screen.perform(words)
      } catch {
        refusal = error.message
      }
    }
  }

  // MARK: What is wrong

  /// What a judge says of everything so far, once no fault is left and all is carried.
  package struct Judgement {
    /// Empty where nothing is wrong.
    package let findings: [Finding]
    /// What the devices show then.
    package let end: StudioRecords
  }

  package func judged() throws(HarnessFailure) -> Judgement { try Self.judged(trace, on: target) }

  /// - Parameter target: where the server is; in memory where nil.
  package static func judged(
    _ trace: Trace, on target: (any ServerTarget)? = nil
  ) throws(HarnessFailure) -> Judgement {
    let run = try ServerRun(trace, on: target, isRecorded: false)
    let harness = target.map { ServerHarness($0) } ?? ServerHarness()
    let outcome = harness.play(trace, in: run)
    return Judgement(findings: outcome.findings, end: StudioRecords(run))
  }

  /// Goes on until something is found wrong, or to the end.
  package func seekToFinding() {
    while position < steps.count, findings.isEmpty { play(steps[position]) }
  }

  /// What was found on the way.
  package var findings: [Finding] { run.findings }
}
