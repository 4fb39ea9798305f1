import AppModels
import Device
import LaneModel
import Merge
import Wire

/// A device of the simulated world: its connections, its side of the lanes, and its records.
final class ServerNode {
  /// A connection and what is on its way up; what is on its way down lies with the wire.
  final class Link {
    let wire: any ServerLink
    /// What the clock of the server's machine showed when it was opened; nil where that is not known.
    let since: Int64?
    var up: [UInt8] = []

    init(_ wire: any ServerLink, since: Int64?) {
      self.wire = wire
      self.since = since
    }
  }

  let device: Trace.Device
  let lanes: LaneClient
  /// nil where a person types, where only whole records are known, or where the run has no records.
  let sync: SyncDevice?
  /// Of a device that knows whole records only (clause 13).
  let app: WholeRecordApp?
  private let schema: Name
  private let pair: String
  /// The connection in use, and those that it has taken over from.
  private(set) var link: Link?
  private(set) var zombies: [Link] = []
  /// What its clock is wrong by, in milliseconds.
  var skew: Int64 = 0 {
    didSet { wasFarAhead = wasFarAhead || skew > 60_000 }
  }
  /// Whether its clock was ever so far ahead that it may have refused what it was sent (clause 13.4).
  private(set) var wasFarAhead = false
  private var hasOpened = false
  /// Whether it had written before it opened for the first time, and the server, which did not know of
  /// it, had collected something by then.
  private(set) var isLatecomer = false
  /// What its person had been shown was collected before the next edit was typed.
  private(set) var wasOutrun = false
  /// A copy of its storage, and the incarnation that it has.
  private(set) var backup: (storage: [[UInt8]], incarnation: UInt64)?
  /// Whether its storage was ever set back: only then can it have issued a number twice.
  private var wasSetBack = false
  /// When it pushes again what the server has put off, in milliseconds since 1970.
  var retryAt: Int64?
  /// What the device found wrong with what it was told.
  private(set) var complaints: [String] = []
  /// Edits that were typed, and what was answered.
  var typed = TypedEdits()
  /// Answers about records to requests of the harness's own, by id.
  var answers: [String: [Members]] = [:]
  /// What a record that was typed is called by the server.
  private(set) var aliases: [Name: Name] = [:]
  var creates: [String: Name] = [:]

  var name: String { device.name }

  /// - Parameter site: the server whose device it is.
  init(
    _ device: Trace.Device, _ schema: Schema?, _ ledger: DeliveryChecker, at site: any ServerSite,
    options: [Trace.Option] = []
  ) {
    self.device = device
    pair = site.pair
    self.schema = schema?.name ?? "none"
    app =
      device.isWholeRecord
      ? schema.map { WholeRecordApp(isPhone: device.isPhone, $0, options: options) } : nil
    // What a proxy's kernel has confirmed has not reached the device.
    let isAutomatic = !device.isPhone && app == nil && !site.isReal
    lanes = LaneClient(
      device.name, isPhone: device.isPhone, ledger, store: site.store, companion: app,
      isAutomatic: isAutomatic && options.has("automatic"), isBehindProxy: site.isReal)
    sync =
      device.isTyped || app != nil
      ? nil
      : schema.map {
        // Records are named by the schedule.
        SyncDevice(
          device.name, Identifier(digestOf: "device", device.name), isPhone: device.isPhone,
          schema: $0, clock: site.now, newIdentifier: { Identifier(digestOf: "none") })
      }
  }

  // MARK: Connections

  /// Opens a connection, which takes over from the one in use.
  func connect(_ wire: any ServerLink, tellsReceived: Bool, since: Int64?) {
    if let link, !link.wire.isClosed { zombies.append(link) }
    typed.lost()
    lanes.lost(isKnown: link?.wire.isOver ?? true)
    link = Link(wire, since: since)
    sync?.disconnected()
    lanes.activate(pair: pair, tellsReceived: tellsReceived)
    collect()
  }

  /// The connection is lost.
  func disconnect() {
    typed.lost()
    lanes.lost(isKnown: link?.wire.isOver ?? true)
    link = nil
    sync?.disconnected()
  }

  /// Closes its connection, which it notices.
  func close() {
    link?.wire.close()
    noticeClosing()
  }

  /// Looks whether the server has closed the connection.
  func noticeClosing() {
    zombies.removeAll { $0.wire.isClosed }
    guard let link, link.wire.isClosed, !link.wire.hasInput else { return }
    disconnect()
  }

  var isActive: Bool { lanes.session == .activated && link.map { !$0.wire.isClosed } ?? false }

