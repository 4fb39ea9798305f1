internal import Glibc

/// Where a server listens, resolved once.
struct Address {
  private var storage = sockaddr_storage()
  private let size: socklen_t
  private let family: Int32
  /// As it was given, for what is told.
  let text: String
  /// What a certificate has to be for.
  let host: String

  /// - Parameter host: an address, or a name, which is looked up.
  init(host: String, port: Int) throws(LoadFailure) {
    self.host = host
    text = host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    var hints = addrinfo()
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var list: UnsafeMutablePointer<addrinfo>?
    let code = getaddrinfo(host, "\(port)", &hints, &list)
    guard code == 0, var found = list else {
      throw LoadFailure("cannot find \(host): \(String(cString: gai_strerror(code)))")
    }
    defer { freeaddrinfo(list) }
    // The first of IPv4, else the first: so that `localhost` is what servers take it for.
    var next: UnsafeMutablePointer<addrinfo>? = found
    while let candidate = next {
      if candidate.pointee.ai_family == AF_INET {
        found = candidate
        break
      }
      next = candidate.pointee.ai_next
    }
    size = found.pointee.ai_addrlen
    family = found.pointee.ai_family
    withUnsafeMutableBytes(of: &storage) {
      $0.copyMemory(
        from: UnsafeRawBufferPointer(
          start: found.pointee.ai_addr, count: Int(found.pointee.ai_addrlen)))
    }
  }

  /// A socket that has begun to connect.
  func open() throws(LoadFailure) -> Int32 {
    let kind = SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue
    let descriptor = socket(family, Int32(kind), 0)
    guard descriptor >= 0 else {
      throw LoadFailure("no more sockets: \(String(cString: strerror(errno)))")
    }
    var one: Int32 = 1
    setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(4))
    let result = withUnsafePointer(to: storage) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(descriptor, $0, size) }
    }
    if result == 0 || errno == EINPROGRESS { return descriptor }
    let failure = self.failure(errno)
    close(descriptor)
    throw failure
  }

  func failure(_ code: Int32) -> LoadFailure {
    let hint = code == EADDRNOTAVAIL ? "; all of this machine's ports for it are in use" : ""
    return LoadFailure("cannot connect to \(text): \(String(cString: strerror(code)))\(hint)")
  }

  /// Whether it is one of this machine's: a datagram socket that is pointed at it, which sends
  /// nothing, then has the same address itself.
  var isLocal: Bool {
    let descriptor = socket(family, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    var own = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let isKnown = withUnsafePointer(to: storage) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Glibc.connect(descriptor, $0, size) == 0
      }
    }
    guard isKnown else { return false }
    withUnsafeMutablePointer(to: &own) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        _ = getsockname(descriptor, $0, &length)
      }
    }
    return Self.host(own) == Self.host(storage)
  }

  private static func host(_ storage: sockaddr_storage) -> [UInt8] {
    let isIPv6 = Int32(storage.ss_family) == AF_INET6
    return withUnsafeBytes(of: storage) { Array($0[isIPv6 ? 8..<24 : 4..<8]) }
  }
}
