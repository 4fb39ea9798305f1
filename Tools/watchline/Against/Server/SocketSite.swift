internal import Glibc
internal import Proxy
internal import Simulation
internal import Wire

/// A real server for one run: sockets, the proxy's faults between the devices and them, and real time.
///
/// ```
/// SocketLink ⇄ Proxy ⇄ Socket ⇄ the server
/// ```
final class SocketSite: ServerSite {
  private let server: RunningServer
  let pair: String
  /// What the server's clock is ahead of ours, in milliseconds.
  private let offset: Int64
  private let start = monotonicMilliseconds()
  private var proxy: Proxy
  private var links: [Int: SocketLink] = [:]
  /// The server's side of each connection, copies included.
  private var sockets: [Int: Socket] = [:]
  private(set) var fault: Finding?
  /// A connection ended and it is not known why.
  private var mustLook = false
  private var refusal = false

  /// How long an answer may take, in milliseconds.
  private static let patience: Int64 = 30_000

  /// - Parameter death: why the server is gone already.
  init(_ server: RunningServer, pair: String, offset: Int64, seed: UInt64, death: String?) {
    self.server = server
    self.pair = pair
    self.offset = offset
    proxy = Proxy(ProxyFaults(), seed: seed)
    fault = death.map(server.death)
  }

  deinit { for socket in sockets.values { socket.close(resets: false) } }

  let store: String? = nil
  let isReal = true
  let isFailing = false
  let uncommitted = 0
  let complaint: String? = nil

  var now: Int64 {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000 + offset
  }

  /// Milliseconds on the proxy's clock.
  private var clock: Int { Int(monotonicMilliseconds() - start) }

  // MARK: Connections

  func open(_ name: String) -> any ServerLink {
    // There are far fewer than the proxy takes.
    let number = proxy.accepted(name, now: clock)!
    let link = SocketLink(number, self)
    links[number] = link
    apply()
    if let line = authentication { link.send(line + [0x0A]) }
    return link
  }

  func sent(_ number: Int, _ bytes: [UInt8]) {
    proxy.received(number, .client, bytes, now: clock)
    apply()
  }

  /// The device is gone.
  func left(_ number: Int) {
    links[number] = nil
    proxy.failed(number, .client, "gone", now: clock)
    apply()
  }

  func settle() { pump(0) { false } }

  func waitForAnswers(on links: [any ServerLink]) {
    let asked = links.compactMap { $0 as? SocketLink }.filter { $0.isBetweenLines && isPassing($0) }
    guard !asked.isEmpty else { return }
    for link in asked { link.ask() }
    let isThere = pump(Self.patience) { asked.allSatisfy { $0.isAnswered || !isPassing($0) } }
    guard isThere || fault != nil else {
      fault = Finding(
        invariant: "I42", slug: "no-answer", headline: "The server does not answer any more.",
        story: [
          "A device asked, on a connection that works, whether all is on disk; nothing came within "
            + "\(Self.patience / 1000) s."
        ])
      return
    }
    // Payloads of a backlog are read from the store meanwhile.
    pump(2) { false }
  }

  private func isPassing(_ link: SocketLink) -> Bool {
    !link.isClosed && proxy.passes(link.number)
  }

  // MARK: Faults

  func network(_ event: TraceEvent, _ link: any ServerLink) -> Bool {
    guard let link = link as? SocketLink else { return false }
    var writer = JSONWriter()
    writer.object {
      $0.member("do", event.verb.rawValue)
      $0.member("connection", link.number)
      let count = max(0, event.count ?? 0)
      switch event.verb {
      case .delay: $0.member("milliseconds", min(count, 1000))
      case .slice: $0.member("bytes", min(count, 65_536))
      case .oneWay:
        $0.member("direction", event.lane ?? "both")
        $0.member("how", event.flag == true ? "swallow" : "stall")
      default: break
      }
    }
    refusal = false
    proxy.control(writer.bytes, now: clock)
    apply()
    return !refusal
  }

