internal import EventLoop
internal import Glibc
internal import Proxy
internal import Simulation
internal import TLS
internal import Wire

/// Joins a proxy's decisions with sockets, a clock and the standard streams.
final class ProxySession {
  /// Events are dropped while more than 1 MiB of them waits for whoever reads the output.
  private static let mostWaiting = 1024 * 1024

  private let options: ProxyOptions
  private let tls: TLSContext?
  private let loop: EventLoop
  private let output: StandardOutput
  private var proxy: Proxy
  /// Both sides of each connection, by the connection's number.
  private var sides: [Int: [Side: ServerConnection]] = [:]
  private var listener: TCPListener?
  private var input: StandardInput!
  private var lines = LineSplitter()
  private var timer: Timer!
  private var signals: [Signal] = []
  private let start: Int64
  private var ending: Ending?
  private var isApplying = false

  init(_ options: ProxyOptions, _ tls: TLSContext?, loop: EventLoop) throws(UVError) {
    self.options = options
    self.tls = tls
    self.loop = loop
    output = StandardOutput(loop: loop)
    proxy = Proxy(options.faults, seed: options.seed)
    start = loop.now
    input = try StandardInput(loop: loop, handler: self)
    timer = Timer(loop: loop) { [unowned self] in
      proxy.tick(now: now)
      apply()
    }
    output.onFail = { [unowned self] error in
      finish(Ending(1, "the output cannot be written: \(error.message)"))
    }
  }

  private var now: Int { Int((loop.now - start) / 1000) }

  /// Runs until it is told to end.
  func run() throws(UVError) -> Ending {
    for number in [SIGTERM, SIGINT] {
      signals.append(
        Signal(loop: loop, number: number) { [unowned self] in finish(Ending(0)) })
    }
    listen()
    try loop.run()
    return ending ?? Ending(1, "the proxy ended without a reason")
  }

  private func listen() {
    do throws(UVError) {
      let listener = try TCPListener(
        loop: loop, host: options.listen.host, port: options.listen.port, handler: self)
      self.listener = listener
      if !options.line.isEmpty { complain("the faults are \(options.line)") }
      var writer = JSONWriter()
      writer.object {
        $0.member("event", "listening")
        $0.member("at", now)
        $0.member("address", listener.address)
        $0.member("port", listener.port)
        $0.member("to", options.to.description)
        $0.member("options", options.line)
      }
      output.write(writer.bytes + [0x0A])
      input.start()
    } catch {
      finish(Ending(1, "cannot listen on \(options.listen): \(error.message)"))
    }
  }

  private func finish(_ ending: Ending) {
    guard self.ending == nil else { return }
    self.ending = ending
    listener?.close()
    input.close()
    timer.close()
    for signal in signals { signal.close() }
    for pair in sides.values { for connection in pair.values { connection.close() } }
  }

  // MARK: Effects

  /// Does what the proxy has decided, and what it decides meanwhile.
  private func apply() {
    guard !isApplying else { return }
    isApplying = true
    defer { isApplying = false }
    while ending == nil {
      let effects = proxy.takeEffects()
      if effects.isEmpty { break }
      for effect in effects where ending == nil { perform(effect) }
    }
    guard ending == nil else { return }
    if let deadline = proxy.deadline {
      timer.start(after: Int64(max(0, deadline - now)) * 1000)
    } else {
      timer.stop()
    }
  }

  private func perform(_ effect: Proxy.Effect) {
    switch effect {
    case .connect(let number): connect(number)
    case .send(let number, let side, let bytes): sides[number]?[side]?.write(bytes)
    case .shutdown(let number, let side): sides[number]?[side]?.shutdown()
    case .close(let number, let side): sides[number]?[side]?.close()
    case .reset(let number, let side): sides[number]?[side]?.closeReset()
    case .read(let number, let side, let isReading):
      guard let connection = sides[number]?[side], connection.isOpen else { return }
      guard isReading else { return connection.stopReading() }
      do throws(ConnectionFailure) {
        try connection.startReading()
      } catch {
        connection.close()
        proxy.failed(number, side, error.message, now: now)
      }
    case .say(let line): if output.waitingBytes < Self.mostWaiting { output.write(line + [0x0A]) }
    case .quit: finish(Ending(0))
    }
  }

  private func connect(_ number: Int) {
    do throws(ConnectionFailure) {
      let connection = try ServerConnection(options.to, tls, loop: loop, handler: self)
      add(connection, number, .server)
    } catch {
      proxy.failed(number, .server, error.message, now: now)
    }
  }

  private func add(_ connection: ServerConnection, _ number: Int, _ side: Side) {
    connection.token = number * 2 + (side == .server ? 1 : 0)
    sides[number, default: [:]][side] = connection
  }

  private func place(of connection: ServerConnection) -> (number: Int, side: Side) {
    (connection.token / 2, connection.token % 2 == 1 ? .server : .client)
  }
}

extension ProxySession: ListenerHandler {
  func listener(_ listener: TCPListener, accepted socket: TCPConnection) {
    guard ending == nil, let number = proxy.accepted(socket.peerAddress, now: now) else {
      socket.close()
      return apply()
    }
    add(ServerConnection(accepted: socket, handler: self), number, .client)
    apply()
  }

  func listener(_ listener: TCPListener, failed error: UVError) {
    complain("a connection was turned away: \(error.message)")
    if !listener.isOpen { finish(Ending(1, "cannot listen any more: \(error.message)")) }
  }
}

extension ProxySession: ServerConnectionHandler {
  func connectionDidOpen(_ connection: ServerConnection) {
    proxy.connected(place(of: connection).number, now: now)
    apply()
  }

  func connection(_ connection: ServerConnection, didRead bytes: UnsafeRawBufferPointer) {
    let (number, side) = place(of: connection)
    proxy.received(number, side, Array(bytes), now: now)
    apply()
  }

  func connectionDidEnd(_ connection: ServerConnection) {
    let (number, side) = place(of: connection)
    proxy.ended(number, side, now: now)
    apply()
  }

  func connection(_ connection: ServerConnection, didFail failure: ConnectionFailure) {
    let (number, side) = place(of: connection)
    proxy.failed(number, side, failure.message, now: now)
    apply()
  }

  func connectionDidWrite(_ connection: ServerConnection) {
    let (number, side) = place(of: connection)
    proxy.wrote(number, side, now: now)
    apply()
  }

  func connectionDidClose(_ connection: ServerConnection) {
    let (number, side) = place(of: connection)
    sides[number]?[side] = nil
    if sides[number]?.isEmpty == true { sides[number] = nil }
  }
}

extension ProxySession: InputHandler {
  func input(_ input: StandardInput, didRead bytes: UnsafeRawBufferPointer) {
    guard ending == nil else { return }
    let isShort = lines.split(bytes) { line in
      proxy.control(Array(line.dropLast()), now: now)
      apply()
      return ending == nil
    }
    if !isShort {
      lines = LineSplitter()
      complain("a command is longer than \(LineSplitter.longestLine) bytes")
    }
  }

  func inputDidEnd(_ input: StandardInput, error: UVError?) {
    guard ending == nil else { return }
    let rest = lines.takeRest()
    if !rest.isEmpty {
      proxy.control(rest, now: now)
      apply()
    }
    if options.endsWithInput { finish(Ending(0)) }
  }
}
