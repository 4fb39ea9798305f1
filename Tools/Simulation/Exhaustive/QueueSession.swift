internal import Journal
internal import LaneModel
internal import RelaySupport
internal import Wire

/// One run of a script: a relay on a store in memory, a phone and a watch that go by the protocol's
/// rules (PROTOCOL 5.1 to 5.4, 5.6, 5.10), and a checker of what they send and get.
final class QueueSession {
  private let script: QueueScript
  private let world: World
  private let checker = DeliveryChecker()
  private let phone: LaneClient
  private let watch: LaneClient
  private var done = (phone: 0, watch: 0)
  /// What the phone does when it comes back.
  private var waiting: [QueueScript.Step] = []
  private var story: [String] = []
  private var faults: [Violation] = []

  init(_ script: QueueScript) {
    self.script = script
    do {
      world = try World()
    } catch {
      preconditionFailure("an empty store cannot be opened: \(error)")
    }
    checker.isTroubleFree = true
    phone = LaneClient("phone", isPhone: true, checker, store: nil)
    watch = LaneClient("watch", isPhone: false, checker, store: nil)
    come(phone)
    come(watch)
    attend()
    world.takesBatchesAhead = script.takesBatchesAhead
    world.holdsCommits = true
  }

  /// What was found, of each sort once.
  var findings: [Finding] {
    var found: [Finding] = []
    for fault in faults + checker.violations
    where !found.contains(where: { $0.slug == fault.slug }) {
      let steps = ["\(script.name):"] + story.map { "  \($0)" } + ["then all recover"]
      found.append(
        Finding(
          invariant: fault.invariant, slug: fault.slug, headline: fault.headline,
          story: steps + fault.story))
    }
    return found
  }

  private func report(_ invariant: String, _ slug: String, _ headline: String) {
    faults.append(Violation(invariant: invariant, slug: slug, headline: headline, story: []))
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
  func play(_ turn: QueueScript.Turn, isRead: Bool = true) {
    switch turn {
    case .phone:
      story.append("phone: \(script.phone[done.phone].words)")
      perform(script.phone[done.phone], phone)
      done.phone += 1
    case .watch:
      story.append("watch: \(script.watch[done.watch].words)")
      perform(script.watch[done.watch], watch)
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
    case .phoneLost: leave(phone)
    case .watchLost: leave(watch)
    case .phoneTakenOver: come(phone)
    case .watchTakenOver: come(watch)
    }
  }

  private func perform(_ step: QueueScript.Step, _ device: LaneClient) {
    switch step {
    case .leave: return leave(device)
    case .come: return come(device)
    case .transfer(let isComplication): device.begin(isComplication ? .complication : .userInfo)
    case .same: device.begin(.userInfo, content: Array(#"{"item":"the same"}"#.utf8))
    case .context: device.setContext("context\(contexts + 1)")
    case .cancel where !isConnected(device): waiting.append(step)
    case .cancel(let number): device.cancel(number - 1, "phone:0.\(number)")
    case .acknowledge where isConnected(device): device.acknowledgeSession()
    case .refuse where isConnected(device) && device.last["userInfo"] != nil:
      device.refuse("userInfo", back: 0)
    case .acknowledge, .refuse: return
    }
    send(device)
  }

  /// How many contexts the phone has set.
  private var contexts: Int {
    phone.contextSet.flatMap { LaneClient.number($0.value, after: "context") } ?? 0
  }

  private func isConnected(_ device: LaneClient) -> Bool {
    world.lastClient(device.name).map { !$0.isClosed } ?? false
  }

  private func send(_ device: LaneClient) {
    for line in device.takeOutput() where isConnected(device) {
      world.send(line + [0x0A], on: device.name)
    }
  }

  private func leave(_ device: LaneClient) {
    miss(device)
    world.close(device.name)
    device.lost(isKnown: true)
  }

  private func come(_ device: LaneClient) {
    miss(device)
    device.lost(isKnown: !isConnected(device))
    world.open(device.name)
    world.settle()
    device.activate(pair: "demo", tellsReceived: device === watch)
    send(device)
  }

  private func kill() {
    miss(phone)
    miss(watch)
    do {
      try world.kill()
    } catch {
      report("I37", "store", "The server does not start on its own store: \(error)")
    }
    phone.lost(isKnown: true)
    watch.lost(isKnown: true)
  }

  // MARK: Reading

  /// Reads all lines, and does what they ask for, until none is left.
  private func attend() {
    var isQuiet = false
    while !isQuiet {
      isQuiet = true
      for device in [phone, watch] {
        for line in world.lastClient(device.name)?.takeLines() ?? [] {
          isQuiet = false
          if let members = look(at: line, device) { device.received(members) }
        }
        send(device)
      }
    }
  }

  /// Notes what has been written to a device's connection and will not be read.
  private func miss(_ device: LaneClient) {
    for line in world.lastClient(device.name)?.takeLines() ?? [] {
      if let members = look(at: line, device) { device.missed(members) }
    }
  }

  /// What must hold of every line that the server writes.
  private func look(at line: String, _ device: LaneClient) -> Members? {
    guard let members = try? Members(line.utf8), let type = members.string("type") else {
      report("I10", "line", "The \(device.name) is sent what is no message: \(line)")
      return nil
    }
    let isDelivery = type == "didReceiveUserInfo" || type == "didReceiveApplicationContext"
    if isDelivery, let payload = members.raw("payload"), !isOnDisk(payload) {
      report(
        "I37", "before-commit", "The watch gets something that is not on the server's disk yet.")
    }
    if type == "outstandingTransfers", members.string("re") == "end", members.integer("count") != 0
    {
      report(
        "I42", "outstanding", "Everything is acknowledged, and a transfer is still outstanding.")
    }
    return members
  }

  /// Whether anything that has been committed holds these bytes.
  private func isOnDisk(_ payload: [UInt8]) -> Bool {
    world.store.segments.contains { holds($0.value.body, payload) }
      || world.store.rows.contains { holds($0.value, payload) }
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
    for device in [phone, watch] where !isConnected(device) {
      come(device)
      attend()
    }
    for step in waiting { perform(step, phone) }
    attend()
    for _ in 0..<3 {
      watch.acknowledgeSession()
      send(watch)
      attend()
    }
    phone.acknowledgeSession()
    phone.send(#"{"type":"outstandingTransfers","id":"end"}"#)
    send(phone)
    attend()
    // An end may have been told to a connection that was lost.
    phone.askAgain()
    send(phone)
    attend()
    checkEnd()
    // What was told and acknowledged stays so.
    kill()
    checker.isAtRest = true
    come(watch)
    attend()
    come(phone)
    attend()
  }

  private func checkEnd() {
    checker.check()
    if !phone.unanswered.isEmpty { report("I42", "unanswered", "A transfer is never answered.") }
    if watch.contexts["phone"] != phone.contextSet?.value {
      report(
        "I38", "context-lost", "The watch does not end with the newest application context.")
    }
  }
}
