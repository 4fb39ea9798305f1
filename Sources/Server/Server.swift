package import EventLoop
import Glibc
import Journal
import Relay
import Storage
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
  private let wakeup: Wakeup
  private let clock: Clock

  private var listener: TCPListener?
  /// By the number of the relay's connection.
  var links: [Link?] = []
  var linkCount = 0
  private var signals: [Signal] = []
  private var deadline: Timer!
  private var armedDeadline: Int64?
  private var confirmation: Timer!
  /// Connections whose peers have not confirmed all that an automatic acknowledge waits for.
  private var unconfirmed: [Link] = []
  private var lingering: [Link] = []
  private var linger: Timer!
  private var isCommitting = false
  private var lastSubmitted: UInt64 = 0
  private var isStopping = false
  /// Has waited long enough for peers and for the disk.
  private var isOverdue = false
  private var stopTimer: Timer!

  /// Opens the store and the listener.
  /// - Throws: `StartError` with one sentence for stderr.
  package init(_ options: Options) throws(StartError) {
    self.options = options
    log = Log(level: options.logLevel)
    ignoreBrokenPipes()
    clock = Clock()
    var relayOptions = Relay.Options()
    relayOptions.limits = options.limits
    relayOptions.limits.connections = min(options.limits.connections, Self.raiseDescriptors())
    relayOptions.hasManualClock = options.hasManualClock
    relayOptions.version = Options.version
    do {
      loop = try EventLoop()
    } catch {
      throw StartError("cannot start an event loop: \(error)")
    }
    let hook = Hook()
    wakeup = Wakeup(loop: loop) { hook.server?.takeStoreEvents() }
    let wakeup = wakeup
    let contents: Contents
    do {
      (store, contents) = try Store.open(
        options.data == ":memory:" ? .memory : .directory(options.data),
        newIdentity: Self.randomName(), onWake: { wakeup.wake() })
    } catch {
      Self.discard(loop, wakeup)
      throw StartError(error.description)
    }
    do {
      relay = try Relay(contents, options: relayOptions, now: clock.now)
    } catch {
      _ = store.close()
      Self.discard(loop, wakeup)
      throw StartError("\(options.data): \(error)")
    }
    hook.server = self
    deadline = Timer(loop: loop) { hook.server?.deadlineReached() }
    confirmation = Timer(loop: loop) { hook.server?.checkConfirmations() }
    linger = Timer(loop: loop) { hook.server?.endLingering() }
    stopTimer = Timer(loop: loop) { hook.server?.stopTimedOut() }
    for number in [SIGTERM, SIGINT] {
      signals.append(Signal(loop: loop, number: number) { hook.server?.stop() })
    }
    do {
      listener = try TCPListener(
        loop: loop, host: options.host, port: options.port, handler: self)
    } catch {
      _ = store.close()
      closeHandles()
      Self.discard(loop, wakeup)
      throw StartError("cannot listen on \(options.host):\(options.port): \(error.message)")
    }
    loop.turnHandler = self
  }

  /// The address and port that it listens on.
  package var address: String {
    let host = options.host.contains(":") ? "[\(options.host)]" : options.host
    return "\(host):\(listener?.port ?? 0)"
  }

  /// Serves until a signal stops it. Returns whether everything accepted was committed.
  package func run() -> Bool {
    log.write(.info, "event=listening address=\(address) data=\(options.data.quoted)")
    do {
      try loop.run()
    } catch {
      log.write(.error, "event=loopFailed error=\("\(error)".quoted)")
    }
    let isComplete = store.close()
    do {
      try loop.close()
    } catch {
      log.write(.error, "event=loopLeaked error=\("\(error)".quoted)")
    }
    log.write(.info, "event=stopped isComplete=\(isComplete)")
    return isComplete
  }

  // MARK: The end of a turn

  /// Carries the relay's effects out until it has none.
  private func carryOut() {
    while true {
      let effects = relay.takeEffects()
      for line in effects.logs { log.write(.info, line) }
      for read in effects.reads { store.read(read.token, read.references) }
      for number in effects.segmentReads { store.readSegment(Self.segmentToken, number) }
      for connection in effects.touched {
        if let link = links[connection.number], link.connection === connection { serve(link) }
      }
      if effects.touched.isEmpty { break }
    }
    if !isCommitting, let batch = relay.takeBatch() {
      isCommitting = true
      lastSubmitted = batch.number
      store.submit(batch)
    }
    armDeadline()
    if isStopping { stopIfIdle() }
  }

  /// Segments are read one at a time, so their answers need no telling apart.
  private static let segmentToken = 0

  /// Writes what is due on a connection, and sets whether it is read or closed.
  private func serve(_ link: Link) {
    let connection = link.connection
    if connection.hasOutput, !link.socket.isWriting { write(link) }
    guard link.socket.isOpen else { return }
    if relay.unconfirmedPosition(connection) != nil, !link.isUnconfirmed {
      link.isUnconfirmed = true
      unconfirmed.append(link)
      if !confirmation.isRunning { confirmation.start(after: Self.confirmationInterval) }
    }
    if connection.isFinished {
      finish(link)
    } else {
      link.read(relay.wantsInput(connection))
    }
  }

  private func write(_ link: Link) {
    let output = relay.takeOutput(link.connection)
    do {
      let written = try output.withUnsafeBytes { bytes throws(UVError) in
        try link.socket.tryWrite(bytes)
      }
      if written < output.count { link.socket.write(output, from: written) }
      relay.wrote(link.connection, unsent: output.count - written, now: clock.now)
    } catch {
      log.write(
        .debug, "event=writeFailed connection=\(link.connection.number) error=\("\(error)".quoted)")
      link.socket.close()
    }
  }

  // MARK: Closing

  /// Everything is written and nothing is owed: tells the peer so. What it may still be sending
  /// is read and thrown away for a while, since closing on unread bytes would reset the connection
  /// and could destroy what was written last.
  private func finish(_ link: Link) {
    guard !link.isFinishing else { return }
    link.isFinishing = true
    relay.finished(link.connection, now: clock.now)
    link.socket.shutdown()
    if link.hasEnded {
      link.socket.close()
    } else {
      link.read(true)
      lingering.append(link)
      link.lingersUntil = clock.now + Self.lingerTime
      if !linger.isRunning { linger.start(after: Self.lingerTime) }
    }
  }

  private static let lingerTime: Int64 = 1_000_000

  private func endLingering() {
    let now = clock.now
    lingering.removeAll { link in
      guard link.socket.isOpen else { return true }
      guard link.lingersUntil <= now else { return false }
      link.socket.close()
      return true
    }
    if let first = lingering.first { linger.start(after: max(1_000, first.lingersUntil - now)) }
  }

  // MARK: Automatic acknowledgement

  private static let confirmationInterval: Int64 = 2_000

  /// Asks the kernel how much the peers have confirmed.
  private func checkConfirmations() {
    unconfirmed.removeAll { link in
      guard link.socket.isOpen, let wanted = relay.unconfirmedPosition(link.connection) else {
        link.isUnconfirmed = false
        return true
      }
      let outstanding = link.socket.unacknowledgedBytes
      let position = relay.writtenPosition(link.connection)
      guard outstanding < Int.max, UInt64(outstanding) <= position else { return false }
      relay.confirmed(link.connection, through: position - UInt64(outstanding), now: clock.now)
      guard position - UInt64(outstanding) < wanted else {
        link.isUnconfirmed = false
        return true
      }
      return false
    }
    if !unconfirmed.isEmpty { confirmation.start(after: Self.confirmationInterval) }
  }

  // MARK: Time

  private func armDeadline() {
    let next = relay.nextDeadline
    guard next != armedDeadline else { return }
    armedDeadline = next
    if let next {
      deadline.start(after: max(0, next - clock.now))
    } else {
      deadline.stop()
    }
  }

  private func deadlineReached() {
    armedDeadline = nil
    relay.tick(now: clock.now)
  }

  // MARK: The store

  private func takeStoreEvents() {
    for event in store.takeEvents() {
      switch event {
      case .committed(let number):
        isCommitting = false
        relay.committed(through: number, now: clock.now)
      case .failing(let error, let firstUncommitted):
        log.write(.error, "event=storeFailing error=\("\(error)".quoted)")
        // A read or the housekeeping that fails holds no commit up.
        guard firstUncommitted <= lastSubmitted else { continue }
        relay.storeFailed(error.message, now: clock.now)
      case .recovered:
        relay.storeRecovered(now: clock.now)
      case .read(let token, let payloads):
        relay.fetched(token: token, payloads, now: clock.now)
      case .segment(_, let segment):
        relay.fetchedSegment(segment, now: clock.now)
      }
    }
  }

  // MARK: Stopping

  /// Takes no more input, brings what is owed, commits, and ends the loop.
  private func stop() {
    guard !isStopping else { return }
    isStopping = true
    log.write(.info, "event=stopping connections=\(linkCount)")
    listener?.close()
    relay.stop(now: clock.now)
    stopTimer.start(after: Self.stopTime)
  }

  /// How long peers may take to read what they are owed, and a failing disk to recover.
  private static let stopTime: Int64 = 5_000_000

  /// Peers that do not read are cut off, and a store that cannot commit gets one more try at its
  /// closing; what it cannot write was never accepted.
  private func stopTimedOut() {
    isOverdue = true
    for case let link? in links { link.socket.close() }
  }

  private func stopIfIdle() {
    guard linkCount == 0, isOverdue || (!isCommitting && !relay.hasBatch) else { return }
    // A disk that fails may do so for ever. Closing the store tries once more, with all there is.
    if let batch = relay.takeBatch() { store.submit(batch) }
    closeHandles()
    wakeup.close()
    loop.turnHandler = nil
    loop.shutDownHooks()
  }

  private func closeHandles() {
    for handle in [deadline, confirmation, linger, stopTimer] { handle!.close() }
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
  package func turnEnded() { carryOut() }
}

