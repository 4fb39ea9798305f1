import Seeded
import AppModels
import Device
import Foundation
import Merge
import Relay
import RelaySupport
import SyncSupport

/// One random history: one or two whole-record devices and a device with a replica edit timers among
/// disconnects, unread deliveries, late copies, restarts, kills and evictions.
final class BridgePropertyRun {
  private let hub: HubWorld
  private var random: SplitMix64
  private var peers: [WholeRecordPeer] = []
  private let tablet: SyncDevice
  private var ledger = BridgeLedger()
  private var old: [String: [TimerDTO]] = [:]
  private var count = 0
  private(set) var step = 0
  private(set) var log: [String] = []
  private(set) var tally: [String: Int] = [:]

  init(seed: UInt64) throws {
    random = SplitMix64(seed: seed)
    var limits = Limits()
    if random.oneIn(4) { limits.syncLog = 24 }
    hub = try HubWorld(limits: limits, hasManualClock: false)
    hub.world.now = 1_763_719_200_000_000
    peers = [WholeRecordPeer("phone", .phone, hub.world)]
    if !random.oneIn(3) { peers.append(WholeRecordPeer("watch", .watch, hub.world)) }
    if random.oneIn(4) { peers[0].skew = random.oneIn(2) ? 3_600 : -3_600 }
    for peer in peers where random.oneIn(3) { peer.envelope = TodoTimersEnvelope(.keyed, .text) }
    tablet = hub.device("tablet")
  }

  var summary: String {
    tally.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
  }

  func play(steps: Int) throws {
    for peer in peers {
      peer.trace = { [unowned self] in log.append($0) }
      peer.connect()
    }
    try hub.connect(tablet)
    while step < steps {
      step += 1
      try act()
      try settle()
    }
    try end()
  }

  private func note(_ event: String, _ detail: String = "") {
    tally[event, default: 0] += 1
    log.append("\(step) \(event) \(detail)")
  }

  private func settle() throws {
    var hasMoved = true
    while hasMoved {
      try hub.settle()
      hasMoved = false
      for peer in peers where peer.settle() { hasMoved = true }
    }
    guard !hub.world.holdsCommits else { return }
    for peer in peers where peer.isConnected {
      if peer.queue.isEmpty { ledger.arrive(peer.name, step) }
    }
    if tablet.isDrained { ledger.arrive(tablet.name, step) }
    for peer in peers where peer.isConnected && !peer.holdsInput && peer.queue.isEmpty {
      ledger.see(peer.name, step)
    }
    if tablet.isDrained { ledger.see(tablet.name, step) }
  }

  // MARK: Steps

  private func act() throws {
    if !random.oneIn(3) { hub.world.now += Int64(random.below(4)) * 500_000 }
    tablet.clock = hub.world.now / 1000
    let peer = peers[random.below(peers.count)]
    switch random.below(100) {
    case 0..<50: try edit(peer)
    case 50..<70: try editTablet()
    case 70..<76:
      note("hold", peer.name)
      peer.holdsInput.toggle()
    case 76..<80:
      note("disconnect", peer.name)
      peer.disconnect()
    case 80..<87:
      note("connect", peer.name)
      peer.connect()
    case 87: hub.disconnect(tablet)
    case 88..<91: try hub.connect(tablet)
    case 91..<93: late(peer)
    case 93:
      note("syncRequest", peer.name)
      peer.say([.syncRequest])
    case 94:
      hub.world.holdsCommits.toggle()
      note("commits", "\(!hub.world.holdsCommits)")
    case 95..<97: try restart()
    case 97: try evict()
    default:
      note("fullSync", peer.name)
      peer.say([peer.model.fullSync(now: peer.now)])
    }
  }

  private func newID() -> Identifier {
    count += 1
    return Identifier(digestOf: "record", "\(count)")
  }

  private func edit(_ peer: WholeRecordPeer) throws {
    count += 1
    let value = "\(peer.name) \(count)"
    let timers = peer.model.ordered
    guard !timers.isEmpty, timers.count > 3 || random.below(3) > 0 else {
      let id = newID()
      note("create", "\(peer.name) \(id)")
      ledger.create("timer", id.description, in: id.description, peer.name, step)
      let timer = TimerDTO(
        id: id, name: Name(value), durationInSeconds: Int64(count), createdAt: 0, updatedAt: 0)
      return peer.say(try peer.model.create(timer, now: peer.now))
    }
    let timer = timers[random.below(timers.count)]
    let id = timer.id.description
    if random.oneIn(4) { old[peer.name, default: []].append(timer) }
    note("edit", "\(value) \(id)")
    switch random.below(14) {
    case 0..<3:
      ledger.write("name", of: id, in: id, replacing: timer.name.text, peer.name, step)
      try update(peer, timer) { $0.name = Name(value) }
    case 3..<5:
      ledger.write(
        "durationInSeconds", of: id, in: id, replacing: "\(timer.durationInSeconds)", peer.name,
        step)
      try update(peer, timer) { $0.durationInSeconds = Int64(count) }
    case 5:
      ledger.write("icon", of: id, in: id, replacing: timer.icon.text, peer.name, step)
      try update(peer, timer) { $0.icon = Name(value) }
    case 6:
      ledger.delete(id, in: id, peer.name, step)
      log.append("  delete")
      peer.say(peer.model.delete(timer.id))
    case 7:
      log.append("  move")
      peer.say(peer.model.move(timer.id, to: random.below(timers.count), now: peer.now))
    case 8:
      guard peer.model.role == .phone else { return }
      ledger.touch(id, in: id, peer.name, step)
      peer.say(
        peer.model.setNotes(
          Name((timer.notes?.text ?? "") + "é\(count)"), of: timer.id, now: peer.now))
    default: try editTodos(peer, timer, value)
    }
  }

