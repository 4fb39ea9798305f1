internal import Glibc

/// A TCP connection that never blocks once it is open.
final class Socket {
  enum Reading {
    case bytes([UInt8])
    case nothing
    /// The other side sends nothing more.
    case ended
    case failed(String)
  }

  /// How long opening may take, in milliseconds.
  private static let patience: Int32 = 5000

  private(set) var descriptor: Int32
  /// Written, and not taken by the kernel yet.
  private var output: [UInt8] = []
  private var isEnding = false
  /// Whether what comes is wanted.
  var isReading = true

  /// Opens a connection; the first address that accepts one is taken.
  ///
  /// - Throws: why there is none.
  init(_ endpoint: Endpoint) throws(FileFailure) {
    var hints = addrinfo()
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var list: UnsafeMutablePointer<addrinfo>?
    let result = getaddrinfo(endpoint.host, "\(endpoint.port)", &hints, &list)
    guard result == 0 else {
      errno = EADDRNOTAVAIL
      throw FileFailure("getaddrinfo", "\(endpoint)")
    }
    defer { freeaddrinfo(list) }
    var opened: Int32 = -1
    var address = list
    while let candidate = address?.pointee, opened < 0 {
      opened = Self.opened(candidate)
      address = candidate.ai_next
    }
    guard opened >= 0 else { throw FileFailure("connect", "\(endpoint)") }
    descriptor = opened
    var one: Int32 = 1
    setsockopt(
      descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
  }

  deinit { close(resets: false) }

  /// - Returns: the descriptor; -1 where it cannot be opened, with `errno`.
  private static func opened(_ address: addrinfo) -> Int32 {
    let descriptor = socket(
      address.ai_family,
      address.ai_socktype | Int32(SOCK_NONBLOCK.rawValue)
        | Int32(SOCK_CLOEXEC.rawValue), address.ai_protocol)
    guard descriptor >= 0 else { return -1 }
    if connect(descriptor, address.ai_addr, address.ai_addrlen) == 0 { return descriptor }
    var error = errno
    if error == EINPROGRESS {
      var waiting = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
      error = ETIMEDOUT
      if poll(&waiting, 1, patience) > 0 {
        var size = socklen_t(MemoryLayout<Int32>.size)
        getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &size)
      }
    }
    if error == 0 { return descriptor }
    Glibc.close(descriptor)
    errno = error
    return -1
  }

  var isOpen: Bool { descriptor >= 0 }
  var isWriting: Bool { isOpen && !output.isEmpty }

  /// What to wait for.
  var awaited: pollfd {
    pollfd(
      fd: descriptor, events: Int16((isReading ? POLLIN : 0) | (isWriting ? POLLOUT : 0)),
      revents: 0)
  }

  func write(_ bytes: [UInt8]) {
    guard isOpen else { return }
    output += bytes
    flush()
  }

  /// Gives the kernel what it takes.
  ///
  /// - Returns: whether nothing is left.
  @discardableResult
  func flush() -> Bool {
    while isWriting {
      let count = output.withUnsafeBytes {
        send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      if count < 0, errno == EINTR { continue }
      if count < 0, errno == EAGAIN { return false }
      // What is broken shows when it is read.
      output.removeFirst(count < 0 ? output.count : count)
    }
    if isEnding, isOpen {
      isEnding = false
      Glibc.shutdown(descriptor, Int32(SHUT_WR))
    }
    return true
  }

  func read() -> Reading {
    guard isOpen else { return .nothing }
    var buffer = [UInt8](repeating: 0, count: 64 * 1024)
    let count = recv(descriptor, &buffer, buffer.count, 0)
    if count > 0 { return .bytes(Array(buffer[..<count])) }
    if count == 0 { return .ended }
    return errno == EAGAIN || errno == EINTR ? .nothing : .failed(String(cString: strerror(errno)))
  }

  /// Ends its own side once everything is written.
  func shutdown() {
    isEnding = true
    flush()
  }

  /// - Parameter resets: the other side is told that it is broken.
  func close(resets: Bool) {
    guard isOpen else { return }
    if resets {
      var now = linger(l_onoff: 1, l_linger: 0)
      setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &now, socklen_t(MemoryLayout<linger>.size))
    }
    Glibc.close(descriptor)
    descriptor = -1
    output = []
  }
}
