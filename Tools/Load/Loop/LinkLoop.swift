internal import Glibc
internal import TLS

/// Hears what comes in over the links of a loop.
protocol LinkHandler: AnyObject {
  /// The socket is open.
  func opened(_ link: Link) throws(LoadFailure)

  /// Bytes have come, a torn line's start in front of them.
  ///
  /// - Returns: how many were used; the rest is brought again with what follows it.
  func received(
    _ link: Link, _ bytes: UnsafeRawBufferPointer, at now: Int64
  ) throws(LoadFailure) -> Int

  /// The turn is over and the link was scheduled: everything that it has to say can go out now.
  func fill(_ link: Link) throws(LoadFailure)

  /// The server has ended the connection.
  func ended(_ link: Link) throws(LoadFailure)

  /// A socket has taken so many bytes, or given them.
  func carried(_ bytes: Int)
}

/// All connections of a run on one thread: each is read once a turn, and written to once.
///
///     wait ─▶ read what came, line by line ─▶ fill: what each scheduled link has to say ─▶ wait …
final class LinkLoop {
  /// What is read at once.
  private static let readSize = 256 * 1024
  /// A line longer than this is no server's.
  private static let longestLine = 16 << 20
  /// What is written at once.
  static let writeSize = 256 * 1024

  /// Connections go to these in turn.
  private let addresses: [Address]
  /// nil without TLS.
  private let tls: TLSContext?
  unowned(unsafe) var handler: any LinkHandler
  private(set) var links: [Link] = []
  private let poller: Poller
  private var input: UnsafeMutableRawBufferPointer
  /// Where lines are built before `send`.
  let output: UnsafeMutableRawPointer
  private var scheduled: [Link] = []
  /// What has been decrypted in this read, a torn line's start in front of it.
  private var decrypted: [UInt8] = []

  /// - Parameter addresses: of servers of which each has all pairs; one at least.
  init(
    _ addresses: [Address], _ tls: TLSContext?, handler: any LinkHandler
  ) throws(LoadFailure) {
    self.addresses = addresses
    self.tls = tls
    self.handler = handler
    poller = try Poller()
    input = .allocate(byteCount: Self.readSize * 2, alignment: 64)
    output = .allocate(byteCount: Self.writeSize, alignment: 64)
  }

  deinit {
    for link in links where link.state != .closed { Glibc.close(link.descriptor) }
    input.deallocate()
    output.deallocate()
  }

  private func address(of index: Int) -> Address { addresses[index % addresses.count] }

  func connect(pair: Int, role: Link.Role) throws(LoadFailure) -> Link {
    let address = address(of: links.count)
    let descriptor = try address.open()
    let channel = tls?.connect(host: address.host)
    guard tls == nil || channel != nil else {
      throw LoadFailure("\(address.host) cannot be the name in a certificate")
    }
    let link = Link(
      index: links.count, pair: pair, role: role, descriptor: descriptor, channel: channel,
      since: Clock.now)
    links.append(link)
    try poller.add(descriptor, token: link.index)
    return link
  }

  func close(_ link: Link) {
    guard link.state != .closed else { return }
    link.state = .closed
    link.pending = []
    link.rest = []
    Glibc.close(link.descriptor)
  }

  /// Has `fill` called at the end of the turn, or of the next one where none runs.
  @inline(__always)
  func scheduleOutput(_ link: Link) {
    guard !link.isScheduled else { return }
    link.isScheduled = true
    scheduled.append(link)
  }

  func setTimer(_ moment: Int64) { poller.setTimer(moment) }

  // MARK: A turn

  /// Waits for something, at most so many milliseconds, and deals with it.
  func turn(_ milliseconds: Int32) throws(LoadFailure) {
    let count = poller.wait(scheduled.isEmpty ? milliseconds : 0)
    for index in 0..<count {
      let event = poller[index]
      let link = links[event.token]
      if link.state == .connecting {
        try open(link)
        continue
      }
      if event.isWritable, link.state != .closed { try writeOn(link) }
      if event.isReadable, link.state != .closed { try read(link) }
    }
    try flush()
  }

  private func flush() throws(LoadFailure) {
    guard !scheduled.isEmpty else { return }
    let links = scheduled
    scheduled.removeAll(keepingCapacity: true)
    for link in links {
      link.isScheduled = false
      if link.state != .closed { try handler.fill(link) }
    }
  }

  private func open(_ link: Link) throws(LoadFailure) {
    var code: Int32 = 0
    var size = socklen_t(4)
    getsockopt(link.descriptor, SOL_SOCKET, SO_ERROR, &code, &size)
    guard code == 0 else { throw address(of: link.index).failure(code) }
    try poller.change(link.descriptor, token: link.index, writing: false)
    if let channel = link.channel {
      link.state = .securing
      channel.begin()
      return try sendRecords(link, channel)
    }
    link.state = .open
    try handler.opened(link)
  }

  private func read(_ link: Link) throws(LoadFailure) {
    if let channel = link.channel { return try read(link, channel) }
    let kept = link.rest.count
    if input.count < kept + Self.readSize {
      input.deallocate()
      input = .allocate(byteCount: kept * 2 + Self.readSize, alignment: 64)
    }
    if kept > 0 { link.rest.withUnsafeBytes { input.copyMemory(from: $0) } }
    let count = try read(link, at: kept)
    guard count > 0 else { return count < 0 ? () : try handler.ended(link) }
    try hand(UnsafeRawBufferPointer(start: input.baseAddress, count: kept + count), to: link)
  }