  func heal() {
    proxy.control(Array(#"{"do":"heal"}"#.utf8), now: clock)
    pump(5) { false }
  }

  func advance(to time: Int64) {}
  func commit(_ count: Int) -> Bool { false }
  func fail() {}
  func recover() {}
  func rest(_ round: Int) { pump(Int64(20 * (round + 1))) { false } }

  func kill(written: Int) throws {
    server.kill()
    cutAll()
    try server.start()
  }

  func restart() throws {
    let status = server.stop()
    cutAll()
    if status != 0 {
      throw HarnessFailure(
        status.map { "told to end, the server ended with status \($0)" }
          ?? "told to end, the server did not within \(RunningServer.stopLimit / 1000) s")
    }
    try server.start()
  }

  private func cutAll() {
    proxy.control(Array(#"{"do":"cut"}"#.utf8), now: clock)
    apply()
  }

  // MARK: Bytes

  /// Carries what there is to carry.
  ///
  /// - Parameters:
  ///   - limit: for so many milliseconds at most.
  /// - Returns: whether it was done in time.
  @discardableResult
  private func pump(_ limit: Int64, until isDone: () -> Bool) -> Bool {
    let deadline = monotonicMilliseconds() + limit
    while fault == nil {
      apply()
      if isDone() { return true }
      let left = deadline - monotonicMilliseconds()
      let due = proxy.deadline.map { Int64(max(0, $0 - clock)) } ?? left
      wait(max(0, min(left, due)))
      proxy.tick(now: clock)
      apply()
      server.drain()
      if mustLook { look() }
      if left <= 0 { return isDone() }
    }
    return false
  }

  private func wait(_ milliseconds: Int64) {
    let numbers = sockets.keys.sorted()
    var descriptors = numbers.map { sockets[$0]!.awaited }
    guard poll(&descriptors, nfds_t(descriptors.count), Int32(clamping: milliseconds)) > 0 else {
      return
    }
    for (index, number) in numbers.enumerated() where descriptors[index].revents != 0 {
      // An effect of what came on another one may have closed it.
      guard let socket = sockets[number], socket.isOpen else { continue }
      if socket.isWriting, socket.flush() { proxy.wrote(number, .server, now: clock) }
      guard socket.isReading else { continue }
      switch socket.read() {
      case .bytes(let bytes): proxy.received(number, .server, bytes, now: clock)
      case .nothing: break
      case .ended:
        mustLook = true
        socket.isReading = false
        proxy.ended(number, .server, now: clock)
      case .failed(let reason):
        mustLook = true
        socket.close(resets: false)
        sockets[number] = nil
        proxy.failed(number, .server, reason, now: clock)
      }
      apply()
    }
  }

  /// Does what the proxy has decided.
  private func apply() {
    while true {
      let effects = proxy.takeEffects()
      if effects.isEmpty { return }
      for effect in effects { perform(effect) }
    }
  }

  private func perform(_ effect: Proxy.Effect) {
    switch effect {
    case .connect(let number):
      do throws(FileFailure) {
        sockets[number] = try Socket(server.endpoint)
        proxy.connected(number, now: clock)
      } catch {
        mustLook = true
        proxy.failed(number, .server, error.message, now: clock)
      }
    case .send(let number, .server, let bytes):
      sockets[number]?.write(bytes)
      if sockets[number]?.isWriting != true { proxy.wrote(number, .server, now: clock) }
    case .send(let number, .client, let bytes):
      links[number]?.received(bytes)
      proxy.wrote(number, .client, now: clock)
    case .shutdown(let number, .server): sockets[number]?.shutdown()
    case .shutdown(let number, .client):
      // A device that is told so ends its side too.
      links[number]?.ended()
      links[number] = nil
      proxy.ended(number, .client, now: clock)
    case .close(let number, .server), .reset(let number, .server):
      var isReset = false
      if case .reset = effect { isReset = true }
      sockets.removeValue(forKey: number)?.close(resets: isReset)
    case .close(let number, .client), .reset(let number, .client):
      links.removeValue(forKey: number)?.ended()
    case .read(let number, .server, let isReading): sockets[number]?.isReading = isReading
    case .read: break
    case .say(let line): if line.starts(with: Array("{\"error\"".utf8)) { refusal = true }
    case .quit: break
    }
  }

  /// Whether the server is still there.
  private func look() {
    mustLook = false
    if fault == nil, let reason = server.absence() { fault = server.death(reason) }
  }
}
