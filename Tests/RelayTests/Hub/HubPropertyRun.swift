import Seeded
import Device
import Merge
import Relay
import RelaySupport
import SyncSupport

/// One random history: devices with replicas and a person at a keyboard edit timers among
/// disconnects, restarts, kills, evictions, backups put back, wrong clocks and failing writes.
final class HubPropertyRun {
  private let hub: HubWorld
  private var random: SplitMix64
  private var devices: [SyncDevice] = []
  private var backups: [String: [[UInt8]]] = [:]
  /// Records that the person was told of, with the value that was set, if it was told to show.
  private var typed: Set<String> = []
  private let isCollecting: Bool
  private var count = 0
  private(set) var step = 0
  private(set) var log: [String] = []
  private(set) var tally: [String: Int] = [:]

  init(seed: UInt64) throws {
    random = SplitMix64(seed: seed)
    var limits = Limits()
    if random.oneIn(3) { limits.waitingOutput = 4 << 10 }
    isCollecting = random.oneIn(3)
    if isCollecting { limits.syncLog = 24 }
    hub = try HubWorld(limits: limits, hasManualClock: false)
    devices = [hub.device("phone", isPhone: true), hub.device("watch")]
    if random.oneIn(2) { devices.append(hub.device("tablet")) }
  }

  var summary: String {
    tally.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
  }

  func play(steps: Int) throws {
    for device in devices { try hub.connect(device) }
    while step < steps {
      step += 1
      try act()
    }
    try end()
  }

  private func note(_ event: String, _ detail: String = "") {
    tally[event, default: 0] += 1
    log.append("\(step) \(event) \(detail)")
  }

  // MARK: Steps

  private func act() throws {
    if !random.oneIn(3) { hub.world.now += Int64(random.below(4)) * 500 }
    let device = devices[random.below(devices.count)]
    switch random.below(100) {
    case 0..<55: try edit(device)
    case 55..<72: try type()
    case 72..<77:
      note("disconnect", device.name)
      hub.disconnect(device)
    case 77..<84:
      note("connect", device.name)
      try hub.connect(device)
    case 84..<87:
      hub.world.holdsCommits.toggle()
      note("commits", "\(!hub.world.holdsCommits)")
      try hub.settle()
    case 87..<90:
      note("commit")
      hub.world.commitOne()
      try hub.settle()
    case 90: try random.oneIn(2) ? backUp(device) : relaunch(device)
    case 91..<93: try trouble()
    case 93:
      device.clock += random.oneIn(2) ? 3_600_000 : -3_600_000
      note("clock", device.name)
    case 94..<96: try restart(killing: true)
    case 96: try restart(killing: false)
    case 97: try evict()
    default:
      let client = hub.world.client(device.name)
      client.holdsOutput.toggle()
      note("reading", "\(device.name) \(!client.holdsOutput)")
      if !client.holdsOutput { hub.world.read(device.name) }
      try hub.settle()
    }
  }

  private func edit(_ device: SyncDevice) throws {
    let skew = device.clock - hub.world.now / 1000
    if abs(skew) < 1_000_000 { device.clock = hub.world.now / 1000 }
    count += 1
    let name = "\(device.name) \(count)"
    let timers = device.records("timer")
    guard !timers.isEmpty, timers.count > 3 || random.below(3) > 0 else {
      note("create", name)
      try device.create("timer", "{\"name\":\"\(name)\",\"durationInSeconds\":\(count)}")
      return try hub.settle()
    }
    let timer = timers[random.below(timers.count)]
    note("edit", "\(name) \(timer)")
    switch random.below(12) {
    case 0..<3: try device.set("timer", timer, "{\"name\":\"\(name)\"}")
    case 3: try device.set("timer", timer, "{\"durationInSeconds\":\(random.below(3) + 1)}")
    case 4..<6: try device.set("timer", timer, "{\"notes\":\"\(notes(device, timer))\"}")
    case 6: try device.delete("timer", timer)
    case 7: try device.move("timer", timer, to: random.oneIn(2) ? .first : .last)
    case 8..<10: try device.create("todo", "{\"timer\":\"\(timer)\",\"text\":\"\(name)\"}")
    default:
      let todos = device.view["todo"]
      guard !todos.isEmpty else { break }
      let todo = todos[random.below(todos.count)].target.record
      switch random.below(4) {
      case 0: try device.delete("todo", todo)
      case 1: try device.move("todo", todo, to: .last, into: Target("timer", timer))
      default: try device.set("todo", todo, "{\"isCompleted\":\(random.oneIn(2))}")
      }
    }
    try hub.settle()
  }

  /// The text with something put in and something taken out.
  private func notes(_ device: SyncDevice, _ timer: Name) -> String {
    var text = Array(device.value("timer", timer, "notes")?.text?.text ?? "")
    if !text.isEmpty, random.oneIn(2) {
      let start = random.below(text.count)
      text.removeSubrange(start..<min(text.count, start + random.below(4)))
    }
    let letters = "abcdéo\u{301}🫖".map { $0 }
    let added = (0...random.below(4)).map { _ in letters[random.below(letters.count)] }
    text.insert(contentsOf: added, at: random.below(text.count + 1))
    return String(text)
  }

