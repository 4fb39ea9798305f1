internal import AppModels
internal import Device
internal import EventLoop
internal import TLS
internal import Wire

/// Joins a device with a server, a terminal and a store.
///
///     none ─▶ connecting ─▶ open ─┬─ leaving ─▶ run() returns
///       ▲                         │
///       └── lost or switched off ◀┘   while the device wants a connection, after a delay
final class DeviceSession {
  let options: DeviceOptions
  private let tls: TLSContext?
  let device: HeadlessDevice
  let loop: EventLoop
  let output: StandardOutput
  let console: Console
  let display: DeviceDisplay
  private let store: DeviceStore?
  var input: StandardInput!
  var typing: TypedInput?

  var connection: ServerConnection?
  var isConnecting = false
  var incoming = LineSplitter()
  private var outgoing: [UInt8] = []
  private var backoff = Backoff()
  private var reconnect: Timer!
  /// The delay before the next attempt to connect is under way.
  private var isDelayed = false
  private var clock: Timer!
  private var timeout: Timer?

  /// Lines that were typed and wait for their turn.
  var typed: [String] = []
  var typedLines = LineSplitter()
  var inputHasEnded = false
  /// What the next typed line waits for.
  var waiting: Waiting?
  private var ending: Ending?

  enum Waiting {
    case synced
    /// As `synced`; also over where no connection could be made.
    case firstSync
    /// Milliseconds since 1970, by the device's clock.
    case until(Int64)
    /// Until the screen shows a text, or a moment of this machine's clock.
    case shown(String, by: Int64)
  }

  /// How long `expect` waits, in milliseconds.
  static let patience: Int64 = 10_000
  /// By how much the device's clock has been turned forward, in milliseconds.
  private var skipped: Int64 = 0

  init(
    _ options: DeviceOptions, _ tls: TLSContext?, _ device: HeadlessDevice, _ store: DeviceStore?,
    loop: EventLoop
  ) throws(UVError) {
    self.options = options
    self.tls = tls
    self.device = device
    self.store = store
    device.hostCommands = [
      Command("wait", "[SECONDS]", "wait until everything is synced, or so long"),
      Command("backup", "FILE", "write all records to a file that is not there yet"),
      Command("restore", "FILE", "make the records of a backup that are gone"),
      Command("expect", "TEXT", "wait until the screen shows a text; else end with status 1"),
    ]
    self.loop = loop
    output = StandardOutput(loop: loop)
    let style: Console.Style = isTypedAt && !options.isJSON ? .edited : .plain
    console = Console(
      style: style, usesColor: takesColor && style == .edited,
      editor: LineEditor(completion: { [unowned device] in device.completion($0) }),
      output: output)
    display = DeviceDisplay(
      console, isJSON: options.isJSON, takesEveryColor: takesEveryColor)
    input = try StandardInput(loop: loop, handler: self)
    reconnect = Timer(loop: loop) { [unowned self] in
      isDelayed = false
      connectIfWanted()
    }
    clock = Timer(loop: loop) { [unowned self] in timePassed() }
    output.onDrain = { [unowned self] in typing?.outputDrained() }
    output.onFail = { [unowned self] error in
      finish(Ending(1, "the output cannot be written: \(error.message)"))
    }
    if style == .edited {
      typing = TypedInput(console, input, historyFile: nil, handler: self)
      try typing?.begin(loop: loop)
    }
  }

  var now: Int64 { LocalTime.milliseconds + options.clockOffset + skipped }

  /// Waits for so many milliseconds; with a virtual clock they pass at once, each tick in its turn.
  func wait(_ milliseconds: Int64) {
    let end = now + milliseconds
    guard options.hasVirtualClock else { return waiting = .until(end) }
    while ending == nil {
      let next = min(end, max(now, device.nextTick(now: now) ?? end))
      skipped += max(0, next - now)
      device.tick(now: now)
      settle(isTime: true)
      if now >= end { return }
      // What is due at once must not be asked for again and again.
      skipped += 1
    }
  }

  /// Runs the device until it is left.
  func run() throws(UVError) -> Ending {
    if let microseconds = options.timeout {
      timeout = Timer(loop: loop) { [unowned self] in
        finish(Ending(1, "time is up\(unsynced.map { "; \($0)" } ?? "")"))
      }
      timeout?.start(after: microseconds)
    }
    if options.startsOffline {
      device.type("offline", now: now)
    } else if typing == nil {
      waiting = .firstSync
    }
    connectIfWanted()
    advance()
    if typing == nil { input.start() }
    try loop.run()
    return ending ?? Ending(1, "the device ended without a reason")
  }

  // MARK: Turns

