import AppModels
import EventLoop
import Glibc
import Hub
import Journal
import Relay
import Storage
import TLS
import Wire

/// The shell around `Relay`: sockets, the store and the clock.
///
/// ```
///   sockets ──bytes──► Relay ──batch──► Store
///      ▲                 │ ▲              │
///      └──────output─────┘ └──committed───┘
/// ```
/// Everything but the store's writer runs on the loop's thread. Output and batches leave once a
/// turn.
package final class Server {
  let options: Options
  let loop: EventLoop
  let store: Store
  let relay: Relay
  let log: Log
  let wakeup: Wakeup
  let works: WorkThread
  /// Where an operator asks; nil for nowhere.
  var admin: OperatorPages?
  /// systemd, where it has started the server and waits to hear from it.
  let supervisor = Supervisor()
  private var watchdog: Timer!
  /// How long commits took.
  private(set) var commits = Durations()
  private var submittedAt: UInt64 = 0
  /// In seconds since 1970.
  static let startTime = Double(time(nil))
  /// Belongs to the loop's thread; see `now`.
  private var clock: ServerClock

  /// How many connections the process has descriptors for.
  private let room: Int

  var listener: TCPListener?
  var secureListener: TCPListener?
  /// What connections of `secureListener` are accepted with.
  var tls: TLSContext?
  /// By the number of the relay's connection.
  var links: [Link?] = []
  var linkCount = 0
  private var signals: [Signal] = []
  private var deadline: Timer!
  private var armedDeadline: Int64?
  var confirmation: Timer!
  /// Connections whose peers have not confirmed all that an automatic acknowledge waits for.
  var unconfirmed: [Link] = []
  var lingering: [Link] = []
  var linger: Timer!
  /// The file of `--tokens`.
  var tokens: TokenSource?
  var tokenTimer: Timer!
  var isCommitting = false
  private var lastSubmitted: UInt64 = 0
  /// Why the store fails, or failed when the server ended.
  private var storeFailure: StoreError?
  /// `Relay.evictedSize` when freed memory was last given back.
  private var trimmedSize = 0
  /// The same of `Relay.releasedBytes`.
  private var trimmedBytes = 0
  var isStopping = false
  /// Has waited long enough for peers and for the disk.
  var isOverdue = false
  var stopTimer: Timer!

  /// Opens the store and the listener.
  /// - Throws: `StartError` with one sentence for stderr.
  package init(_ options: Options) throws(StartError) {
    _ = Self.startTime
    self.options = options
    log = Log(level: options.logLevel, format: options.logFormat)
    ignoreBrokenPipes()
    ignoreHangUps()
    clock = MachineClocks.start()
    var relayOptions = Relay.Options()
    relayOptions.limits = options.limits
    let descriptors = Self.raiseDescriptors()
    guard descriptors >= Self.fewestDescriptors else {
      throw StartError(
        "this process may open \(descriptors) files, and the server needs \(Self.fewestDescriptors) at "
          + "least; raise the limit (ulimit -n)")
    }
    room = descriptors - Self.reservedDescriptors
    relayOptions.limits.connections = min(options.limits.connections, room)
    relayOptions.hasManualClock = options.hasManualClock
    relayOptions.version = Options.version
    relayOptions.isShared = options.cluster != nil
    relayOptions.forgetAfter = options.forgetAfter.map { $0 * 1_000_000 }
    relayOptions.hubs = Hubs.keeping(
      try SchemaFiles.read(options.schemas), codecs: ShippedSchemas.codecs)
    if let path = options.tokens {
      var source = TokenSource(path)
      relayOptions.access = try source.read()
      tokens = source
    }
    do {
      loop = try EventLoop()
    } catch {
      throw StartError("cannot start an event loop: \(error)")
    }
    let hook = Hook()
    wakeup = Wakeup(loop: loop) {
      hook.server?.takeStoreEvents()
      hook.server?.takeWorks()
    }
    let wakeup = wakeup
    works = WorkThread { wakeup.wake() }
    do throws(StartError) {
      admin = try Self.openAdmin(options, loop) { hook.server?.answerOperator() }
    } catch {
      Self.discard(loop, wakeup)
      throw error
    }
    // A server that has just come to own its shard gives it back in order.
    let stopSignals = options.cluster.map { _ in StopSignals() }
    do {
      (store, relay) = try Self.openStore(
        options, relayOptions, log, stopSignals, admin, now: clock.elapsed
      ) {
        wakeup.wake()
      }
    } catch {
      admin?.stop()
      Self.discard(loop, wakeup)
      throw error
    }
    // All that was read at the start: before anybody is told that it is ready, so that a look at its memory then
    // shows what it needs.
    returnFreedMemory()
    keepFreedMemory(bytes: Self.keptMemory)
    hook.server = self
    deadline = Timer(loop: loop) { hook.server?.deadlineReached() }
    confirmation = Timer(loop: loop) { hook.server?.checkConfirmations() }
    linger = Timer(loop: loop) { hook.server?.endLingering() }
    stopTimer = Timer(loop: loop) { hook.server?.stopTimedOut() }
    tokenTimer = Timer(loop: loop) { hook.server?.tokensMayHaveChanged() }
    watchdog = Timer(loop: loop) { hook.server?.keepSupervisorInformed() }
    for number in [SIGTERM, SIGINT] {
      signals.append(Signal(loop: loop, number: number) { hook.server?.stop() })
    }
    signals.append(Signal(loop: loop, number: SIGHUP) { hook.server?.reload() })
    stopSignals?.release()
    do throws(StartError) {
      try listen()
    } catch {
      admin?.stop()
      _ = store.close()
      closeHandles()
      listener?.close()
      secureListener?.close()
      Self.discard(loop, wakeup)
      throw error
    }
    loop.turnHandler = self
  }

  /// The address and port that it listens on.
  package var address: String { Self.spelled(options.host, listener?.port ?? 0) }

  /// Where it speaks TLS; nil for nowhere.
  package var secureAddress: String? {
    options.secure.map { Self.spelled($0.host, secureListener?.port ?? 0) }
  }

  private static func spelled(_ host: String, _ port: Int) -> String {
    host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
  }

  /// Serves until a signal stops it. Returns whether everything accepted was committed.
  package func run() -> Bool {
    let secure = secureAddress.map { " tls=\($0)" } ?? ""
    log.write(.info, "event=listening address=\(address)\(secure) data=\(options.data.quoted)")
    if options.isInsecure { log.write(.info, "event=insecure address=\(address)") }
    let wanted = options.limits.connections
    if room < wanted {
      // Whoever has asked for a number is let down.
      log.write(
        wanted == Limits().connections ? .info : .error,
        "event=fewDescriptors connections=\(room) wanted=\(wanted)")
    }
    watchTokens()
    if options.cluster == nil, let adminAddress {
      log.write(.info, "event=admin address=\(adminAddress)")
    }
    admin?.start()
    supervisor?.tell("READY=1\nSTATUS=listening on \(address)\(secure)")
    keepSupervisorInformed()
    do {
      try loop.run()
    } catch {
      log.write(.error, "event=loopFailed error=\("\(error)".quoted)")
    }
    let isComplete = store.close()
    for case .failing(let error, _) in store.takeEvents() { noteFailure(error) }
    do {
      try loop.close()
    } catch {
      log.write(.error, "event=loopLeaked error=\("\(error)".quoted)")
    }
    log.write(.info, "event=stopped isComplete=\(isComplete)")
    log.close()
    return isComplete
  }

  /// Says that the loop turns, as often as systemd wants to hear it.
  private func keepSupervisorInformed() {
    guard let supervisor, let interval = supervisor.interval else { return }
    supervisor.tell("WATCHDOG=1")
    watchdog.start(after: interval)
  }

  /// What `run` could not do, where it answered false.
  package var incompleteness: String {
    if let storeFailure, storeFailure.kind == .gone {
      return "stopped without its store: \(storeFailure)"
    }
    return "stopped while the store took nothing more; what was answered by accepted is kept"
  }

  // MARK: The end of a turn

  /// Carries the relay's effects out until it has none.
  private func carryOut() {
    while true {
      let effects = relay.takeEffects()
      for line in effects.logs { log.write(.info, line) }
      for read in effects.reads { store.read(read.token, read.references) }
      for number in effects.segmentReads { store.readSegment(Self.segmentToken, number) }
      for read in effects.pairReads { store.readPair(read) }
      if !effects.works.isEmpty { works.submit(effects.works) }
      for connection in effects.touched {
        if let link = links[connection.number], link.connection === connection { serve(link) }
      }
      if effects.touched.isEmpty { break }
    }
    if !isCommitting, let batch = relay.takeBatch() {
      isCommitting = true
      lastSubmitted = batch.number
      submittedAt = monotonicNanoseconds()
      store.submit(batch)
    }
    let isMuchReleased = relay.releasedBytes - trimmedBytes >= Self.trimBytes
    if relay.evictedSize - trimmedSize >= Self.trimSize || isMuchReleased {
      trimmedSize = relay.evictedSize
      trimmedBytes = relay.releasedBytes
      returnFreedMemory()
    }
    armDeadline()
    if isStopping { stopIfIdle() }
  }

  /// Freed memory that is kept for the next turn.
  private static let keptMemory = 64 << 20

  /// Evicted transfers after which freed memory is given back: some 15 MB.
  private static let trimSize = 100_000

  /// What closed connections held after which freed memory is given back.
  private static let trimBytes = 32 << 20

  /// Segments are read one at a time, so their answers need no telling apart.
  private static let segmentToken = 0

  // MARK: Time

  /// Time for deadlines; the relay is told how far the date is from it.
  var now: Int64 {
    if let step = MachineClocks.read(into: &clock) { log.write(.info, step) }
    relay.wallOffset = clock.offset
    return clock.elapsed
  }

  private func armDeadline() {
    let next = relay.nextDeadline
    guard next != armedDeadline else { return }
    armedDeadline = next
    if let next {
      deadline.start(after: max(0, next - now))
    } else {
      deadline.stop()
    }
  }

  private func deadlineReached() {
    armedDeadline = nil
    relay.tick(now: now)
  }

  // MARK: The store

  private func noteFailure(_ error: StoreError) {
    storeFailure = error
    log.write(.error, "event=storeFailing error=\("\(error)".quoted)")
  }

  /// What was done aside goes on here.
  private func takeWorks() {
    for work in works.takeDone() { relay.done(work, now: now) }
  }

  private func takeStoreEvents() {
    for event in store.takeEvents() {
      switch event {
      case .committed(let number):
        isCommitting = false
        commits.add(seconds: Double(monotonicNanoseconds() &- submittedAt) / 1e9)
        relay.committed(through: number, now: now)
      case .failing(let error, _) where error.kind == .conflict: endFenced(error)
      case .failing(let error, let firstUncommitted):
        noteFailure(error)
        // A read or the housekeeping that fails holds no commit up.
        guard firstUncommitted <= lastSubmitted else { continue }
        relay.storeFailed(error.message, now: now)
      case .full(let error):
        log.write(.error, "event=diskFull error=\("\(error)".quoted)")
        relay.storeIsFull(error.message, now: now)
      case .hasRoom:
        log.write(.info, "event=diskHasRoom")
        relay.storeHasRoom(now: now)
      case .damaged(let error):
        log.write(.error, "event=storeDamaged error=\("\(error)".quoted)")
      case .recovered:
        storeFailure = nil
        relay.storeRecovered(now: now)
      case .read(let token, let payloads):
        relay.fetched(token: token, payloads, now: now)
      case .segment(_, let segment):
        relay.fetchedSegment(segment, now: now)
      case .pair(let read, let rows):
        relay.loaded(read, rows, now: now)
      }
    }
  }

  func closeHandles() {
    for handle in [deadline, confirmation, linger, stopTimer, tokenTimer, watchdog] {
      handle!.close()
    }
    for signal in signals { signal.close() }
  }

  /// Lets a loop go on which nothing will be served.
  private static func discard(_ loop: EventLoop, _ wakeup: Wakeup) {
    wakeup.close()
    loop.shutDownHooks()
    try? loop.run()
    try? loop.close()
  }
}

extension Server: TurnHandler {
  package func turnEnded(hasPolled: Bool) {
    if hasPolled { relay.nextTurn(now: now) }
    carryOut()
    loop.isBusy = relay.hasMore
  }
}

/// Lets callbacks that are made before the server is refer to it.
private final class Hook {
  weak var server: Server?
}

/// Why the server could not start: exit 1.
package struct StartError: Error {
  package let message: String

  init(_ message: String) { self.message = message }
}