extension Server: ListenerHandler {
  package func listener(_ listener: TCPListener, accepted socket: TCPConnection) {
    let connection = relay.opened(now: clock.now)
    let link = Link(connection, socket)
    while links.count <= connection.number { links.append(nil) }
    links[connection.number] = link
    linkCount += 1
    socket.token = connection.number
    socket.handler = self
    socket.setKeepalive(seconds: options.limits.keepalive)
    socket.setUserTimeout(milliseconds: options.limits.keepalive * 1_000)
    log.write(.debug, "event=accepted connection=\(connection.number) peer=\(socket.peerAddress)")
  }

  package func listener(_ listener: TCPListener, failed error: UVError) {
    log.write(.error, "event=acceptFailed error=\("\(error)".quoted) connections=\(linkCount)")
    if !listener.isOpen { stop() }
  }
}

extension Server: ConnectionHandler {
  package func connection(_ socket: TCPConnection, didRead bytes: UnsafeRawBufferPointer) {
    guard let link = links[socket.token], !link.isFinishing else { return }
    relay.received(bytes, on: link.connection, now: clock.now)
  }

  package func connectionDidEnd(_ socket: TCPConnection) {
    guard let link = links[socket.token] else { return }
    link.hasEnded = true
    if link.isFinishing {
      socket.close()
    } else {
      relay.ended(link.connection, now: clock.now)
    }
  }