  /// Does what there is to do after anything has happened.
  func advance(isTime: Bool = false) {
    guard ending == nil else { return }
    while ending == nil, !isHeldBack, !typed.isEmpty {
      perform(typed.removeFirst())
      settle(isTime: false)
    }
    settle(isTime: isTime)
    guard ending == nil else { return }
    if inputHasEnded, typed.isEmpty, waiting == nil, device.isSynced || !device.wantsConnection {
      return finish(leaving)
    }
    setClock()
  }

  /// Saves, shows and sends what the device has come to.
  private func settle(isTime: Bool) {
    guard ending == nil else { return }
    do throws(FileFailure) {
      // Nothing is told to anybody that a crash could take back.
      try store?.save(device.saved)
    } catch {
      return finish(Ending(1, "the store cannot be written: \(error.message)"))
    }
    let notices = device.takeNotices()
    display.show(device.styledScreen(now: now), notices, device.records, isTime: isTime)
    switchConnection()
    for line in device.takeOutput() { outgoing += line + [0x0A] }
    flush()
    if typing == nil, let refusal = device.refusal { return finish(Ending(1, refusal)) }
    if options.isStrict, let error = notices.lazy.compactMap(\.error).first {
      return finish(Ending(1, error))
    }
    if device.isDone { finish(leaving) }
  }

  /// Whether the next typed line has to wait.
  private var isHeldBack: Bool {
    switch waiting {
    case nil: return false
    case .synced, .firstSync: if device.isSynced { waiting = nil }
    case .until(let time): if time <= now { waiting = nil }
    case .shown(let text, let time):
      if device.screen(now: now).contains(where: { $0.contains(text) }) {
        waiting = nil
      } else if time <= LocalTime.milliseconds {
        finish(Ending(1, "the screen does not show \(text)"))
      }
    }
    return waiting != nil
  }

  /// What is left behind decides about the status.
  var leaving: Ending { store == nil && unsynced != nil ? Ending(1, unsynced) : Ending(0) }

  private var unsynced: String? {
    let count = device.app.status.pending
    guard count > 0 else { return nil }
    return "\(count) edit\(count == 1 ? " was" : "s were") not accepted by the hub"
      + (store == nil ? " and \(count == 1 ? "is" : "are") lost; --store would keep them" : "")
  }

  private func setClock() {
    var next = device.nextTick(now: now)
    if case .until(let time)? = waiting { next = min(next ?? time, time) }
    if case .shown(_, let time)? = waiting {
      let left = now + max(0, time - LocalTime.milliseconds)
      next = min(next ?? left, left)
    }
    guard let next else { return clock.stop() }
    clock.start(after: max(1, next - now) * 1000)
  }

  private func timePassed() {
    device.tick(now: now)
    advance(isTime: true)
  }

  /// Ends the program.
  func finish(_ ending: Ending) {
    guard self.ending == nil else { return }
    self.ending = ending
    typing?.end()
    console.end()
    input.close()
    timeout?.close()
    clock.close()
    reconnect.close()
    connection?.close()
  }

  // MARK: The connection

  private func switchConnection() {
    if device.wantsConnection {
      if connection == nil, !isDelayed { connectIfWanted() }
      return
    }
    reconnect.stop()
    isDelayed = false
    guard let connection else { return }
    connection.close()
    lost(nil)
  }

  private func connectIfWanted() {
    guard ending == nil, device.wantsConnection, connection == nil else { return }
    isConnecting = true
    do throws(ConnectionFailure) {
      connection = try ServerConnection(options.endpoint, tls, loop: loop, handler: self)
    } catch {
      lost(error.message)
    }
  }

  /// The connection is gone, for a reason or because it was to go.
  func lost(_ reason: String?) {
    connection = nil
    let wasConnecting = isConnecting
    isConnecting = false
    outgoing = []
    incoming = LineSplitter()
    device.didDisconnect(now: now)
    guard ending == nil else { return }
    if case .firstSync? = waiting { waiting = nil }
    if device.wantsConnection {
      let seconds = backoff.next()
      let what = wasConnecting ? "no connection to \(options.endpoint)" : "the connection is lost"
      say("\(what)\(reason.map { ": \($0)" } ?? ""); the next attempt is in \(seconds) s")
      isDelayed = true
      reconnect.start(after: Int64(seconds) * 1_000_000)
    } else {
      say("offline; edits wait for the next connection")
    }
  }

  func say(_ text: String) {
    display.show(device.styledScreen(now: now), [.info(text)], device.records)
  }

  func opened() {
    isConnecting = false
    backoff.reset()
    device.didConnect(now: now)
  }

  /// Gives the connection what it takes.
  func flush() {
    guard !isConnecting, let connection, connection.isOpen, !connection.isWriting,
      !outgoing.isEmpty
    else { return }
    connection.write(outgoing)
    outgoing = []
  }
}