  private func update(
    _ peer: WholeRecordPeer, _ timer: TimerDTO, _ change: (inout TimerDTO) -> Void
  ) throws {
    peer.say(try peer.model.update(timer.id, now: peer.now, change))
  }

  private func editTodos(_ peer: WholeRecordPeer, _ timer: TimerDTO, _ value: String) throws {
    let id = timer.id.description
    guard !timer.todoItems.isEmpty, !random.oneIn(3) else {
      let new = newID()
      log.append("  todo \(new)")
      ledger.create("todo", new.description, in: id, peer.name, step)
      let place = random.below(timer.todoItems.count + 1)
      return try update(peer, timer) {
        $0.todoItems = $0.orderedTodos
        $0.todoItems.insert(
          TodoItemDTO(id: new, text: Name(value), createdAt: 0, updatedAt: 0), at: place)
      }
    }
    let todo = timer.orderedTodos[random.below(timer.todoItems.count)]
    log.append("  todo \(todo.id)")
    switch random.below(6) {
    case 0:
      ledger.delete(todo.id.description, in: id, peer.name, step)
      try update(peer, timer) {
        $0.todoItems = $0.orderedTodos.filter { $0.id != todo.id }
      }
    case 1 where peer.model.role == .phone:
      ledger.write(
        "text", of: todo.id.description, in: id, replacing: todo.text.text, peer.name, step)
      try update(peer, timer) { timer in
        timer.todoItems = timer.orderedTodos
        for index in timer.todoItems.indices where timer.todoItems[index].id == todo.id {
          timer.todoItems[index].text = Name(value)
        }
      }
    case 2:
      log.append("  shuffle")
      try update(peer, timer) { $0.todoItems = $0.orderedTodos.reversed() }
    default:
      ledger.touch(todo.id.description, in: id, peer.name, step)
      peer.say(
        peer.model.toggle(todo.id, of: timer.id, isCompleted: !todo.isCompleted, now: peer.now))
    }
  }

  private func editTablet() throws {
    count += 1
    let value = "tablet \(count)"
    let timers = tablet.records("timer")
    guard !timers.isEmpty, timers.count > 3 || random.below(3) > 0 else {
      let id = Name(newID().description)
      note("create", "tablet \(id)")
      ledger.create("timer", id.text, in: id.text, "tablet", step)
      try tablet.create(
        "timer", "{\"name\":\"\(value)\",\"durationInSeconds\":\(count)}", record: id)
      return
    }
    let timer = timers[random.below(timers.count)]
    let id = timer.text
    note("edit", "\(value) \(id)")
    let todos = tablet.view["todo"].filter { $0.container?.record == timer }
    func replaced(_ field: Name) -> String { tablet.value("timer", timer, field)?.text?.text ?? "" }
    switch random.below(12) {
    case 0..<2:
      ledger.write("name", of: id, in: id, replacing: replaced("name"), "tablet", step)
      try tablet.set("timer", timer, "{\"name\":\"\(value)\"}")
    case 2:
      ledger.write(
        "durationInSeconds", of: id, in: id, replacing: replaced("durationInSeconds"), "tablet",
        step)
      try tablet.set("timer", timer, "{\"durationInSeconds\":\(count)}")
    case 3:
      ledger.delete(id, in: id, "tablet", step)
      log.append("  delete")
      try tablet.delete("timer", timer)
    case 4: try tablet.move("timer", timer, to: random.oneIn(2) ? .first : .last)
    case 5:
      ledger.touch(id, in: id, "tablet", step)
      try tablet.set("timer", timer, "{\"notes\":\"ü\(count)\(replaced("notes"))\"}")
    case 6..<8:
      let new = Name(newID().description)
      log.append("  todo \(new)")
      ledger.create("todo", new.text, in: id, "tablet", step)
      try tablet.create(
        "todo", "{\"timer\":\"\(timer)\",\"text\":\"\(value)\"}", record: new)
    default:
      guard !todos.isEmpty else { return }
      let todo = todos[random.below(todos.count)]
      let name = todo.target.record
      log.append("  todo \(name)")
      switch random.below(4) {
      case 0:
        ledger.delete(name.text, in: id, "tablet", step)
        try tablet.delete("todo", name)
      case 1:
        ledger.write(
          "text", of: name.text, in: id, replacing: todo["text"]?.text?.text ?? "", "tablet", step)
        try tablet.set("todo", name, "{\"text\":\"\(value)\"}")
      case 2: try tablet.move("todo", name, to: .first)
      default:
        ledger.touch(name.text, in: id, "tablet", step)
        try tablet.set("todo", name, "{\"isCompleted\":\(todo["isCompleted"] != .bool(true))}")
      }
    }
  }

