import AppModels
import Device
import LaneModel
import Merge
import Wire

/// One schedule in the world of the server: a server, in memory or elsewhere, and devices with their
/// connections. It only does what it is told.
final class ServerRun {
  let schema: Schema?
  let start: Int64
  let site: any ServerSite
  let nodes: [ServerNode]
  let lanes = DeliveryChecker()
  let sync = SyncLedger()
  var coverage = Coverage()
  var findings: [Finding] = []
  let recorder: Recorder
  private var connections = 0
  private(set) var event = 0
  /// What a device held when an event was over, by the event's name.
  var shown: [String: (device: String, vector: VersionVector)] = [:]
  /// Whether forms are open, and by device what its last ones were opened on.
  private let holdsForms: Bool
  private var forms: [String: [VersionVector]] = [:]
  /// What each device held last, and as which replica.
  var vectors: [String: (replica: ReplicaID, vector: VersionVector)] = [:]
  /// Whether there was time enough for a device to be given up.
  private(set) var isLong = false
  /// The latest time that the clock of the server's machine has shown since the server started, and ever.
  var latestTime: Int64 = 0
  private(set) var latestTimeEver: Int64 = 0
  var typedCount = 0
  /// The server and a device were found to talk without end, which is not waited for a second time.
  var isBusy = false
  /// How often everything may go up and come down until nothing moves. A push of 64 operations takes
  /// a few rounds.
  static let mostRounds = 100
  /// What cannot take place here.
  private let impossible: Set<TraceEvent.Verb>

  /// - Parameter target: where the server is; in memory where nil.
  init(
    _ trace: Trace, on target: (any ServerTarget)? = nil, isRecorded: Bool
  ) throws(HarnessFailure) {
    let schema = trace.recordSchema
    guard schema != nil || trace.schema == "none" else {
      throw HarnessFailure("there is no schema \(trace.schema)")
    }
    self.schema = schema
    site =
      if let target {
        try target.site(trace)
      } else if trace.world == .cluster {
        ClusterSite(trace, schema)
      } else {
        try MemorySite(trace, schema)
      }
    start = site.now
    holdsForms = trace.options.has("forms")
    impossible = target?.impossible ?? []
    recorder = Recorder(
      places: trace.devices.map(\.name) + ["server"], start: start, isRecorded: isRecorded)
    let (ledger, site) = (lanes, self.site)
    nodes = trace.devices.map { ServerNode($0, schema, ledger, at: site, options: trace.options) }
    lanes.mayRepeat = site.isReal
    lanes.watches = nodes.count { !$0.device.isPhone }
    let budget = trace.options.first { $0.name == "budget" }
    lanes.complications.wanted = budget.flatMap { Int($0.value) }
    for node in nodes { node.app?.atHub = { [unowned self] in atHub() } }
  }

  /// Milliseconds since 1970.
  var now: Int64 { site.now }

  func clock(_ node: ServerNode) -> Int64 { now + node.skew }

  func node(_ name: String?) -> ServerNode? { nodes.first { $0.name == name } }

  func report(_ invariant: String, _ slug: String, _ headline: String, _ story: String...) {
    guard !findings.contains(where: { $0.slug == slug }) else { return }
    findings.append(
      Finding(invariant: invariant, slug: slug, headline: headline, story: story))
  }

  /// Takes over what was found wrong with the lanes.
  func gatherFindings() {
    for found in lanes.violations where !findings.contains(where: { $0.slug == found.slug }) {
      findings.append(
        Finding(
          invariant: found.invariant, slug: found.slug, headline: found.headline,
          story: found.story))
    }
  }

  // MARK: Events

  /// - Returns: false where the event makes no sense here; nothing has happened then.
  @discardableResult
  func perform(_ event: TraceEvent) -> Bool {
    guard !impossible.contains(event.verb) else { return false }
    isLong = isLong || !site.isReal && event.at > 90 * 86_400_000
    if event.verb != .suspend { site.advance(to: start + event.at) }
    noteTime()
    for node in nodes { retryPush(node) }
    let isDone =
      event.device == "server" ? atServer(event) : node(event.device).map { at($0, event) }
    guard isDone ?? false || site.fault != nil else { return false }
    noteTime()
    site.settle()
    for node in nodes { node.noticeClosing() }
    afterwards()
    if let name = event.name, let sync = node(event.device)?.sync {
      shown[name] = (event.device, sync.vector)
      if holdsForms { openForm(sync) }
    }
    self.event += 1
    coverage.note(event.verb.rawValue)
    return true
  }

  private func retryPush(_ node: ServerNode) {
    guard let time = node.retryAt, time <= clock(node), let sync = node.sync else { return }
    node.retryAt = nil
    sync.waits = 0
    sync.push()
    node.collect()
  }

  private func at(_ node: ServerNode, _ event: TraceEvent) -> Bool {
    switch event.verb {
    case .edit: return edit(node, event)
    case .extend: return extend(node, Int(event.count ?? 0))
    case .connect: connect(node, tellsReceived: event.flag ?? true, at: event.to)
    case .drop:
      guard let link = node.link else { return false }
      recorder.add(now - start, node.name, .fault, "the connection is lost")
      link.wire.close()
      node.disconnect()
    case .up: return up(node, event.count.map(Int.init), isZombie: event.flag ?? false)
    case .down: return down(node, event.count.map(Int.init))
    case .flow: return flow(node)
    case .clock:
      node.skew = event.count ?? 0
      recorder.add(now - start, node.name, .fault, "its clock is \(node.skew) ms off")
    case .restart:
      storage(node, "the app is restarted") { () throws(WireError) in try node.restart() }
      forms[node.name] = nil
    case .backup:
      guard node.sync != nil else { return false }
      node.backUp()
      recorder.add(now - start, node.name, .note, "its storage is copied")
    case .goBack: return goBack(node)
    case .fullSync, .syncRequest, .resend: return records(node, event)
    case .delay, .slice, .oneWay, .duplicate, .heal: return network(node, event)
    default: return lane(node, event)
    }
    return true
  }