  /// Reads what has come into `input`, behind what is there.
  ///
  /// - Returns: 0 at the end, and below that where nothing has come.
  private func read(_ link: Link, at kept: Int) throws(LoadFailure) -> Int {
    let count = Glibc.read(link.descriptor, input.baseAddress! + kept, Self.readSize)
    guard count < 0 else {
      handler.carried(count)
      return count
    }
    if errno == EAGAIN || errno == EINTR { return -1 }
    guard errno == ECONNRESET else {
      throw LoadFailure("\(link.name) cannot be read: \(String(cString: strerror(errno)))")
    }
    return 0
  }

  /// - Parameter all: with what was kept of it before in front.
  private func hand(_ all: UnsafeRawBufferPointer, to link: Link) throws(LoadFailure) {
    let used = try handler.received(link, all, at: Clock.now)
    let rest = all.count - used
    guard rest <= Self.longestLine else {
      throw LoadFailure("a line to \(link.name) has no end within 16 MiB")
    }
    if !link.rest.isEmpty || rest > 0 {
      link.rest.removeAll(keepingCapacity: true)
      if rest > 0 { link.rest.append(contentsOf: all[used...]) }
    }
  }

  // MARK: TLS

  private func read(_ link: Link, _ channel: TLSChannel) throws(LoadFailure) {
    let count = try read(link, at: 0)
    guard count >= 0 else { return }
    decrypted.removeAll(keepingCapacity: true)
    decrypted.append(contentsOf: link.rest)
    let kept = decrypted.count
    let state =
      count == 0
      ? TLSChannel.State.ended
      : channel.receive(UnsafeRawBufferPointer(rebasing: input[..<count])) {
        decrypted.append(contentsOf: $0)
      }
    try sendRecords(link, channel)
    if link.state == .securing, channel.isReady {
      link.state = .open
      try handler.opened(link)
    }
    if decrypted.count > kept {
      // The handler may have this loop send, and so may not have it lent.
      let bytes = decrypted
      try withBytes(of: bytes) { (all) throws(LoadFailure) in try hand(all, to: link) }
    }
    switch state {
    case .open: break
    case .ended: try handler.ended(link)
    case .failed(let reason):
      throw LoadFailure("TLS with \(address(of: link.index).text): \(reason)")
    }
  }

  /// Sends the records that there are.
  private func sendRecords(_ link: Link, _ channel: TLSChannel) throws(LoadFailure) {
    let records = channel.takeRecords()
    guard !records.isEmpty else { return }
    try withBytes(of: records) { (bytes) throws(LoadFailure) in try put(link, bytes) }
  }

  // MARK: Writing

  /// Whether more may be sent: nothing waits for the kernel.
  @inline(__always)
  func isReady(_ link: Link) -> Bool { link.pending.isEmpty }

  /// Sends the first bytes of `output`, or keeps what the kernel does not take.
  func send(_ link: Link, _ count: Int) throws(LoadFailure) {
    try send(link, UnsafeRawBufferPointer(start: output, count: count))
  }

  func send(_ link: Link, _ line: String) throws(LoadFailure) { try send(link, Array(line.utf8)) }

  func send(_ link: Link, _ lines: [UInt8]) throws(LoadFailure) {
    try withBytes(of: lines) { (bytes) throws(LoadFailure) in try send(link, bytes) }
  }

  private func withBytes(
    of array: [UInt8], _ body: (UnsafeRawBufferPointer) throws(LoadFailure) -> Void
  ) throws(LoadFailure) {
    let result: Result<Void, LoadFailure> = array.withUnsafeBytes { bytes in
      do throws(LoadFailure) {
        return .success(try body(bytes))
      } catch {
        return .failure(error)
      }
    }
    try result.get()
  }

  private func send(_ link: Link, _ bytes: UnsafeRawBufferPointer) throws(LoadFailure) {
    guard let channel = link.channel else { return try put(link, bytes) }
    guard link.state != .closed else { return }
    guard channel.send(bytes) else { throw LoadFailure("\(link.name): TLS cannot encrypt") }
    try sendRecords(link, channel)
  }

  /// Gives bytes to the socket.
  private func put(_ link: Link, _ bytes: UnsafeRawBufferPointer) throws(LoadFailure) {
    guard link.pending.isEmpty else {
      link.pending.append(contentsOf: bytes)
      return
    }
    let sent = try write(link, bytes)
    guard sent < bytes.count else { return }
    link.pending = Array(bytes[sent...])
    link.pendingStart = 0
    try poller.change(link.descriptor, token: link.index, writing: true)
  }

  /// The kernel has room again.
  private func writeOn(_ link: Link) throws(LoadFailure) {
    guard !link.pending.isEmpty else { return }
    let result: Result<Int, LoadFailure> = link.pending.withUnsafeBytes { bytes in
      do throws(LoadFailure) {
        return .success(
          try write(link, UnsafeRawBufferPointer(rebasing: bytes[link.pendingStart...])))
      } catch {
        return .failure(error)
      }
    }
    link.pendingStart += try result.get()
    guard link.pendingStart == link.pending.count else { return }
    link.pending = []
    try poller.change(link.descriptor, token: link.index, writing: false)
    scheduleOutput(link)
  }

  private func write(
    _ link: Link, _ bytes: UnsafeRawBufferPointer
  ) throws(LoadFailure) -> Int {
    guard link.state != .closed else { return bytes.count }
    let count = Glibc.send(
      link.descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
    if count >= 0 {
      handler.carried(count)
      return count
    }
    switch errno {
    case EAGAIN, EINTR: return 0
    case EPIPE, ECONNRESET:
      // The next read tells, behind what the server said last.
      return bytes.count
    default:
      throw LoadFailure("\(link.name) cannot be written to: \(String(cString: strerror(errno)))")
    }
  }
}
