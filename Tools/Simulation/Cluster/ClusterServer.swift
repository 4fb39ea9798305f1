import Cluster
import InMemory
import Journal
import Relay

/// One server of a cluster: what it has of the shard, and the relay while it owns it.
final class ClusterServer {
  let name: String
  private let log: ModelLog
  private let options: Relay.Options
  private let settings: ShardOwner.Settings
  /// The copy of the shard that it was left with; `world` has a newer one while there is one.
  private var copy = MemoryStore()
  private(set) var process = 0
  private(set) var owner = ShardOwner(name: 0)
  /// While it takes itself for the owner.
  private(set) var world: World?
  private(set) var isFrozen = false
  /// It gives the shard up once nothing waits to be committed.
  private var isLeaving = false
  /// How many of the batches that wait are on their way to the log.
  private var committing = 0
  private(set) var now: Int64
  /// What it did that it must not do: a sentence.
  private(set) var fault: String?
  private(set) var coverage = Coverage()

  /// - Parameter now: microseconds since 1970.
  init(
    _ name: String, _ log: ModelLog, _ options: Relay.Options, _ settings: ShardOwner.Settings,
    now: Int64
  ) {
    self.name = name
    self.log = log
    self.options = options
    self.settings = settings
    self.now = now
    start()
  }

  /// Whether it takes itself for the owner and can be spoken to.
  var serves: Bool { world != nil && !isFrozen && !isLeaving }

  /// What it has of the shard, and where that stands.
  var holding: (store: MemoryStore, at: Follower) { (world?.store ?? copy, owner.follower) }

  // MARK: What happens to it

  /// - Returns: false where it wants the shard already.
  func claim() -> Bool {
    guard !isFrozen, owner.state == .following else { return false }
    perform(owner.claim(now: now))
    return true
  }

  /// - Returns: false where it does not want it, or has appended its opening.
  func withdraw() -> Bool {
    guard !isFrozen, owner.state == .catchingUp else { return false }
    coverage.note("withdrew")
    owner.withdraw()
    return true
  }

  /// - Returns: false where it does not own it.
  func leave() -> Bool {
    guard serves, let world else { return false }
    isLeaving = true
    world.stop()
    goOn()
    return true
  }

  func freeze() -> Bool {
    guard !isFrozen else { return false }
    isFrozen = true
    world?.freeze()
    return true
  }

  func thaw(at time: Int64) -> Bool {
    guard isFrozen else { return false }
    isFrozen = false
    if serves { coverage.note("thawedOwner") }
    world?.thaw(at: time)
    goOn()
    advance(to: time)
    return true
  }

  /// It is killed, and starts again.
  ///
  /// - Parameter losesCopy: on another machine.
  func kill(losesCopy: Bool) {
    if world != nil { coverage.note("killedOwner") }
    restart(losesCopy: losesCopy)
  }

  func advance(to time: Int64) {
    now = max(now, time)
    world?.advance(to: now)
    goOn()
  }

  /// It looks what is due.
  func tick() {
    perform(owner.tick(now: now))
    goOn()
  }

  /// The log has answered.
  func receive(_ body: ModelLog.Message.Body) {
    switch body {
    case .appended(let behind): perform(owner.appended(behind: behind, now: now))
    case .refused(let behind): perform(owner.refused(behind: behind, now: now))
    case .entries(let entries, let first):
      perform(owner.read(entries, from: first, now: now))
    case .append, .read: preconditionFailure("a question is for the log")
    }
    goOn()
  }

  /// What can happen by itself happens.
  func goOn() {
    guard !isFrozen, let world else { return }
    world.settle()
    guard owner.isFree else { return }
    if !world.uncommitted.isEmpty {
      committing = world.uncommitted.count
      perform(owner.commit(world.uncommitted, now: now))
    } else if isLeaving {
      perform(owner.release(now: now))
    }
  }

  // MARK: What it does

  private func perform(_ effects: [ShardOwner.Effect]) {
    for effect in effects {
      switch effect {
      case .append(let bytes, let behind): log.send(.append(bytes, behind: behind), from: process)
      case .read(let behind): log.send(.read(behind: behind), from: process)
      case .follow(let batch):
        if owner.state == .following { coverage.note("followed") }
        copy.commit(batch)
      case .opened(let epoch): open(epoch)
      case .committed: committed()
      case .failing:
        coverage.note("logSilent")
        world?.failStore("the log does not answer")
      case .answers: world?.recoverStore(written: false)
      case .fenced:
        if world != nil { coverage.note("fenced") }
        restart(losesCopy: false)
      case .released:
        coverage.note("released")
        restart(losesCopy: false)
      case .needsSnapshot:
        guard let snapshot = log.snapshot else { break }
        coverage.note("restored")
        copy = snapshot.store
        perform(owner.restored(snapshot.at, now: now))
      case .broken(let reason): fault = fault ?? reason
      }
    }
  }

  private func open(_ epoch: UInt64) {
    if epoch > 1 { coverage.note("takeOver") }
    copy.identity = owner.follower.identity!
    do {
      world = try World(options, on: copy, epoch: epoch, now: now)
      world!.holdsCommits = true
    } catch {
      fault = fault ?? "it does not start on what the log has: \(error)"
    }
  }

  /// What the log has is told; what it has not must not be.
  private func committed() {
    guard let world else { return }
    let last = world.uncommitted[committing - 1].number
    if log.committed[owner.name] ?? 0 < last {
      fault = fault ?? "it tells what came of batch \(last), and the log does not have that of it"
    }
    for _ in 0..<committing { world.commitOne() }
    committing = 0
  }

  /// Another process begins, with the copy that this one leaves.
  private func restart(losesCopy: Bool) {
    let (store, follower) = losesCopy ? (MemoryStore(), Follower()) : holding
    world?.end()
    log.forget(process)
    (world, copy, committing, isLeaving, isFrozen) = (nil, store, 0, false, false)
    start(at: follower)
  }

  private func start(at follower: Follower = Follower()) {
    process = log.newProcess()
    owner = ShardOwner(name: UInt64(process), at: follower, settings: settings)
  }
}
