import AppModels
import Cluster
import InMemory
import Merge
import Relay

/// Several servers with one log: the real relay in each that takes itself for the owner, and a network before the log
/// that loses and doubles what it carries.
///
/// A device that connects comes to a server that takes itself for the owner; where there is none, one claims the shard.
final class ClusterSite: ServerSite {
  private let log = ModelLog()
  private let members: [ClusterServer]
  private let kernelRoom: Int
  private var links: [MemoryLink] = []
  private(set) var now: Int64
  private var coverage = Coverage()
  /// While time passes nothing arrives; else all does.
  private let isSilent: Bool
  let pair = "p"
  let store: String? = nil
  let servers = ClusterSite.names
  let isReal = false
  let isFailing = false

  static let names = ["s1", "s2", "s3"]

  init(_ trace: Trace, _ schema: Schema?) {
    now = trace.start
    kernelRoom = MemorySite.kernelRoom(trace)
    isSilent = trace.options.has("silent")
    var options = MemorySite.options(trace, schema)
    options.isShared = true
    options.place = .shard(0, of: 1)
    var settings = ShardOwner.Settings()
    if trace.options.has("parts") { settings.entry = 300 }
    members = Self.names.map { [log, now] name in
      ClusterServer(name, log, options, settings, now: now * 1000)
    }
  }

  private func server(_ name: String?) -> ClusterServer? { members.first { $0.name == name } }

  /// Who opened last of those that take themselves for the owner.
  private var newest: ClusterServer? {
    members.filter(\.serves).max { $0.owner.follower.epoch < $1.owner.follower.epoch }
  }

  var owner: String? { newest?.name }
  var uncommitted: Int { newest?.world?.uncommitted.count ?? 0 }

  var complaint: String? {
    members.lazy.compactMap(\.world).flatMap(\.logs).first { $0.contains("operationRefused") }
  }

  var fault: Finding? {
    if let fault = log.fault {
      return Finding(
        invariant: "I51", slug: "two-owners", headline: "Two servers write one shard.",
        story: ["In the log \(fault)."])
    }
    guard let server = members.first(where: { $0.fault != nil }) else { return nil }
    return Finding(
      invariant: "I51", slug: "told-and-not-in-log",
      headline: "A server goes on from what the log does not have.",
      story: ["Of \(server.name): \(server.fault!)."])
  }

  // MARK: Connections

  func open(_ name: String) -> any ServerLink { open(name, at: nil) }

  func open(_ name: String, at wanted: String?) -> any ServerLink {
    let named = server(wanted)
    if newest == nil {
      let idle = ([named] + members).lazy.compactMap(\.self)
      if idle.contains(where: { $0.claim() }) { _ = commit(100) }
    }
    guard let server = named?.serves == true ? named : newest, let world = server.world else {
      return ClosedLink()
    }
    if server !== newest { coverage.note("oldOwner") }
    let link = MemoryLink(name, world, kernelRoom: kernelRoom)
    // A device may take for open what the server has closed.
    links.removeAll { $0.isOver && $0.isClosed }
    links.append(link)
    return link
  }

  func network(_ event: TraceEvent, _ link: any ServerLink) -> Bool {
    (link as? MemoryLink)?.change(event) ?? false
  }

  // MARK: Time

  func settle() { for server in members { server.goOn() } }
  func waitForAnswers(on links: [any ServerLink]) {}

  /// The servers look what is due at the same moments whether a little time passes at once or in pieces, so that a schedule
  /// stays much the same without an event in between.
  func advance(to time: Int64) {
    guard time > now else { return }
    let last = time / Self.tick * Self.tick
    for _ in 0..<Self.ticks where now / Self.tick * Self.tick < last {
      pass(to: (now / Self.tick + 1) * Self.tick, isTick: true)
    }
    // The rest of a long time is like its beginning.
    if now < last { pass(to: last, isTick: true) }
    pass(to: time, isTick: false)
  }

  /// Milliseconds between two looks, and how many there are at most at the beginning of a long time.
  private static let tick: Int64 = 250
  private static let ticks = 20

  private func pass(to time: Int64, isTick: Bool) {
    now = time
    for server in members where !server.isFrozen {
      server.advance(to: now * 1000)
      if isTick { server.tick() }
    }
    while isTick, !isSilent, commit(100) {}
  }

  // MARK: The log

  /// Whether the next message can arrive: a process that stands still takes in no answer.
  private func canArrive(_ message: ModelLog.Message) -> Bool {
    guard message.isAnswer else { return true }
    return members.contains { $0.process == message.process && !$0.isFrozen }
  }

  /// The log and its network do what they should, in order, for so many messages.
  func commit(_ count: Int) -> Bool {
    for done in 0..<count {
      settle()
      guard let index = log.flying.firstIndex(where: canArrive) else { return done > 0 }
      arrive(index, .arrives)
    }
    return true
  }

  private func arrive(_ index: Int, _ fate: ModelLog.Fate) {
    if let answer = log.arrive(index, fate) {
      members.first { $0.process == answer.process }?.receive(answer.body)
    }
  }

  private func arrive(_ event: TraceEvent, _ fate: ModelLog.Fate) -> Bool {
    let ready = log.flying.indices.filter { canArrive(log.flying[$0]) }
    guard let count = event.count, !ready.isEmpty else { return false }
    switch fate {
    case .arrives: if count != 0 { coverage.note("logReorders") }
    case .isLost: coverage.note("logLoses")
    case .arrivesTwice: coverage.note("logRepeats")
    case .findsNothingNew: coverage.note("logLags")
    }
    let index = Int(count % Int64(ready.count))
    arrive(ready[index < 0 ? ready.count + index : index], fate)
    return true
  }

  // MARK: Trouble

  func performs(_ event: TraceEvent) -> Bool {
    switch event.verb {
    case .arrive: return arrive(event, event.flag == true ? .arrivesTwice : .arrives)
    case .lose: return arrive(event, .isLost)
    case .lag: return arrive(event, .findsNothingNew)
    default:
      // Who names none means the one that serves.
      let server = event.to == nil ? newest : server(event.to)
      return server.map { performs(event, $0) } ?? false
    }
  }

  private func performs(_ event: TraceEvent, _ server: ClusterServer) -> Bool {
    switch event.verb {
    case .claim: return server.claim() || server.withdraw()
    case .stop: return server.leave()
    case .freeze: return server.freeze()
    case .thaw: return server.thaw(at: now * 1000)
    case .kill: server.kill(losesCopy: event.flag ?? false)
    case .trim: return log.trim(to: server.holding)
    default: return false
    }
    return true
  }

  func kill(written: Int) throws {}
  func restart() throws {}
  func fail() {}
  func recover() {}

  func heal() {
    for server in members { _ = server.thaw(at: now * 1000) }
    for link in links { link.heal() }
    // Whoever takes itself for the owner says so, and hears whether it is.
    for _ in 0..<3 {
      advance(to: now + 2_500)
      while commit(100) {}
    }
  }

  func rest(_ round: Int) {
    advance(to: now + 3_700_000)
    while commit(100) {}
  }

  func leftovers() -> String? {
    advance(to: now + 31_000)
    while commit(100) {}
    return newest?.world?.leftovers
  }

  func note(_ coverage: inout Coverage) {
    coverage.add(self.coverage)
    for server in members { coverage.add(server.coverage) }
  }
}

/// A connection that nobody takes.
private final class ClosedLink: ServerLink {
  let isClosed = true
  let isOver = true
  let hasInput = false

  func send(_ bytes: [UInt8]) {}
  func read(_ count: Int?) -> [[UInt8]] { [] }
  func close() {}
}