  package func connection(_ socket: TCPConnection, didFail error: UVError) {
    log.write(
      .debug, "event=connectionFailed connection=\(socket.token) error=\("\(error)".quoted)")
  }

  package func connection(_ socket: TCPConnection, didWrite bytes: Int) {
    guard let link = links[socket.token] else { return }
    relay.wrote(link.connection, unsent: 0, now: clock.now)
    serve(link)
  }

  package func connectionDidClose(_ socket: TCPConnection) {
    guard let link = links[socket.token] else { return }
    links[socket.token] = nil
    linkCount -= 1
    relay.closed(link.connection, now: clock.now)
  }
}

extension Server {
  /// Lets the process have as many descriptors as it may. Returns how many connections that
  /// allows.
  private static func raiseDescriptors() -> Int {
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(UInt32(RLIMIT_NOFILE.rawValue)), &limit)
    limit.rlim_cur = limit.rlim_max
    setrlimit(__rlimit_resource_t(UInt32(RLIMIT_NOFILE.rawValue)), &limit)
    getrlimit(__rlimit_resource_t(UInt32(RLIMIT_NOFILE.rawValue)), &limit)
    return max(1, Int(clamping: limit.rlim_cur) - reservedDescriptors)
  }

  /// For the store, the loop, the standard streams, and room to refuse further connections.
  private static let reservedDescriptors = 64

  private static func randomName() -> String {
    var generator = SystemRandomNumberGenerator()
    return String(generator.next() | 1 << 63, radix: 16)
      + String(generator.next() | 1 << 63, radix: 16)
  }
}

/// A connection of the relay's and its socket.
final class Link {
  let connection: Connection
  let socket: TCPConnection
  var hasEnded = false
  var isFinishing = false
  var isUnconfirmed = false
  var lingersUntil: Int64 = 0
  private var isReading = false

  init(_ connection: Connection, _ socket: TCPConnection) {
    self.connection = connection
    self.socket = socket
  }

  func read(_ isWanted: Bool) {
    guard isWanted != isReading, !hasEnded, socket.isOpen else { return }
    isReading = isWanted
    if !isWanted { return socket.stopReading() }
    do {
      try socket.startReading()
    } catch {
      socket.close()
    }
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