  /// - Parameter server: the one of several to connect to.
  func connect(_ node: ServerNode, tellsReceived: Bool, at server: String? = nil) {
    if node.isActive { coverage.note("takeover") }
    if node.lanes.isAutomatic { coverage.note("automatic") }
    connections += 1
    let wire = site.open("\(node.name) \(connections)", at: server)
    recorder.add(now - start, node.name, .note, "connects" + (server.map { " to \($0)" } ?? ""))
    node.connect(wire, tellsReceived: tellsReceived, since: site.clocks?.system)
  }

  func storage(_ node: ServerNode, _ what: String, _ body: () throws(WireError) -> Void) {
    node.link?.wire.close()
    recorder.add(now - start, node.name, .fault, what)
    do throws(WireError) {
      try body()
    } catch {
      report(
        "I10", "storage-unreadable", "A device cannot read what it stored.",
        "The \(node.name) was restarted and said: \(error.message).")
    }
  }

  /// What happens to the network between a device and the server.
  private func network(_ node: ServerNode, _ event: TraceEvent) -> Bool {
    guard let link = node.link, !link.wire.isClosed, site.network(event, link.wire) else {
      return false
    }
    let count = event.count ?? 0
    let what =
      switch event.verb {
      case .delay: "its network takes \(count) ms"
      case .slice: "its network passes on \(count) bytes at a time"
      case .oneWay:
        "its network \(event.flag == true ? "loses" : "holds back") what goes \(event.lane ?? "both")"
      case .duplicate: "its connection is opened twice"
      default: "its network works again"
      }
    recorder.add(now - start, node.name, .fault, what)
    if event.verb == .duplicate { node.lanes.doubtContext() }
    if event.verb != .heal { coverage.note(event.flag == true ? "halfOpen" : event.verb.rawValue) }
    return true
  }

  private func goBack(_ node: ServerNode) -> Bool {
    guard let device = node.sync else { return node.app != nil && reinstall(node) }
    let what =
      node.backup == nil ? "its storage is wiped" : "an older copy of its storage is put back"
    let newest = device.replica.id
    storage(node, what) { () throws(WireError) in try node.goBack() }
    if device.replica.id.incarnation < newest.incarnation,
      sync.repeatAll(node.name, device.replica.id)
    {
      coverage.note("putBackAfterIssuedAnew")
    }
    sync.destroy(node.name, device.replica.id.device, beyond: device.vector)
    sync.forget(node.name)
    vectors[node.name] = nil
    closeForms(node)
    coverage.note(node.backup == nil ? "reinstall" : "setBack")
    return true
  }

  /// After its storage was set back, or its own operations were issued anew, the names of what its
  /// forms were opened on mean something else.
  func closeForms(_ node: ServerNode) {
    shown = shown.filter { $0.value.device != node.name }
    forms[node.name] = nil
    node.sync?.formShown = nil
  }

  /// An edit's form is opened with each event, and acknowledgements then wait for the oldest of the last four.
  private func openForm(_ device: SyncDevice) {
    let open = ((forms[device.name] ?? []) + [device.vector]).suffix(4)
    forms[device.name] = Array(open)
    device.formShown = open.first
  }

  /// No more edits come.
  func closeForms() { nodes.forEach(closeForms) }

  // MARK: Time

  /// What the system's clock of the server's machine has shown.
  private func noteTime() {
    guard let clocks = site.clocks else { return }
    lanes.complications.day = clocks.server / 86_400_000
    latestTime = max(latestTime, clocks.system)
    latestTimeEver = max(latestTimeEver, latestTime)
  }

  /// The server's date follows the system's clock, and does not go back (clause 11).
  private func checkTime() {
    guard let clocks = site.clocks, clocks.server != latestTime else { return }
    report(
      "I42", "clock-not-followed", "The server does not know what time it is.",
      "The clock of its machine shows \(clocks.system) and has shown \(latestTime) at most since the "
        + "server started; the server takes it to be \(clocks.server).")
  }

  // MARK: After each event

  private func afterwards() {
    checkTime()
    if findings.isEmpty, let fault = site.fault { findings.append(fault) }
    gatherFindings()
    for node in nodes {
      if let complaint = node.complaints.first {
        report(
          "I1", "protocol-broken", "The server told a device what cannot be.",
          "The \(node.name): \(complaint)")
      }
      if node.wasOutrun, !isLong, coverage["goBack"] == 0 {
        report(
          "I20", "editor-outrun", "What somebody was shown was collected before they edited it.",
          "The \(node.name), which was not away for 90 days, cannot edit what it was shown last.")
      }
      if let app = node.app, recorder.isRecorded {
        recorder.shows(node.name, app)
      }
      checkVector(node)
    }
    if let (one, other) = sync.conflict {
      report(
        "I3", "two-meanings", "Two devices hold different operations under one name.",
        "\(one.dot): \(SyncLedger.signature(one)) / \(SyncLedger.signature(other))")
    }
  }
}
