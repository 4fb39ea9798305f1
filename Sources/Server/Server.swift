import AppModels
import EventLoop
import Glibc
import Hub
import Journal
import Relay
import Storage
import TLS
import Wire

/// The shell around its sites, which are relays with stores: sockets and the clock.
///
/// A server alone has one site. One of several has a lobby and a site for each shard that it owns (`Relay.Place`).
/// Everything but the stores' writers runs on the loop's thread. Output and batches leave once a turn.
package final class Server {
  let options: Options
  let loop: EventLoop
  let log: Log
  let wakeup: Wakeup
  /// Where connections begin: the only site, or the lobby.
  let home: Site
  /// Its part in each shard; empty where it is alone.
  private(set) var parts: [ShardPart] = []
  /// The home, and a site for each shard that it owns.
  var sites: [Site]
  /// What was counted at sites that there are no more.
  var gone = (
    figures: RelayFigures(), commits: Durations(), committedBytes: 0, secondsInTrouble: 0.0
  )
  /// What the relays are made with, but for their place.
  var relayOptions: Relay.Options {
    didSet { for part in parts { part.use(relayMaker(part.number)) } }
  }
  /// Where an operator asks; nil for nowhere.
  var admin: OperatorPages?
  /// How long the loop's turns were; counted for an operator alone.
  private(set) var turns = Turns()
  /// systemd, where it has started the server and waits to hear from it.
  let supervisor = Supervisor()
  private var watchdog: Timer!
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
  /// By their sockets' tokens, which their connections have as tags.
  var links: [Link?] = []
  var freeLinks: [Int] = []
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
  /// Where other servers bring connections; nil for a server alone.
  var peerListener: TCPListener?
  /// How other servers reach this one; nil for a server alone.
  private(set) var contact: Contact?
  /// Servers that have connected and not said what for.
  var callers: Set<Caller> = []
  /// Peer links to other servers, until they are closed.
  var splices: [ObjectIdentifier: Splice] = [:]
  /// Connections that no way to their shards was found for.
  var wanting: [Link] = []
  var routeTimer: Timer!
  var balanceTimer: Timer!
  /// Why a shard can be followed no more.
  var partFailure: StoreError?
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
    // Where there are several, a connection may take two, and as many guests come from other servers.
    room = (descriptors - Self.reservedDescriptors) / (options.cluster == nil ? 1 : 3)
    relayOptions.limits.connections = min(options.limits.connections, room)
    relayOptions.hasManualClock = options.hasManualClock
    relayOptions.version = Options.version
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
    wakeup = Wakeup(loop: loop) { hook.server?.takeNews() }
    let wakeup = wakeup
    let onNews: @Sendable () -> Void = { wakeup.wake() }
    do throws(StartError) {
      admin = try Self.openAdmin(options, loop) { hook.server?.answerOperator() }
    } catch {
      Self.discard(loop, wakeup)
      throw error
    }
    self.relayOptions = relayOptions
    do throws(StartError) {
      if options.cluster != nil {
        home = try Self.lobby(relayOptions, shards: options.shards, now: clock.elapsed, onNews)
      } else {
        home = try Self.openStore(options, relayOptions, log, now: clock.elapsed, onNews)
      }
    } catch {
      admin?.stop()
      Self.discard(loop, wakeup)
      throw error
    }
    sites = [home]
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
    routeTimer = Timer(loop: loop) { hook.server?.routeAgain() }
    balanceTimer = Timer(loop: loop) { hook.server?.balance() }
    watchdog = Timer(loop: loop) { hook.server?.keepSupervisorInformed() }
    for number in [SIGTERM, SIGINT] {
      signals.append(Signal(loop: loop, number: number) { hook.server?.stop() })
    }
    signals.append(Signal(loop: loop, number: SIGHUP) { hook.server?.reload() })
    do throws(StartError) {
      if let cluster = options.cluster {
        let contact = try listenToPeers()
        self.contact = contact
        parts = try Self.open(cluster, options, contact, relayMaker, onNews)
      }
      try listen()
    } catch {
      admin?.stop()
      _ = home.close(log)
      for part in parts { part.thread.stop() }
      closeHandles()
      listener?.close()
      secureListener?.close()
      peerListener?.close()
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
    let peers = contact.map { " peers=\(Self.spelled($0.host, $0.port))" } ?? ""
    log.write(
      .info, "event=listening address=\(address)\(secure)\(peers) data=\(options.data.quoted)")
    if options.isInsecure { log.write(.info, "event=insecure address=\(address)") }
    let wanted = options.limits.connections
    if room < wanted {
      // Whoever has asked for a number is let down.
      log.write(
        wanted == Limits().connections ? .info : .error,
        "event=fewDescriptors connections=\(room) wanted=\(wanted)")
    }
    watchTokens()
    beginToFollow()
    if let adminAddress { log.write(.info, "event=admin address=\(adminAddress)") }
    admin?.start()
    supervisor?.tell("READY=1\nSTATUS=listening on \(address)\(secure)")
    keepSupervisorInformed()
    do {
      try loop.run()
    } catch {
      log.write(.error, "event=loopFailed error=\("\(error)".quoted)")
    }
    var isComplete = partFailure == nil
    for site in sites where !site.close(log) { isComplete = false }
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
    if let partFailure { return "\(partFailure)" }
    if let storeFailure = home.failure, storeFailure.kind == .gone {
      return "stopped without its store: \(storeFailure)"
    }
    return "stopped while the store took nothing more; what was answered by accepted is kept"
  }

  // MARK: The end of a turn

  /// Carries the relays' effects out until there are none.
  private func carryOut() {
    var hasMore = true
    while hasMore {
      hasMore = false
      for site in sites {
        let effects = site.relay.takeEffects()
        site.carryOut(effects, log)
        for connection in effects.scheduled {
          if let link = links[connection.tag], link.connection === connection { serve(link) }
        }
        if !effects.scheduled.isEmpty { hasMore = true }
      }
    }
    var hasFreedMuch = false
    for site in sites {
      site.submitBatch(loop)
      if site.hasFreedMuch() { hasFreedMuch = true }
    }
    if hasFreedMuch { returnFreedMemory() }
    letSitesGo()
    armDeadline()
    if isStopping { stopIfIdle() }
  }

  func relayMaker(_ shard: Int) -> RelayMaker {
    RelayMaker(
      relayOptions, shard: shard, of: options.shards, directory: options.directory(of: shard), clock
    )
  }

  /// Freed memory that is kept for the next turn.
  private static let keptMemory = 64 << 20

  // MARK: Time

  /// Time for deadlines; the relay is told how far the date is from it.
  var now: Int64 {
    if let step = MachineClocks.read(into: &clock) { log.write(.info, step) }
    for site in sites { site.relay.wallOffset = clock.offset }
    return clock.elapsed
  }

  private func armDeadline() {
    let next = sites.compactMap(\.relay.nextDeadline).min()
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
    for site in sites { site.relay.tick(now: now) }
  }

  // MARK: Other threads

  /// Other threads have something: stores, long work, and those that follow shards.
  private func takeNews() {
    takeShardNews()
    for site in sites {
      if let error = site.takeStoreEvents(now: now, loop, log) { lose(site, error) }
      site.takeWorks(now: now)
    }
  }

  func closeHandles() {
    for handle in [
      deadline, confirmation, linger, stopTimer, tokenTimer, watchdog, routeTimer, balanceTimer,
    ] {
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
    if hasPolled {
      for site in sites { site.relay.nextTurn(now: now) }
    }
    carryOut()
    loop.isBusy = sites.contains { $0.relay.hasMore }
    if !hasPolled, admin != nil { turns.end(idle: loop.idleTime) }
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
