import Foundation

/// A connection to a server. A thread of its own reads it and puts its lines together.
final class SocketConnection: @unchecked Sendable {
  struct Failure: Error {
    var sentence: String
  }

  private let socket: Int32
  private let condition = NSCondition()
  private var lines = LineQueue()
  private var hasEnded = false

  /// How long a server may take to take bytes, and to answer, in seconds.
  private static let patience = 10

  /// - Throws: a sentence that names the address and what is wrong.
  init(_ address: ServerAddress) throws(Failure) {
    var hints = addrinfo()
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var found: UnsafeMutablePointer<addrinfo>?
    let status = getaddrinfo(address.host, address.port, &hints, &found)
    guard status == 0 else {
      throw Failure(
        sentence:
          "\(address.spelled) is no address of a server: \(String(cString: gai_strerror(status)))")
    }
    defer { freeaddrinfo(found) }
    var code: Int32 = 0
    var entry = found
    while let info = entry?.pointee {
      let socket = Glibc.socket(
        info.ai_family, info.ai_socktype | Self.closesOnExec, info.ai_protocol)
      var limit = timeval(tv_sec: Self.patience, tv_usec: 0)
      setsockopt(
        socket, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
      if socket >= 0, connect(socket, info.ai_addr, info.ai_addrlen) == 0 {
        // A line is an answer's whole question: none waits for more to come.
        var isOn: Int32 = 1
        setsockopt(
          socket, Int32(IPPROTO_TCP), TCP_NODELAY, &isOn, socklen_t(MemoryLayout<Int32>.size))
        self.socket = socket
        return
      }
      code = errno
      if socket >= 0 { Glibc.close(socket) }
      entry = info.ai_next
    }
    throw Failure(
      sentence: "no server answers at \(address.spelled): \(String(cString: strerror(code)))")
  }

  deinit { Glibc.close(socket) }

  // MARK: Reading

  /// Starts the thread that reads.
  ///
  /// - Parameters:
  ///   - arrived: lines have come; called on that thread.
  ///   - ended: the connection has ended, and not by `close`.
  func read(arrived: @escaping @Sendable () -> Void, ended: @escaping @Sendable () -> Void) {
    let thread = Thread { [self] in
      var rest: [UInt8] = []
      var buffer = [UInt8](repeating: 0, count: 64 << 10)
      while true {
        let count = recv(socket, &buffer, buffer.count, 0)
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { break }
        if ingest(buffer[..<count], &rest) { arrived() }
      }
      let isClosed = finish()
      if !isClosed { ended() }
    }
    thread.name = "watchline"
    thread.start()
  }

  /// - Returns: whether a line has ended.
  private func ingest(_ bytes: ArraySlice<UInt8>, _ rest: inout [UInt8]) -> Bool {
    var start = bytes.startIndex
    var new: [[UInt8]] = []
    while let end = bytes[start...].firstIndex(of: 0x0A) {
      new.append(rest + bytes[start..<end])
      rest = []
      start = end + 1
    }
    rest += bytes[start...]
    guard !new.isEmpty else { return false }
    condition.lock()
    lines.append(new)
    condition.broadcast()
    condition.unlock()
    return true
  }

  /// - Returns: whether it had been closed here.
  private func finish() -> Bool {
    condition.lock()
    defer { condition.unlock() }
    let isClosed = hasEnded
    hasEnded = true
    condition.broadcast()
    return isClosed
  }

  func takeLine() -> [UInt8]? {
    condition.lock()
    defer { condition.unlock() }
    return lines.dequeue()
  }

  /// Waits until there is a line. A server that sends none for some seconds is given up.
  ///
  /// - Returns: false where there is none and none will come.
  func wait() -> Bool {
    let end = Date(timeIntervalSinceNow: Double(Self.patience))
    condition.lock()
    defer { condition.unlock() }
    while lines.isEmpty, !hasEnded {
      guard condition.wait(until: end) else {
        complain("the server has not answered for \(Self.patience) s; the connection is ended")
        shutdown(socket, Int32(SHUT_RDWR))
        return false
      }
    }
    return !lines.isEmpty
  }

  // MARK: Writing

  /// Sends bytes. Where the server takes none for some seconds, the connection is ended.
  func send(_ bytes: [UInt8]) {
    condition.lock()
    let isOpen = !hasEnded
    condition.unlock()
    guard isOpen else { return }
    var start = 0
    while start < bytes.count {
      let count = bytes.withUnsafeBytes {
        Glibc.send(
          socket, $0.baseAddress! + start, bytes.count - start, Self.noSignal)
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else {
        shutdown(socket, Int32(SHUT_RDWR))
        return
      }
      start += count
    }
  }

  /// Ends the connection from here; its thread ends with it.
  func close() {
    condition.lock()
    defer { condition.unlock() }
    guard !hasEnded else { return }
    hasEnded = true
    shutdown(socket, Int32(SHUT_RDWR))
    condition.broadcast()
  }
}