  // MARK: The person

  private func type() throws {
    count += 1
    if hub.world.lastClient("person").map(\.isClosed) ?? true || random.oneIn(8) {
      hub.world.close("person")
      note("person")
      _ = hub.type("activate pair=p role=watch device=person", on: "person")
      _ = hub.type("sync.open schema=todoTimers", on: "person")
    }
    let known = typed.sorted()
    let asOf = random.oneIn(4) ? " asOf=0" : random.oneIn(4) ? " asOf=lastSeen" : ""
    var line = "sync.edit kind=timer set={\"name\":\"typed \(count)\",\"durationInSeconds\":7}"
    if !known.isEmpty, !random.oneIn(3) {
      let record = known[random.below(known.count)]
      let what =
        switch random.below(5) {
        case 0: "delete=true"
        case 1: "move={\"after\":null}"
        case 2: "set={\"notes\":\"typed \(count)\"}"
        default: "set={\"name\":\"typed \(count)\"}"
        }
      line = "sync.edit kind=timer record=\"\(record)\" \(what)\(asOf)"
      if random.oneIn(6) { line = "sync.restore kind=timer record=\"\(record)\"" }
    }
    if random.oneIn(6) { line = "sync.view" }
    note("type", line)
    for answer in hub.type(line, on: "person") where answer.type == "sync.edited" {
      typed.insert(answer.id)
    }
  }

  // MARK: Trouble

  private func backUp(_ device: SyncDevice) throws {
    guard let backup = backups.removeValue(forKey: device.name) else {
      note("backup", device.name)
      backups[device.name] = device.saved
      return
    }
    note("restore", device.name)
    hub.disconnect(device)
    try device.restore(backup)
  }

  /// The device ends and starts again with what it has saved.
  private func relaunch(_ device: SyncDevice) throws {
    note("relaunch", device.name)
    hub.disconnect(device)
    let saved = device.saved
    try device.restore(saved)
    guard device.saved == saved else { throw SyncFault("\(device.name) was not saved as it is") }
  }

  private func trouble() throws {
    if hub.world.isFailing {
      note("recover")
      hub.world.recoverStore()
    } else {
      note("fail")
      hub.world.failStore()
    }
    try hub.settle()
  }

  private func restart(killing isKill: Bool) throws {
    guard isKill || !(hub.world.isFailing || hub.world.holdsCommits) else { return }
    note(isKill ? "kill" : "restart")
    try hub.restart(killing: isKill)
    // A second backup of a time that the device does not share with the hub is another test.
    for device in devices where !random.oneIn(4) { try hub.connect(device) }
  }

  private func evict() throws {
    note("evict")
    for device in devices { hub.disconnect(device) }
    hub.world.close("person")
    hub.world.pass(seconds: 31)
    hub.world.pass(seconds: 31)
    for device in devices where !random.oneIn(4) { try hub.connect(device) }
  }

  // MARK: The end

  private func end() throws {
    if hub.world.isFailing { hub.world.recoverStore() }
    hub.world.holdsCommits = false
    hub.world.settle()
    if let fault = hub.world.logs.first(where: { $0.contains("operationRefused") }) {
      throw SyncFault("the hub refused an operation of its own making: \(fault)")
    }
    for _ in 0..<4 {
      for device in devices {
        device.waits = 0
        try hub.connect(device)
      }
      for device in devices {
        device.push()
        try hub.settle()
      }
      hub.world.pass(seconds: 3_700)
    }
    try hub.keyboard("probe", role: "watch")
    let observer = hub.device("observer")
    try hub.connect(observer)
    let digest = Answer(try hub.state("probe"))
    for device in devices + [observer] {
      guard device.isDrained else { throw SyncFault("not drained: \(device)") }
      guard device.view.digest == digest["viewDigest"] as? String else {
        throw SyncFault("\(device.name) shows something else")
      }
    }
    let log = observer.replica.replica.log.compactMap { $0.operation?.operation }
    for device in devices {
      for (replica, seq) in device.told
      where !observer.fold.vector.contains(Dot(replica, seq)) && seq > 0 {
        throw SyncFault("operation \(seq) of \(replica) was accepted and is gone")
      }
      guard device.stranded.isEmpty else { throw SyncFault("\(device.name) has stranded edits") }
    }
    for id in typed where !observer.fold.isCreated(Target("timer", Name(id))) {
      throw SyncFault("timer \(id) was typed and told, and is gone")
    }
    // Where the log was collected, the observer was filled by a snapshot.
    if observer.snapshots == 0 { try HubTruth(log).check(observer.fold, observer.schema) }
    let entries = try hub.ask("sync.conflicts", on: "probe").entries
    guard entries.count == observer.fold.feed().count else {
      throw SyncFault("the hub's feed has \(entries.count) entries")
    }
    tally["operations"] = log.count
    tally["snapshots"] = devices.reduce(observer.snapshots) { $0 + $1.snapshots }
    tally["feed"] = entries.count
    tally["reissued"] = devices.reduce(0) { $0 + $1.reissued }
    tally["retimed"] = devices.reduce(0) { $0 + $1.retimings }
  }
}