  /// Puts what the device has to say on its way.
  func collect() {
    let lines = lanes.takeOutput() + (sync?.takeOutput() ?? [])
    guard let link else { return }
    for line in lines {
      link.up += line
      link.up.append(0x0A)
    }
  }

  // MARK: Lines

  /// Takes in a line of the connection in use.
  ///
  /// - Parameter latestTime: the latest that the clock of the server's machine has shown.
  func received(_ bytes: [UInt8], clock: Int64, latestTime: Int64) {
    guard let line = try? Members(bytes) else {
      complaints.append("a line that is no JSON object: \(String(decoding: bytes, as: UTF8.self))")
      return
    }
    app?.set(clock: clock)
    let type = line.string("type") ?? ""
    if type == "sync.opened" || type == "sync.retime" { checkTime(line, latestTime) }
    let wasActive = lanes.session == .activated
    if type == "sync.opened", !hasOpened {
      hasOpened = true
      isLatecomer = line.flag("retired") == true
    }
    // Nothing waits for who has opened and not looked.
    if type == "error", line.string("message")?.contains("is no longer known") == true {
      wasOutrun = wasOutrun || !typed.answers.isEmpty
    }
    if type == "error", let re = line.string("re"), re == "open" || re == "push" {
      if line.integer("code") == Int64(ErrorCode.replicaRetired.rawValue), !wasSetBack {
        complaints.append(
          "it was never set back, and what it pushed differs from what the server has: "
            + (line.string("message") ?? ""))
      }
      ingest(bytes, clock)
    } else if type == "sync.digests" || type == "sync.feed" || type == "sync.records" {
      answers[line.string("re") ?? "", default: []].append(line)
    } else if type.hasPrefix("sync.") {
      sync == nil ? answered(line, type) : ingest(bytes, clock)
      if type == "sync.retime" { checkClock(line, clock) }
    } else {
      lanes.received(line)
    }
    typed.received(line, type)
    if !wasActive, lanes.session == .activated {
      sync?.open()
      if device.isTyped, schema != "none" {
        typed.opens()
        lanes.send("{\"type\":\"sync.open\",\"schema\":\"\(schema)\",\"id\":\"open\"}")
      }
    }
    collect()
  }

  private func ingest(_ bytes: [UInt8], _ clock: Int64) {
    guard let sync else { return }
    sync.clock = clock
    do {
      try sync.received(bytes)
    } catch let error as WireError {
      complaints.append(error.message)
    } catch {
      complaints.append("\(error)")
    }
    if sync.waits > 0, retryAt == nil { retryAt = clock + Int64(sync.waits) }
  }

  /// The time that the server tells is one that its machine's clock has shown meanwhile.
  private func checkTime(_ line: Members, _ latest: Int64) {
    guard let since = link?.since, let told = line.milliseconds("now"),
      !(since...max(since, latest) ~= told)
    else { return }
    complaints.append(
      "it was told that it is \(told); since it connected the clock of the server's machine has shown "
        + "\(since) to \(latest)")
  }

  /// The server's clock is the device's own from now on; but an answer to what an earlier incarnation had pushed
  /// is passed over.
  private func checkClock(_ line: Members, _ clock: Int64) {
    guard let sync, !sync.isSuperseded, let now = line.milliseconds("now"),
      clock + sync.replica.offset != now
    else { return }
    complaints.append(
      "it was told that it is \(now), and corrected its clock to \(clock + sync.replica.offset)")
  }

  private func answered(_ line: Members, _ type: String) {
    guard type == "sync.edited", let re = line.string("re") else { return }
    if let record = creates[re], let id = line.string("id") { aliases[record] = Name(id) }
  }

  // MARK: Storage

  /// The app ends and starts again with what is stored.
  func restart() throws(WireError) {
    let saved = sync?.saved
    disconnect()
    guard let sync, let saved else { return }
    // A form is not stored, and holds acknowledgements up.
    let isOpen = sync.formShown != nil
    try sync.restore(saved)
    if !isOpen, sync.saved != saved {
      complaints.append("what it had saved is not what it came back with")
    }
  }

  /// Keeps a copy of the storage.
  func backUp() {
    backup = sync.map { ($0.saved, $0.replica.id.incarnation) }
  }

  /// Whether it goes on as a newer incarnation than the copy of its storage has: it was set back meanwhile,
  /// and may have issued anew what the copy has too.
  var isBeyondBackup: Bool {
    guard let backup, let sync else { return false }
    return backup.incarnation < sync.replica.id.incarnation
  }

  /// The storage is as it was, or empty.
  func goBack() throws(WireError) {
    disconnect()
    wasSetBack = true
    if app != nil { lanes.reset() }
    if let backup { try sync?.restore(backup.storage) } else { sync?.reset() }
  }
}
