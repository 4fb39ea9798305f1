internal import Journal
internal import RelaySupport
internal import Wire

/// One run of a script: a relay on a store in memory, a phone and a watch that go by the protocol's
/// rules (PROTOCOL 5.1 to 5.4, 5.6, 5.10), and a ledger of what they send and get.
final class QueueSession {
  private let script: QueueScript
  private let world: World
  private var ledger = QueueLedger()
  private var done = (phone: 0, watch: 0)
  private var story: [String] = []
  private(set) var findings: [Finding] = []

  init(_ script: QueueScript) {
    self.script = script
    do {
      world = try World()
    } catch {
      preconditionFailure("an empty store cannot be opened: \(error)")
    }
    come("phone")
    come("watch")
    attend()
    world.takesBatchesAhead = script.takesBatchesAhead
    world.holdsCommits = true
  }

  // MARK: Steps

  /// Who can go on.
  var possible: [QueueScript.Turn] {
    var turns: [QueueScript.Turn] = []
    if done.phone < script.phone.count { turns.append(.phone) }
    if done.watch < script.watch.count { turns.append(.watch) }
    if !world.uncommitted.isEmpty { turns.append(.disk) }
    return turns
  }

  /// - Parameter isRead: whether the lines that come of it reach who they are for.
  func take(_ turn: QueueScript.Turn, isRead: Bool = true) {
    switch turn {
    case .phone:
      story.append("phone: \(script.phone[done.phone].words)")
      perform(script.phone[done.phone], "phone")
      done.phone += 1
    case .watch:
      story.append("watch: \(script.watch[done.watch].words)")
      perform(script.watch[done.watch], "watch")
      done.watch += 1
    case .disk:
      story.append("disk: the oldest batch is synced")
      world.commitOne()
    }
    if isRead {
      attend()
    } else {
      story.append("  (who loses its connection next has not read what this brings)")
    }
  }

  func meet(_ trouble: QueueScript.Trouble) {
    story.append(trouble.words)
    switch trouble {
    case .kill: kill()
    case .phoneLost: leave("phone")
    case .watchLost: leave("watch")
    case .phoneTakenOver: come("phone")
    case .watchTakenOver: come("watch")
    }
  }

  private func perform(_ step: QueueScript.Step, _ name: String) {
    switch step {
    case .leave: return leave(name)
    case .come: return come(name)
    default: break
    }
    guard isConnected(name) else {
      // Kept for the next activation, as an app does.
      if step == .acknowledge || step == .refuse { return }
      return ledger.keep(step)
    }
    switch step {
    case .transfer, .same, .context, .cancel: send(ledger.request(step), "phone")
    case .acknowledge: acknowledge()
    case .refuse: if let line = ledger.refusal { send(line, "watch") }
    case .leave, .come: break
    }
  }

  private func isConnected(_ name: String) -> Bool {
    world.lastClient(name).map { !$0.isClosed } ?? false
  }

  private func send(_ line: String, _ name: String) {
    if isConnected(name) { world.send(line, on: name) }
  }

  private func leave(_ name: String) {
    note(name)
    world.close(name)
  }

  private func come(_ name: String) {
    note(name)
    world.open(name)
    world.settle()
    send(name == "phone" ? "activate pair=demo role=phone" : ledger.watchActivation, name)
  }

  private func kill() {
    note("phone")
    note("watch")
    do {
      try world.kill()
    } catch {
      report(.init("I37", "store", "The server does not start on its own store: \(error)"))
    }
  }

  private func acknowledge() {
    for lane in ledger.lanesDelivered { send("acknowledge lane=\(lane) id=a", "watch") }
  }

  // MARK: Reading

  /// Reads all lines, and does what they ask for, until none is left.
  private func attend() {
    var isQuiet = false
    while !isQuiet {
      isQuiet = true
      for name in ["phone", "watch"] {
        guard let client = world.lastClient(name) else { continue }
        for line in client.takeLines() {
          isQuiet = false
          hear(line, name, isRead: true)
        }
      }
    }
  }

  /// Notes what has been written to a device's connection and will not be read.
  private func note(_ name: String) {
    for line in world.lastClient(name)?.takeLines() ?? [] { hear(line, name, isRead: false) }
  }

  private func hear(_ line: String, _ name: String, isRead: Bool) {
    guard let members = try? Members(line.utf8), let type = members.string("type") else {
      return report(.init("I10", "line", "The \(name) is sent what is no message: \(line)"))
    }
    let faults =
      name == "phone"
      ? ledger.phoneGets(type, members, isRead: isRead)
      : ledger.watchGets(type, members, isRead: isRead) { self.isOnDisk($0) }
    for fault in faults { report(fault) }
    guard isRead, type == "activationDidComplete" else { return }
    if name == "phone" {
      for line in ledger.unaccepted { send(line, "phone") }
    } else {
      ledger.watchCame(store: members.string("store") ?? "")
    }
  }

  /// Whether anything that has been committed holds these bytes.
  private func isOnDisk(_ payload: String) -> Bool {
    let bytes = Array(payload.utf8)
    return world.store.segments.contains { holds($0.value.body, bytes) }
      || world.store.rows.contains { holds($0.value, bytes) }
  }

  private func holds(_ all: [UInt8], _ part: [UInt8]) -> Bool {
    guard all.count >= part.count else { return false }
    return (0...all.count - part.count).contains { start in
      all[start..<start + part.count].elementsEqual(part)
    }
  }

  // MARK: The end

  /// The disk works, both come back and go by the rules; everything has to come to rest.
  func recover() {
    world.holdsCommits = false
    world.settle()
    attend()
    for name in ["phone", "watch"] where !isConnected(name) {
      come(name)
      attend()
    }
    attend()
    for _ in 0..<2 {
      acknowledge()
      attend()
    }
    for line in ledger.kept() { send(line, "phone") }
    attend()
    acknowledge()
    attend()
    send("acknowledge lane=outcome", "phone")
    send("outstandingTransfers id=end", "phone")
    attend()
    for fault in ledger.endFaults() { report(fault) }
    // What was told and acknowledged stays so.
    kill()
    ledger.isAtRest = true
    come("watch")
    attend()
    come("phone")
    attend()
  }

  private func report(_ fault: QueueLedger.Fault) {
    findings.append(
      Finding(
        invariant: fault.invariant, slug: fault.slug, headline: fault.headline,
        story: ["\(script.name):"] + story.map { "  \($0)" } + ["then all recover"]))
  }
}