  // MARK: Trouble

  private func late(_ peer: WholeRecordPeer) {
    guard let copies = old[peer.name], !copies.isEmpty, peer.isConnected else { return }
    let copy = copies[random.below(copies.count)]
    note("late", "\(peer.name) \(copy.id)")
    peer.repeatLast(.timerUpdate(TimerUpdateMessage(.updated, copy)))
  }

  private func restart() throws {
    let isKill = hub.world.holdsCommits || random.oneIn(2)
    note(isKill ? "kill" : "restart")
    try hub.restart(killing: isKill)
    for peer in peers { peer.wasCut() }
    for peer in peers where !random.oneIn(3) { peer.connect() }
    if !random.oneIn(3) { try hub.connect(tablet) }
  }

  private func evict() throws {
    guard !hub.world.holdsCommits else { return }
    note("evict")
    for peer in peers { peer.disconnect() }
    hub.disconnect(tablet)
    hub.world.pass(seconds: 31)
    hub.world.pass(seconds: 31)
    for peer in peers where !random.oneIn(3) { peer.connect() }
    if !random.oneIn(3) { try hub.connect(tablet) }
  }

  // MARK: The end

  private func end() throws {
    hub.world.holdsCommits = false
    for _ in 0..<3 {
      for peer in peers {
        peer.holdsInput = false
        peer.connect()
      }
      try hub.connect(tablet)
      hub.world.pass(seconds: 2)
      step += 1
      try settle()
    }
    if let fault = hub.world.logs.first(where: { $0.contains("operationRefused") }) {
      throw SyncFault("the hub refused an operation of its own making: \(fault)")
    }
    guard tablet.isDrained else { throw SyncFault("not drained: \(tablet)") }
    try hub.keyboard("probe", role: "watch")
    guard Answer(try hub.state("probe"))["viewDigest"] as? String == tablet.view.digest else {
      throw SyncFault("the tablet shows something else than the hub")
    }
    for peer in peers {
      if let error = peer.errors.first { throw SyncFault("\(peer.name): \(error)") }
      guard peer.queue.isEmpty else { throw SyncFault("\(peer.name) has \(peer.queue.count) left") }
      try compare(peer)
    }
    try ledger.check(visible())
    tally["timers"] = tablet.view["timer"].count
    tally["operations"] = tablet.replica.replica.log.count
  }

  private func compare(_ peer: WholeRecordPeer) throws {
    func text(_ timer: TimerDTO) -> String {
      let todos = timer.orderedTodos.map { "\($0.id) \($0.text) \($0.isCompleted)" }
      return
        "\(timer.id) \(timer.name) \(timer.durationInSeconds) \(timer.icon) \(timer.notes ?? "") \(todos)"
    }
    let view = tablet.view
    let shown = view["timer"].map { timer in
      let todos = view["todo"].filter { $0.container == timer.target }.map {
        "\($0.target.record) \($0["text"]!.text!) \($0["isCompleted"] == .bool(true))"
      }
      return
        "\(timer.target.record) \(timer["name"]!.text!) \(timer["durationInSeconds"]!.text!) \(timer["icon"]!.text!) \(timer["notes"]!.text!) \(todos)"
    }
    let held = peer.model.ordered.map(text)
    guard held == shown else {
      let only = zip(held + Array(repeating: "–", count: max(0, shown.count - held.count)), shown)
        .first { $0 != $1 }
      throw SyncFault(
        "\(peer.name) holds \(held.count) of \(shown.count): \(only?.0 ?? held.last!) for \(only?.1 ?? "–")"
      )
    }
  }

  private func visible() -> [String: [String: String]] {
    var visible: [String: [String: String]] = [:]
    for record in tablet.view["timer"] + tablet.view["todo"] {
      var fields: [String: String] = [:]
      for field in ["name", "durationInSeconds", "icon", "text"] as [Name] {
        fields[field.text] = record[field]?.text?.text
      }
      visible[record.target.record.text] = fields
    }
    return visible
  }
}
